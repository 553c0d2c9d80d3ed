"""numba's way from Python to intermediate code, without the work that kernels do not need.

Two thirds of a compilation are Python, and much of that finds out what is never in doubt in a kernel. `KernelCompiler`
leaves out the passes that have nothing to do in a function. And the types of operators on numbers are found once in a
process: for each `+` or `<`, numba asks all that have ever defined that operator, those of arrays, strings, lists and
dates before those of numbers, and asks them again when it writes the code.

Kernels do the same as without this, bit for bit.
"""

import functools
import operator
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from llvmlite import ir
from llvmlite.binding import newpassmanagers
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.typed_passes import AnnotateTypes, IRLegalization, NopythonRewrites
from numba.core.typing import Signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.core.untyped_passes import InlineClosureLikes


@functools.cache
def _size(kind: ir.Type) -> int:
    """Return the bytes of a value, for which LLVM parses a module each time that numba asks: for each variable."""
    size: int = cpu_target.target_context.get_abi_sizeof(kind)
    return size


_C_WRAPPER = "cfunc."
"""How numba begins the name of a function's wrapper for callers in C."""


class Library(JITCodeLibrary):  # type: ignore[misc]
    """Code of a function, tidied up once rather than optimised before it is linked with its helpers and optimised."""

    def add_ir_module(self, module: ir.Module) -> None:
        """Add intermediate code; the wrapper of a function for callers in C may contain it, which numba forbids."""
        if module.name == "cfunc_wrapper":
            blocks = (block for function in module.functions for block in function.blocks)
            for instruction in (one for block in blocks for one in block.instructions):
                if isinstance(instruction, ir.CallInstr):
                    instruction.attributes.discard("noinline")
        super().add_ir_module(module)

    def _optimize_final_module(self) -> None:
        """Optimise all code; a function with a wrapper for callers in C is called by it alone, and compiled into it."""
        for name in [function.name for function in self._final_module.functions]:
            if name.startswith(_C_WRAPPER):
                self._final_module.get_function(name.removeprefix(_C_WRAPPER)).linkage = "internal"
        super()._optimize_final_module()

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        passes, builder = newpassmanagers.create_new_function_pass_manager(), self._codegen._pass_builder()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


class KernelCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler without the passes that have nothing to do in a function."""

    def __init__(self, typing: object, target: object, *rest: object) -> None:
        super().__init__(typing, target, *rest)
        self.state.targetctx.get_abi_sizeof = _size  # of a copy that numba has made for this function

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes, as numba asks for them."""
        if self.state.library is None:
            self.state.library = Library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
            self.state.library.enable_object_caching()
        (usual,) = super().define_pipelines()
        needless = set(self._needless())
        passes = _Passes(usual.pipeline_name)
        passes.passes = [one for one in usual.passes if one[0] not in needless]
        passes.finalize()
        return [passes]

    def _needless(self) -> Iterator[type]:
        identity = self.state.func_id
        yield AnnotateTypes  # for people who read numba's reports
        if not any(isinstance(constant, CodeType) for constant in identity.code.co_consts):
            yield InlineClosureLikes  # of functions within the function
        if not self.state.flags.nrt:  # without arrays of its own
            yield NopythonRewrites  # of expressions that make arrays
            if not identity.is_generator:
                yield IRLegalization  # which says where the last reference to an array ends


class _Passes(PassManager):  # type: ignore[misc]
    """Passes that run without being timed and reported one by one."""

    def _runPass(self, index: int, one: Any, state: Any) -> None:
        one.analysis = self._analysis
        one.run_pass(state)


class OnNumbers(AbstractTemplate):  # type: ignore[misc]
    """The types of one operator on numbers. Those who defined it are asked once for each, and answer all else."""

    metadata = {"target": "cpu"}  # numba asks what is made for a target before what is made for all
    prefer_literal = True  # whether constants count as such is up to those who are asked
    remembers = True  # known by this, not by its class, of which there are two if this module is loaded twice
    key: Callable[..., object]
    signatures: dict[tuple[types.Type, ...], Signature]
    implementations: dict[tuple[types.Type, ...], object]

    def generic(self, arguments: tuple[types.Type, ...], named: dict[str, types.Type]) -> Signature | None:
        """Return the signature for arguments of these types; None if they are not numbers or do not fit."""
        if named or not all(isinstance(one, types.Number | types.Boolean) for one in arguments):
            return None
        known = self.signatures.get(arguments)
        if known is None:
            everybody = self.context.resolve_value_type(self.key)
            others = types.Function([one for one in everybody.templates if not getattr(one, "remembers", False)])
            try:
                known = others.get_call_type(self.context, arguments, named)
            except TypingError:
                return None  # the others will say why
            self.signatures[arguments] = known
            self.implementations[known.args] = others.get_impl_key(known)
        return known

    def get_impl_key(self, signature: Signature) -> Any:
        """Return the key under which numba finds what writes the code."""
        return self.implementations[signature.args]


_SYMBOLS = "add and_ eq floordiv ge gt invert le lshift lt mod mul ne neg or_ pos rshift sub truediv xor"
_IN_PLACE = "iadd iand ifloordiv ilshift imod imul ior irshift isub itruediv ixor"

for _name in (*_SYMBOLS.split(), *_IN_PLACE.split()):
    _operator = getattr(operator, _name)
    _members = {"key": _operator, "signatures": {}, "implementations": {}}
    infer_global(_operator)(type(f"OnNumbers_{_name}", (OnNumbers,), _members))

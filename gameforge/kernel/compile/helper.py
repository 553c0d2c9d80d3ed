"""Helpers: functions that are compiled into their callers and have no machine code of their own.

numba compiles every function for three callers: other kernels, Python and C. For a function that it inlines anyway, two
thirds of that work are thrown away: the wrappers for Python and C, the optimisation of the function by itself, and its
machine code. A helper stops after the intermediate code, which its callers link and optimise together with their own.
An empty cache is then filled in little more than half of the time; the machine code of the callers does the same.
"""

import functools
from collections.abc import Callable
from typing import Any

import numba
from numba.core.compiler import CompileResult, Flags
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing import Signature

from gameforge.kernel.compile.frontend import KernelCompiler, Library


class Helper(CPUDispatcher):  # type: ignore[misc]
    """A function that kernels call; each of them contains its code.

    Python can call it, too, as tests do: the first call compiles it once more, as a function of its own.
    """

    def __init__(
        self,
        py_func: Callable[..., object],
        locals: dict[str, object] | None = None,
        targetoptions: dict[str, object] | None = None,
    ) -> None:
        """The arguments are those of numba's dispatchers; targetoptions: the options of numba.njit."""
        options = {"nopython": True, "boundscheck": None, **(targetoptions or {}), "forceinline": True}
        super().__init__(py_func, locals, options)
        self._compiler = _HelperCompiler(py_func, self.targetdescr, options, locals or {}, _HelperPipeline)

    def add_overload(self, result: CompileResult) -> None:
        """Offer the code for one signature to callers in kernels; numba would also offer it to callers in Python."""
        self.overloads[tuple(result.signature.args)] = result
        self.targetctx.insert_user_function(result.fndesc, result.fndesc, [result.library])

    def get_overload(self, signature: Signature) -> object:
        """Return the key under which `add_overload` has offered the code for a signature."""
        arguments, _ = normalize_signature(signature)
        return self.overloads[tuple(arguments)].fndesc

    def __call__(self, *arguments: object) -> Any:
        """Call the function from Python."""
        return self._for_python(*arguments)

    @functools.cached_property
    def _for_python(self) -> Callable[..., Any]:
        options = {name: value for name, value in self.targetoptions.items() if name not in ("nopython", "forceinline")}
        return numba.njit(**options)(self.py_func)


class _HelperCompiler(_FunctionCompiler):  # type: ignore[misc]
    """Leaves out the wrappers for callers in Python and C."""

    def _customize_flags(self, flags: Flags) -> Flags:
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        return flags


class _HelperPipeline(KernelCompiler):
    """Collects the code of a function in a _HelperLibrary."""

    def __init__(self, typing: object, target: Any, library: object, *rest: object) -> None:
        super().__init__(typing, target, library, *rest)
        self.state.library = _HelperLibrary(target.codegen(), "helper")


class _HelperLibrary(Library):
    """Intermediate code that others link: neither optimised as a whole nor turned into machine code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

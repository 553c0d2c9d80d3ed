"""Functions across the border: those that kernels call, calls from compiled functions into Python, and what they raise.

A function that kernels call is compiled Python or, if it does not compile, a Python callback, which gets pointers and
writes through them; that costs microseconds. Components whose positions are Python objects call Python functions by
`list_from` and `number_from` instead: such a function gets bytes and a number and returns a list or a number, which
machine code reads in a tenth of a microsecond.

`specialised` serves functions of one component that call helpers of another, such as an evaluator that reads a game's
cells. The helper is compiled into the function, so that a call costs nothing, and the machine code is kept on disk: a
closure over the helper would be compiled again in every process.

Exceptions of components' functions cannot pass through kernels: `Failures` records them, and they are raised later.
"""

import contextlib
import ctypes
import functools
import inspect
import operator
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, SupportsInt, TypeAlias

import numba.experimental.function_type  # noqa: F401  registers WrapperAddressProtocol with numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.typing import Signature
from numba.core.typing.ctypes_utils import to_ctypes
from numba.extending import intrinsic, typeof_impl
from numpy.typing import NDArray

from gameforge.discovery.registry import crash
from gameforge.errors import GameforgeError
from gameforge.kernel import slots
from gameforge.kernel.abi import SIGNATURES, WORDS
from gameforge.kernel.compile.cache import files_of, place
from gameforge.kernel.compile.jit import COMPILED, c_function, inline, wrapping
from gameforge.kernel.types import IntegerArray, Whole, Word, Words

# Components reach kernels as first-class functions, which numba marks experimental wherever a kernel takes one.
warnings.filterwarnings("ignore", message="First-class function type", category=NumbaExperimentalFeatureWarning)

CompiledFunction: TypeAlias = Any
"""A component's function as kernels call it, whose type is that of the function: a `Function`, or plain Python."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class UncompiledWarning(UserWarning):
    """A component's function does not compile; it runs as a plain Python callback."""


class PythonCall:
    """A Python function that compiled functions call by its address (python_calls.py), while this object lives."""

    def __init__(self, function: Callable[[bytes, int], object]) -> None:
        self.failures = Failures(_who("call", function))
        self._pair = function, self.failures.fail
        self.address = id(self._pair)


class Function(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A value that kernels call by address (numba's WrapperAddressProtocol)."""

    def __init__(
        self, name: str, signature: Signature, address: int, keep: object, failures: "tuple[Failures, ...]" = ()
    ) -> None:
        """keep: what the machine code needs; failures: those of its code, and of the Python functions that it calls."""
        self.name = name
        self._signature = signature
        self._address = address
        self._keep = keep
        self.failures = failures

    @functools.cached_property
    def numba_type(self) -> types.FunctionType:
        """The type that kernels see; cached, because it is needed each time that a kernel is entered."""
        return types.FunctionType(self._signature)

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self) -> Signature:
        """The signature with which it is compiled."""
        return self._signature

    @functools.cached_property
    def python(self) -> Callable[..., Any]:
        """The same function for callers in Python, which give blocks as addresses."""
        signature = self._signature
        arguments = [ctypes.c_void_p if isinstance(a, types.CPointer) else to_ctypes(a) for a in signature.args]
        result = None if signature.return_type == types.void else to_ctypes(signature.return_type)
        # PYFUNCTYPE keeps the GIL: such calls are short, and scratch blocks stay consistent.
        return ctypes.PYFUNCTYPE(result, *arguments)(self._address)

    def check(self) -> None:
        """Raise what the function raised in this thread."""
        raise_failure(self.failures)


def failures_of(compiled: tuple[object, ...]) -> "tuple[Failures, ...]":
    """Return the records of what these functions (nested tuples) raise, each once.

    Plain functions have none: they raise it themselves.
    """
    return tuple({record: None for one in _leaves(compiled) if isinstance(one, Function) for record in one.failures})


def _leaves(compiled: tuple[object, ...]) -> Iterator[object]:
    for entry in compiled:
        if isinstance(entry, tuple):
            yield from _leaves(entry)
        else:
            yield entry


@typeof_impl.register(Function)  # type: ignore[untyped-decorator]
def _type_of(value: Function, context: object) -> types.FunctionType:
    return value.numba_type


def _callback(name: str, signature: Signature, function: Callable[..., Any]) -> Function:
    arguments = [to_ctypes(a) for a in signature.args]
    result = None if signature.return_type == types.void else to_ctypes(signature.return_type)
    # If a callback returns another type, ctypes only prints a message and returns garbage.
    number = operator.index if isinstance(signature.return_type, types.Integer) else float
    failures = Failures(_who(name, function))

    def guarded(*blocks: object) -> object:
        if not (failures.by_thread and failures.failed()):
            try:
                returned = function(*blocks)
                return None if result is None else number(returned)
            except BaseException as error:  # re-raised by check() once the kernel has returned
                failures.fail(error)
        return None if result is None else 0

    entry = ctypes.CFUNCTYPE(result, *arguments)(guarded)
    address = ctypes.cast(entry, ctypes.c_void_p).value
    assert address is not None
    return Function(name, signature, address, entry, (failures,))


def _who(name: str, function: Callable[..., object]) -> str:
    """Return how messages name a component's function, which may also be a callable object."""
    return f"{name} of {getattr(function, '__module__', None) or type(function).__module__}"


def _check_arguments(name: str, signature: Signature, function: Callable[..., object]) -> None:
    n = len(signature.args)
    try:
        inspect.signature(function).bind(*range(n))
    except TypeError as error:
        who = f"{function.__module__}.{getattr(function, '__qualname__', name)}"
        raise GameforgeError(f"{who} is used as {name}, which is called with {n} arguments: {error}") from None


_BITWISE = "(invert|i?(and_?|or_?|xor|lshift|rshift))"
"""Names of Python's operators on bits."""


def _reason(error: Exception) -> str:
    """Return in one line what numba could not compile, and where."""
    plain = _COLOURS.sub("", str(error))  # numba writes for terminals where colorama is installed
    lines = [line for line in plain.splitlines() if line.strip() and not line.startswith("Failed in")]
    reason = lines[0].rstrip(".") if lines else "numba gave no reason"
    if call := re.search(r"^ >>> (\w+\(.*\))$", plain, re.MULTILINE):
        reason = f"there is no {call[1]}"
        if re.match(_BITWISE + r"\(.*float64", call[1]):
            reason += "; a variable that holds a uint64 in one place and an int64 in another becomes a float64: write "
            reason += "np.uint64(1) << np.uint64(n) for 1 << n"
    if reason.startswith("Untyped global name") and reason.endswith("<class 'function'>"):
        reason += "; helper functions have to be marked with gameforge.kernel.inline"
    if re.match(r"mismatch of argument types: array.* vs \w+\*", reason):
        reason += "; an array is passed on as at(array, 0)"
    place = getattr(error, "loc", None) or _place(error)
    return reason if place is None else f"{reason} ({Path(place.filename).name}, line {place.line})"


def _place(error: Exception) -> Any:
    """Return the line that numba was compiling when it raised an error that does not name it; None if unknown."""
    steps = [frame.f_locals.get("self") for frame, _ in traceback.walk_tb(error.__traceback__)]
    places = [place for place in (getattr(step, "loc", None) for step in steps) if hasattr(place, "filename")]
    return places[-1] if places else None


def compiled_function(
    name: str,
    function: Callable[..., object],
    *,
    compiled: bool = True,
    signature: Signature | None = None,
    bare: bool = False,
    calls: tuple[PythonCall, ...] = (),
) -> CompiledFunction:
    """Compile `function` with the signature of `name`, or with `signature`; return a value that kernels can call.

    A function that does not compile runs as a callback (about a microsecond per call), with an UncompiledWarning;
    `compiled=False` makes a callback without warning. bare: the function makes no arrays or lists (jit.bare_kernel).
    calls: the Python functions that it calls. Under NUMBA_DISABLE_JIT the plain function itself is returned.

    Raises GameforgeError if the function does not take as many arguments as the signature has, or if a search does not
    compile, which cannot be a callback because ctypes cannot describe its context.
    """
    signature = SIGNATURES[name] if signature is None else signature
    _check_arguments(name, signature, function)
    if not COMPILED:
        plain = wrapping(function)
        vars(plain)["calls"] = calls  # keeps them alive
        return plain
    if compiled:
        try:
            code = c_function(function, signature, bare=bare)
        except OSError:  # the cache cannot be read or written
            raise
        except Exception as error:  # not only NumbaError: numba fails in many ways
            who = _who(name, function)
            if name == "search":
                raise GameforgeError(f"{who} does not compile: {_reason(error)}") from error
            warnings.warn(
                f"{who} does not compile and runs as plain Python, slower: {_reason(error)} "
                "(compiled=False says that this is meant)",
                UncompiledWarning,
                stacklevel=2,
            )
        else:
            install_hook()
            failures = (*failures_in(function), *(call.failures for call in calls))
            return Function(name, signature, code.address, (code, calls), failures)
    return _callback(name, signature, function)


def python_of(function: CompiledFunction) -> Callable[..., Any]:
    """Return a compiled function for callers in Python, who give blocks as addresses; if uncompiled, as arrays."""
    return function.python if isinstance(function, Function) else function


def call(function: CompiledFunction, *arguments: NDArray[np.generic] | SupportsInt) -> Any:
    """Call a compiled function from Python, with arrays as blocks; raises what it raises."""
    if not isinstance(function, Function):
        return function(*arguments)
    result = function.python(*(a.ctypes.data if isinstance(a, np.ndarray) else int(a) for a in arguments))
    function.check()
    return result


def bound(function: CompiledFunction, *blocks: NDArray[np.generic]) -> Callable[..., Any]:
    """Return a function that calls a compiled function with these arrays and further blocks, faster than `call`.

    It takes the further blocks as pointers, as a Python callback gets them, or as arrays.
    """
    if not isinstance(function, Function):
        return functools.partial(function, *blocks)
    addresses, python = [block.ctypes.data for block in blocks], function.python

    def called(*rest: object) -> object:
        result = python(*addresses, *[a.ctypes.data if isinstance(a, np.ndarray) else a for a in rest])
        function.check()
        return result

    called.__dict__["blocks"] = blocks  # keeps them alive
    return called


if TYPE_CHECKING:

    def list_from(call: Word, block: Words, size: Whole, number: Word, out: Words) -> int:
        """Call a function of RulesFunctions.calls; write the integers of its list, and return their number.

        call: its address, from the data of the rules; its arguments are the first `size` bytes of a block, and the
        number.
        """
        ...

    def number_from(call: Word, block: Words, size: Whole, number: Word) -> int:
        """Call a function of RulesFunctions.calls, as `list_from` does; return its integer."""
        ...

elif not COMPILED:

    def _called(call, block, size, number):
        function, _ = ctypes.cast(int(call), ctypes.py_object).value
        return function(ctypes.string_at(block.ctypes.data, int(size)), int(number))

    def list_from(call, block, size, number, out):
        values = _called(call, block, size, number)
        out[: len(values)] = values
        return len(values)

    def number_from(call, block, size, number):
        return _called(call, block, size, number)

else:

    def _call(context, builder, args, read):
        """Call the function of a PythonCall; return read(python, builder, answer), or 0 after an exception."""
        python = context.get_python_api(builder)
        result = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(64), 0))
        lock = python.gil_ensure()
        function, fail = (python.tuple_getitem(builder.inttoptr(args[0], python.pyobj), i) for i in range(2))
        start = python.bytes_from_string_and_size(builder.bitcast(args[1], ir.IntType(8).as_pointer()), args[2])
        number = python.long_from_ulonglong(args[3])
        answer = python.call_function_objargs(function, (start, number))
        python.decref(start)
        python.decref(number)
        with cgutils.if_likely(builder, cgutils.is_not_null(builder, answer)):
            builder.store(read(python, builder, answer), result)
            python.decref(answer)
        with cgutils.if_unlikely(builder, cgutils.is_not_null(builder, python.err_occurred())):
            error = [cgutils.alloca_once(builder, python.pyobj) for _ in range(3)]
            python.err_fetch(*error)
            _normalized(python, builder, error)
            python.decref(python.call_function_objargs(fail, (builder.load(error[1]),)))
            for part in error:
                python.decref(builder.load(part))
            builder.store(ir.Constant(ir.IntType(64), 0), result)
        python.gil_release(lock)
        return builder.load(result)

    def _normalized(python, builder, error):
        """Make an exception of what C functions have set instead of one."""
        kind = ir.FunctionType(ir.VoidType(), [python.pyobjptr] * 3)
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "PyErr_NormalizeException"), error)

    @intrinsic
    def list_from(typing, call, block, size, number, out):
        def codegen(context, builder, signature, args):
            def read(python, builder, values):
                length = python.list_size(values)
                with cgutils.for_range(builder, length) as loop:
                    value = python.long_as_ulonglong(python.list_getitem(values, loop.index))
                    builder.store(value, builder.gep(args[4], [loop.index]))
                return length

            return _call(context, builder, args, read)

        return types.int64(types.uint64, WORDS, types.int64, types.uint64, WORDS), codegen

    @intrinsic
    def number_from(typing, call, block, size, number):
        def codegen(context, builder, signature, args):
            return _call(context, builder, args, lambda python, builder, answer: python.long_as_longlong(answer))

        return types.int64(types.uint64, WORDS, types.int64, types.uint64), codegen


@functools.cache
def specialised(function: Callable[..., object], name: str, helper: Callable[..., object]) -> Callable[..., object]:
    """Return a copy of `function` in which the global `name` is `helper`, a plain function.

    The same arguments give the same copy, so that it is compiled once.
    """
    assert isinstance(function, FunctionType)
    python = getattr(helper, "py_func", helper)
    values = {**function.__globals__, name: inline(python) if COMPILED and isinstance(python, FunctionType) else python}
    copy = FunctionType(function.__code__, values, function.__name__, function.__defaults__, function.__closure__)
    whose = f"{python.__module__}_{getattr(python, '__qualname__', type(python).__qualname__)}".replace(".", "_")
    copy.__qualname__ = f"{function.__qualname__}_{whose}"  # names the file that holds the machine code
    copy.__doc__ = function.__doc__
    return copy


class Failures:
    """What a function raised inside kernels, through which exceptions cannot pass, by thread."""

    def __init__(self, who: str) -> None:
        """who: how messages name the function."""
        self._who = who
        self.by_thread: dict[int, BaseException] = {}

    def failed(self) -> bool:
        """Return whether the function has raised in this thread."""
        return threading.get_ident() in self.by_thread

    def fail(self, error: BaseException) -> None:
        """Record what the function raised in this thread; inside `stopped_by_failures` also stop the thread's game.

        An exception that is not a GameforgeError becomes the cause of a ComponentError, which names the function.
        """
        named = crash(self._who, error) if isinstance(error, Exception) else error
        if named is not error:
            named.__cause__ = error
        self.by_thread.setdefault(threading.get_ident(), named)
        for control in getattr(_stopped, "controls", ()):
            control[slots.STOP] = 1

    def take(self) -> BaseException | None:
        """Pop the exception that the function recorded in this thread; None without one."""
        return self.by_thread.pop(threading.get_ident(), None)


def taken(records: Iterable[Failures]) -> BaseException | None:
    """Pop the exception that functions recorded in this thread; None without one."""
    failures = [record.take() for record in records if record.by_thread]
    return next((failure for failure in failures if failure is not None), None)


def raise_failure(records: Iterable[Failures]) -> None:
    """Pop and raise the exception that functions, called by machine code, recorded in this thread."""
    for record in records:
        if record.by_thread:  # hardly ever
            failure = taken(records)
            if failure is not None:
                raise failure
            return


_raised: dict[str, Failures] = {}
"""What compiled functions raise, by the `place` of the file whose line raises it."""


@functools.lru_cache(maxsize=1024)  # for as many functions as c_function keeps
def failures_in(function: Callable[..., object]) -> tuple[Failures, ...]:
    """Return the records of what a compiled function raises, and the helpers that are inlined into it."""
    modules = files_of(function)
    return tuple(
        _raised.setdefault(place(file, module), Failures(f"compiled code of {module}"))
        for file, module in modules.items()
    )


def _record_of(file: str) -> Failures | None:
    """Return the record of what the lines of a file raise, which may be that of another checkout."""
    parts = Path(file).parts
    places = [file, *("/".join(parts[start:]) for start in range(len(parts) - 1))]
    return next((_raised[here] for here in places if here in _raised), None)


def install_hook() -> None:
    """Install the hook that records what compiled functions raise, again if another library has replaced it."""
    if not isinstance(sys.unraisablehook, _Hook):
        sys.unraisablehook = _Hook(sys.unraisablehook)


class _Hook:
    """Records what compiled functions raise; the hook that was installed before reports anything else.

    numba hands their exceptions to sys.unraisablehook, and they return 0, because machine code calls them.
    """

    def __init__(self, otherwise: Callable[["sys.UnraisableHookArgs"], object]) -> None:
        self._otherwise = otherwise

    def __call__(self, unraisable: "sys.UnraisableHookArgs") -> None:
        frames = [frame for frame, _ in traceback.walk_tb(unraisable.exc_traceback)]
        # numba names itself by a string; Python passes the object whose method raised
        record = _record_of(frames[-1].f_code.co_filename) if frames and isinstance(unraisable.object, str) else None
        if record is None or unraisable.exc_value is None:
            self._otherwise(unraisable)
        else:
            record.fail(unraisable.exc_value)


_stopped = threading.local()


@contextlib.contextmanager
def stopped_by_failures(*controls: IntegerArray) -> Iterator[None]:
    """Set these STOP flags if a function of a component raises in this thread while the block runs.

    The kernel then stops at once, so that the side to move is the one that failed.
    """
    _stopped.controls = controls
    try:
        yield
    finally:
        _stopped.controls = ()

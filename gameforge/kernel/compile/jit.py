"""Decorators that compile kernels, and reports on the compiler's work."""

import contextlib
import functools
import gc
import threading
import time
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.core.typing import Signature

from gameforge.kernel.compile.cache import WarmCache
from gameforge.kernel.compile.frontend import KernelCompiler
from gameforge.kernel.compile.helper import Helper

Function = TypeVar("Function", bound=Callable[..., object])

COMPILED = not numba.config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1; every kernel then runs as plain Python over arrays."""

_OPTIONS: dict[str, object] = {"error_model": "numpy", "nogil": True}
_BARE = _OPTIONS | {"_nrt": False}
"""Without numba's runtime: no arrays can be made, no references are counted. Helpers inherit it from their caller."""


class NotAFunction(TypeError):
    """Raised for a callable that cannot be compiled because it is not a Python function."""


_TICK = 1.0
"""Seconds between two reports on a function that is being compiled."""


@contextlib.contextmanager
def on_compilation(notify: Callable[[str | None, float], None]) -> Iterator[None]:
    """Call notify(function, seconds) when the compiler begins a function, each second until it ends, and at the end.

    Nothing is called for what is read from the cache. function: the name of the one that its caller waits for, whose
    helpers are not named; "" if another process compiles it; None at the end. seconds: time that the compiler has taken
    since the block began. The calls each second come from another thread; if one raises, no others follow.
    """
    listener = _Compilations(notify)
    with contextlib.ExitStack() as stack:
        stack.callback(listener.leave)
        stack.enter_context(event.install_listener("numba:compile", listener))
        yield


class _Compilations(event.Listener):  # type: ignore[misc]
    """Follows the compiler by numba's events, which nest where a function needs another, and by a thread's clock."""

    def __init__(self, notify: Callable[[str | None, float], None]) -> None:
        self._notify = notify
        self._lock = threading.RLock()  # notify may itself compile
        self._left = threading.Event()
        self._watcher: threading.Thread | None = None
        self._depth, self._function = 0, ""
        self._before, self._began = 0.0, 0.0

    def on_start(self, event: Any) -> None:
        """Report a function, unless another one needs it."""
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._function = event.data["dispatcher"].py_func.__name__ if event.data else ""
            self._began = time.perf_counter()
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, daemon=True)
                self._watcher.start()
            self._notify(self._function, self._seconds)

    def on_end(self, event: object) -> None:
        """Report the end of the function that was reported."""
        with self._lock:
            self._depth -= 1
            if not self._depth:
                self._before = self._seconds
                self._notify(None, self._before)

    def leave(self) -> None:
        """End the thread."""
        self._left.set()
        if self._watcher is not None:
            self._watcher.join()

    @property
    def _seconds(self) -> float:
        return self._before + time.perf_counter() - self._began

    def _watch(self) -> None:
        with contextlib.suppress(Exception):  # the same output fails in the thread that compiles, too
            while not self._left.wait(_TICK):
                with self._lock:
                    if self._depth:
                        self._notify(self._function, self._seconds)


def wrapping(function: Function) -> Function:
    """Return a function to run as plain Python, without numpy's warnings about sums that wrap around on purpose."""
    return np.errstate(over="ignore")(function)


def kernel(function: Function) -> Function:
    """Compile on first use, cache on disk, release the GIL while running."""
    return _dispatcher(function, _OPTIONS) if COMPILED else wrapping(function)


def bare_kernel(function: Function) -> Function:
    """Compile like `kernel`, for a function that makes no arrays or lists.

    Otherwise numba counts references to every array that it takes from a context, of which there are dozens. Without
    that, a game of shallow searches takes three quarters of the time.
    """
    return _dispatcher(function, _BARE) if COMPILED else wrapping(function)


def _dispatcher(function: Function, options: dict[str, object]) -> Function:
    dispatcher = numba.njit(no_cfunc_wrapper=True, pipeline_class=KernelCompiler, **options)(function)
    cache = WarmCache.of(function)
    if cache is not None:
        dispatcher._cache = cache
        dispatcher.compile = cache.alone()(_without_collection()(dispatcher.compile))
    return dispatcher


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the search for unreachable objects: the compiler makes millions that stay, and a tenth of its time goes."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def inline(function: Function) -> Function:
    """Mark a helper, which is compiled into each of its callers and has no machine code of its own."""
    return Helper(function, targetoptions=_OPTIONS) if COMPILED else numba.njit(**_OPTIONS)(function)


class _Component(CFunc):
    """A C function whose compilation is an event of numba, as those of other functions are."""

    def _compile_uncached(self) -> object:
        about = types.SimpleNamespace(py_func=self._pyfunc)  # type: ignore[attr-defined]
        with event.trigger_event("numba:compile", data={"dispatcher": about}):
            return super()._compile_uncached()  # type: ignore[misc]


@functools.lru_cache(maxsize=1024)  # many games and players are made from the same few functions
def c_function(function: Callable[..., object], signature: Signature, *, bare: bool = False) -> Any:
    """Compile `function` as a C function with `signature`; returns numba's CFunc. bare: as for bare_kernel.

    Raises NotAFunction for any other callable, and numba's errors if the function does not compile.
    """
    python = getattr(function, "py_func", function)
    if not isinstance(python, types.FunctionType):
        raise NotAFunction(f"{type(python).__name__} object, not a function")
    options = _BARE if bare else _OPTIONS
    callback: Any = _Component(python, normalize_signature(signature), {}, options, KernelCompiler)
    cache = WarmCache.of(python)
    if cache is None:
        callback.compile()
        return callback
    callback._cache = cache
    with cache.alone(), _without_collection():
        callback.compile()
    return callback

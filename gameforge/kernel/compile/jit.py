"""Decorators that compile kernel functions, and where their machine code is kept.

numba's disk cache does not notice that a function inlined from another file was edited.
The cache folder is therefore named by a digest of everything that can be inlined: the kernel's
own sources, those of the packages that the decorated function takes functions from, and constants.
"""

import contextlib
import functools
import hashlib
import importlib
import os
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba.config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1: then every kernel runs as plain Python over arrays."""

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
_BARE = _OPTIONS | {"_nrt": False}
"""Without numba's runtime: no arrays can be made, and none is counted. Helpers take it over from their first caller."""


def cache_root() -> Path:
    """Folder that holds all compiled kernels (environment variable GAMEFORGE_CACHE moves it)."""
    base = os.environ.get("GAMEFORGE_CACHE")
    return (Path(base) if base else Path(platformdirs.user_cache_dir("gameforge"))) / "kernels"


class WarmCache(FunctionCache):  # type: ignore[misc]
    """numba's cache on disk, without what only a compiler needs.

    Before numba reads a function from its cache, it loads everything that it can compile: all of its numpy and
    scipy support, a quarter of a second, and scipy.linalg where that is installed. Machine code needs only the
    symbols that it is linked with: those of numba's runtime and of its hash functions. A function that is not in
    the cache goes to the compiler, which loads the rest by itself.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        importlib.import_module("numba.cpython.hashing")
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class NotAFunction(TypeError):
    """What should be compiled is some other callable than a Python function."""


@functools.cache
def _package_digest(package: str) -> str:
    try:
        module = sys.modules.get(package) or importlib.import_module(package)
    except ImportError:  # loaded by path; numba itself sees when the one file changes
        return package
    folders = getattr(module, "__path__", None)
    origin = getattr(module, "__file__", None)
    if folders is not None:
        files = sorted(file for folder in folders for file in Path(folder).rglob("*.py"))
    else:
        files = [Path(origin)] if origin else []
    digest = hashlib.sha256(package.encode())
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _package_of(module: str) -> str:
    """The kernel folder for anything of gameforge, else the top-level package or single file."""
    return "gameforge.kernel" if module.startswith("gameforge.") else module.partition(".")[0]


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, int | float | complex | np.generic)


def _inlined(function: Callable[..., Any]) -> tuple[set[str], set[str]]:
    """(modules of the helpers that `function` takes in, theirs included; the constants that they name).

    A constant is part of the machine code, and may come from a package without any helper.
    """
    modules: set[str] = set()
    constants: set[str] = set()
    waiting: list[Any] = [function]
    seen: list[Any] = []
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.append(here)
        modules.add(here.__module__)
        names = here.__code__.co_names
        values = {name: here.__globals__[name] for name in names if name in here.__globals__}
        for module in [value for value in values.values() if isinstance(value, types.ModuleType)]:
            values |= {f"{module.__name__}.{name}": getattr(module, name) for name in names if hasattr(module, name)}
        for name, value in values.items():
            if isinstance(value, Dispatcher):
                waiting.append(value.py_func)
            elif _is_constant(value):
                constants.add(f"{here.__module__} {name} {value!r}")
            elif isinstance(value, np.ndarray):
                constants.add(f"{here.__module__} {name} {hashlib.sha256(value.tobytes()).hexdigest()}")
    return modules, constants


def cache_folder(function: Callable[..., Any]) -> Path:
    """Folder for the machine code of `function`: one per state of all that it can inline."""
    modules, constants = _inlined(function)
    packages = {"gameforge.kernel", *map(_package_of, modules)}
    key = [numba.__version__, llvmlite.__version__, *map(_package_digest, sorted(packages)), *sorted(constants)]
    return cache_root() / hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]


_cache_dir = threading.RLock()


@contextlib.contextmanager
def _caching(function: Callable[..., Any]) -> Iterator[bool]:
    """Whether numba can cache this function; if so, where it does, for the length of the block.

    numba reads CACHE_DIR while it decorates; a user's own functions keep their own folder. What
    was typed at a prompt has no file and cannot be cached. One thread at a time: it is one variable.
    """
    if not Path(function.__code__.co_filename).is_file():
        yield False
        return
    with _cache_dir:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(cache_folder(function))
        try:
            yield True
        finally:
            numba.config.CACHE_DIR = before


@contextlib.contextmanager
def on_first_compilation(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` once if anything has to be compiled rather than read from the cache."""
    told: list[bool] = []

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            if not told:
                told.append(True)
                tell()

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def wrapping(function: Function) -> Function:
    """The function in plain Python, where numpy shall not warn of sums that wrap around as they should."""
    return np.errstate(over="ignore")(function)


def kernel(function: Function) -> Function:
    """Compile on first use, cache on disk, release the GIL while running."""
    return _dispatcher(function, _OPTIONS) if COMPILED else wrapping(function)


def bare_kernel(function: Function) -> Function:
    """As `kernel`, for one that makes no arrays or lists.

    numba counts references to every array that it takes out of a context, and a context has dozens: without
    that, a game of shallow searches takes three quarters of the time.
    """
    return _dispatcher(function, _BARE) if COMPILED else wrapping(function)


def _dispatcher(function: Function, options: dict[str, Any]) -> Function:
    dispatcher = numba.njit(**options)(function)
    with _caching(function) as cache:
        if cache:
            dispatcher._cache = WarmCache(function)
    return dispatcher  # type: ignore[no-any-return]


def inline(function: Function) -> Function:
    """A helper that is compiled into each of its callers and has no machine code of its own."""
    return numba.njit(forceinline=True, **_OPTIONS)(function)  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=256)  # games and players are made over and over from the same few functions
def c_function(function: Callable[..., Any], signature: Any, *, bare: bool = False) -> Any:
    """Compile `function` behind a C address with `signature`; returns numba's CFunc. bare: as of bare_kernel.

    Raises numba's errors if it does not compile, NotAFunction for any other callable.
    """
    python = getattr(function, "py_func", function)
    if not isinstance(python, types.FunctionType):
        raise NotAFunction(f"{type(python).__name__} object, not a function")
    with _caching(python) as cache:
        callback: Any = CFunc(python, normalize_signature(signature), locals={}, options=_BARE if bare else _OPTIONS)
        if cache:
            callback._cache = WarmCache(python)
        callback.compile()
        return callback

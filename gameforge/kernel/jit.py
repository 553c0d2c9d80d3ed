"""Decorators that compile kernel functions, and where their machine code is kept.

numba's disk cache does not notice that a function inlined from another file was edited.
The cache folder is therefore named by a digest of every source that can be inlined: the
kernel's own, and those of the packages that the decorated function takes functions from.
"""

import contextlib
import functools
import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import platformdirs
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba.config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1: then every kernel runs as plain Python over arrays."""

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}


def cache_root() -> Path:
    """Folder that holds all compiled kernels (environment variable GAMEFORGE_CACHE moves it)."""
    base = os.environ.get("GAMEFORGE_CACHE")
    return (Path(base) if base else Path(platformdirs.user_cache_dir("gameforge"))) / "kernels"


@functools.cache
def _package_digest(package: str) -> str:
    module = sys.modules.get(package) or importlib.import_module(package)
    origin = getattr(module, "__file__", None)
    if origin is None:
        return package
    path = Path(origin)
    files = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _package_of(module: str) -> str:
    """The kernel folder for anything of gameforge, else the top-level package or single file."""
    return "gameforge.kernel" if module.startswith("gameforge.") else module.partition(".")[0]


def cache_folder(function: Callable[..., Any]) -> Path:
    """Folder for the machine code of `function`: one per state of all sources it can inline."""
    packages = {"gameforge.kernel", _package_of(function.__module__)}
    packages |= {
        _package_of(value.__module__)
        for value in function.__globals__.values()  # type: ignore[attr-defined]
        if hasattr(value, "py_func")
    }
    key = [numba.__version__, llvmlite.__version__, *map(_package_digest, sorted(packages))]
    return cache_root() / hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]


@contextlib.contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    """numba reads CACHE_DIR while it decorates; a user's own functions keep their own folder."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


@contextlib.contextmanager
def on_first_compilation(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` once if anything has to be compiled rather than read from the cache."""
    told = []

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            if not told:
                told.append(True)
                tell()

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def kernel(function: Function) -> Function:
    """Compile on first use, cache on disk, release the GIL while running."""
    with _caching_in(cache_folder(function)):
        return numba.njit(cache=True, **_OPTIONS)(function)  # type: ignore[no-any-return]


def inline(function: Function) -> Function:
    """A helper that is compiled into each of its callers and has no machine code of its own."""
    return numba.njit(forceinline=True, **_OPTIONS)(function)  # type: ignore[no-any-return]


def c_function(function: Callable[..., Any], signature: Any) -> Any:
    """Compile `function` behind a C address with `signature`; returns numba's CFunc."""
    python = getattr(function, "py_func", function)
    with _caching_in(cache_folder(python)):
        return numba.cfunc(signature, cache=True, **_OPTIONS)(python)

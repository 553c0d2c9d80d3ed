"""Decorators that compile kernels, and the cache of their machine code.

Processes that start together compile each function once: one of them does it, and the others wait for the result.
A file of the cache is used only if nobody else can have written it and its checksum is right; otherwise its function is
compiled again.

numba's disk cache does not notice changes of a function that is inlined from another file. The cache folder is
therefore named after a digest of everything that can be inlined: the sources of gameforge.kernel, those of the packages
(in the core: gameforge_retrograde and the like) from which the decorated function takes functions, and constants.
"""

import contextlib
import functools
import hashlib
import importlib
import io
import os
import pickle
import stat
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature
from numba.core.typing import Signature

from gameforge.locks import LOCKS, try_lock, wait_for_lock

Function = TypeVar("Function", bound=Callable[..., object])

COMPILED = not numba.config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1; every kernel then runs as plain Python over arrays."""

_OPTIONS: dict[str, object] = {"error_model": "numpy", "nogil": True}
_BARE = _OPTIONS | {"_nrt": False}
"""Without numba's runtime: no arrays can be made, no references are counted. Helpers inherit it from their caller."""


def cache_root() -> Path:
    """Return the folder of all compiled kernels; the environment variable GAMEFORGE_CACHE moves it."""
    base = os.environ.get("GAMEFORGE_CACHE")
    return (Path(base) if base else Path(platformdirs.user_cache_dir("gameforge"))) / "kernels"


class UnusedCacheWarning(UserWarning):
    """The folder of compiled kernels is not used, since others can write to it."""


_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def _is_own(about: os.stat_result) -> bool:
    """Return whether only this user, or root, can have written a file or folder."""
    if not hasattr(os, "getuid"):  # Windows
        return True
    return about.st_uid in (0, os.getuid()) and not about.st_mode & _OTHERS


def _present(folder: Path) -> Iterator[Path]:
    """Yield what a folder holds, without the temporary files by which numba tries whether it can write there."""
    yield from (path for path in folder.iterdir() if not path.name.startswith("tmp"))


@functools.cache
def _trusted(folder: Path) -> bool:
    """Return whether machine code in this folder may be run; a new folder is closed to others first.

    Reading machine code means running it, and numba pickles it. So what others can write is not read.
    """
    try:
        about = folder.stat()
        if not _is_own(about) and about.st_uid == os.getuid() and all(_is_own(one.lstat()) for one in _present(folder)):
            folder.chmod(stat.S_IMODE(about.st_mode) & ~_OTHERS)
            about = folder.stat()
    except OSError:
        return False
    if not _is_own(about):
        warnings.warn(
            UnusedCacheWarning(
                f"compiled kernels are not read from {folder} or kept there, because another user owns it or can write "
                "to it; set GAMEFORGE_CACHE to another folder"
            ),
            stacklevel=2,
        )
    return _is_own(about)


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function, each behind a checksum of its name and content: a damaged one counts as missing."""

    def _load_index(self) -> dict[object, str]:
        data = self._read(Path(self._index_path))
        if data is None:
            return {}
        stream = io.BytesIO(data)
        if pickle.load(stream) != self._version:
            return {}
        stamp, overloads = pickle.load(stream)
        return overloads if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> object:
        data = self._read(Path(self._data_path(name)))
        if data is None:
            raise FileNotFoundError(name)  # the function is compiled again
        return pickle.loads(data)

    @contextlib.contextmanager
    def _open_for_write(self, path: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        data = content.getvalue()
        with super()._open_for_write(path) as file:
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(os.fstat(file.fileno()).st_mode) & ~_OTHERS)
            file.write(_checksum(Path(path), data) + data)

    def _read(self, path: Path) -> bytes | None:
        """Return what was written to a file; None if it is missing, damaged, or can have been written by others."""
        try:
            with path.open("rb") as file:
                if not _trusted(path.parent) or not _is_own(os.fstat(file.fileno())):
                    return None
                checksum, data = file.read(_CHECKSUM), file.read()
        except OSError:
            return None
        return data if checksum == _checksum(path, data) else None


_CHECKSUM = 32
"""Length of a checksum, in bytes."""


def _checksum(path: Path, data: bytes) -> bytes:
    return hashlib.sha256(f"{path.parent.name}/{path.name}\0".encode() + data).digest()


class WarmCache(FunctionCache):  # type: ignore[misc]
    """numba's cache on disk, read without loading what only the compiler needs.

    Before numba reads a function from its cache, it loads everything that it can compile: its numpy and scipy support,
    which takes a quarter of a second, and scipy.linalg if that is installed. Machine code needs only the symbols that
    it is linked with: those of numba's runtime and of its hash functions. If a function is not in the cache, the
    compiler loads the rest by itself.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    _locked = False
    """Whether this thread is inside `alone`: numba may compile a function for other types meanwhile."""

    def load_overload(self, sig: object, target_context: object) -> object:
        """Load compiled code from the cache after the parts of numba that it needs."""
        importlib.import_module("numba.cpython.hashing")
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: object, data: object) -> None:
        """Keep compiled code, unless others could change it."""
        self._impl.locator.ensure_cache_path()
        if _trusted(Path(self._cache_path)):
            super().save_overload(sig, data)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process compiles this function, and keep the others waiting while the block runs.

        A kernel compiles the kernels that it calls. The order of locks is the same everywhere, since calls form no
        cycles: first numba's lock of this process, then those of files, the caller's before the called one's.
        """
        with global_compiler_lock, contextlib.ExitStack() as held:
            if LOCKS and not self._locked:
                folder = Path(self._cache_path)
                with contextlib.suppress(OSError):  # in a folder that cannot be written there is nothing to share
                    folder.mkdir(parents=True, exist_ok=True)
                    if _trusted(folder):
                        file = held.enter_context((folder / f"{self._impl.filename_base}.lock").open("w"))
                        _lock(file, self._impl.filename_base.partition("-")[0])
                self._locked = True
                held.callback(setattr, self, "_locked", False)
            yield


def _lock(file: TextIO, function: str) -> None:
    """Wait for the lock of a file.

    The wait counts as a compilation for those who listen to numba's events, because its reason is one.
    """
    if not try_lock(file.fileno()):
        with event.trigger_event("numba:compile"):
            wait_for_lock(file.fileno(), f"compiles {function}")


class NotAFunction(TypeError):
    """Raised for a callable that cannot be compiled because it is not a Python function."""


@functools.cache
def _package_digest(package: str) -> str:
    try:
        module = sys.modules.get(package) or importlib.import_module(package)
    except ImportError:  # loaded by path; numba itself notices changes of this one file
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
    """Return the top-level package or module; of gameforge, the package one level below."""
    return ".".join(module.split(".")[: 2 if module.startswith("gameforge.") else 1])


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, int | float | complex | np.generic)


def _inlined(function: Callable[..., object]) -> tuple[dict[str, str], set[str]]:
    """Return (modules, by file, of `function` and of the helpers inlined into it, constants that they use).

    A constant is part of the machine code, and may come from a package that has no helper.
    """
    modules: dict[str, str] = {}
    constants: set[str] = set()
    waiting, seen = [function], []
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.append(here)
        modules[here.__code__.co_filename] = here.__module__
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


def cache_folder(function: Callable[..., object]) -> Path:
    """Return the folder for the machine code of `function`; it changes with everything that it can inline."""
    modules, constants = _inlined(function)
    packages = {"gameforge.kernel", *map(_package_of, modules.values())}
    key = [numba.__version__, llvmlite.__version__, *map(_package_digest, sorted(packages)), *sorted(constants)]
    return cache_root() / hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]


def files_of(function: Callable[..., object]) -> dict[str, str]:
    """Return the files of a compiled function and of the helpers inlined into it, each with its module."""
    return _inlined(getattr(function, "py_func", function))[0]


_cache_dir = threading.RLock()


@contextlib.contextmanager
def _caching(function: Callable[..., object]) -> Iterator[bool]:
    """Set numba's cache folder for this function while the block runs; yield whether the function can be cached.

    numba reads CACHE_DIR when it decorates a function; functions of the user's own keep their folder. Functions that
    were typed at a prompt have no file and cannot be cached. CACHE_DIR is global, hence the lock.
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
    dispatcher = numba.njit(**options)(function)
    with _caching(function) as cache:
        if cache:
            dispatcher._cache = WarmCache(function)
            dispatcher.compile = dispatcher._cache.alone()(dispatcher.compile)
    return dispatcher


def inline(function: Function) -> Function:
    """Mark a helper, which is compiled into each of its callers and has no machine code of its own."""
    return numba.njit(forceinline=True, **_OPTIONS)(function)


@functools.lru_cache(maxsize=1024)  # many games and players are made from the same few functions
def c_function(function: Callable[..., object], signature: Signature, *, bare: bool = False) -> Any:
    """Compile `function` as a C function with `signature`; returns numba's CFunc. bare: as for bare_kernel.

    Raises NotAFunction for any other callable, and numba's errors if the function does not compile.
    """
    python = getattr(function, "py_func", function)
    if not isinstance(python, types.FunctionType):
        raise NotAFunction(f"{type(python).__name__} object, not a function")
    with _caching(python) as cache:
        callback: Any = CFunc(python, normalize_signature(signature), locals={}, options=_BARE if bare else _OPTIONS)
        if not cache:
            callback.compile()
            return callback
        callback._cache = WarmCache(python)
    with callback._cache.alone():
        callback.compile()
    return callback

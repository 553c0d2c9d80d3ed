"""The cache of machine code on disk.

What is kept is found by content: sources, versions and settings of the compiler, and the processor. So a cache that is
copied to another checkout or environment is used there. Below the user's cache, one of the system is read: that of an
image or of a shared machine, where `gameforge warmup` has run.

numba's disk cache does not notice changes of a function that is inlined from another file. The folder of a function is
therefore named after a digest of everything that its code can depend on: the sources of gameforge.kernel, those of the
packages from which the function and its helpers take anything, and constants.

Processes that start together compile each function once: one of them does it, and the others wait for the result.
A file of the cache is used only if nobody else can have written it and its checksum is right; otherwise its function is
compiled again.
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
import time
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import attrs
import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys

from gameforge.config.outside import open_file
from gameforge.locks import LOCKS, try_lock, wait_for_lock


def cache_root() -> Path:
    """Return the folder of all compiled kernels; the environment variable GAMEFORGE_CACHE moves it."""
    base = os.environ.get("GAMEFORGE_CACHE")
    return (Path(base) if base else Path(platformdirs.user_cache_dir("gameforge"))) / "kernels"


def system_cache_root() -> Path:
    """Return the folder of kernels that are only read; the environment variable GAMEFORGE_SYSTEM_CACHE moves it."""
    base = os.environ.get("GAMEFORGE_SYSTEM_CACHE")
    return (Path(base) if base else Path(platformdirs.site_cache_dir("gameforge"))) / "kernels"


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
        variable = "GAMEFORGE_SYSTEM_CACHE" if folder.parent == system_cache_root() else "GAMEFORGE_CACHE"
        warnings.warn(
            UnusedCacheWarning(
                f"compiled kernels are not read from all folders in {folder.parent} or kept there, because another "
                f"user owns them or can write to them; set {variable} to another folder"
            ),
            stacklevel=2,
        )
    return _is_own(about)


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function, each behind a checksum of its name and content: a damaged one counts as missing."""

    def __init__(self, folder: Path, name: str, stamp: object, below: "_CheckedFiles | None" = None) -> None:
        """below: files that are only read, for what these lack."""
        super().__init__(str(folder), name, stamp)
        self._below = below

    def load(self, key: object) -> object:
        """Return what was kept under a key; None if nothing was."""
        data = super().load(key)
        return data if data is not None or self._below is None else self._below.load(key)

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
            with open_file(path) as file:
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


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Names the folder of a function; numba's own would depend on the path of the source."""

    def __init__(self, function: Callable[..., object], file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = str(cache_folder(function))

    @classmethod
    def from_function(cls, function: Callable[..., object], file: str) -> "_Locator":
        return cls(function, file)


class _Results(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class WarmCache(FunctionCache):  # type: ignore[misc]
    """numba's cache on disk, read without loading what only the compiler needs.

    Before numba reads a function from its cache, it loads everything that it can compile: its numpy and scipy support,
    which takes a quarter of a second, and scipy.linalg if that is installed. Machine code needs only the symbols that
    it is linked with: those of numba's runtime and of its hash functions. If a function is not in the cache, the
    compiler loads the rest by itself.
    """

    _impl_class = _Results

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        folder, name, stamp = Path(self._cache_path), self._impl.filename_base, self._impl.locator.get_source_stamp()
        below = _CheckedFiles(system_cache_root() / folder.name, name, stamp)
        self._cache_file = _CheckedFiles(folder, name, stamp, below)

    @classmethod
    def of(cls, function: Callable[..., object]) -> "WarmCache | None":
        """Return the cache of a function; None if it was typed at a prompt and has no file."""
        return cls(function) if Path(function.__code__.co_filename).is_file() else None

    _locked = False
    """Whether this thread is inside `alone`: numba may compile a function for other types meanwhile."""

    def load_overload(self, sig: object, target_context: object) -> object:
        """Load compiled code from the cache after the parts of numba that it needs."""
        importlib.import_module("numba.cpython.hashing")
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: object, data: object) -> None:
        """Keep compiled code, unless others could change it or the folder cannot be written."""
        with contextlib.suppress(OSError):
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
                        file = held.enter_context((folder / f"{self._impl.filename_base}.lock").open("a"))
                        _lock(file, self._impl.filename_base.partition("-")[0])
                self._locked = True
                held.callback(setattr, self, "_locked", False)
            yield


def _lock(file: TextIO, function: str) -> None:
    """Wait for the lock of a file, whose time of modification says since when it has been held.

    The wait counts as a compilation for those who listen to numba's events, because its reason is one.
    """
    descriptor = file.fileno()
    if not try_lock(descriptor):
        with event.trigger_event("numba:compile"):
            wait_for_lock(descriptor, f"compiles {function}", lambda: _seconds_since(os.fstat(descriptor).st_mtime))
    with contextlib.suppress(OSError):  # a file of root keeps its time
        os.utime(file.name)


def _seconds_since(then: float) -> str:
    return f"{max(0.0, time.time() - then):.0f} s so far"


_SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "USING_SVML")
"""Settings of numba that change machine code without being part of a function's key in numba's cache."""
_VERSIONED = {"builtins", "llvmlite", "numba", "numpy", *sys.stdlib_module_names} - {"__main__"}
"""Packages whose sources change with their version only, which names files and folders of the cache."""


@functools.cache
def _package_digest(package: str) -> str:
    try:
        module = sys.modules.get(package) or importlib.import_module(package)
    except ImportError:  # loaded by path: the digests of its files remain
        return package
    folders = getattr(module, "__path__", None)
    origin = getattr(module, "__file__", None)
    if folders is not None:
        files = {file.relative_to(folder).as_posix(): file for folder in folders for file in Path(folder).rglob("*.py")}
    else:
        files = {Path(origin).name: Path(origin)} if origin else {}
    digest = hashlib.sha256(package.encode())
    for name, file in sorted(files.items()):
        digest.update(f"\0{name}\0".encode() + file.read_bytes())
    return digest.hexdigest()


@functools.cache
def _file_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _source_digest(function: Callable[..., object]) -> str:
    code = function.__code__
    try:
        return _file_digest(code.co_filename)
    except OSError:  # typed at a prompt
        return hashlib.sha256(code.co_code + repr(code.co_consts).encode()).hexdigest()


def _package_of(module: str) -> str:
    """Return the top-level package or module; of gameforge, the package one level below."""
    return ".".join(module.split(".")[: 2 if module.startswith("gameforge.") else 1])


@attrs.frozen
class _Reached:
    """What the machine code of a function can depend on."""

    modules: dict[str, str] = attrs.Factory(dict)
    """Modules of the function and of the functions that it calls by name, by their files."""
    owners: set[str] = attrs.Factory(set)
    """Modules of anything else that is named there: types, functions that write code for numba."""
    contents: set[str] = attrs.Factory(set)
    """Digests of these files, and constants, which may come from a package that has no helper."""


def _reached(function: Callable[..., object]) -> _Reached:
    """Return what a function names, and what is named by the compiled functions among that."""
    reached = _Reached()
    waiting, seen = [function], set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        reached.modules[here.__code__.co_filename] = str(here.__module__)  # None: made by exec
        reached.contents.add(f"{here.__module__} {_source_digest(here)}")
        for name, value in _named(here):
            if isinstance(value, Dispatcher):
                waiting.append(value.py_func)
            elif isinstance(value, np.ndarray):
                digest = hashlib.sha256(value.tobytes()).hexdigest()
                reached.contents.add(f"{here.__module__} {name} {value.dtype.str} {value.shape} {digest}")
            elif _is_constant(value):
                reached.contents.add(f"{here.__module__} {name} {value!r}")
            elif not isinstance(value, types.ModuleType):
                reached.owners.add(getattr(value, "__module__", None) or type(value).__module__)
    return reached


def _named(function: Callable[..., object]) -> Iterator[tuple[str, object]]:
    """Yield the names of a function, also those inside modules (`a.b.NAME`), and their values."""
    codes = [function.__code__]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]  # comprehensions
    names = dict.fromkeys(name for code in codes for name in code.co_names)
    values = [(name, function.__globals__[name]) for name in names if name in function.__globals__]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not assigned yet
            values.append((name, cell.cell_contents))
    seen = set()
    for name, value in values:  # grows
        if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in _VERSIONED:
            if value not in seen:
                seen.add(value)
                values += [(f"{name}.{inner}", getattr(value, inner)) for inner in names if hasattr(value, inner)]
        elif isinstance(value, tuple) and not _is_constant(value):
            values += [(f"{name}[{i}]", entry) for i, entry in enumerate(value)]
        else:
            yield name, value


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, int | float | complex | str | bytes | np.generic | np.dtype | None)


def cache_folder(function: Callable[..., object]) -> Path:
    """Return the folder for the machine code of `function`; it changes with everything that the code depends on."""
    reached = _reached(function)
    modules = {function.__module__, *reached.modules.values(), *reached.owners}
    packages = {"gameforge.kernel", *(_package_of(module) for module in modules)}
    key = [numba.__version__, llvmlite.__version__, np.__version__]
    key += [f"{name} {getattr(numba.config, name, None)}" for name in _SETTINGS]
    key += sorted(place(file, module) for file, module in reached.modules.items())
    key += [_package_digest(package) for package in sorted(packages) if package not in _VERSIONED]
    key += sorted(reached.contents)
    digest = hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]
    return cache_root() / f"{function.__module__}-{digest}"


def files_of(function: Callable[..., object]) -> dict[str, str]:
    """Return the files of a compiled function and of the helpers inlined into it, each with its module."""
    return _reached(getattr(function, "py_func", function)).modules


@functools.cache
def place(file: str, module: str) -> str:
    """Return the path of a module's file as it is in every checkout, from the package on; the whole path without one.

    Machine code names the file of a line that raises an exception as the checkout did in which it was compiled.
    """
    *packages, own = module.split(".")
    parts = Path(file).parts
    wanted = (*packages, own, "__init__.py") if parts[-1] == "__init__.py" else (*packages, f"{own}.py")
    return "/".join(wanted) if len(wanted) > 1 and parts[-len(wanted) :] == wanted else file

"""Kernel functions as plain Python, for comparison with the compiled ones in the same process.

`uncompiled` imports a copy of a module; `plain` and `PlainRules` find a component's functions in such copies.
NUMBA_DISABLE_JIT=1, in contrast, runs the whole process uncompiled.
"""

import functools
import importlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np

from gameforge.interfaces.rules import RulesFunctions, State
from gameforge.kernel.assembly import rules_block
from gameforge.kernel.compile.functions import PythonCall
from gameforge.kernel.compile.jit import COMPILED, wrapping
from gameforge.testing.contract import Skipped

_LIBRARIES = ("gameforge.kernel", "gameforge_retrograde")
"""Packages with functions that components inline."""


def uncompiled(module: str) -> ModuleType:
    """Import a second copy of `module` whose kernel functions are plain Python functions.

    They take numpy arrays of uint64, float32, ... where the compiled ones take pointers. Modules of the same
    top-level package, of gameforge.kernel and of gameforge_retrograde that the module imports are copied as well;
    modules that are already imported do not change. Numpy warns of sums that wrap around: call the functions within
    `np.errstate(over="ignore")`.
    """
    package = module if module.startswith("gameforge.") else module.partition(".")[0]
    copied = (package, *_LIBRARIES)

    def is_copied(name: str) -> bool:
        return any(name == prefix or name.startswith(prefix + ".") for prefix in copied)

    modules = {name: loaded for name, loaded in sys.modules.items() if is_copied(name)}
    gameforge = vars(sys.modules["gameforge"])
    kernel = gameforge.pop("kernel", None)
    disabled = numba.config.DISABLE_JIT
    _forget(modules)
    numba.config.DISABLE_JIT = 1
    try:
        return importlib.import_module(module)
    finally:
        numba.config.DISABLE_JIT = disabled
        _forget(name for name in list(sys.modules) if is_copied(name))
        sys.modules.update(modules)
        gameforge.pop("kernel", None)
        if kernel is not None:
            gameforge["kernel"] = kernel


def _forget(names: Iterable[str]) -> None:
    for name in names:
        del sys.modules[name]


@functools.lru_cache(maxsize=64)
def _copy(module: str) -> ModuleType:
    """Import an uncompiled copy of the module, which may be a single file outside sys.path."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if "." in module or file is None:
        return uncompiled(module)
    sys.path.append(str(Path(file).parent))
    try:
        return uncompiled(module)
    finally:
        sys.path.pop()


def plain(function: Callable[..., Any], compiled: bool) -> Callable[..., Any]:
    """Return the function from an uncompiled copy of its module.

    Raises Skipped if the function is not compiled anyway, and if it cannot be found in a copy: it is not an
    attribute of its module, or the module cannot be imported by its name.
    """
    if not COMPILED or not compiled:
        raise Skipped("nothing is compiled")
    python = getattr(function, "py_func", function)
    try:
        found: Callable[..., Any] = getattr(_copy(python.__module__), python.__name__)
    except (ImportError, AttributeError) as error:
        raise Skipped(f"{python.__module__}.{python.__name__} cannot be imported again") from error
    if getattr(found, "__code__", None) != python.__code__:
        raise Skipped(f"{python.__module__}.{python.__name__} names another function when it is imported again")
    return wrapping(found)


class PlainRules:
    """gen, play and outcome of rules as plain Python, on tuples of words."""

    def __init__(self, functions: RulesFunctions) -> None:
        self._gen, self._play, self._outcome = (
            plain(getattr(functions, name), functions.compiles(name)) for name in ("gen", "play", "outcome")
        )
        self._functions = functions
        self._calls = tuple(map(PythonCall, functions.calls))
        self._data = rules_block(functions, self._calls).copy()

    def legal(self, state: State) -> tuple[int, ...]:
        """Return the legal moves."""
        moves = np.zeros(self._functions.max_moves, np.uint64)
        n = int(self._gen(self._data, np.array(state, np.uint64), moves))
        return tuple(moves[:n].tolist())

    def after(self, state: State, move: int) -> State:
        """Return the state after a move."""
        child = np.zeros(self._functions.words, np.uint64)
        self._play(self._data, np.array(state, np.uint64), np.uint64(move), child)
        return tuple(child.tolist())

    def code(self, state: State, n_moves: int) -> int:
        """Return the code of the outcome."""
        return int(self._outcome(self._data, np.array(state, np.uint64), np.uint64(n_moves)))

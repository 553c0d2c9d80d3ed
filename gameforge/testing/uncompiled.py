"""An uncompiled copy of a kernel module, for comparison with the compiled module in the same process.

NUMBA_DISABLE_JIT=1, in contrast, runs the whole process uncompiled.
"""

import importlib
import sys
from collections.abc import Iterable
from types import ModuleType

import numba

import gameforge

_PACKAGES = ("kernel", "retrograde")
"""Packages of gameforge with functions that components inline."""


def uncompiled(module: str) -> ModuleType:
    """Import a second copy of `module` whose kernel functions are plain Python functions.

    They take numpy arrays of uint64, float32, ... where the compiled ones take pointers. Modules of the same
    top-level package, of gameforge.kernel and of gameforge.retrograde that the module imports are copied as well;
    modules that are already imported do not change. Numpy warns of sums that wrap around: call the functions within
    `np.errstate(over="ignore")`.
    """
    package = module if module.startswith("gameforge.") else module.partition(".")[0]
    copied = (package, *(f"gameforge.{name}" for name in _PACKAGES))

    def is_copied(name: str) -> bool:
        return any(name == prefix or name.startswith(prefix + ".") for prefix in copied)

    modules = {name: loaded for name, loaded in sys.modules.items() if is_copied(name)}
    packages = {name: vars(gameforge).pop(name) for name in _PACKAGES if name in vars(gameforge)}
    disabled = numba.config.DISABLE_JIT
    _forget(modules)
    numba.config.DISABLE_JIT = 1
    try:
        return importlib.import_module(module)
    finally:
        numba.config.DISABLE_JIT = disabled
        _forget(name for name in list(sys.modules) if is_copied(name))
        sys.modules.update(modules)
        for name in _PACKAGES:
            vars(gameforge).pop(name, None)
        vars(gameforge).update(packages)


def _forget(names: Iterable[str]) -> None:
    for name in names:
        del sys.modules[name]

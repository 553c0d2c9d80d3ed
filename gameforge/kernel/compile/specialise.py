"""Kernel functions of one component that call helpers of another, such as an evaluator that reads a game's cells.

The helper is compiled into the function, so that a call costs nothing, and the machine code is kept on disk: a closure
over the helper would be compiled again in every process.
"""

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from gameforge.kernel.compile.jit import COMPILED, inline


@functools.cache
def specialised(function: Callable[..., Any], name: str, helper: Callable[..., Any]) -> Callable[..., Any]:
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

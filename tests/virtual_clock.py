"""Matches by a clock that goes on only when something is evaluated, so that the computer's speed has no part in them.

Kernels find their clock when they are loaded: call `install` in a process of its own, before they are.
"""

import ctypes
import time
from typing import Any

import llvmlite.binding

import gameforge as gf
from gameforge.arena.result import MatchResult
from gameforge.arena.workspace import TimeControl
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.kernel.compile import clock

_now = 0
_function = clock._SIGNATURE(clock._python_clock)


def install() -> None:
    """Let this process, and its kernels, have that clock."""
    time.monotonic_ns = lambda: _now
    llvmlite.binding.add_symbol(clock._SYMBOL, ctypes.cast(_function, ctypes.c_void_p).value)


class Slow:
    """An evaluator whose every evaluation takes this time."""

    def __init__(self, seconds: float) -> None:
        self.nanoseconds = round(seconds * 1e9)

    def functions(self, rules: Any, features: Any) -> EvaluatorFunctions:
        def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
            global _now
            _now += self.nanoseconds
            return 0.0

        return EvaluatorFunctions(evaluate=evaluate, compiled=False)


def match(game: str, *players: tuple[str, float], openings: int, clock: TimeControl | None = None) -> MatchResult:
    """Play two games between searchers; each is given with the seconds of its evaluations."""
    first, second = (
        gf.player(game, searcher=searcher, evaluator=Slow(seconds), oracle="none", name=searcher)
        for searcher, seconds in players
    )
    return gf.match(first, second, 2, openings=openings, clock=clock)

"""Compiled code: what runs inside a search or a game, written in Python and compiled by numba.

The names below are those that components may call. Nearly all modules of this package load numba, so each name is
imported on first use, and the rest of gameforge imports the modules inside the functions that need them.
"""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.kernel import answer, assembly, bits, gameplay, oracles, simd, slots
    from gameforge.kernel.abi import UNKNOWN
    from gameforge.kernel.bits import U0, U1, U2, U3, U4, at, below, ctz, popcount, position_key
    from gameforge.kernel.compile.cache import cache_root
    from gameforge.kernel.compile.clock import nanoseconds
    from gameforge.kernel.compile.functions import bound, compiled_function, list_from, number_from, specialised
    from gameforge.kernel.compile.jit import bare_kernel, inline, kernel
    from gameforge.kernel.compile.launch import entry, interruptible
    from gameforge.kernel.context import CompiledEvaluator, CompiledPlayer, CompiledRules, Context
    from gameforge.kernel.crew import search_by_crew
    from gameforge.kernel.evaluate import static_score, static_scores
    from gameforge.kernel.gameplay import GameWorkspace
    from gameforge.kernel.packed import packing
    from gameforge.kernel.parallel import derived, stream
    from gameforge.kernel.types import (
        FloatArray,
        Floats,
        IntegerArray,
        Limits,
        Places,
        Real,
        Score,
        Scores,
        Truth,
        Whole,
        Word,
        WordArray,
        Words,
    )

__all__ = ["CompiledEvaluator", "CompiledPlayer", "CompiledRules", "Context", "FloatArray", "Floats"]
__all__ += ["GameWorkspace", "IntegerArray", "Limits", "Places", "Real", "Score"]
__all__ += ["Scores", "Truth", "U0", "U1", "U2", "U3", "U4", "UNKNOWN", "Whole", "Word", "WordArray", "Words"]
__all__ += ["answer", "assembly", "at", "bare_kernel", "below", "bits", "bound"]
__all__ += ["cache_root", "compiled_function", "ctz", "derived", "entry", "gameplay", "inline"]
__all__ += ["interruptible", "kernel", "list_from", "nanoseconds", "number_from", "oracles", "packing"]
__all__ += ["popcount", "position_key", "search_by_crew", "simd"]
__all__ += ["slots", "specialised", "static_score", "static_scores", "stream"]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)

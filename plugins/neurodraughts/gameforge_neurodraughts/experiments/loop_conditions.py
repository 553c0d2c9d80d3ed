"""Conditions of the experiment `loop-rate`: each changes the preset `neurodraughts-2009` in one way.

The paper ([Neto2009], section 7) gives the features, random weights, "depth 4" and 10 sessions of 200 games.
It does not say what a loop is, how values become bits, which gamma and momentum were used, or which mistakes of the
surviving programs the program had.
"""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

NEURODRAUGHTS = 1045
"""Loop draws in 2,000 games that the paper reports for NeuroDraughts."""


@attrs.frozen(kw_only=True)
class Condition:
    """A pipeline whose loops are counted."""

    name: str
    says: str
    """What the condition changes, and its source."""
    changes: Mapping[str, Any] = attrs.field(factory=dict)
    source: str = "neurodraughts-2009"
    """The preset, file or folder that the condition changes."""
    published: int | None = NEURODRAUGHTS
    """Published number of loops in 2,000 games, for comparison."""
    counted: Literal["loops", "draws"] = "loops"
    seconds: float = 17.0
    """Approximate seconds of one core for 2,000 games."""


_LEGACY_CODER = {"features": {"coder": "legacy"}}
_LEGACY_TRACE = {"legacy_trace": True}

VARIANTS = (
    Condition(name="base", says="loops by repetition or shuffle, clean bits, true gradient, momentum 0.9, 5 plies"),
    Condition(
        name="repetition",
        says="a loop is only a position that occurs for the third time",
        changes={"game": {"shuffle": 0}},
    ),
    Condition(
        name="shuffle 3",
        says="a loop is each side taking back its own move 3 times in a row (a descendant's training)",
        changes={"game": {"repetition": 0}},
    ),
    Condition(
        name="shuffle 5",
        says="the same, 5 times (a descendant's matches)",
        changes={"game": {"repetition": 0, "shuffle": 5}},
    ),
    Condition(
        name="51 moves",
        says="no loops; games undecided after 51 moves are drawn (the thesis), and all draws are counted",
        changes={"game": {"repetition": 0, "shuffle": 0, "no_progress": 0, "max_plies": 102}},
        counted="draws",
    ),
    Condition(
        name="legacy coder",
        says="values become bits as in the descendant",
        changes={"evaluator": _LEGACY_CODER},
    ),
    Condition(
        name="legacy trace",
        says="the hidden layer's trace with W1 for W2, as in the descendants",
        changes={"evaluator": _LEGACY_TRACE},
    ),
    Condition(
        name="legacy both",
        says="legacy coder and legacy trace",
        changes={"evaluator": {**_LEGACY_CODER, **_LEGACY_TRACE}},
    ),
    Condition(name="momentum 0", says="no momentum", changes={"learner": {"momentum": 0.0}}),
    Condition(
        name="equation 2",
        says="no momentum, gamma 1: the paper's equation to the letter",
        changes={"learner": {"momentum": 0.0, "gamma": 1.0}},
    ),
    Condition(
        name="4 plies",
        says='"depth 4" read as 4 plies: the board after the opponent\'s move is evaluated',
        changes={"searcher": {"depth": 4}},
        seconds=6.0,
    ),
    Condition(
        name="own net",
        says="12 hidden units and direct links, as in the thesis",
        changes={"evaluator": {"hidden": 12, "direct": True}},
    ),
    Condition(
        name="clone at 4",
        says="both test games must be won, as in the thesis' board file",
        changes={"learner": {"clone_points": 4}},
    ),
)
"""The first is the preset itself."""

"""The paper's two games: features, opponents, heights and published figures of each."""

from collections.abc import Mapping

import attrs

Wins = Mapping[bool, tuple[int | None, ...]]
"""Wins in 100 games by height, from 3 up, with (True) and without the first move; None: not recovered."""


@attrs.frozen(kw_only=True)
class Setting:
    """A game of the experiment."""

    features: str
    """One input for each bit of the state."""
    opponent: str
    """Evaluator of the opponent, which searches 3 plies; it replaces a student's program that is not available."""
    replaced: str
    """Name of that program."""
    heights: tuple[int, ...]
    plies: int
    """Number of random plies of the random openings."""
    tables: tuple[int, int]
    """Numbers of the paper's tables of the shorter and the longer budget."""
    published: tuple[Wins, Wins]
    """Recovered from the exact confidence intervals in these tables (docs/readings.md, "Recovered win counts")."""
    neurons: tuple[int, int]
    """Hidden units of the nets that the paper chose."""


SETTINGS: Mapping[str, Setting] = {
    "othello": Setting(
        features="boardbits",
        opponent="wpc",
        replaced="Bothello",
        heights=(3, 4, 5, 6, 7),
        plies=8,
        tables=(2, 3),
        published=(
            {False: (100, 0, 0, 0, 0), True: (0, 0, 0, 100, 0)},
            {False: (0, 0, 57, 100, 100), True: (0, 0, 0, 100, 30)},
        ),
        neurons=(51, 47),
    ),
    "morris": Setting(
        features="boardbits",
        opponent="weighted",
        replaced="J.A.R.V.I.S",
        heights=(3, 4, 5, 6),
        plies=6,
        tables=(4, 5),
        published=(
            {False: (45, 0, 0, 6), True: (0, 5, 5, 0)},
            {False: (100, 0, 65, 0), True: (0, 0, 0, 1)},
        ),
        neurons=(34, 37),
    ),
}

"""The games of the experiment: features, opponents, heights and, for the paper's two games, the published figures."""

from collections.abc import Mapping

import attrs

Wins = Mapping[bool, tuple[int, ...]]
"""Wins in 100 games by height, from 3 up, with (True) and without the first move."""


@attrs.frozen(kw_only=True)
class Setting:
    """A game of the experiment."""

    features: str
    """One input for each bit of the state."""
    opponent: str
    """Evaluator of the opponent, which searches 3 plies; "": the game's yardstick, if it has one."""
    heights: tuple[int, ...] = (3, 4, 5, 6)
    plies: int = 6
    """Number of random plies of the random openings."""
    paper: "Published | None" = None
    """None: the game is not one of the paper's."""


@attrs.frozen(kw_only=True)
class Published:
    """What the paper reports about a game."""

    replaced: str
    """Name of the student's program that our opponent replaces."""
    tables: tuple[int, int]
    """Numbers of the tables of the shorter and the longer budget."""
    wins: tuple[Wins, Wins]
    """Recovered from the exact confidence intervals in these tables (docs/readings.md, "Recovered win counts")."""
    neurons: tuple[int, int]
    """Hidden units of the nets that the paper chose."""
    error_falls: bool
    """Whether the lowest test error falls with the longer budget."""


PAPER: Mapping[str, Setting] = {
    "othello": Setting(
        features="boardbits",
        opponent="wpc",
        heights=(3, 4, 5, 6, 7),
        plies=8,
        paper=Published(
            replaced="Bothello",
            tables=(2, 3),
            wins=(
                {False: (100, 0, 0, 0, 0), True: (0, 0, 0, 100, 0)},
                {False: (0, 0, 57, 100, 100), True: (0, 0, 0, 100, 30)},
            ),
            neurons=(51, 47),
            error_falls=True,
        ),
    ),
    "morris": Setting(
        features="boardbits",
        opponent="weighted",
        paper=Published(
            replaced="J.A.R.V.I.S",
            tables=(4, 5),
            wins=(
                {False: (45, 0, 0, 6), True: (0, 5, 5, 0)},
                {False: (100, 0, 65, 0), True: (0, 0, 0, 1)},
            ),
            neurons=(34, 37),
            error_falls=False,
        ),
    ),
}
"""The paper's games."""
ANY_FEATURES = "bits"
"""Features of all other games: one input for each bit of the state."""


def setting(game: str, opponent: str) -> Setting:
    """The setting of a game, with this opponent if one is named."""
    known = PAPER.get(game, Setting(features=ANY_FEATURES, opponent=""))
    return attrs.evolve(known, opponent=opponent or known.opponent)

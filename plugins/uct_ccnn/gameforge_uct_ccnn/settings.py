"""Parameters of the experiment `uct-ccnn`, its games and opponents, and the figures of the paper's two games."""

from collections.abc import Mapping
from typing import Literal, get_args

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import kinds

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


CandidateError = Literal["difference", "output"]
Rule = Literal["irprop-", "irprop+"]

MATCH_SIMULATIONS = 300
_simulations = kinds.count(1, 1_000_000)


def _cp(instance: object, attribute: "attrs.Attribute[float | None]", value: float | None) -> None:
    if value is not None and not 0 < value <= 100:
        raise GameforgeError(f"'cp' must be a number above 0 and at most 100 (got {value!r})")


@attrs.frozen(kw_only=True)
class UctCcnnSettings:
    """Parameters of the experiment: a game, its opponent, and the budgets.

    The paper's budgets are 200 and 600 seconds per move on a machine that we do not have. Ours are simulations, in the
    same ratio of 1 : 3, so that results are reproducible.
    """

    game: str = "othello"
    """Any game; othello and morris are the paper's."""
    opponent: str = ""
    """Evaluator of the opponent, which searches 3 plies; "" takes our own for the paper's games, and the yardstick of
    any other. In a game without a yardstick the opponent is `uct`, with `match_simulations` and no evaluator."""
    simulations: int = attrs.field(default=1000, validator=_simulations)
    """Simulations per move in the matches of the shorter budget."""
    match_simulations: int = attrs.field(default=MATCH_SIMULATIONS, validator=_simulations)
    """Simulations per move in the matches of UCT with the net against UCT without, and in the tuning of Cp."""
    cp: float | None = attrs.field(default=None, validator=_cp)
    """Cp of UCT; None: tuned first."""
    prior: int = attrs.field(default=10, validator=kinds.count(1, 100_000))
    """Simulations that the net's score of a move counts for when the move enters the tree."""
    candidate_error: CandidateError = attrs.field(
        default="difference", validator=attrs.validators.in_(get_args(CandidateError))
    )
    """Errors on which the candidates for hidden units are trained; a parameter of the learner `cascade`."""
    rule: Rule = attrs.field(default="irprop-", validator=attrs.validators.in_(get_args(Rule)))
    """Training algorithm of the nets: that of FANN, or the one that the paper's text describes; a parameter of the
    learner `cascade`."""
    reuse: bool = False
    """Whether a search that makes examples begins with the part of the previous tree below the position that the game
    reached. False: with its root alone, as printed ([Rezende2017], section 2.1)."""
    tables: bool = True
    """Whether to play the matches of tables 2 to 5, which take more than half of the time and decide no claim."""

    @property
    def setting(self) -> Setting:
        """Features, opponent and heights of the game."""
        return setting(self.game, self.opponent)

"""Parameters of the experiment `uct-ccnn`."""

from typing import Any, Literal, get_args

import attrs

from gameforge.config.validation import whole
from gameforge.errors import GameforgeError
from gameforge_uct_ccnn.opponents import Setting, setting

CandidateError = Literal["difference", "output"]

MATCH_SIMULATIONS = 300
_simulations = whole("a whole number from 1 to 1000000", 1, 1_000_000)


def _cp(instance: Any, attribute: "attrs.Attribute[float | None]", value: float | None) -> None:
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
    prior: int = attrs.field(default=10, validator=whole("a whole number from 1 to 100000", 1, 100_000))
    """Simulations that the net's score of a move counts for when the move enters the tree."""
    candidate_error: CandidateError = attrs.field(
        default="difference", validator=attrs.validators.in_(get_args(CandidateError))
    )
    """Errors on which the candidates for hidden units are trained; a parameter of the learner `cascade`."""
    tables: bool = True
    """Whether to play the matches of tables 2 to 5, which take more than half of the time and decide no claim."""

    @property
    def setting(self) -> Setting:
        """Features, opponent and heights of the game."""
        return setting(self.game, self.opponent)

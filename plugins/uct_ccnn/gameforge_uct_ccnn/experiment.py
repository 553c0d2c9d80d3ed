"""The experiment `uct-ccnn`: from the rules of a game to players with a net (Rezende and Chaimowicz, SBGames 2017).

Cp of UCT by the cross-entropy method; examples by UCT against itself with a shorter and a longer budget; a
cascade-correlation net from each; NeuralMinimax with these nets at several heights, and UCT with and without them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from gameforge.config.validation import whole
from gameforge.errors import GameforgeError
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge_uct_ccnn import stages
from gameforge_uct_ccnn.opponents import SETTINGS
from gameforge_uct_ccnn.report import ccnn_report


def _cp(instance: Any, attribute: "attrs.Attribute[float | None]", value: float | None) -> None:
    if value is not None and not 0 < value <= 100:
        raise GameforgeError(f"'cp' must be a number above 0, 100 at most: {value!r}")


@attrs.frozen(kw_only=True)
class UctCcnn:
    """All of the paper for one of its games.

    The paper's budgets are 200 and 600 seconds a move on a machine that we do not have; ours are simulations, 1 : 3
    as there, so that results can be repeated. `scale` shortens the number of matches, of neurons and of test games.
    """

    game: Literal["othello", "morris"] = attrs.field(default="othello", validator=attrs.validators.in_(tuple(SETTINGS)))
    simulations: int = attrs.field(default=1000, validator=whole("a whole number from 1 to 1000000", 1, 1_000_000))
    """A move in the matches of the shorter budget."""
    match_simulations: int = attrs.field(default=300, validator=whole("a whole number from 1 to 1000000", 1, 1_000_000))
    """A move in the matches of UCT with the net against UCT without."""
    cp: float | None = attrs.field(default=None, validator=_cp)
    """Of UCT; None: tuned first."""
    sides: Literal["both", "winner"] = attrs.field(default="both", validator=attrs.validators.in_(("both", "winner")))
    """Whose examples are kept. The paper's filter, winner, is always one of the nets at equal depth."""
    prior: int = attrs.field(default=10, validator=whole("a whole number from 1 to 100000", 1, 100_000))
    """Simulations that the net's score of a move counts for when the move enters the tree."""

    title = "UCT-CCNN: a value net from the rules of a game alone"
    source = "Rezende and Chaimowicz, SBGames 2017, tables 2 to 5 (counts recovered from their intervals) and abstract"
    seeds = 1

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition: self.seconds(condition, 1.0) for condition in stages.STAGES}

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        return {condition: stage.after for condition, stage in stages.STAGES.items()}

    def seconds(self, condition: str, scale: float) -> float:
        """Of one core."""
        return stages.STAGES[condition].seconds(self, scale)

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Figures of one stage."""
        return stages.STAGES[trial.condition].run(self, trial)

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return ccnn_report(self, results, scale)

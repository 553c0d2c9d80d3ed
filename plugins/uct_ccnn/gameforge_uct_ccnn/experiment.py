"""The experiment `uct-ccnn`: from the rules of a game to players with a net ([Rezende2017]).

Cp of UCT by the cross-entropy method; examples by UCT against itself with a shorter and a longer budget; a
cascade-correlation net from each; NeuralMinimax with these nets at several heights, and UCT with and without them.
"""

from collections.abc import Mapping, Sequence

import attrs

from gameforge.experiments import Numbers, Report, Trial
from gameforge_uct_ccnn import stages
from gameforge_uct_ccnn.report import ccnn_report
from gameforge_uct_ccnn.settings import UctCcnnSettings


@attrs.frozen(kw_only=True)
class UctCcnn(UctCcnnSettings):
    """The paper's experiments for a game. The scale reduces the numbers of matches, hidden units and
    games."""

    title = "UCT-CCNN: a value net from the rules of a game alone"
    source = "Rezende and Chaimowicz, SBGames 2017, tables 2 to 5 (counts recovered from their intervals) and abstract"
    seeds = 1
    least_scale = 0.01
    """One game of each row of the tables."""

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition: self.seconds(condition, 1.0) for condition in stages.wanted(self)}

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        return {condition: stages.STAGES[condition].after for condition in stages.wanted(self)}

    def seconds(self, condition: str, scale: float) -> float:
        return stages.STAGES[condition].seconds(self, scale)

    def run(self, trial: Trial) -> Numbers:
        return stages.STAGES[trial.condition].run(self, trial)

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        return ccnn_report(self, results, scale)

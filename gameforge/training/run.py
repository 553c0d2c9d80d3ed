"""A run: one training of a pipeline in a folder, and the players that it produced."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.config.settings import Json
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.learner import Progress, Trained
from gameforge.play.display import Tabular
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.play.saved_players import chosen_player
from gameforge.training.run_folder import Metrics
from gameforge.training.run_report import RunReport
from gameforge.training.yardstick import Strength

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


@attrs.frozen(eq=False, repr=False)
class Run(Tabular):
    """A run, with its result once it has finished."""

    folder: Path
    """Its folder."""
    pipeline: Pipeline
    """The resolved pipeline."""
    parts: Parts
    """The pipeline's components, ready to play."""
    trained: Trained | None = None
    """What the learner returned; None if the run has not finished."""
    resumed: bool = False
    """Whether it was interrupted before and is being resumed."""
    earlier: tuple[Mapping[str, Json], ...] = ()
    """The sessions, as in metrics.jsonl, up to the checkpoint from which the run is being resumed."""
    strength: Strength | None = None
    """The final match against the yardstick; None if the run has not finished, or has no yardstick."""

    def __repr__(self) -> str:
        state = "not finished" if self.trained is None else "finished"
        return f"<Run {self.folder}: {self.pipeline!r}, {state}>"

    @property
    def metrics(self) -> Sequence[Metrics]:
        """The sessions so far, as in metrics.jsonl."""
        return RunReport.read(self.folder).metrics

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each session so far."""
        return RunReport.read(self.folder).rows()

    def plot(self) -> "Figure":
        """Draw the learning curves of the sessions so far (`RunReport.plot`)."""
        return RunReport.read(self.folder).plot(self.pipeline.registry)

    @property
    def player(self) -> Player:
        """The trained player."""
        assert self.trained is not None, "the run has not finished"
        made = self.trained
        return self.with_weights(made.weights, "trained", made.features, made.settings)

    @property
    def untrained(self) -> Player:
        """The player before training."""
        assert self.trained is not None, "the run has not finished"
        made = self.trained
        return self.with_weights(made.initial_weights, "untrained", made.features)

    def after(self, session: Progress) -> Player:
        """The player after a session."""
        return self.with_weights(session.weights, f"session {session.session}", session.features, session.settings)

    def with_weights(
        self,
        weights: "NDArray[np.float32] | None",
        name: str,
        features: FeatureMap | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Player:
        """Make a player of this pipeline; features and settings as for `chosen_player`."""
        return chosen_player(self.pipeline, self.parts, weights, name, features, settings)

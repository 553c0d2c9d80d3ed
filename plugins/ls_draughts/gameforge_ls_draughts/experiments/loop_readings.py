"""The experiment `loop-readings`: loop draws in 2,000 training games under each reading of [Neto2009], section 7."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.api import oracle, player
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge.play.arena.match_folder import result_numbers
from gameforge_ls_draughts.experiments.databases import require_databases, require_further
from gameforge_ls_draughts.experiments.loop_readings_report import readings_report
from gameforge_ls_draughts.experiments.loops import Count
from gameforge_ls_draughts.experiments.readings import Reading, readings

PRESET = "neurodraughts-2009"
GAMES = 200
"""Training games of a session at scale 1; there are 10 sessions."""
OPPONENT = "minimax:depth=5"
"""Searcher of the opponent, which counts material."""
OPENINGS, PAIRS = "3move", 156
LEAST_PAIRS = 5
_SECONDS = 20.0


def _built(instance: "LoopReadings", attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
    if not value or len(set(value)) < len(value) or not all(2 <= pieces <= 6 for pieces in value):
        raise ValueError("must be different numbers from 2 to 6: databases of up to 6 pieces are built on first use")


@attrs.frozen(kw_only=True)
class LoopReadings:
    """Loops of trainings that differ in how ties are broken and in what the database does."""

    pieces: tuple[int, ...] = attrs.field(default=(5, 6), validator=_built)
    """Numbers of pieces of the databases; the paper had 6, and 7 and 8 in part."""
    further: tuple[str, ...] = attrs.field(default=(), validator=attrs.validators.max_len(2))
    """Folders or files of databases, such as 4 against 3 pieces, that are consulted after the one with the most
    pieces; the readings with both come in addition."""

    title = "Loop draws in 2,000 training games under the readings of LS-Draughts"
    source = "Neto, Julia and Caixeta 2009, sections 5, 5.4.2 and 7"
    seeds = 10
    least_scale = 0.01
    """Two training games a session; a verdict needs all 200."""

    def __attrs_post_init__(self) -> None:
        require_databases(self.further, "loop-readings: further")
        require_further(self.further, "loop-readings: further", max(self.pieces))

    @property
    def readings(self) -> Mapping[str, Reading]:
        """The readings by condition."""
        return {one.name: one for one in readings(self.pieces, self.further)}

    @property
    def conditions(self) -> Mapping[str, float]:
        return dict.fromkeys(self.readings, _SECONDS)

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Train, count loops, and measure the strength of the trained player against material at the same depth."""
        reading = self.readings[trial.condition]
        shorter = {"learner": {"games": trial.scaled(GAMES)}}
        pipeline = trial.pipeline(PRESET, reading.settings, shorter)
        known = oracle("chinook", pieces=max(self.pieces), workers=trial.workers, registry=trial.registry)
        count = Count(pipeline.game, known)
        training = trial.train(pipeline, count.add)
        summary = training.trained.summary
        trained = training.player(training.trained.weights, "trained")
        opponent = player(
            pipeline.game, searcher=OPPONENT, evaluator="material", oracle="none", registry=trial.registry
        )
        match = trial.match(
            trained, opponent, 2 * max(LEAST_PAIRS, trial.scaled(PAIRS)), trial.condition, openings=OPENINGS
        )
        return {
            **count.numbers(len(training.sessions)),
            **{key: summary[key] for key in ("wins", "losses", "clones")},
            **{key: summary.get(key, 0) for key in ("probes", "hits")},
            "match": result_numbers(match) | {"seconds_per_move": None},
        }

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return readings_report(list(self.readings.values()), results, whole=scale >= 1)

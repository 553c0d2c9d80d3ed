"""The experiment `loop-rate`: loop draws in 2,000 training games ([Neto2009], section 7 and figure 5)."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge.interfaces.games import GameRecord
from gameforge.play.pipeline import Pipeline
from gameforge_neurodraughts.experiments.loop_conditions import VARIANTS, Condition
from gameforge_neurodraughts.experiments.loop_report import loop_report


@attrs.frozen(kw_only=True)
class LoopRate:
    """Number of training games that end as loop draws, over several seeds, compared with the published number.

    * `pipelines`: presets, TOML files or run folders to train instead of NeuroDraughts and its variants.
    * `published`: the published number for each of these, in 2,000 games; optional.
    """

    pipelines: tuple[str, ...] = attrs.field(default=())
    published: tuple[int, ...] = attrs.field(default=())

    title = "Loop draws in 2,000 training games"
    source = "Neto, Julia and Caixeta 2009, section 7: NeuroDraughts 1,045, LS-Draughts 759, with databases 172"
    seeds = 10
    least_scale = 0.01
    """Two training games a session; a comparison with the published count needs all 200."""

    @pipelines.validator
    def _different(self, attribute: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]) -> None:
        twice = [name for i, name in enumerate(value) if name in value[:i]]
        if twice:
            raise GameforgeError(f"pipelines has {twice[0]!r} twice")

    @published.validator
    def _one_each(self, attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
        if value and len(value) != len(self.pipelines):
            raise GameforgeError(f"published has {len(value)} numbers for {len(self.pipelines)} pipelines")

    @property
    def chosen(self) -> tuple[Condition, ...]:
        """The conditions to train."""
        if not self.pipelines:
            return VARIANTS
        figures = self.published or (None,) * len(self.pipelines)
        return tuple(
            Condition(name=source, says="", source=source, published=figure)
            for source, figure in zip(self.pipelines, figures, strict=True)
        )

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition.name: condition.seconds for condition in self.chosen}

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Results of the training games, the reasons of draws, and how many games are distinct."""
        condition = next(one for one in self.chosen if one.name == trial.condition)
        pipeline = trial.pipeline(condition.source, condition.changes)
        of_a_session = getattr(pipeline.learner, "games", None)
        if isinstance(of_a_session, int):
            shorter = {"learner": {"games": trial.scaled(of_a_session)}}
            pipeline = trial.pipeline(condition.source, condition.changes, shorter)
        games = _Games()
        training = trial.train(pipeline, games.add)
        if not games.number:
            raise GameforgeError(f"loop-rate: the learner of {condition.source} plays no training games")
        return {
            "pipeline": _digest(pipeline),
            "games": games.number,
            "draws": sum(games.draws.values()),
            "loops": sum(games.loops.values()),
            "draws_by_reason": dict(sorted(games.draws.items())),
            "loops_by_session": list(games.loops.values()),
            "mean_plies": games.plies / games.number,
            "distinct": len(games.seen),
            "clones": sum(bool(session.get("cloned")) for session in training.sessions),
        }

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return loop_report(results, self.chosen)


def _digest(pipeline: Pipeline) -> str:
    """Digest of a pipeline without its seed."""
    text = json.dumps({**pipeline.settings, "seed": None}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Games:
    """Counts of the training games of one trial."""

    def __init__(self) -> None:
        self.number, self.plies = 0, 0
        self.loops: dict[int, int] = {}
        """By session."""
        self.draws: Counter[str] = Counter()
        """By reason."""
        self.seen: set[int] = set()
        """Hashes of start and moves."""

    def add(self, game: GameRecord) -> None:
        if game.phase != "training":
            return
        self.number += 1
        self.plies += len(game.moves)
        self.seen.add(hash((game.start, game.moves)))
        self.loops[game.session] = self.loops.get(game.session, 0) + game.outcome.loop
        if game.outcome.winner is None:
            self.draws[game.outcome.reason] += 1

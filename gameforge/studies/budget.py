"""The budget of a study: a number of training games that every variant plays, no more and no fewer.

Only games can be made equal exactly: learners know how many they will play. No learner counts evaluations, and seconds
depend on the computer, so a trial with such a budget would not have the same result again.
"""

import bisect
from collections.abc import Callable, Mapping, Sequence

import attrs

from gameforge.config import flat, kinds, structure, with_value
from gameforge.config.toml import Json
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import PlansGames
from gameforge.studies.variants import Variant
from gameforge.training.train import Pipeline

_INEXACT = {
    "evaluations": "no learner counts its evaluations",
    "processor seconds": "they depend on the computer, so that a trial would not have the same result again",
    "seconds": "they depend on the computer, so that a trial would not have the same result again",
}
"""Budgets that cannot be kept exactly, and why."""


def _keys(by: str | Sequence[str]) -> tuple[str, ...]:
    return (by,) if isinstance(by, str) else tuple(by)


@attrs.frozen(kw_only=True)
class Budget:
    """What every variant may spend on its training."""

    games: int = attrs.field(validator=kinds.count(1))
    """Training games."""
    by: tuple[str, ...] = attrs.field(default=(), converter=_keys)
    """The parameter that sets the length of a training, such as `learner.sessions`; of several, the first one that the
    learner of a variant has. Empty: all variants have the right length already."""

    @classmethod
    def read(cls, table: Mapping[str, Json]) -> "Budget":
        """Read a budget from its table; GameforgeError for one that cannot be kept exactly."""
        for key, why in _INEXACT.items():
            if key in table or key.replace(" ", "_") in table or key.replace(" ", "-") in table:
                raise GameforgeError(f"budget.{key}: {why}; give budget.games")
        by = table.get("by", ())
        return structure(cls, {**table, "by": [by] if isinstance(by, str) else by}, "budget")

    def spent_by(self, variant: Variant) -> Variant:
        """Return a variant with a training of exactly this length.

        Raises GameforgeError if its learner does not know how many games it plays, or cannot play as many.
        """
        settings = dict(flat(variant.pipeline.settings))
        key = next((key for key in self.by if key in settings), "")
        if key:
            return attrs.evolve(variant, pipeline=self._of_length(variant, key))
        games = _known_games(variant, variant.pipeline)
        if games != self.games:
            lacks = (
                f"it has no parameter {' or '.join(self.by)}" if self.by else "name the parameter of its length as by"
            )
            raise GameforgeError(
                f"budget.games = {self.games}: variant {variant.name} plays {games:,} training games; {lacks}"
            )
        return variant

    def _of_length(self, variant: Variant, key: str) -> Pipeline:
        """Return the pipeline of a variant with the value of this parameter at which it plays the budget's games."""

        def games(length: int) -> int:
            return _known_games(variant, _with(variant.pipeline, key, length))

        most = _first_reaching(self.games, games)
        if most is None:
            raise GameforgeError(f"variant {variant.name}: {key} does not change the number of its training games")
        if games(most) != self.games:
            near = f"{games(most - 1):,} or {games(most):,}" if most > 1 else f"at least {games(1):,}"
            raise GameforgeError(
                f"budget.games = {self.games}: variant {variant.name} cannot play exactly as many; "
                f"with {key} it plays {near}"
            )
        return _with(variant.pipeline, key, most)


def games_of(pipeline: Pipeline) -> int | None:
    """Return the number of training games; None if the learner does not know it in advance."""
    return pipeline.learner.training_games if isinstance(pipeline.learner, PlansGames) else None


def _known_games(variant: Variant, pipeline: Pipeline) -> int:
    games = games_of(pipeline)
    if games is None:
        raise GameforgeError(f"budget.games: variant {variant.name} does not know how many games its learner will play")
    return games


def _with(pipeline: Pipeline, key: str, value: int) -> Pipeline:
    return Pipeline.from_settings(with_value(pipeline.settings, key, value, "budget.by"), pipeline.registry)


def _first_reaching(wanted: int, games: Callable[[int], int]) -> int | None:
    """Return the smallest length, from 1, with this many games or more; None if games do not grow with it."""
    high = 1
    while games(high) < wanted:
        if high > wanted:
            return None
        high *= 2
    return 1 + bisect.bisect_left(range(1, high + 1), wanted, key=games)

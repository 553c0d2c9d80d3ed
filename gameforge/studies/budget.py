"""The budget of a study: what every variant may spend on its training: games, evaluations or processor time.

Games can be made equal exactly, because learners know how many they will play. Evaluations and processor seconds
compare variants whose games cost different amounts; a training ends after the session in which they are used up. With
games or evaluations a trial repeats bit for bit. Seconds depend on the computer, so no repetition has quite the same
result.
"""

import bisect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

import attrs

from gameforge.config import flat, kinds, structure, with_value
from gameforge.config.settings import Json
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import PlansGames
from gameforge.studies.variants import Variant
from gameforge.training.train import Pipeline


def _keys(by: str | Sequence[str]) -> tuple[str, ...]:
    return (by,) if isinstance(by, str) else tuple(by)


@attrs.frozen(kw_only=True)
class Budget:
    """What every variant may spend on its training."""

    games: int | None = attrs.field(default=None, validator=attrs.validators.optional(kinds.count(1)))
    """Training games, exactly."""
    evaluations: int | None = attrs.field(default=None, validator=attrs.validators.optional(kinds.count(1)))
    """Positions that the searches and games of a training evaluate, as `gameforge.training.spending` counts them: a
    training ends after the session in which they are used up."""
    processor_seconds: float | None = attrs.field(default=None, validator=attrs.validators.optional(kinds.positive()))
    """Processor time, as `gameforge.training.spending` counts it: a training ends after the session in which it is
    used up."""
    by: tuple[str, ...] = attrs.field(default=(), converter=_keys)
    """The parameter that sets the length of a training, such as `learner.sessions`; of several, the first one that the
    learner of a variant has. Empty: all variants have the right length already. Only for games."""

    def __attrs_post_init__(self) -> None:
        if sum(one is not None for one in (self.games, self.evaluations, self.processor_seconds)) != 1:
            raise ValueError("needs either games, evaluations or processor_seconds")
        if self.games is None and self.by:
            raise ValueError("by belongs to games; the others end a training of any length")

    @classmethod
    def read(cls, table: Mapping[str, Json]) -> "Budget":
        """Read a budget from its table; GameforgeError for one that cannot be kept."""
        if "seconds" in table:
            raise GameforgeError(
                "budget.seconds: they depend on what else the computer does; give budget.games, budget.evaluations or "
                "budget.processor_seconds"
            )
        by = table.get("by", ())
        return structure(cls, {**table, "by": [by] if isinstance(by, str) else by}, "budget")

    def spent_by(self, variant: Variant) -> Variant:
        """Return a variant with a training of exactly this many games; the variant itself if something else is limited.

        Raises GameforgeError if its learner does not know how many games it plays, or cannot play as many.
        """
        if self.games is None:
            return variant
        settings = dict(flat(variant.pipeline.settings))
        key = next((key for key in self.by if key in settings), "")
        if key:
            return attrs.evolve(variant, pipeline=self._of_length(variant, key, self.games))
        games = _known_games(variant, variant.pipeline)
        if games != self.games:
            lacks = (
                f"it has no parameter {' or '.join(self.by)}" if self.by else "name the parameter of its length as by"
            )
            raise GameforgeError(
                f"budget.games = {self.games}: variant {variant.name} plays {games:,} training games; {lacks}"
            )
        return variant

    def require_alone(self, workers: int, executor: Executor | None) -> None:
        """Raise GameforgeError if processor time is limited, and could not be measured with these workers."""
        if self.processor_seconds is not None and (workers > 1 or executor is not None):
            raise GameforgeError(
                "budget.processor_seconds: trainings can be timed only one after another, with one thread of this "
                "process; give neither workers nor an executor"
            )

    def note(self, used: Sequence[float]) -> str:
        """Return what a reader of the report must know. used: the evaluations or the seconds of each trial."""
        if self.games is not None:
            return f"Every variant played {self.games:,} training games."
        if self.evaluations is not None:
            limit: float = self.evaluations
            text = (
                f"Every training ended after the session in which it had used {limit:,} evaluations: positions that "
                "its searches and games have evaluated, those of the matches against the yardstick excepted."
            )
        else:
            limit = self.processor_seconds or 0.0
            text = (
                f"Every training ended after the session in which it had used {limit:g} processor seconds. The "
                "compilation of kernels and the matches against the yardstick do not count. Seconds depend on the "
                "computer: a repetition does not have the same results bit for bit."
            )
        short = sum(one < limit for one in used)
        if short:
            text += f" **{short} of {len(used)} trainings ended earlier**, with their last session: they are too short."
        return text

    def _of_length(self, variant: Variant, key: str, wanted: int) -> Pipeline:
        """Return the pipeline of a variant with the value of this parameter at which it plays this many games."""

        def games(length: int) -> int:
            return _known_games(variant, _with(variant.pipeline, key, length))

        most = _first_reaching(wanted, games)
        if most is None:
            raise GameforgeError(f"variant {variant.name}: {key} does not change the number of its training games")
        if games(most) != wanted:
            near = f"{games(most - 1):,} or {games(most):,}" if most > 1 else f"at least {games(1):,}"
            raise GameforgeError(
                f"budget.games = {wanted}: variant {variant.name} cannot play exactly as many; "
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

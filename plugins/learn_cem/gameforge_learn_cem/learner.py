"""The learner `cem`: the cross-entropy method over parameters ([Rubinstein1999]; [Rezende2017], section 2.3)."""

from collections.abc import Mapping

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import Site, Trained, TrainingTask, near
from gameforge_learn_cem.settings import CemSettings, Parameter, Range, is_number


@attrs.frozen(kw_only=True)
class Cem(CemSettings):
    """The cross-entropy method for numeric parameters of a pipeline.

    In each iteration, samples are drawn around the mean, each plays a match against the mean, and mean and deviation
    move towards those of the best samples.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Tune the parameters.

        Raises GameforgeError if a parameter does not exist or is not a number, or if a component does not accept its
        range or the openings.
        """
        from gameforge_learn_cem.cross_entropy import CrossEntropySearch

        if task.work is None:
            raise GameforgeError("learner cem needs workers to play its matches, but the task has none")
        return CrossEntropySearch(self, task, task.work, parameters(self.ranges, task.work.site)).run()


def parameters(tuned: Mapping[str, Range], site: Site) -> list[Parameter]:
    """The tuned parameters; GameforgeError if the pipeline lacks one or does not accept its range."""
    there = site.parameters
    numbers = [key for key, value in there.items() if is_number(value)]
    known = f"numbers of this pipeline: {', '.join(numbers) or 'none'}"
    if not tuned:
        raise GameforgeError(
            f"learner cem: no parameter to tune is named; {known}",
            advice="name parameters and their ranges, KEY=LOW..HIGH,",
            parameter="tune",
        )
    found = []
    for key, (low, high) in tuned.items():
        if key not in there:
            raise GameforgeError(f"learner cem: this pipeline has no parameter {key}{near(key, numbers)}; {known}")
        now = there[key]
        if not is_number(now):
            raise GameforgeError(f"learner cem: {key} = {_shown(now)} is not a number; {known}")
        is_whole = type(now) is int
        if is_whole and not (low == round(low) and high == round(high)):
            raise GameforgeError(f"learner cem: {key} is an integer, but its range {low:g}..{high:g} is not")
        parameter = Parameter(key, low, high, is_whole)
        for end in (low, high):
            try:
                site.parts_with({key: parameter.value(end)})
            except GameforgeError as error:
                raise GameforgeError(f"learner cem: the range {low:g}..{high:g} is not allowed: {error}") from error
        found.append(parameter)
    return found


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)

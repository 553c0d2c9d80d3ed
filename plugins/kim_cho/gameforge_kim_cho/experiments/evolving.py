"""The evolutions of an experiment: complete ones, first generations, and their curves."""

from collections.abc import Mapping
from typing import Any

from gameforge.experiments.trial import Trial, TrialRun
from gameforge.play.pipeline import Pipeline

LEAST = 2
"""Minimum number of generations at any scale."""
CURVES = ("fitness", "mean_fitness", "diversity")


def generations(whole: int, scale: float) -> int:
    """Number of generations at this scale."""
    return max(LEAST, round(whole * scale))


def evolution(trial: Trial, preset: str, *changes: Mapping[str, Any]) -> Pipeline:
    """The pipeline of a preset, with its generations at the trial's scale and these changes."""
    whole = trial.pipeline(preset).settings["learner"]["generations"]
    return trial.pipeline(preset, {"learner": {"generations": generations(whole, trial.scale)}}, *changes)


def first_generation(trial: Trial, name: str, preset: str, *changes: Mapping[str, Any]) -> TrialRun:
    """The same evolution ended after the first generation: the same seed begins with the same individuals."""
    begun = {"learner": {"generations": 1}}
    if "species" in trial.pipeline(preset).settings["learner"]:
        begun["learner"]["species"] = 0
    return trial.run(trial.pipeline(preset, *changes, begun), f"{name}, first generation")


def curves(run: TrialRun) -> dict[str, list[float]]:
    """Curves by generation: tournament points of the best and of all survivors, and the diversity."""
    return {key: [float(session[key]) for session in run.sessions] for key in CURVES}

"""A plugin in one file: an experiment on the toy game, and one whose trials fail."""

import time
from pathlib import Path

import attrs

from gameforge import Component, GameforgeError, hookimpl
from gameforge.experiments.report import Report
from gameforge.experiments.statistics import Sample

PARTS = 'game = "shuttle"\nsearcher = "greedy"\nevaluator = "linear"\nfeatures = "lanes"\nlearner = "drift"\n'


@attrs.frozen(kw_only=True)
class Drifting:
    """Drift of the weights, with two sizes of the initial ones."""

    rounds: int = 4
    source_file: str = "toy.toml"
    fails_at: int = 0
    """Seed whose trials fail; 0: none."""
    waits_at: int = 0
    """Seed whose trials wait after each game until there is a file `go`; 0: none."""

    title = "Drift of weights"
    source = "nobody, nowhere"
    seeds = 3
    conditions = {"small": 0.5, "large": 0.5}

    def run(self, trial):
        if trial.seed == self.fails_at:
            raise GameforgeError(f"seed {trial.seed} fails")
        changes = {"learner": {"rounds": trial.scaled(self.rounds)}, "evaluator": {"scale": 0.1}}
        pipeline = trial.pipeline(self.source_file, changes if trial.condition == "small" else {})
        reasons = []

        def finished(game):
            reasons.append(game.outcome.reason)
            while trial.seed == self.waits_at and not Path("go").exists():
                trial.check()
                time.sleep(0.01)

        training = trial.train(pipeline, finished)
        return {"weights": training.trained.weights.tolist(), "reasons": reasons, "sessions": training.sessions}

    def report(self, results, scale):
        found = [
            (condition, seed, sum(numbers["weights"]))
            for condition, trials in results.items()
            for seed, numbers in enumerate(trials, 1)
        ]
        sums = [total for *_, total in found]
        rows = "\n".join(f"| {condition} | {seed} | {total:.6f} |" for condition, seed, total in found)
        return Report(
            text=f"| condition | seed | sum |\n|---|---|---|\n{rows}\n",
            numbers={"interval": Sample(sums).interval},
            figures={"sums": lambda figure: figure.text(0.1, 0.5, " ".join(map(str, sums)))},
        )


class Incomplete:
    """A class that is not an experiment."""


@hookimpl
def gameforge_components():
    return [
        Component("experiment", "drifting", f"{__name__}:Drifting", "for tests"),
        Component("experiment", "incomplete", f"{__name__}:Incomplete", "for tests"),
    ]

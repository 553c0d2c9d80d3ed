"""A plugin in one file: an experiment in two stages, with runs and a match inside; and two that fail."""

import json
from pathlib import Path

import attrs

from gameforge import Component, hookimpl
from gameforge.experiments.report import Report

PARTS = {"game": "draughts:max_plies=60", "searcher": "minimax:depth=1", "oracle": "none"}
LEARNERS = {
    "td": {"use": "td", "sessions": 2, "games": 4, "clone_points": 0},
    "ga": {
        "use": "ga",
        "population": 3,
        "generations": 2,
        "flips": 1,
        "games": 2,
        "inner": {"use": "td", "sessions": 1, "games": 2},
    },
}
ENDLESS = {
    "td": LEARNERS["td"] | {"sessions": 1_000_000},
    "ga": LEARNERS["ga"] | {"inner": {"use": "td", "sessions": 1_000_000, "games": 10}},
}


def preset(folder):
    """The file that the trials' pipelines come from."""
    path = Path(folder) / "stages.toml"
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in PARTS.items()) + 'learner = "td"\n')
    return path


@attrs.frozen(kw_only=True)
class Stages:
    """Two learners, and a match between the players that they train."""

    source_file: str = "stages.toml"
    endless: bool = False
    """Whether the learners train for hours."""

    title = "Two learners and their match"
    source = "nobody, nowhere"
    seeds = 2
    conditions = {"td": 2.0, "ga": 4.0, "match": 1.0}
    after = {"match": ("td", "ga")}

    def run(self, trial):
        if trial.condition == "match":
            td, ga = trial.player("td"), trial.player("ga")
            result = trial.match(td, ga, trial.scaled(4), "td-ga", openings=2)
            return {
                "players": [td.name, ga.name],
                "points": 2 * result.wins + result.draws,
                "moves": [list(game.codes) for game in result.games],
                "earlier": {name: numbers["games"] for name, numbers in trial.earlier.items()},
            }
        learner = (ENDLESS if self.endless else LEARNERS)[trial.condition]
        done = trial.run(trial.pipeline(self.source_file, {"learner": learner}), trial.condition)
        return {
            "games": done.sessions[-1]["games"],
            "weights": done.player.weights.tolist(),
            "kept": {one.name: one.weights.tolist() for one in done.generations},
        }

    def seconds(self, condition, scale):
        return self.conditions[condition] * scale**2

    def report(self, results, scale):
        points = [numbers["points"] for numbers in results["match"]]
        return Report(text=f"points: {points}\n", numbers={"points": points})


@attrs.frozen(kw_only=True)
class Broken(Stages):
    """Stages that depend on each other in a cycle, or on one that does not exist."""

    ring: bool = False

    @property
    def after(self):
        return {"match": ("td", "ga"), "ga": ("match",)} if self.ring else {"match": ("td", "gga")}


@hookimpl
def gameforge_components():
    return [
        Component("experiment", "stages", f"{__name__}:Stages", "for tests"),
        Component("experiment", "broken", f"{__name__}:Broken", "for tests"),
    ]

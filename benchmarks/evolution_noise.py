"""How much luck is in an evolution: what its tournaments measure, and what mutation costs ([Chellapilla2001]).

    gameforge run anaconda --set learner.generations=84 --out runs/anaconda
    python benchmarks/evolution_noise.py RUN...

Each RUN is a folder of a run with the learner `evolve`, such as those of `gameforge reproduce anaconda`. Its games and
metrics give

* the correlation of the points a game that a net won in two successive tournaments, over all nets that survived;
* the points a game of the children, minus those of the parents in the same tournament;
* the shares of the games that were drawn, and that were drawn by repetition;
* the mean step of the mutations, in the first and the last generation.

Two or more runs also have means with 95 % intervals (Student's t).
"""

import collections
import itertools
import json
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
from gameforge_learn_evolve.evolution import LOSS, WIN

from gameforge.experiments.statistics import Sample

GAME = re.compile(
    r'\[Event "tournament \d+, session (\d+)"\]\n\[Black "individual (\d+)"\]\n\[White "individual (\d+)"\]\n'
    r'\[Result "([^"]+)"\]'
)
GAINS = {"1-0": (WIN, LOSS), "0-1": (LOSS, WIN), "1/2-1/2": (0, 0)}
"""Points of Black, who moves first, then of White, by result."""
COLUMNS = ("correlation", "children - parents", "drawn", "by repetition", "first step", "last step")


def tournaments(run: Path) -> list[dict[int, float]]:
    """Points a game of every net, by its number; one table for each tournament."""
    gained: dict[int, dict[int, list[int]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for session, black, white, result in GAME.findall((run / "games.pdn").read_text()):
        for net, points in zip((black, white), GAINS[result], strict=True):
            gained[int(session)][int(net)].append(points)
    return [{net: float(np.mean(points)) for net, points in gained[one].items()} for one in sorted(gained)]


def measure(run: Path) -> list[float]:
    """The values of COLUMNS."""
    population = int(tomllib.loads((run / "pipeline.toml").read_text())["learner"]["population"])
    sessions = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    games = sessions[-1]["games"]
    played = tournaments(run)
    twice = [(old[net], new[net]) for old, new in itertools.pairwise(played) for net in old if net in new]
    lost = []
    for session, points in enumerate(played, 1):
        last_parent = population * session  # numbers are given in the order of birth
        children = [value for net, value in points.items() if net > last_parent]
        parents = [value for net, value in points.items() if net <= last_parent]
        lost.append(np.mean(children) - np.mean(parents))
    return [
        float(np.corrcoef(np.array(twice).T)[0, 1]),
        float(np.mean(lost)),
        sum(one["tournament_draws"] for one in sessions) / games,
        sum(one["tournament_loops"] for one in sessions) / games,
        sessions[0]["step"],
        sessions[-1]["step"],
    ]


def main() -> None:
    runs = [Path(name) for name in sys.argv[1:]]
    if not runs:
        sys.exit(__doc__)
    measured = np.array([measure(run) for run in runs])
    for run, values in zip(runs, measured, strict=True):
        print(", ".join(f"{name} {value:.3f}" for name, value in zip(COLUMNS, values, strict=True)), run, sep="  ")
    if len(runs) > 1:
        for name, column in zip(COLUMNS, measured.T, strict=True):
            print(f"{name}: {Sample(column.tolist(), digits=3)}")


if __name__ == "__main__":
    main()

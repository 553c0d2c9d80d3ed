"""Processor time of Kim and Cho's evolutions with and without knowledge, as ratios over seeds ([KimCho2007], figure 8).

    pip install -e '.[report]'; python benchmarks/evolution_times.py [SEEDS [POPULATION [GENERATIONS]]]

Each seed evolves in turn with the presets `kim-cho-simple` and `kim-cho-speciated`, without knowledge and with the
opening book and the gated database of 4 pieces, on one core. Only the length and the population are changed; there are
never more species than nets. A ratio is the processor time with knowledge divided by that without, of the same seed, in
one process; means have 95 % intervals (Student's t).
"""

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from machine import pin

import gameforge as gf
from gameforge.config import merge
from gameforge.discovery.registry import default_registry
from gameforge.experiments.statistics import Sample
from gameforge.play.pipeline import pipeline_source

PRESETS = {"simple": "kim-cho-simple", "speciated": "kim-cho-speciated"}
BOTH = [{"use": "book", "lines": "kim-cho"}, {"use": "gated", "oracle": {"use": "chinook", "pieces": 4}}]
KNOWLEDGE: Mapping[str, list[dict[str, Any]]] = {"without": [], "with": BOTH}
SEEDS, POPULATION, GENERATIONS = 5, 10, 5


def seconds(preset: str, oracles: list[dict[str, Any]], seed: int, population: int, generations: int) -> float:
    """Processor seconds of one evolution, with all its threads."""
    registry = default_registry()
    settings = pipeline_source(registry, preset)
    learner = {"population": population, "generations": generations}
    if "species" in settings["learner"]:
        learner["species"] = min(settings["learner"]["species"], population)
    pipeline = gf.Pipeline.from_settings(
        merge(settings, {"oracle": oracles, "seed": seed, "learner": learner}), registry
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        pipeline.run(Path(folder) / "run", workers=1)
        return time.process_time() - began


def main() -> None:
    given = [int(one) for one in sys.argv[1:]]
    seeds, population, generations = (*given, *(SEEDS, POPULATION, GENERATIONS)[len(given) :])
    print(f"{pin()}; load {os.getloadavg()[0]:.1f}; {seeds} seeds, {generations} generations of {population} nets")
    for preset in PRESETS.values():
        for oracles in KNOWLEDGE.values():
            seconds(preset, oracles, 0, 2, 1)  # compiles, and builds the database
    for name, preset in PRESETS.items():
        spent = []
        for seed in range(1, seeds + 1):
            spent.append([seconds(preset, oracles, seed, population, generations) for oracles in KNOWLEDGE.values()])
            plain, knowing = spent[-1]
            print(f"{name}, seed {seed}: {plain:.1f} s without, {knowing:.1f} s with knowledge")
        ratios = [knowing / plain for plain, knowing in spent]
        low, high = Sample(ratios).interval
        print(f"{name}: ratio {sum(ratios) / seeds:.2f} ({low:.2f} to {high:.2f})", flush=True)


if __name__ == "__main__":
    main()

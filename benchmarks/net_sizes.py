"""Errors of a growing net by its number of hidden units, over seeds ([Rezende2017], section 4).

    python benchmarks/net_sizes.py --out PICTURE.png RUN...

Each RUN is a folder of `gameforge run uct-ccnn-net`, with a seed and examples of its own; all have the same number of
units. For each it prints the least test error and the number of units that has it, the errors without units, with half
of the units and with all, and how often a unit raised the training error; then means with 95 % intervals over the runs
(Student's t), and how much the second half of the units raised the test error. The picture has the means of both errors
with bands for these intervals.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from gameforge.experiments.statistics import mean_interval

INCHES = (6.5, 4.0)


def errors(run: Path, kind: str) -> list[float]:
    """Mean squared errors of the nets with 0, 1, ... units; kind: `train` or `test`."""
    return [json.loads(line)[f"{kind}_mse"] for line in (run / "metrics.jsonl").read_text().splitlines()]


def shown(name: str, values: list[float], digits: int) -> str:
    low, high = mean_interval(values)
    return f"{name} {np.mean(values):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="PICTURE.png")
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    given = parser.parse_args()
    runs: list[Path] = given.runs
    train, test = (np.array([errors(run, kind) for run in runs]) for kind in ("train", "test"))
    units = test.shape[1] - 1
    half = units // 2
    best, rises = test.argmin(axis=1), (np.diff(train) > 0).sum(axis=1)
    for i, run in enumerate(runs):
        least = f"test error least, {test[i].min():.4f}, with {best[i]} units"
        print(f"{run}: {least}; training error rises {rises[i]} times")
    print(shown(f"units, of {units}, with the least test error", best.tolist(), 1))
    for name, table in (("training", train), ("test", test)):
        for count in (0, half, units):
            print(shown(f"{name} error with {count} units", table[:, count].tolist(), 4))
    print(shown(f"test error with {units} units minus that with {half}", (test[:, -1] - test[:, half]).tolist(), 4))
    print(shown("rises of the training error", rises.tolist(), 1))
    figure = Figure(figsize=INCHES, layout="constrained")
    axes = figure.subplots()
    for name, table in (("training", train), ("test", test)):
        (line,) = axes.plot(table.mean(axis=0), label=name)
        ends = np.array([mean_interval(column.tolist()) for column in table.T]).T
        axes.fill_between(range(units + 1), *ends, alpha=0.2, color=line.get_color())
    axes.set(xlabel="hidden units", ylabel="mean squared error")
    axes.set_title(f"means and 95 % intervals over {len(runs)} seeds", fontsize=8)
    axes.legend()
    figure.savefig(given.out, dpi=120)


if __name__ == "__main__":
    main()

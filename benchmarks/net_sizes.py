"""Errors of a growing net by its number of hidden units, over seeds ([Rezende2017], section 4).

    python benchmarks/net_sizes.py --out PICTURE.png RUN... [--against RUN...]

Each RUN is a folder of `gameforge run uct-ccnn-net`, with a seed and examples of its own; all have the same number of
units. For each it prints the least test error and the number of units that has it, the errors without units, with half
of the units and with all, and how often a unit raised the training error; then means with 95 % intervals over the runs
(Student's t), and how much the second half of the units raised the test error. The picture has the means of both errors
with bands for these intervals.

--against names as many other runs, in the same order of seeds, each from the examples of its partner and with other
settings. Then the script also prints the differences between partners, first minus other.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from gameforge_uct_ccnn.experiment import draw_training
from matplotlib.figure import Figure

from gameforge.experiments.statistics import Sample

INCHES = (6.5, 4.0)
COLUMNS = ("neurons", "train_mse", "test_mse")

Errors = npt.NDArray[np.float64]


def sizes(run: Path) -> dict[str, list[float]]:
    """Numbers of hidden units, and the errors of the nets that have them, as `draw_training` takes them."""
    sessions = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {f"{column} by neuron": [session[column] for session in sessions] for column in COLUMNS}


def errors(nets: Sequence[dict[str, list[float]]]) -> tuple[Errors, Errors]:
    """Training and test errors, a row for each net and a column for each number of units."""
    train, test = (np.array([net[f"{part}_mse by neuron"] for net in nets]) for part in ("train", "test"))
    return train, test


def print_differences(train: Errors, test: Errors, other_train: Errors, other_test: Errors) -> None:
    """Print means over pairs of nets, with intervals: first minus other."""
    units = (test.argmin(axis=1) - other_test.argmin(axis=1)).tolist()
    print(f"difference of the units with the least test error: {Sample(units, digits=1)}")
    least = (test.min(axis=1) - other_test.min(axis=1)).tolist()
    print(f"difference of the least test errors: {Sample(least, digits=4)}")
    for name, one, other in (("training", train, other_train), ("test", test, other_test)):
        last = (one[:, -1] - other[:, -1]).tolist()
        print(f"difference of the {name} errors with all units: {Sample(last, digits=4)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="PICTURE.png")
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--against", type=Path, nargs="+", default=[], metavar="RUN")
    given = parser.parse_args()
    runs: list[Path] = given.runs
    if given.against and len(given.against) != len(runs):
        parser.error(f"--against names {len(given.against)} runs instead of {len(runs)}, one for each run")
    nets = [sizes(run) for run in runs]
    train, test = errors(nets)
    units = test.shape[1] - 1
    half = units // 2
    best, rises = test.argmin(axis=1), (np.diff(train) > 0).sum(axis=1)
    for i, run in enumerate(runs):
        least = f"test error least, {test[i].min():.4f}, with {best[i]} units"
        print(f"{run}: {least}; training error rises {rises[i]} times")
    print(f"units, of {units}, with the least test error: {Sample(best.tolist(), digits=1)}")
    for name, table in (("training", train), ("test", test)):
        for count in (0, half, units):
            print(f"{name} error with {count} units: {Sample(table[:, count].tolist(), digits=4)}")
    risen = (test[:, -1] - test[:, half]).tolist()
    print(f"test error with {units} units minus that with {half}: {Sample(risen, digits=4)}")
    print(f"rises of the training error: {Sample(rises.tolist(), digits=1)}")
    if given.against:
        print_differences(train, test, *errors([sizes(run) for run in given.against]))
    figure = Figure(figsize=INCHES, layout="constrained")
    draw_training(figure, {f"means and 95 % intervals over {len(runs)} seeds": nets})
    figure.savefig(given.out, dpi=120)


if __name__ == "__main__":
    main()

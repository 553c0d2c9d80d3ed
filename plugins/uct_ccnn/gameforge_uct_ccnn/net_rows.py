"""Rows of the report about Cp, the examples and the nets."""

import itertools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.report import FEWEST_SEEDS, Compared, Verdict, mean_over_seeds, number, verdict
from gameforge_uct_ccnn.rows import claim_row, plain_row
from gameforge_uct_ccnn.settings import UctCcnnSettings
from gameforge_uct_ccnn.stages import BY_EXAMPLES, NETS, PRINTED

Numbers = Mapping[str, Any]
_MSE = "train_mse by neuron", "test_mse by neuron"


def net_rows(settings: UctCcnnSettings, by_seed: Mapping[str, Sequence[Numbers]]) -> list[Compared]:
    """Means over the seeds; claims about the errors hold if they hold for each seed, and fail if they do for none."""
    paper = settings.setting.paper
    cp = [numbers["cp"] for numbers in by_seed["cp"]]
    rows = [
        plain_row(
            "Cp", "lost" if paper else "", number(cp[0], 3) if settings.cp is not None else mean_over_seeds(cp, 3)
        )
    ]
    for budget, name in (net for nets in BY_EXAMPLES.values() for net in nets.items()):
        if name in NETS:
            made = {key: [one[key] for one in by_seed[f"{name} examples"]] for key in ("kept", "examples", "matches")}
            kept = (
                f"{mean_over_seeds(made['kept'])} of {number(statistics.fmean(made['examples']))}, "
                f"{number(statistics.fmean(made['matches']))} matches"
            )
            what = f"{name} budget: both sides' examples without duplicates"
            rows.append(plain_row(what, "about 150,000" if paper else "", kept))
        neurons = "" if paper is None else f"{paper.neurons[list(NETS).index(budget)]}"
        rows += _errors(settings, name, neurons, by_seed[f"{name} net"])
    lowest = [[min(numbers[_MSE[1]]) for numbers in by_seed[f"{PRINTED[name]} net"]] for name in NETS]
    falls = paper is None or paper.error_falls
    fell = [(shorter - longer) * (1 if falls else -1) for shorter, longer in zip(*lowest, strict=True)]
    errors = " and ".join(mean_over_seeds(one, 4) for one in lowest)
    rows.append(
        claim_row(
            settings,
            "lowest test error, shorter and longer budget, winner's examples",
            "falls" if falls else "rises",
            f"{errors} (of values from -1 to 1, halved, squared: FANN's)",
            verdict(fell),
        )
    )
    return rows


def _errors(settings: UctCcnnSettings, name: str, neurons: str, nets: Sequence[Numbers]) -> list[Compared]:
    """Rows about the errors of a net by its number of hidden units; neurons: the published number."""
    trains, tests = ([net[key] for net in nets] for key in _MSE)
    best = [min(range(len(test)), key=test.__getitem__) for test in tests]
    most = [len(test) - 1 for test in tests]
    rises = [sum(after > before for before, after in itertools.pairwise(train)) for train in trains]
    digits = 0 if len(nets) == 1 else 1
    units = mean_over_seeds(best, digits)
    ends = [mean_over_seeds([curve[place] for curve in curves], 4) for curves in (trains, tests) for place in (0, -1)]
    train = f"{ends[0]} to {ends[1]}, rises {mean_over_seeds(rises, digits)} {'time' if rises == [1] else 'times'}"
    least = mean_over_seeds(list(map(min, tests)), 4)
    test = f"{ends[2]}, {least} with {units} units, {ends[3]} with {max(most)}"
    return [
        plain_row(f"{name} net: hidden units with the lowest test error", neurons, f"{units} of {max(most)}"),
        claim_row(
            settings,
            f"{name} net: training error falls with every unit",
            "yes",
            train,
            _each([not count for count in rises]),
        ),
        claim_row(
            settings,
            f"{name} net: test error has a minimum and rises after it",
            "yes",
            test,
            _each([place < end for place, end in zip(best, most, strict=True)]),
        ),
    ]


def _each(seeds: Sequence[bool]) -> Verdict | None:
    """The verdict about a claim that is true or false of each seed; None for too few seeds."""
    if len(seeds) < FEWEST_SEEDS:
        return None
    return Verdict.HOLDS if all(seeds) else Verdict.NOT_SHOWN if any(seeds) else Verdict.FAILS

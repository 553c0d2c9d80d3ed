"""The report of the experiment `training-regimes`."""

import itertools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments.report import (
    Compared,
    Mark,
    comparison,
    differences,
    judged,
    mean_over_seeds,
    number,
    table,
    verdict,
)
from gameforge.experiments.statistics import SHARE, mean_interval
from gameforge.experiments.tally import Tally
from gameforge.interfaces.experiment import Report, Result

FEATURES, BINARY, DIRECT, MODULES = "features", "binary map", "direct map", "features, three modules"
STRAIGHT, BLOCK, CLONING = "straight", "block", "cloning"
NONE, LOOK_AHEAD = "no look-ahead", "one move"


@attrs.frozen(kw_only=True)
class Setting:
    """A way to train NeuroDraughts."""

    map: str
    regime: str
    ahead: str

    @property
    def name(self) -> str:
        """Name of the condition."""
        return f"{self.map}, {self.regime}, {self.ahead}"


BEST = Setting(map=FEATURES, regime=CLONING, ahead=LOOK_AHEAD)
"""What the thesis arrives at."""
Pairs = Sequence[tuple[Setting, Setting]]


def _everywhere(better: Mapping[str, str], other: Mapping[str, str]) -> Pairs:
    """All pairs of settings that differ in these fields only; with the features if these are not in question."""
    fields = {"map": (FEATURES,), "regime": (STRAIGHT, BLOCK, CLONING), "ahead": (NONE, LOOK_AHEAD)}
    rest = {name: values for name, values in fields.items() if name not in better}
    bases = [dict(zip(rest, values, strict=True)) for values in itertools.product(*rest.values())]
    return [(Setting(**base, **better), Setting(**base, **other)) for base in bases]


CLAIMS: Sequence[tuple[str, Pairs]] = [
    ("features are better than the binary map", [(BEST, attrs.evolve(BEST, map=BINARY))]),
    ("the same, mean of all regimes and look-aheads", _everywhere({"map": FEATURES}, {"map": BINARY})),
    ("features are better than the direct map", _everywhere({"map": FEATURES}, {"map": DIRECT})),
    ("cloning after tests is better than straight play", [(BEST, attrs.evolve(BEST, regime=STRAIGHT))]),
    ("the same, mean of both look-aheads", _everywhere({"regime": CLONING}, {"regime": STRAIGHT})),
    ("cloning after tests is better than after a block", [(BEST, attrs.evolve(BEST, regime=BLOCK))]),
    ("the same, mean of both look-aheads", _everywhere({"regime": CLONING}, {"regime": BLOCK})),
    ("training with look-ahead is better than without", [(BEST, attrs.evolve(BEST, ahead=NONE))]),
    ("the same, mean of all regimes", _everywhere({"ahead": LOOK_AHEAD}, {"ahead": NONE})),
]
"""Each claim, and pairs of a setting that it calls better and another one; the first claims of a kind are those of the
setting that the thesis arrives at."""
Scores = Mapping[str, Sequence[float]]
"""Points a game against all opponents, by condition, seed by seed."""


def regimes_report(
    settings: Mapping[str, Setting], results: Sequence[Result], clones: bool = False, scale: float = 1.0
) -> Report:
    """Compare the combinations. clones: the last clones of the trainings played, and not their last nets."""
    trials = {name: [r.numbers for r in results if r.condition == name] for name in settings}
    scores = {name: [_tally(trial).score for trial in found] for name, found in trials.items()}
    rows = [_row(scores, claim, pairs) for claim, pairs in CLAIMS]
    modules = differences(scores[attrs.evolve(BEST, map=MODULES).name], scores[BEST.name])[1]
    rows.append(Compared(what="three modules by phase against one net", ours=modules, mark=Mark.UNAVAILABLE))
    parts = [
        "Points a game against two players that count material, at 1 and at 3 plies, 98 games each from the two-move "
        f"openings. All nets play at 3 plies and are the last {'clones' if clones else 'nets'} of their trainings"
        f"{' (straight play has none: its last nets)' if clones else ''}. Intervals (95 %) are over seeds; those of "
        "claims are of differences seed by seed.\n",
        comparison(rows, scale),
        table(
            ("", "regime", NONE, LOOK_AHEAD, "clones (with look-ahead)", "distinct games of both"),
            _cells(settings, scores, trials),
        ),
    ]
    return Report(
        text="\n".join(parts),
        numbers={"rows": [attrs.asdict(row) for row in rows], "scores": scores},
        figures={"regimes": lambda figure: _draw(figure, settings, scores)},
    )


def _tally(trial: Mapping[str, Any]) -> Tally:
    return Tally.total(Tally.read(match) for match in trial["matches"])


def _row(scores: Scores, claim: str, pairs: Pairs) -> Compared:
    better, other = (
        [statistics.fmean(values) for values in zip(*(scores[pair[side].name] for pair in pairs), strict=True)]
        for side in (0, 1)
    )
    found, text = differences(better, other)
    return judged(claim, "better", text, verdict(found))


def _cells(
    settings: Mapping[str, Setting], scores: Scores, trials: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for setting in settings.values():
        if setting.ahead == LOOK_AHEAD:
            both = [attrs.evolve(setting, ahead=ahead).name for ahead in (NONE, LOOK_AHEAD)]
            games = Tally.total(_tally(trial) for name in both for trial in trials[name])
            clones = statistics.fmean(trial["clones"] for trial in trials[setting.name])
            means = (mean_over_seeds(scores[name], 2, SHARE) for name in both)
            rows.append((setting.map, setting.regime, *means, number(clones, 1), games.distinct_text))
    return rows


def _draw(figure: Any, settings: Mapping[str, Setting], scores: Scores) -> None:
    """Draw a dot for each seed, and the mean of each setting with its interval."""
    axes = figure.subplots()
    for place, name in enumerate(settings):
        own = scores[name]
        axes.plot([place] * len(own), own, "o", color="tab:blue", alpha=0.5, markersize=4)
        axes.plot([place], [statistics.fmean(own)], "_", color="black", markersize=16, markeredgewidth=2)
        if len(own) > 1:
            axes.plot([place, place], mean_interval(own, SHARE), color="black", linewidth=6, alpha=0.25)
    axes.set_xticks(range(len(settings)), list(settings), rotation=60, ha="right", fontsize=7)
    axes.set_title("seeds, mean, its 95 % interval", fontsize=8)
    axes.set(ylabel="points a game", ylim=(0, 1))

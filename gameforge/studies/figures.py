"""The figures of a study's report: scores, learning curves and performance profiles."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gameforge.studies.comparisons import Scores
from gameforge.studies.curves import GAMES, SECONDS, Curve
from gameforge.studies.statistics import profile
from gameforge.studies.variants import Variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LIMITS = [i / 200 for i in range(201)]
"""Scores at which profiles are drawn."""


def draw_scores(figure: "Figure", variants: Sequence[Variant], scores: Scores) -> None:
    """Draw for each variant a dot for each seed, the mean, and a bar for its 95 % interval."""
    axes = figure.subplots()
    for place, variant in enumerate(variants):
        if scores.of(variant.name):
            scores.sample(variant.name).draw(axes, -place)
    axes.set_yticks([-place for place in range(len(variants))], [variant.name for variant in variants])
    axes.set_xlabel("score (dots: seeds; bar: 95 % interval of the mean)")
    axes.grid(alpha=0.3, axis="x")


def draw_curves(figure: "Figure", curves: Sequence[Curve]) -> None:
    """Draw the learning curves against games and against time, each with the band of its 95 % interval."""
    panels = figure.subplots(1, 2, sharey=True)
    for axes, axis in zip(panels, (GAMES, SECONDS), strict=True):
        for i, curve in enumerate(curves):
            points = [(x, point) for point in curve.points if (x := point.x(axis)) is not None]
            places = [x for x, _ in points]
            axes.plot(places, [point.mean for _, point in points], f"C{i}.-", linewidth=1.3, label=curve.variant)
            low, high = [point.low for _, point in points], [point.high for _, point in points]
            axes.fill_between(places, low, high, color=f"C{i}", alpha=0.2, linewidth=0)
        axes.set_xlabel(axis)
        axes.set_ylim(-0.03, 1.03)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel(" and ".join(dict.fromkeys(curve.figure for curve in curves)))
    panels[0].legend(fontsize="small")


def draw_profiles(figure: "Figure", variants: Sequence[Variant], scores: Scores) -> None:
    """Draw the performance profile of each variant: the share of its trials above each score."""
    axes = figure.subplots()
    for variant in variants:
        values = list(scores.of(variant.name).values())
        if values:
            axes.step(_LIMITS, profile(values, _LIMITS), where="post", label=variant.name)
    axes.set_xlabel("score")
    axes.set_ylabel("share of trials above it")
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")

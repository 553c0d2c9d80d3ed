"""The scores of a study, and the comparisons of its settings, paired by seed.

A grid with several axes compares the values of each axis; the settings of the other axes are the strata, over which a
difference is the mean, seed by seed. Otherwise variants are compared, with a single stratum: each with every other one,
or with the baseline.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import attrs

from gameforge.experiments.statistics import (
    LEVEL,
    SHARE,
    Estimate,
    Sample,
    holm,
    probability_of_improvement,
    seeds_needed,
)
from gameforge.experiments.tally import Tally
from gameforge.studies.trials import Finished
from gameforge.studies.variants import Axis, Variant, axes_of

DIGITS = 3
"""Decimals of scores."""


@attrs.frozen
class Scores:
    """The score of each variant, seed by seed, in points a game."""

    by_variant: Mapping[str, Mapping[int, Tally]]
    """The games behind each score: against the fixed opponent, or against all other players of its seed's league."""
    unit: float
    """The smallest difference of two scores."""

    def of(self, variant: str) -> Mapping[int, float]:
        """The scores of a variant by seed; only of those that are finished."""
        return {seed: tally.score for seed, tally in self.by_variant.get(variant, {}).items()}

    def sample(self, variant: str) -> Sample:
        """The scores of a variant in the order of the seeds."""
        return Sample(self.of(variant).values(), SHARE, DIGITS)


@attrs.frozen(kw_only=True)
class Comparison:
    """Two settings, compared over the seeds that both have in every stratum."""

    axis: str
    """The axis on which they differ; empty for two variants."""
    first: str
    second: str
    seeds: int
    """Number of seeds that both have."""
    difference: Sample
    """The score of the first less that of the second, seed by seed."""
    improvement: Estimate
    """The probability that a run with the first has the higher score."""
    p: float
    """Exact, of the differences seed by seed."""
    corrected: float
    """The same by Holm, over all comparisons of the report."""
    needed: int | None
    """Number of seeds that would show a difference like this one; None if it is not known."""

    @property
    def verdict(self) -> str:
        """Whether the difference is shown, and in whose favour."""
        if self.corrected > 1 - LEVEL:
            return "not shown"
        return f"{self.first if self.difference.mean > 0 else self.second} is better"


@attrs.frozen
class Setting:
    """A value of an axis, or a variant: the names of the variants with it, one for each stratum."""

    axis: str
    name: str
    variants: tuple[str, ...]


def scores_of(finished: Finished, variants: Sequence[Variant]) -> Scores:
    """Return the scores of finished trials. In a league a seed counts when all its matches are finished."""
    found = {
        variant.name: {seed: one.tally for seed, one in finished.of(variant).items() if one.tally is not None}
        for variant in variants
    }
    matches = Counter(seed for seed, _ in finished.matches)
    complete = [seed for seed, number in matches.items() if number == len(variants) * (len(variants) - 1) // 2]
    for variant in variants:
        for seed in sorted(complete):
            own = [tally for played, _, tally in finished.league(variant) if played == seed]
            found[variant.name][seed] = Tally.total(own)
    games = max((tally.games for by_seed in found.values() for tally in by_seed.values()), default=1)
    return Scores(found, 1 / (2 * games))


def settings_of(variants: Sequence[Variant], baseline: str) -> list[list[Setting]]:
    """Return the settings that are compared with each other: the values of each axis of a grid, or all variants.

    With a baseline, a variant, it is all variants.
    """
    axes = [axis for axis in axes_of(variants) if len(axis.values) > 1]
    if baseline or len(axes) < 2 or not _is_grid(axes, variants):
        return [[Setting("", variant.name, (variant.name,)) for variant in variants]]
    return [[_setting(axes, axis, value, variants) for value in axis.values] for axis in axes]


def compare(scores: Scores, groups: Sequence[Sequence[Setting]], baseline: str) -> list[Comparison]:
    """Compare the settings of each group with each other, or with the baseline, a variant.

    Two settings are left out if fewer than two seeds have both.
    """
    pairs = [
        (second, first) if first.name == baseline else (first, second)
        for group in groups
        for first, second in combinations(group, 2)
        if not baseline or baseline in (first.name, second.name)
    ]
    found = [(first, second, common) for first, second in pairs if len(common := _common(scores, first, second)) > 1]
    differences = [_difference(scores, first, second, common) for first, second, common in found]
    units = [scores.unit / len(first.variants) for first, _, _ in found]
    values = [sample.in_units(unit).p for sample, unit in zip(differences, units, strict=True)]
    return [
        Comparison(
            axis=first.axis,
            first=first.name,
            second=second.name,
            seeds=len(common),
            difference=difference,
            improvement=probability_of_improvement(_values(scores, first, common), _values(scores, second, common)),
            p=p,
            corrected=corrected,
            needed=seeds_needed(difference.values, len(found)),
        )
        for (first, second, common), difference, p, corrected in zip(
            found, differences, values, holm(values), strict=True
        )
    ]


def strata(scores: Scores, setting: Setting) -> list[list[float]]:
    """Return the scores of a setting in each stratum, seed by seed; strata without any are left out."""
    return [values for name in setting.variants if (values := list(scores.of(name).values()))]


def _is_grid(axes: Sequence[Axis], variants: Sequence[Variant]) -> bool:
    combined = 1
    for axis in axes:
        combined *= len(axis.values)
    return combined == len(variants) == len({tuple(variant.values[axis.name] for axis in axes) for variant in variants})


def _setting(axes: Sequence[Axis], axis: Axis, value: str, variants: Sequence[Variant]) -> Setting:
    """Return a value of an axis; its variants are in the order of the other axes, the same for all values."""
    chosen = sorted(
        (variant for variant in variants if variant.values[axis.name] == value),
        key=lambda variant: [other.values.index(variant.values[other.name]) for other in axes],
    )
    return Setting(axis.name, f"{axis.name}={value}", tuple(variant.name for variant in chosen))


def _common(scores: Scores, first: Setting, second: Setting) -> list[int]:
    """Return the seeds that all variants of both settings have."""
    each = [set(scores.of(name)) for name in (*first.variants, *second.variants)]
    return sorted(set.intersection(*each))


def _values(scores: Scores, setting: Setting, seeds: Sequence[int]) -> list[list[float]]:
    return [[scores.of(name)[seed] for seed in seeds] for name in setting.variants]


def _difference(scores: Scores, first: Setting, second: Setting, seeds: Sequence[int]) -> Sample:
    """Return the difference of two settings, seed by seed: the mean over the strata."""
    one, other = (
        [Sample(values, digits=DIGITS) for values in _values(scores, setting, seeds)] for setting in (first, second)
    )
    return Sample.average([a - b for a, b in zip(one, other, strict=True)])

"""The tables of a study's report, as rows of text by heading."""

import statistics
from collections.abc import Iterable, Mapping, Sequence

from gameforge.arena.elo import elo
from gameforge.experiments.statistics import SHARE, Sample, interquartile_mean, number, probability
from gameforge.experiments.tally import elo_bounds
from gameforge.studies.comparisons import DIGITS, Comparison, Scores, Setting, strata
from gameforge.studies.trials import Finished
from gameforge.studies.variants import Variant

Rows = Sequence[Mapping[str, str]]
"""A table: its cells by heading, which are the same in every row."""
_UNKNOWN = "-"


def score_rows(variants: Sequence[Variant], scores: Scores, finished: Finished, *, with_elo: bool) -> Rows:
    """Return a row for each variant: its score, and the games and the time of its trials.

    with_elo: whether the score is also given as an Elo difference.
    """
    return [_score_row(variant, scores, finished, with_elo) for variant in variants]


def axis_rows(groups: Sequence[Sequence[Setting]], scores: Scores) -> Rows:
    """Return a row for each value of an axis, over all settings of the other axes."""
    rows = []
    for setting in (one for group in groups for one in group):
        values = strata(scores, setting)
        pooled = [value for stratum in values for value in stratum]
        rows.append(
            {
                "value": setting.name,
                "trials": str(len(pooled)),
                "mean score": number(sum(pooled) / len(pooled), DIGITS) if pooled else _UNKNOWN,
                "interquartile mean (95 %)": interquartile_mean(values).text(DIGITS) if values else _UNKNOWN,
            }
        )
    return rows


def comparison_rows(comparisons: Iterable[Comparison]) -> Rows:
    """Return a row for each comparison."""
    return [
        {
            "first": one.first,
            "second": one.second,
            "seeds": str(one.seeds),
            "difference (95 %)": one.difference.signed,
            "first is better with probability (95 %)": one.improvement.text(2),
            "p": probability(one.p),
            "p (Holm)": probability(one.corrected),
            "result": one.verdict,
            "seeds to show it": _UNKNOWN if one.needed is None else f"{one.needed:,}",
        }
        for one in comparisons
    ]


def crosstable_rows(variants: Sequence[Variant], finished: Finished) -> Rows:
    """Return a row for each variant with its scores against all others in the league."""
    return [{"": one.name} | {other.name: _against(one, other, finished) for other in variants} for one in variants]


def _score_row(variant: Variant, scores: Scores, finished: Finished, with_elo: bool) -> dict[str, str]:
    sample = scores.sample(variant.name)
    own = finished.of(variant).values()
    seconds = [trial.seconds for trial in own]
    row = {"variant": variant.name, "seeds": str(len(sample))}
    if len(sample):
        row["score (95 %)"] = str(sample)
        row["interquartile mean (95 %)"] = interquartile_mean([list(sample)]).text(DIGITS)
    else:
        row |= {"score (95 %)": _UNKNOWN, "interquartile mean (95 %)": _UNKNOWN}
    if with_elo:
        row["Elo (95 %)"] = _elo_text(sample) if len(sample) else _UNKNOWN
    games = sorted({trial.games for trial in own})
    row["training games"] = (
        " to ".join(f"{end:,}" for end in dict.fromkeys((games[0], games[-1]))) if games else _UNKNOWN
    )
    row["seconds a trial"] = number(statistics.median(seconds), 1) if seconds else _UNKNOWN
    used = [trial.processor_seconds for trial in own if trial.processor_seconds is not None]
    if used:
        row["processor seconds"] = f"{number(min(used), 1)} to {number(max(used), 1)}"
    return row


def _elo_text(scores: Sample) -> str:
    """Return the Elo difference of the mean score, and the interval that corresponds to that of the mean."""
    low, high = scores.interval
    interval = scores.all_equal or elo_bounds(elo(low), elo(high))
    return f"{elo(scores.mean):+.0f} ({interval})" if len(scores) > 1 else f"{elo(scores.mean):+.0f}"


def _against(one: Variant, other: Variant, finished: Finished) -> str:
    scores = [tally.score for _, opponent, tally in finished.league(one) if opponent == other.digest]
    return str(Sample(scores, SHARE, 2)) if scores else _UNKNOWN

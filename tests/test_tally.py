"""Tallies: sums of the results of several matches."""

import json
import math

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameforge.arena.elo import elo_interval, expected_score, independent
from gameforge.experiments.tally import Matches, Tally

PAIRS = st.lists(st.integers(0, 30), min_size=5, max_size=5).filter(lambda pairs: sum(pairs) > 1)


def tally(pairs: list[int]) -> Tally:
    """Return a tally in which all games are decided, except those of drawn pairs."""
    points = sum(i * n for i, n in enumerate(pairs)) / 2
    games = 2 * sum(pairs)
    draws = pairs[1] + pairs[3] + 2 * pairs[2]
    wins = round(points - draws / 2)
    return Tally(
        wins=wins,
        draws=draws,
        losses=games - wins - draws,
        pairs=tuple(pairs),
        distinct=games,
        distinct_pairs=sum(pairs),
    )


@given(PAIRS, st.integers(2, 20))
def test_repeated_pairs_do_not_narrow_the_interval(pairs: list[int], times: int) -> None:
    once = tally(pairs)
    repeated = attrs.evolve(
        tally([times * n for n in pairs]), distinct=once.distinct, distinct_pairs=once.distinct_pairs
    )
    assert repeated.score == once.score
    assert repeated.interval == pytest.approx(once.interval)
    assert repeated.elo_interval == pytest.approx(once.elo_interval)
    assert repeated.repeats == (times > 2)


def test_a_single_distinct_pair_proves_nothing() -> None:
    assert independent((0, 0, 0, 0, 50), 1) == (0, 0, 0, 0, 1)
    one = attrs.evolve(tally([0, 0, 0, 0, 50]), distinct=2, distinct_pairs=1)
    assert one.score == 1
    assert one.interval[0] <= 0.5


@given(PAIRS)
def test_the_interval_is_that_of_elo(pairs: list[int]) -> None:
    one = tally(pairs)
    low, high = elo_interval(one.pairs)
    spread = len([n for n in pairs if n]) > 1
    if spread:
        assert one.interval[0] == pytest.approx(max(0, expected_score(low)), abs=1e-9)
        assert one.interval[1] == pytest.approx(min(1, expected_score(high)), abs=1e-9)
    assert one.interval[0] <= one.score <= one.interval[1]


@given(PAIRS, PAIRS)
def test_tallies_add_up(one: list[int], other: list[int]) -> None:
    both = Tally.total([tally(one), Tally.read(json.loads(json.dumps(tally(other).numbers)))])
    assert both.pairs == tuple(a + b for a, b in zip(one, other, strict=True))
    assert both.games == tally(one).games + tally(other).games == 2 * sum(both.pairs)


@pytest.mark.parametrize(
    ("pairs", "better", "worse"),
    [((0, 0, 0, 0, 20), True, False), ((20, 0, 0, 0, 0), False, True), ((0, 0, 20, 0, 0), False, False)],
)
def test_matches_that_are_all_alike_have_an_error_too(pairs: tuple[int, ...], better: bool, worse: bool) -> None:
    one = tally(list(pairs))
    low, high = one.interval
    assert (low > 0.5, high < 0.5) == (better, worse)
    assert high - low > 0.1
    assert tally([0, 0, 0, 0, 2]).interval[0] <= 0.5


def test_five_seeds_are_the_units_of_the_interval() -> None:
    """Scores of 0.5 and four times 1: 0.9 +- 2.776 * 0.1, at most 1; fewer seeds have the interval of their pairs."""
    seeds = [tally([0, 0, 20, 0, 0]), *[tally([0, 0, 0, 0, 20])] * 4]
    assert str(Matches(seeds)) == "0.90 (0.62 to 1.00)"
    assert Matches(seeds[:4]).interval == Tally.total(seeds[:4]).interval


def test_elo_over_seeds_is_that_of_the_scores() -> None:
    """A seed in which all games were won has no finite Elo difference, but a score."""
    seeds = [tally([0, 0, 20, 0, 0]), *[tally([0, 0, 0, 0, 20])] * 4]
    low, high = Matches(seeds).elo_interval
    assert expected_score(low) == pytest.approx(Matches(seeds).interval[0])
    assert high == math.inf
    assert Matches(seeds).elo_text == f"+382 (more than {low:+.0f})"
    assert Matches(seeds[:4]).elo_interval == Tally.total(seeds[:4]).elo_interval


def test_seeds_that_are_all_equal_have_no_interval() -> None:
    assert str(Matches([tally([0, 0, 20, 0, 0])] * 5)) == "0.50 (all 5 seeds equal)"
    assert Matches([tally([0, 0, 20, 0, 0])] * 5).elo_text == "+0 (all 5 seeds equal)"
    assert "to" in str(Matches([tally([0, 0, 20, 0, 0])] * 4))

"""Statistics of studies, by hand and by published values."""

import math

import pytest

from gameforge.experiments.statistics import (
    Sample,
    fewest_seeds,
    holm,
    interquartile_mean,
    probability_of_improvement,
    profile,
    seeds_needed,
)


class TestInterquartileMean:
    def test_of_the_middle_half(self) -> None:
        assert interquartile_mean([[1, 2, 3, 4, 5, 6, 7, 80]]).value == 4.5

    def test_strata_are_pooled(self) -> None:
        assert interquartile_mean([[1, 2, 3, 4], [5, 6, 7, 80]]).value == 4.5

    def test_each_stratum_is_resampled_by_itself(self) -> None:
        """Strata without any spread have an exact mean, however far they are apart."""
        found = interquartile_mean([[0.2] * 4, [0.8] * 4])
        assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)

    def test_its_interval_holds_the_middle_of_the_resampled_means(self) -> None:
        """Of the means of four draws from 0, 0, 1, 1: P(mean of the middle two is 0) = P(at most one 1) = 5/16."""
        found = interquartile_mean([[0.0, 0.0, 1.0, 1.0]])
        assert (found.low, found.high) == (0.0, 1.0)
        assert interquartile_mean([[0.0, 0.0, 1.0, 1.0]]) == found  # the same figures, the same report


class TestProbabilityOfImprovement:
    def test_counts_all_pairs(self) -> None:
        """3 beats 2 and 1, and 1 ties with 1: 2.5 of 4 [Agarwal2021]."""
        assert probability_of_improvement([[3, 1]], [[2, 1]]).value == 2.5 / 4

    def test_is_the_mean_over_strata(self) -> None:
        assert probability_of_improvement([[3, 1], [9, 9]], [[2, 1], [10, 10]]).value == 2.5 / 8

    def test_without_overlap_it_is_certain(self) -> None:
        found = probability_of_improvement([[0.7, 0.8, 0.9]], [[0.1, 0.2, 0.3]])
        assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_holm() -> None:
    """As R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


class TestSeedsNeeded:
    @pytest.mark.parametrize(("effect", "seeds"), [(0.2, 199), (0.5, 34), (0.8, 15)])
    def test_as_in_published_tables(self, effect: float, seeds: int) -> None:
        """Paired t-test, two-sided, 5 %, power 80 %: the sizes of G*Power for Cohen's three effects."""
        half = math.sqrt(0.5)  # two values with the standard deviation 1
        assert seeds_needed([effect - half, effect + half]) == seeds

    def test_more_comparisons_need_more_seeds(self) -> None:
        differences = [0.1, 0.3, 0.2, 0.0]
        one, ten = seeds_needed(differences), seeds_needed(differences, 10)
        assert one is not None
        assert ten is not None
        assert one < ten

    def test_at_least_what_the_exact_test_needs(self) -> None:
        assert seeds_needed([0.5, 0.5, 0.5]) == fewest_seeds() == 6  # 2 / 2^6 = 0.03

    def test_no_difference(self) -> None:
        assert seeds_needed([-0.1, 0.1]) is None
        assert seeds_needed([0.1]) is None


def test_fewest_seeds_of_several_comparisons() -> None:
    assert fewest_seeds(3) == 7  # 3 * 2 / 2^7 = 0.047


def test_exact_p_of_scores() -> None:
    """All five have the same sign: 2 of 32; 0.1 + 0.2 is a multiple of 0.1 but for rounding."""
    assert Sample([0.1, 0.2, 0.1 + 0.2, 0.4, 0.5]).in_units(0.1).p == 2 / 32
    assert Sample([0.0, 0.0]).in_units(0.1).p == 1


def test_profile_is_the_share_above() -> None:
    assert profile([0.2, 0.4, 0.4, 0.9], [0.0, 0.3, 0.4, 0.9]) == [1.0, 0.75, 0.25, 0.0]

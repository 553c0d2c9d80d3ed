"""Elo and SPRT against numbers that fishtest and fastchess published, and on simulated players of known strength."""

import math

import numpy as np
import pytest
from simulated import pair_shares, shares_of_elo, simulated_test, true_elo

from gameforge.arena.elo import (
    Sprt,
    elo,
    elo_error,
    elo_interval,
    expected_score,
    mean_and_variance,
    normalized_elo,
    score_interval,
)
from gameforge.errors import GameforgeError

# Frequencies and log-likelihood ratios (normalized Elo) of tests.stockfishchess.org/tests/view/<id>.
FISHTEST = {
    "69675ab9d5a3b5895b50fb44": ((19, 4020, 10316, 4215, 24), (-1.75, 0.25), 2.94),
    "6984bbe6473df9d1d24a937b": ((103, 3851, 8316, 3728, 98), (0, 2), -2.03),
    "6983867b473df9d1d24a9148": ((291, 10353, 21899, 10175, 306), (0, 2), -3.08),
    "698432f5473df9d1d24a926d": ((99, 3323, 8399, 3606, 109), (0, 2), 2.98),
    "6984bb68473df9d1d24a9378": ((2, 40, 72, 14, 0), (0, 2), -0.36),
    "697e32ae5f56030af97b59c9": ((900, 30596, 67292, 30899, 809), (0, 2), -2.96),
    "69843133473df9d1d24a9269": ((14, 6935, 20257, 7273, 30), (0.5, 2.5), 2.95),
    "697f19db5f56030af97b5b01": ((105, 19880, 51075, 20005, 108), (0.5, 2.5), -2.94),
    "6980e5846362aee5c8a55396": ((36, 5804, 14811, 5986, 39), (-1.75, 0.25), 2.94),
}
# From the tests of fastchess (app/tests/sprt_test.cpp), which are accurate to 1 %.
FASTCHESS = [
    ("normalized", (365, 16618, 36229, 16974, 390), (0, 2), 2.25),
    ("normalized", (127, 4883, 10712, 5150, 104), (-1.75, 0.25), 3.01),
    ("logistic", (223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
    ("logistic", (871, 26175, 55983, 26678, 821), (0, 2), -4.98),
]
# Reports of fastchess on matches: Elo, its error, normalized Elo, its error.
REPORTS = [
    ((120, 246, 645, 386, 302), (51.92, 9.55, 64.48)),
    ((352, 579, 1264, 743, 464), (19.83, 6.77, 24.25)),
    ((790, 1759, 3256, 1780, 807), (1.14, 4.04, 1.48)),
    ((19, 82, 272, 308, 361), (162.63, 13.49, 207.38)),
]


class TestPublishedNumbers:
    @pytest.mark.parametrize("test", FISHTEST)
    def test_fishtest(self, test: str) -> None:
        counts, bounds, llr = FISHTEST[test]
        assert Sprt(*bounds, "normalized").llr(counts) == pytest.approx(llr, abs=0.0051)

    @pytest.mark.parametrize(("model", "counts", "bounds", "llr"), FASTCHESS)
    def test_fastchess(self, model: str, counts: tuple[int, ...], bounds: tuple[float, float], llr: float) -> None:
        assert Sprt(*bounds, model).llr(counts) == pytest.approx(llr, rel=0.01)

    @pytest.mark.parametrize(("counts", "numbers"), REPORTS)
    def test_elo_with_its_error(self, counts: tuple[int, ...], numbers: tuple[float, ...]) -> None:
        """The variance here is unbiased, theirs is not; the errors differ by 1 / (2 pairs)."""
        found = (
            elo(mean_and_variance(counts)[0]),
            elo_error(counts),
            normalized_elo(counts),
        )
        assert found == pytest.approx(numbers, abs=0.02)

    def test_less_than_two_independent_pairs_say_nothing(self) -> None:
        """Two pairs whose games are half repeated count as one."""
        assert score_interval((0.5, 0.5, 0, 0, 0)) == (0, 1)
        assert elo_interval((0.5, 0.5, 0, 0, 0)) == (-math.inf, math.inf)

    def test_bounds_of_five_per_cent(self) -> None:
        """ln 19 = 2.944."""
        assert Sprt(0, 2).upper == -Sprt(0, 2).lower == pytest.approx(2.944, abs=0.001)


class TestIdentities:
    def test_elo_and_score_are_inverse(self) -> None:
        for difference in (-300, -7, 0, 12, 500):
            assert elo(expected_score(difference)) == pytest.approx(difference)

    def test_swapped_players_mirror_the_ratio(self) -> None:
        counts = (3, 10, 40, 20, 9)
        for model in ("logistic", "normalized"):
            assert Sprt(0, 10, model).llr(counts) == pytest.approx(-Sprt(-10, 0, model).llr(counts[::-1]))

    def test_the_ratio_grows_with_the_pairs(self) -> None:
        """If all five results occur it is an exact multiple, as the likeliest distributions depend on shares."""
        counts = (3, 10, 40, 20, 9)
        for model in ("logistic", "normalized"):
            doubled = Sprt(0, 10, model).llr([2 * count for count in counts])
            assert doubled == pytest.approx(2 * Sprt(0, 10, model).llr(counts))

    def test_near_the_approximation_by_a_normal_distribution(self) -> None:
        """LLR = N (s1 - s0) (2 s - s0 - s1) / (2 var) for small differences (GSPRT_approximation)."""
        counts = (291, 10353, 21899, 10175, 306)
        mean, variance = mean_and_variance(counts)
        s0, s1 = expected_score(0), expected_score(2)
        normal = sum(counts) * (s1 - s0) * (2 * mean - s0 - s1) / variance / 2
        assert Sprt(0, 2).llr(counts) == pytest.approx(normal, rel=0.001)

    def test_nothing_played(self) -> None:
        assert Sprt(0, 5).llr((0,) * 5) == 0
        assert Sprt(0, 5).accepted((0,) * 5) is None
        assert elo_error((0,) * 5) == math.inf


class TestSimulatedPlayers:
    @pytest.mark.parametrize("model", ["logistic", "normalized"])
    @pytest.mark.parametrize("truth", ["H0", "H1"])
    def test_wrong_verdicts_are_as_rare_as_promised(self, model: str, truth: str) -> None:
        """In 200 tests at 5 %, 10 wrong ones are expected; 19 is three standard deviations more."""
        rng = np.random.default_rng(4)
        sprt = Sprt(0, 40, model)
        shares = shares_of_elo(40 if truth == "H1" else 0, model, draws=0.5, bias=100)
        assert true_elo(shares, model) == pytest.approx(40 if truth == "H1" else 0, abs=1e-6)
        wrong = sum(simulated_test(sprt, shares, rng)[0] != truth for _ in range(200))
        assert wrong <= 19

    @pytest.mark.parametrize("difference", [0, 60])
    def test_the_error_bar_covers_the_truth(self, difference: int) -> None:
        """In 95 % of 2,000 matches of 100 pairs; within 2 %."""
        rng = np.random.default_rng(5)
        shares = pair_shares(difference, draws=0.6, bias=150)
        truth = true_elo(shares)
        covered = 0
        for _ in range(2000):
            counts = rng.multinomial(100, shares).tolist()
            covered += abs(elo(mean_and_variance(counts)[0]) - truth) <= elo_error(counts)
        assert covered / 2000 == pytest.approx(0.95, abs=0.02)

    def test_pairs_have_less_variance_than_single_games(self) -> None:
        """Openings that favour a side make single games vary, but not pairs."""
        shares = pair_shares(0, draws=0.3, bias=300)
        games = 0.7 / 4  # variance of a game that is drawn in 30 %
        assert mean_and_variance(shares)[1] < 0.8 * games / 2


class TestText:
    def test_parse(self) -> None:
        assert Sprt.parse("0,10") == Sprt(0, 10, "logistic")
        assert Sprt.parse("-1.5, 2,normalized") == Sprt(-1.5, 2, "normalized")

    @pytest.mark.parametrize("text", ["", "5", "a,b", "0,5,logistic,1"])
    def test_no_test(self, text: str) -> None:
        with pytest.raises(GameforgeError, match=r"must be ELO0,ELO1 or ELO0,ELO1,MODEL"):
            Sprt.parse(text)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("10,0", "the first Elo must be less than the second"),
            ("0,nan", "the first Elo must be less than the second"),
            ("0,5,bayes", "model 'bayes': must be logistic or normalized"),
        ],
    )
    def test_impossible_tests(self, text: str, message: str) -> None:
        with pytest.raises(GameforgeError, match=message):
            Sprt.parse(text)

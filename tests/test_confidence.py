"""Intervals and tests of reports, against counted cases and published values; and the library they need."""

import importlib.util
import itertools
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameforge.cli.main import run
from gameforge.experiments.statistics import SHARE, Sample

whole = st.integers(-20, 20)


class TestMean:
    def test_is_that_of_students_t(self) -> None:
        low, high = Sample([1.0, 3.0, 5.0, 7.0, 9.0]).interval
        assert (low, high) == pytest.approx((5 - 2.776 * 2**0.5, 5 + 2.776 * 2**0.5), abs=0.002)

    def test_it_ends_where_values_do(self) -> None:
        """The interval of two seeds is 0.5 +- 12.7 * 0.1."""
        assert Sample([0.4, 0.6], SHARE).interval == (0.0, 1.0)
        assert Sample([0.5], SHARE).interval == (0.0, 1.0)

    def test_equal_values_and_a_single_one(self) -> None:
        assert Sample([7.0] * 5).interval == (7.0, 7.0)
        assert Sample([7.0]).interval == (-math.inf, math.inf)


class TestPrediction:
    def test_is_that_of_students_t(self) -> None:
        """t of 4 degrees of freedom is 2.776 (any table); mean 5, s^2 = 10."""
        low, high = Sample([1.0, 3.0, 5.0, 7.0, 9.0]).prediction
        assert (low, high) == pytest.approx((5 - 2.776 * 12**0.5, 5 + 2.776 * 12**0.5), abs=0.002)


class TestBinomial:
    @pytest.mark.parametrize(
        ("hits", "trials", "expected"),
        [  # the rule 1 - 0.025^(1/n) for none at all; the others from tables of the exact interval
            (0, 10, (0.0, 0.3085)),
            (10, 10, (0.6915, 1.0)),
            (5, 10, (0.1871, 0.8129)),
            (4, 20, (0.0573, 0.4366)),
        ],
    )
    def test_published_intervals(self, hits: int, trials: int, expected: tuple[float, float]) -> None:
        assert Sample.binomial_interval(hits, trials) == pytest.approx(expected, abs=1e-4)

    @given(st.integers(1, 60), st.data())
    def test_holds_the_share(self, trials: int, data: st.DataObject) -> None:
        hits = data.draw(st.integers(0, trials))
        low, high = Sample.binomial_interval(hits, trials)
        assert 0 <= low <= hits / trials <= high <= 1


class TestSignFlip:
    def test_all_of_one_sign(self) -> None:
        assert Sample([3, 1, 4, 1, 5]).p == 2 / 2**5

    def test_fractions_are_counted_like_the_integers_that_they_are_multiples_of(self) -> None:
        """Sums of twentieths that are equal differ by their rounding."""
        whole = [4, 5, 10, 2, -4, -7]
        assert Sample([d / 20 for d in whole]).p == Sample(whole).p == 38 / 64
        assert Sample([d / 2000 for d in whole]).p == Sample(whole).p

    @given(st.lists(whole, min_size=1, max_size=8))
    def test_counts_every_assignment(self, differences: list[int]) -> None:
        flips = list(itertools.product((1, -1), repeat=len(differences)))
        sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in flips]
        assert Sample(differences).p == sum(s >= abs(sum(differences)) for s in sums) / len(flips)


class TestScipy:
    def test_only_reports_import_it(self) -> None:
        """Neither plugins nor commands do. The package itself does not count, since numba imports it."""
        code = (
            "import sys\n"
            "from gameforge.cli.main import run\n"
            "from gameforge.discovery.registry import default_registry\n"
            "registry = default_registry()\n"
            "for offer in registry.plugins.components:\n"
            "    if offer.what.kind not in ('preset', 'player'):\n"
            "        registry.load(offer.what)\n"
            "assert run(['reproduce']) == 0\n"
            "print([name for name in ('scipy.stats', 'scipy.special') if name in sys.modules], file=sys.stderr)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "[]\n")

    def test_without_it_no_trial_is_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        find = importlib.util.find_spec
        found: Any = lambda name, *package: None if name == "scipy" else find(name, *package)  # noqa: E731
        monkeypatch.setattr(importlib.util, "find_spec", found)
        assert run(["reproduce", "lambda-league", "--out", str(tmp_path / "out")]) == 2
        assert capsys.readouterr().err == (
            "error: reports of experiments need scipy, which is not installed: pip install 'gameforge[report]'\n"
        )
        assert not (tmp_path / "out").exists()

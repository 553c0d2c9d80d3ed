"""The single-file examples run, with settings that make them quick."""

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from plugin_site import Site

import gameforge as gf

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


Example = Callable[..., str]
"""Runs an example with options in a new folder; what it prints."""


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Example:
    def run(name: str, *options: str) -> str:
        script = str(EXAMPLES / name)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [script, *options])
        monkeypatch.syspath_prepend(EXAMPLES)
        runpy.run_path(script, run_name="__main__")
        printed, errors = capsys.readouterr()
        assert "warning:" not in errors
        return printed

    return run


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_is_short(script: Path) -> None:
    """GridWorld is an experiment whole, the value net a program whole."""
    lines = {"gridworld": 180, "value_net": 300, "conv_net": 70}.get(script.stem, 60)
    assert len(script.read_text().splitlines()) < lines


def test_every_example_is_tested_here() -> None:
    names = ["batch_evaluator", "conv_net", "gridworld", "plain_python_rules", "train_and_match", "value_net"]
    assert [script.stem for script in SCRIPTS] == names


def test_train_and_match(example: Example, tmp_path: Path) -> None:
    settings = ("--sessions=1", "--games=6", "--depth=2", "--match-games=2", "--out=run")
    summary, untrained, material = example("train_and_match.py", *settings).splitlines()
    assert "'games': 6" in summary
    assert untrained.startswith("trained - untrained: ")
    assert material.startswith("trained - material: ")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "finished"


def test_conv_net(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax", reason="jax is not installed")
    printed = example("conv_net.py", "--games=4", "--steps=20", "--match-games=2").splitlines()
    assert [line.partition(":")[0] for line in printed] == ["net - random", "net - strong"]


def test_lambda_study() -> None:
    """The study is planned: 6 variants with 5 seeds, each of which plays exactly 1,000 games."""
    plan = gf.Study.read(EXAMPLES / "lambda_study.toml").plan()
    assert (plan.trials, plan.games) == (30, 30_000)


def test_batch_evaluator(example: Example) -> None:
    text = example("batch_evaluator.py", "--games=5", "--match-games=2")
    assert text.startswith("fitted - blind: ")


def test_gridworld(example: Example) -> None:
    """Six rows as in the thesis; without a reward at the border all seeds learn all squares from here."""
    lines = example("gridworld.py", "--seeds=3", "--goal=0,2").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert [row[:4] for row in rows][0::5] == [["+1", "0", "0", "1050"], ["+1", "-1", "0", "1050"]]
    assert len(rows) == 6
    assert [row[4] for row in rows][1::4] == ["3 of 3", "3 of 3"]


def test_value_net(example: Example) -> None:
    """The net in NumPy, for a moment; the same seam carries one of PyTorch."""
    settings = ("--rounds=2", "--games=2", "--simulations=20", "--match-games=2")
    first, second, match = example("value_net.py", *settings).splitlines()
    assert first.startswith("round 1: ")
    assert second.startswith("round 2: ")
    assert match.startswith("uct with the numpy net - uct: ")


def test_plain_python_rules(site: Site) -> None:
    """Perft of Tic-Tac-Toe: 9!/(9-n)! up to 5 plies, then games that are over are left out."""

    def gameforge(*arguments: str) -> str:
        done = site.run("--plugin", str(EXAMPLES / "plain_python_rules.py"), *arguments)
        assert done.returncode == 0, done.stderr
        assert "warning:" not in done.stderr
        return done.stdout

    lines = gameforge("perft", "--game=tic-tac-toe", "--depth=6", "--json").splitlines()
    assert [json.loads(line)["leaves"] for line in lines] == [9, 72, 504, 3024, 15120, 54720]
    settings = ("--game=tic-tac-toe", "--games=2", "--openings=random:2", "--json")
    text = gameforge("match", "minimax:depth=5", "minimax:depth=1", *settings)
    assert json.loads(text)["score"] >= 0.5

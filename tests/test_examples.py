"""The single-file examples run, with settings that make them quick."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


def python(*arguments: str | Path, folder: Path) -> str:
    """What a Python process prints."""
    words = [sys.executable, *map(str, arguments)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning:" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_is_short(script: Path) -> None:
    """GridWorld is an experiment whole, the value net a program whole."""
    lines = {"gridworld": 180, "value_net": 300}.get(script.stem, 60)
    assert len(script.read_text().splitlines()) < lines


def test_every_example_is_tested_here() -> None:
    names = ["batch_evaluator", "gridworld", "plain_python_rules", "train_and_match", "value_net"]
    assert [script.stem for script in SCRIPTS] == names


def test_train_and_match(tmp_path: Path) -> None:
    script = EXAMPLES / "train_and_match.py"
    settings = ("--sessions=1", "--games=6", "--depth=2", "--match-games=2", "--out=run")
    summary, untrained, material = python(script, *settings, folder=tmp_path).splitlines()
    assert "'games': 6" in summary
    assert untrained.startswith("trained - untrained: ")
    assert material.startswith("trained - material: ")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "finished"


def test_batch_evaluator(tmp_path: Path) -> None:
    text = python(EXAMPLES / "batch_evaluator.py", "--games=5", "--match-games=2", folder=tmp_path)
    assert text.startswith("fitted - blind: ")


def test_gridworld(tmp_path: Path) -> None:
    """Six rows as in the thesis; without a reward at the border all seeds learn all squares from here."""
    lines = python(EXAMPLES / "gridworld.py", "--seeds=3", "--goal=0,2", folder=tmp_path).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert [row[:4] for row in rows][0::5] == [["+1", "0", "0", "1050"], ["+1", "-1", "0", "1050"]]
    assert len(rows) == 6
    assert [row[4] for row in rows][1::4] == ["3 of 3", "3 of 3"]


def test_value_net(tmp_path: Path) -> None:
    """The net in NumPy, for a moment; the same seam carries one of PyTorch."""
    settings = ("--rounds=2", "--games=2", "--simulations=20", "--match-games=2")
    first, second, match = python(EXAMPLES / "value_net.py", *settings, folder=tmp_path).splitlines()
    assert first.startswith("round 1: ")
    assert second.startswith("round 2: ")
    assert match.startswith("uct with the numpy net - uct: ")


def test_plain_python_rules(tmp_path: Path) -> None:
    """Perft of Tic-Tac-Toe: 9!/(9-n)! up to 5 plies, then games that are over are left out."""
    plugin = ("-m", "gameforge", "--plugin", EXAMPLES / "plain_python_rules.py")
    lines = python(*plugin, "perft", "--game=tic-tac-toe", "--depth=6", "--json", folder=tmp_path).splitlines()
    assert [json.loads(line)["leaves"] for line in lines] == [9, 72, 504, 3024, 15120, 54720]
    text = python(
        *(*plugin, "match", "minimax:depth=5", "minimax:depth=1", "--game=tic-tac-toe"),
        *("--games=2", "--openings=random:2", "--json"),
        folder=tmp_path,
    )
    assert json.loads(text)["score"] >= 0.5

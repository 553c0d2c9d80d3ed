"""The table of the layout's measures (website/measures.py), for a small tree in which each can be counted by hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from elsewhere import ROOT
from measures import by_package, main, measures, product

FILES = {
    "gameforge/__init__.py": "",
    "gameforge/cli/text.py": (
        "# Why.\nfrom typing import Any\n\n\ndef show(x: Any) -> Any:\n    return x  # not a line of its own\n"
    ),
    "gameforge/play/game.py": '"""Games."""\n\n# Plies.\n\nPLY = 1\n' + "\n" * 60,
    "plugins/pile/gameforge_pile/plugin.py": (
        "from gameforge.cli import text\nfrom gameforge.play.game import (\n    PLY,\n)\n\nX = PLY, text\n"
    ),
    "plugins/pile/gameforge_pile/templates/empty.py": "from gameforge.play.game import PLY\n",
    "plugins/pile/tests/test_pile.py": "from gameforge.play.game import PLY\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_each_measure(tree: Path) -> None:
    found = measures(product(tree))
    assert found == {
        "modules": "4",
        "lines": "77",
        "mean lines of a module": "19",
        "modules under 60 lines": "3 (75.0 %)",
        "modules under 40 lines, without __init__ and plugin": "1",
        "lines of imports": "5 (6.5 %)",
        "lines of comments": "2 (2.6 %)",
        "uses of Any": "2",
        "functions with parameters that are all Any": "1 (100.0 %)",
        "modules that exactly one other imports": "2",
        "names that built-in plugins import from the core": "2",
        "core modules that they import from": "2",
        "such names from gameforge.cli": "1",
        "modules of search_minimax": "0",
        "modules of cli": "1",
        "modules of play and arena": "1",
    }


def test_packages_with_most_lines_come_first(tree: Path) -> None:
    assert by_package(product(tree)) == {
        "gameforge.play": (1, 65),
        "gameforge.cli": (1, 6),
        "gameforge_pile": (1, 6),
        "gameforge": (1, 0),
    }


def test_both_tables_are_printed(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tree)
    assert "| uses of Any | 2 |" in capsys.readouterr().out


def test_the_product_keeps_its_limits() -> None:
    found = measures(product(ROOT))
    assert int(found["modules"]) <= 450
    assert float(found["lines of imports"].split("(")[1].split()[0]) <= 6.5
    assert found["modules under 40 lines, without __init__ and plugin"] == "0"


def test_the_text_of_a_player_takes_a_short_way() -> None:
    """A separate process, since the walk needs functions that are not compiled, and watches every call."""
    script = [sys.executable, ROOT / "website" / "walk.py"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    printed = subprocess.run(script, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    numbers = {line.split()[1]: int(line.split()[0]) for line in printed if line.endswith(":")}
    assert 5 <= numbers["modules:"] <= 10
    assert 5 <= numbers["returns:"] <= 10

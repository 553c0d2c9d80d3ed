"""Errors of the library name parameters; the command line turns them into options."""

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError

ROOT = Path(__file__).parents[1]
ERROR = GameforgeError("runs/a holds another run", advice="choose another folder", parameter="out")


def test_python_names_the_parameter() -> None:
    assert str(ERROR) == "runs/a holds another run; choose another folder with out=..."
    assert str(GameforgeError("runs/a holds another run")) == "runs/a holds another run"


def test_it_can_be_pickled() -> None:
    assert str(pickle.loads(pickle.dumps(ERROR))) == str(ERROR)


def test_the_command_line_names_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GameforgeError, match=r"the pipeline has no searcher; .*; choose one with searcher=\.\.\.$"):
        gf.Pipeline(game="draughts", searcher="none").run(tmp_path / "run")
    assert run(["run", "--game", "draughts", "--searcher", "none", "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err.endswith("; choose one with --searcher\n")


def test_parts_of_a_player_are_named_as_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", "uct:prior=1", "minimax + material", "--game", "draughts"]) == 2
    assert capsys.readouterr().err.endswith("with one more part: 'uct:prior=1 + EVALUATOR'\n")


def library_errors() -> Iterator[tuple[str, str]]:
    """(place, text) of the strings in errors that are raised outside of commands and of the web server."""
    files = [*ROOT.glob("gameforge/**/*.py"), *ROOT.glob("plugins/*/gameforge_*/**/*.py")]
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if "/cli/" in name or "/web/" in name or name.endswith("command.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None:
                for part in ast.walk(node.exc):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield f"{name}, line {part.lineno}", part.value


def test_the_library_names_no_options() -> None:
    errors = list(library_errors())
    assert len(errors) > 300
    assert [place for place, text in errors if re.search(r"(^|[\s'(])--[a-z]", text)] == []

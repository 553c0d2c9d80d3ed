"""All output of commands passes through neutral_output or the Console, so that text from files cannot control the
terminal."""

import ast
import importlib.util
import io
import sys
from pathlib import Path

import numba
import pytest
import rich.console

from gameforge.play import display
from gameforge.play.display import progress_bar

ROOT = Path(__file__).resolve().parents[1]
NEUTRAL = {ROOT / "gameforge" / name for name in ("__main__.py", "cli/console.py", "play/display.py")}
"""Modules that make their text printable themselves, or write only words of their own."""
SOURCES = [
    path
    for folder in ("gameforge", "plugins", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path not in NEUTRAL and "tests" not in path.relative_to(ROOT).parts
]
BYPASSES = {
    "rich.print", "rich.get_console", "rich.console.Console", "typer.echo", "typer.secho", "click.echo", "click.secho",
    "sys.__stdout__", "sys.__stderr__", "sys.stdout.buffer", "sys.stderr.buffer", "os.write",
}  # fmt: skip
"""Ways to write to the terminal that spell out no control characters."""


def bypasses(source: str) -> set[str]:
    """The names from BYPASSES that a module uses or imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Attribute):
            found.add(ast.unparse(node))
    return found & BYPASSES


def test_bypasses_are_found() -> None:
    assert bypasses("from rich.console import Console, Group") == {"rich.console.Console"}
    assert bypasses("import rich.console\nrich.console.Console().print(1)") == {"rich.console.Console"}
    assert bypasses("import typer\ntyper.echo(text)") == {"typer.echo"}
    assert bypasses("import sys\nsys.stdout.buffer.write(data)") == {"sys.stdout.buffer"}
    assert not bypasses("from gameforge.cli.console import Console\nprint(1)\nConsole().print(2)")


def test_a_progress_bar_spells_out_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    with progress_bar("match", 4) as report:
        report(1, "\x1b]0;owned\x07")
    assert "\\x1b]0;owned\\x07" in terminal.getvalue()
    assert "\x1b]0" not in terminal.getvalue()


def test_off_the_terminal_a_line_a_minute_goes_to_the_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    now = 1000.0
    monkeypatch.setattr(display.time, "monotonic", lambda: now)
    caplog.set_level("INFO", "gameforge")
    with progress_bar("match", 9) as report:
        for done in range(1, 9):
            now += 20
            report(done, "\x1b won")
    with progress_bar("match", 9, shown=False) as report:
        now += 100
        report(1, "")
    assert caplog.messages == ["match 3 of 9 \\x1b won after 60 s", "match 6 of 9 \\x1b won after 2 min"]
    assert {record.name for record in caplog.records} == {"gameforge"}
    assert "".join(capsys.readouterr()) == ""


def test_the_log_names_the_function_that_is_being_compiled(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1000.0
    monkeypatch.setattr(display.time, "monotonic", lambda: now)
    caplog.set_level("INFO", "gameforge")
    with progress_bar("match", 9) as report:
        now += 60
        numba.njit(lambda x: x + 1)(1)
        now += 60
        report(1, "1 won")
    first, second = caplog.messages
    assert first == "match 0 of 9 compiling kernels (0 s so far): <lambda> after 60 s"
    assert second == "match 1 of 9 1 won after 2 min"


def test_commands_write_through_the_console() -> None:
    found = {str(path.relative_to(ROOT)): bypasses(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_notebook_without_widgets_shows_the_last_state_as_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """rich would warn instead, once for every bar."""
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    lines: list[str] = []
    monkeypatch.setattr(rich.console.Console, "print", lambda self, text, **how: lines.append(text))
    with progress_bar("match", 4) as report:
        report(1, "1 won")
        report(3, "2 won, \x1b1 lost")
    assert lines == ["match 3 of 4 2 won, \\x1b1 lost"]

"""What reaches the terminal: no control characters from files; output that cannot be written ends in a sentence."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from called import call
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gameforge.cli.console import Console
from gameforge.cli.main import run
from gameforge.cli.terminal import neutral_output
from gameforge.play.display import printable

SHORT_RUN = (
    "run",
    "--game",
    "draughts",
    "--set",
    "searcher.depth=1",
    "--learner",
    "td:sessions=1,games=2",
    "--yardstick",
    "none",
)
EVIL = "\x1b[31mred\x07\r\x9b2J\u202eleft\udc80"
NEUTRAL = r"\x1b[31mred\x07\x0d\x9b2J\u202eleft\udc80"


def test_control_characters_are_spelled_out() -> None:
    assert printable(EVIL) == NEUTRAL
    for text in ("", "plain", "tab\tand\nline", "é ½ 中 ●"):
        assert printable(text) == text


def test_rich_keeps_its_own_colours() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="standard", width=200)
    console.print(Text(EVIL.removesuffix("\udc80"), style="red"))
    assert stream.getvalue().startswith("\x1b[31m\\x1b[31mred")
    assert stream.getvalue().count("\x1b") == 2


def test_brackets_are_text() -> None:
    """Rich would take a list in the text of a player for markup, and drop it."""
    stream = io.StringIO()
    console = Console(file=stream, width=80)
    table = Table("player")
    table.add_row("cascade:activations=[tanh,sin]")
    console.print("warning: cascade:activations=[tanh,sin] - [strong]", table)
    assert stream.getvalue().count("cascade:activations=[tanh,sin]") == 2
    assert "[strong]" in stream.getvalue()


def test_rich_controls_the_terminal_during_a_live_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """A live display replaces the standard output once more; what others print meanwhile still controls nothing."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    with neutral_output():
        console = Console(force_terminal=True, color_system="standard", width=40)
        with Live(Text("figure", style="bold"), console=console, auto_refresh=False) as live:
            live.refresh()
            print("\x1b[2Jprinted")
            console.print("\x1b[2Jshown", highlight=False)
    written = stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert "\x1b[1mfigure\x1b[0m" in written
    assert "\x1b[2J" not in written
    assert r"\x1b[2Jshown" in written
    assert r"\x1b[1m" not in written


def test_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, shown in (("utf-8", NEUTRAL + "é"), ("ascii", NEUTRAL + r"\xe9")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
        monkeypatch.setattr(sys, "stdout", stream)
        with neutral_output():
            print(EVIL + "é", flush=True)
            Console().print("é")
        assert sys.stdout is stream
        printed = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
        assert printed == f"{shown}\n{shown.removeprefix(NEUTRAL)}\n"


def test_tags_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    for tag, code in (("GameType", 0), ("FEN", 1), ("Event\x1b", 2)):
        file.write_text(f'[{tag} "\x1b[31m99"]\n11-15 *\n')
        assert run(["pdn", "check", str(file)]) == code
        told = "".join(capsys.readouterr())
        assert "\x1b" not in told
        assert r"\x1b" in told


FULL = Path("/dev/full")
needs_a_full_device = pytest.mark.skipif(not FULL.exists(), reason="needs a device that is full")
UNWRITTEN = "error: cannot write the output: No space left on device\n"


@needs_a_full_device
@pytest.mark.parametrize("arguments", [["--version"], ["plugins"], ["perft", "--game", "draughts", "--depth", "1"]])
def test_output_that_cannot_be_written(arguments: list[str], tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    with FULL.open("wb", 0) as full, errors.open("wb") as written:
        assert call(arguments, full, written) == 2
        assert errors.read_text().endswith(UNWRITTEN)
        assert "Traceback" not in errors.read_text()
        assert call(arguments, full, full) == 2


@needs_a_full_device
def test_a_process_whose_output_cannot_be_written_ends_quietly() -> None:
    """Python does not try it again at its end."""
    command = [sys.executable, "-m", "gameforge", "plugins"]
    with FULL.open("w") as full:
        found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (found.returncode, found.stderr) == (2, UNWRITTEN)
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 2


@needs_a_full_device
def test_a_run_whose_output_cannot_be_written_does_not_blame_its_folder(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    with FULL.open("wb", 0) as full, errors.open("wb") as written:
        assert call([*SHORT_RUN, "--out", str(tmp_path / "run")], full, written) == 2
    assert errors.read_text().endswith(UNWRITTEN)


def test_a_closed_output() -> None:
    command = f"{sys.executable} -m gameforge plugins >&-"
    found = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")

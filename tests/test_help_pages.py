"""Help pages and shell completion: flags, arguments, brackets, usage lines, and what a shell offers."""

import io
import json
import os
from pathlib import Path

import numba
import numpy as np
import pytest
import toy_site
from toy_site import python

from gameforge.cli import main as cli
from gameforge.cli import terminal
from gameforge.cli.console import Console

PLUGIN = '''
from typing import Annotated
import typer
from gameforge.interfaces.hooks import Command, hookimpl

app = typer.Typer(add_completion=False)

@app.command()
def show(
    place: Annotated[str, typer.Argument(help="Place [default: nowhere].")],
    more: Annotated[list[str] | None, typer.Argument(help="More places.")] = None,
    loud: Annotated[bool, typer.Option("--loud", help="Shout.")] = False,
    depth: Annotated[int, typer.Option(help="Depth [plies].")] = 3,
) -> None:
    """Show a [place]."""

@app.command()
def hide() -> None:
    """Hide it."""

@hookimpl
def gameforge_commands() -> list[Command]:
    return [Command("places", f"{__name__}:app", "Places [of any kind].")]
'''


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    path = tmp_path / "places.py"
    path.write_text(PLUGIN)
    return str(path)


def page(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run([*arguments, "--help"]) == 0
    return " ".join(capsys.readouterr().out.replace("│", " ").split())


class TestHelp:
    def test_a_usage_line_has_arguments_in_capitals(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "Usage: gameforge match [OPTIONS] FIRST SECOND " in page(capsys, "match")
        assert "Usage: gameforge play [OPTIONS] [PLAYER] " in page(capsys, "play")
        assert "Usage: gameforge tournament [OPTIONS] PLAYERS... " in page(capsys, "tournament")
        assert "Usage: gameforge runs [OPTIONS] [FOLDER]... " in page(capsys, "runs")

    @pytest.mark.parametrize("command", [(), ("match",), ("examples", "filter"), ("egdb", "probe")])
    def test_flags_have_no_type(self, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
        assert "bool" not in page(capsys, *command)

    def test_defaults_are_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "[default: random:4]" in page(capsys, "match")

    def test_commands_of_plugins_have_such_pages_and_keep_their_brackets(
        self, plugin: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shown = page(capsys, "--plugin", plugin, "places", "show")
        assert "places show [OPTIONS] PLACE [MORE]... " in shown
        assert "Show a [place]." in shown
        assert "Place [default: nowhere]." in shown
        assert "Depth [plies]. [default: 3]" in shown
        assert "bool" not in shown
        assert "Places [of any kind]." in page(capsys, "--plugin", plugin)

    def test_the_command_examples_says_what_an_example_is(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "training examples" in page(capsys, "examples")
        assert "labelled positions" in page(capsys, "examples")
        assert "training examples (labelled positions)" in page(capsys)


class TestCompletion:
    def offered(self, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
        monkeypatch.setenv(cli.COMPLETION, "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        assert cli.run([]) in (0, 1)
        out, err = capsys.readouterr()
        assert err == ""
        return str(out).split()

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("gameforge ma", ["match"]),
            ("gameforge match --see", ["--seed"]),
            ("gameforge examples m", ["make"]),
            ("gameforge nonsense --s", []),
            ("gameforge match --game oth", ["othello"]),
            ("gameforge match --game othello str", ["strong"]),
            ("gameforge match --game draughts --openings 3", ["3move"]),
            ("gameforge play --game othello --level 1", ["1", "10"]),
            ("gameforge run neuro", ["neurodraughts", "neurodraughts-2009"]),
            ("gameforge plugins --kind op", ["openings"]),
        ],
    )
    def test_the_shell_is_offered(
        self, line: str, expected: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.offered(line, monkeypatch, capsys) == expected

    def test_options_that_install_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "--install-completion" in page(capsys)
        assert "--show-completion" in page(capsys)

    def test_a_home_that_cannot_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "home").write_text("a file")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: "bash")
        assert cli.run(["--install-completion"]) == 2
        assert capsys.readouterr().err.startswith("error: --install-completion: cannot write ")


class TestCompilationNotice:
    def test_a_cache_that_cannot_be_written_is_reported_once(self, tmp_path: Path) -> None:
        (tmp_path / "cache").write_text("a file")
        commands = "import sys; from gameforge.cli import main; a = ['perft', '--game', 'shuttle', '--depth', '1']; "
        commands += "a = ['--plugin', sys.argv[1], *a]; main.run(a); main.run(a)"
        done = python(commands, str(toy_site.TOY), GAMEFORGE_CACHE=str(tmp_path / "cache"))
        (line,) = [line for line in done.stderr.splitlines() if "warning" in line]
        assert line.startswith(f"warning: the folder of compiled kernels, {tmp_path / 'cache' / 'kernels'}, cannot be ")
        assert "GAMEFORGE_CACHE" in line

    def test_the_notice_comes_once(self, tmp_path: Path) -> None:
        commands = "import sys; from gameforge.cli import main; "
        commands += "from gameforge.cli.terminal import compilation_notice\n"
        commands += "import numba\nfor i in range(2):\n  with compilation_notice():\n    numba.njit(lambda x: x + i)(1)"
        done = python(commands, GAMEFORGE_CACHE=os.fspath(tmp_path))
        assert done.stderr == "compiling kernels (first run only)\n"

    def test_it_says_how_long_earlier_runs_of_the_command_took(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("GAMEFORGE_CACHE", str(tmp_path))
        (tmp_path / "kernels").mkdir()
        terminal.record_seconds("match", {"search": 30.0, "play": 4.0})
        terminal.record_seconds("match", {"search": 20.0})
        terminal.record_seconds("perft", {"gen": 0.25})
        notices = []
        for command in ("match", "perft", "run"):
            monkeypatch.setattr(terminal, "_printed", set())
            terminal.running.set(command)
            with terminal.compilation_notice():
                numba.njit(lambda x: x + 1)(1)
            notices.append(capsys.readouterr().err)
        first = "compiling kernels (first run only)"
        assert notices == [f"{first}; at most 24 s, judging by earlier runs\n", f"{first}\n", f"{first}\n"]
        kept = json.loads((tmp_path / "kernels" / "seconds.json").read_text())["commands"]
        assert {command: [*functions] for command, functions in kept.items()} == {
            "match": ["search", "play", "<lambda>"],
            "perft": ["gen", "<lambda>"],
            "run": ["<lambda>"],
        }

    @pytest.mark.parametrize(
        "content", ["", "[]", '{"commands": {"run": 7}}', '{"commands": {"run": {"f": NaN}}}', "[" * 99999]
    )
    def test_a_damaged_record_says_nothing(self, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GAMEFORGE_CACHE", str(tmp_path))
        (tmp_path / "kernels").mkdir()
        (tmp_path / "kernels" / "seconds.json").write_text(content)
        assert terminal.estimate_text("run") == ""

    def test_long_compilations_say_which_function_and_for_how_long(self, tmp_path: Path) -> None:
        commands = "from gameforge.cli import terminal; terminal._LINE_SECONDS = 0\n"
        commands += "import numba\nwith terminal.compilation_notice():\n  numba.njit(lambda x: x + 1)(1)"
        notice, *lines = python(commands, GAMEFORGE_CACHE=os.fspath(tmp_path)).stderr.splitlines()
        assert notice == "compiling kernels (first run only)"
        assert lines[0] == "compiling kernels (0 s so far): <lambda>"

    def test_a_terminal_shows_the_function_beside_other_work(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(terminal, "_printed", set())
        console = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False)
        with terminal.compilation_notice(console), console.status("0 of 6 games"):
            numba.njit(lambda x: np.sort(np.arange(x)).sum())(3)  # slow enough to be drawn
        output = console.file.getvalue()  # type: ignore[attr-defined]
        assert "compiling kernels (0 s so far): <lambda>" in output

"""Tests of the command line: quick start, commands of plugins, and error messages."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import called
import pytest
from plugin_site import Site

import gameforge
from gameforge.cli import main as cli
from gameforge.cli.command_group import OWN
from gameforge.cli.completion import example
from gameforge.discovery.loading import reason
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import KINDS

TOY = """
from gameforge import Command, Component, hookimpl

@hookimpl
def gameforge_components():
    return [Component("rules", "a-game-whose-name-is-rather-long", "toy_heavy:Rules", "a [toy] game")]

@hookimpl
def gameforge_commands():
    return [
        Command("toy", "toy_commands:toy", "Play with [toys]."),
        Command("box", "toy_commands:box", "A box of commands."),
        Command("end", "toy_commands:end", "End in some way."),
        Command("run", "toy_commands:toy", "Never reached."),
        Command("lost", "toy_commands:nowhere", "Points to nothing."),
    ]
"""

COMMANDS = """
import warnings
from typing import Annotated
import typer
from gameforge import GameforgeError
from gameforge.cli.command_group import State

def toy(ctx: typer.Context, count: Annotated[int, typer.Option(help="How many.")] = 1) -> None:
    "Play with toys."
    assert isinstance(ctx.obj, State)
    print(count, *ctx.obj.registry.names("rules"))

box = typer.Typer(help="A box of commands.")

@box.command()
def open(name: str) -> None:
    "Open it."
    print("opened", name)

class ToyWarning(UserWarning):
    "A warning that the command line takes for one of GameForge's own."

ToyWarning.__module__ = "gameforge.toys"

def end(how: str) -> None:
    if how == "error":
        raise GameforgeError("the toy is broken")
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "memory":
        raise MemoryError("Unable to allocate 9 TiB")
    if how == "library":
        raise OSError("cannot load\\nlibtoy.so: failed to map segment from shared object")
    if how == "bug":
        raise RuntimeError("a bug")
    if how == "exit":
        raise typer.Exit(5)
    if how == "warn":
        warnings.warn("slow toy", ToyWarning)
        warnings.warn("another package's", UserWarning)
    if how == "flood":
        while True:
            print("toy" * 1000)
"""


@pytest.fixture
def toys(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    site.install("toy", TOY)
    site.module("toy_commands", COMMANDS)
    monkeypatch.setenv("GAMEFORGE_PLUGINS", "toy")
    return site


HEAVY = """
import json, sys
from gameforge.cli.main import run

for command in json.loads(sys.argv[1]):
    run(command)
    print(command, *{"numpy", "numba", "llvmlite", "cattrs"} & {*sys.modules}, file=sys.stderr)
"""


def test_nothing_heavy_is_imported(toys: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the toy plugin and all installed ones."""
    monkeypatch.delenv("GAMEFORGE_PLUGINS")
    commands: list[list[str]] = [["--help"], ["plugins"], ["plugins", "--json"], ["--version"], []]
    assert toys.python(HEAVY, json.dumps(commands)).stderr.splitlines() == [str(command) for command in commands]


def test_import_gameforge_is_light(site: Site) -> None:
    code = (
        "import gameforge, sys; print(*{'attrs', 'pluggy', 'typer', 'numpy'} & set(sys.modules)); "
        "from gameforge import Component, hookimpl; print(*{'typer', 'numpy'} & {*sys.modules})"
    )
    assert site.python(code).stdout == "\n\n"


def test_help_lists_own_and_plugin_commands(toys: Site) -> None:
    help_text = toys.run("--help").stdout
    for command in OWN:
        assert command.summary in help_text
    assert "Play with [toys]." in help_text
    assert "Never reached" not in help_text
    assert toys.run().stdout.split() == help_text.split()


def test_version(toys: Site) -> None:
    assert toys.run("--version").stdout == f"gameforge {gameforge.__version__}\n"


def test_function_as_command(toys: Site) -> None:
    done = toys.run("toy", "--count", "3")
    assert (done.returncode, done.stdout) == (0, "3 a-game-whose-name-is-rather-long\n")
    assert "How many." in toys.run("toy", "--help").stdout


def test_typer_app_as_command(toys: Site) -> None:
    assert toys.run("box", "open", "me").stdout == "opened me\n"
    assert "Open it." in toys.run("box", "--help").stdout


def test_a_group_without_a_command_shows_its_help(toys: Site) -> None:
    done = toys.run("box")
    assert (done.returncode, done.stderr) == (2, "")
    assert "Open it." in done.stdout


def test_exit_codes(toys: Site) -> None:
    def ended(how: str) -> tuple[int, str]:
        done = toys.run("end", how)
        return done.returncode, done.stderr

    assert ended("well") == (0, "")
    assert ended("error") == (2, "error: the toy is broken\n")
    assert ended("memory") == (2, "error: not enough memory: Unable to allocate 9 TiB\n")
    assert ended("library") == (
        2,
        "error: not enough memory to load a library, or a damaged installation: "
        "libtoy.so: failed to map segment from shared object\n",
    )
    assert ended("interrupt") == (130, "interrupted\n")
    assert ended("exit") == (5, "")
    bug = toys.process("end", "bug")
    assert bug.returncode == 1
    assert bug.stderr.startswith("Traceback")
    assert "RuntimeError: a bug" in bug.stderr


def test_advice_of_others_does_not_hide_that_memory_is_short() -> None:
    error = ImportError("PLEASE READ THIS\nOriginal error was: toy.so: failed to map segment from shared object\n")
    assert reason(error) == (
        "not enough memory to load a library, or a damaged installation: "
        "Original error was: toy.so: failed to map segment from shared object"
    )


def test_own_warnings_are_one_line(toys: Site) -> None:
    first, *rest = toys.process("end", "warn").stderr.splitlines()
    assert first == "warning: slow toy"
    assert "UserWarning: another package's" in rest[0]


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
def test_closed_pipe_is_quiet(toys: Site) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from gameforge.cli.main import main; main()", "end", "flood"],
        env=os.environ | {"PYTHONPATH": str(toys.folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=600) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["plugin"], "error: unknown command 'plugin' (did you mean 'plugins'?); known: run, match,"),
        (["plugins", "--jsn"], "error: No such option: --jsn (Possible options: --json)\n"),
        (["plugins", "--XO-- X"], "error: No such option: --XO-- X; an argument that begins with '-' comes last"),
        (["plugins", "-XO--"], "error: No such option: -X; an argument that begins with '-' comes last, after --"),
        (["plugins", "x"], "error: Got unexpected extra argument"),
        (
            ["plugins", "--plugin", "a.py"],
            "error: No such option: --plugin; --plugin stands before the command, as in `g",
        ),
        (["--verson"], "error: No such option: --verson"),
        (["end"], "error: Missing argument"),
        (["toy", "--count", "many"], "error: Invalid value for '--count'"),
        (["lost"], "error: command 'lost' of toy cannot be imported: AttributeError"),
        (["--plugin", "missing.py", "plugins"], "error: plugin file missing.py: there is no such file"),
        (["--plugin", "missing.py"], "error: plugin file missing.py: there is no such file"),
        (["--plugin"], "error: Option '--plugin' requires an argument."),
    ],
)
def test_usage_errors_are_one_line(
    arguments: list[str],
    sentence: str,
    toys: Site,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(toys.folder)
    assert cli.run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_unknown_name_in_the_allow_list(toys: Site) -> None:
    done = toys.run("plugins", GAMEFORGE_PLUGINS="ty")
    assert done.returncode == 2
    assert done.stderr.startswith("error: GAMEFORGE_PLUGINS names the plugin 'ty', which is not installed")


class TestPluginsCommand:
    def test_lists_all_with_full_names(self, toys: Site) -> None:
        done = toys.run("plugins")
        lines = done.stdout.splitlines()
        assert lines[0].split() == ["kind", "name", "game", "from", "summary"]
        assert lines[1].split() == [
            "rules",
            "a-game-whose-name-is-rather-long",
            "toy",
            "(dist-toy",
            "1.0)",
            *["a", "[toy]", "game"],
        ]
        assert [line.split()[1] for line in lines[2:6]] == ["box", "end", "lost", "toy"]
        assert done.returncode == 0
        assert "\x1b" not in done.stdout

    def test_names_are_not_cut_in_80_columns(self, toys: Site) -> None:
        done = toys.run("plugins", FORCE_COLOR="1", NO_COLOR="1")
        assert "a-game-whose-name-is-rather-long" in done.stdout
        assert "…" not in done.stdout
        assert "a [toy]" in done.stdout
        table = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).partition("FAILED")[0]
        assert max(map(len, table.splitlines())) <= 80

    def test_reports_failures_and_exits_with_0(self, toys: Site) -> None:
        toys.install("broken", "1 / 0")
        done = toys.run("plugins", GAMEFORGE_PLUGINS="toy,broken")
        assert done.returncode == 0
        assert (
            "FAILED  broken (dist-broken 1.0): ZeroDivisionError: division by zero (broken.py, line 1)" in done.stdout
        )
        assert (
            "FAILED  toy (dist-toy 1.0): its command 'run' is ignored, because GameForge has a command of the same name"
            in done.stdout
        )

    @pytest.mark.parametrize(
        ("kind", "name", "typed"),
        [
            ("openings", "3move", "gameforge match uct random --game draughts --openings 3move"),
            ("player", "strong", "gameforge play strong:level=1 --game othello"),
            ("preset", "any-game", "gameforge run any-game --game GAME"),
            ("features", "bits", "gameforge run --game GAME --features bits"),
        ],
    )
    def test_a_kind_has_an_example_of_each(self, kind: str, name: str, typed: str) -> None:
        code, output = called.gameforge(["plugins", "--kind", kind])
        assert code == 0
        assert any(line.split()[1] == name and line.endswith(typed) for line in output.splitlines())

    @pytest.mark.parametrize("kind", [*KINDS, "command", "openings"])
    def test_commands_have_the_options_of_their_examples(self, kind: str) -> None:
        name = "warmup" if kind == "command" else "some"
        code, output = called.gameforge([*shlex.split(example(kind, name, "othello"))[1:], "--help"])
        assert code == 0, output

    def test_json(self, toys: Site) -> None:
        toys.install("broken", "1 / 0")
        report = json.loads(toys.run("plugins", "--json", GAMEFORGE_PLUGINS="toy,broken").stdout)
        assert report["components"] == [
            {
                "kind": "rules",
                "name": "a-game-whose-name-is-rather-long",
                "target": "toy_heavy:Rules",
                "summary": "a [toy] game",
                "game": "",
                "api": 1,
                "install_hint": "",
                "runs_programs": False,
                "plugin": "toy",
                "origin": "dist-toy 1.0",
            }
        ]
        assert [command["name"] for command in report["commands"]] == ["toy", "box", "end", "lost"]
        assert [failure["name"] for failure in report["failures"]] == ["broken", "toy"]

    def test_without_any_plugin(self, site: Site) -> None:
        done = site.run("plugins", GAMEFORGE_PLUGINS="")
        assert (done.returncode, done.stdout) == (0, "kind  name  game  from  summary\n")

    def test_plugin_file(self, toys: Site) -> None:
        path = toys.folder / "single.py"
        path.write_text(TOY)
        done = toys.run("--plugin", str(path), "plugins", GAMEFORGE_PLUGINS="")
        assert f"single ({path})" in done.stdout
        assert "Play with [toys]." in toys.run("--plugin", str(path), "--help", GAMEFORGE_PLUGINS="").stdout

    def test_second_command_with_the_same_name_is_ignored(self, toys: Site) -> None:
        toys.install("other", TOY)
        failures = json.loads(toys.run("plugins", "--json", GAMEFORGE_PLUGINS="toy,other").stdout)["failures"]
        reasons = {failure["name"]: failure["reason"] for failure in failures if "'box'" in failure["reason"]}
        assert reasons == {"toy": "its command 'box' is ignored, because other has a command of the same name"}


class TestCommandsOfGames:
    """Commands for different games may share a name; the option --game selects one."""

    @pytest.fixture
    def boxes(self, toys: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
        for game in ("chalk", "marbles"):
            commands = f'Command("box", "{game}_commands:box", "Opens.", game="{game}")'
            toys.install(
                game,
                "from gameforge import Command, hookimpl\n@hookimpl\n"
                f"def gameforge_commands():\n    return [{commands}]\n",
            )
            body = f"print('{game}', game, lid)"
            toys.module(f"{game}_commands", f"def box(game: str = 'none', lid: int = 0) -> None:\n    {body}\n")
        monkeypatch.setenv("GAMEFORGE_PLUGINS", "chalk,marbles")
        return toys

    @pytest.mark.parametrize(
        ("arguments", "printed"),
        [
            (["box", "--game", "marbles"], "marbles marbles 0"),
            (["box", "--game=marbles:big=true", "--lid", "2"], "marbles marbles:big=true 2"),
            (["box", "--lid", "1", "--game", "chalk"], "chalk chalk 1"),
            (["box"], "chalk none 0"),
        ],
    )
    def test_the_game_selects_the_command(self, boxes: Site, arguments: list[str], printed: str) -> None:
        assert boxes.run(*arguments).stdout == f"{printed}\n"

    def test_a_command_may_require_that_the_game_is_named(self, boxes: Site) -> None:
        body = 'Command("box", "marbles_commands:box", "Opens.", game="balls", named_only=True)'
        boxes.install(
            "balls",
            f"from gameforge import Command, hookimpl\n@hookimpl\ndef gameforge_commands():\n    return [{body}]\n",
        )
        plugins = "balls,chalk,marbles"
        assert boxes.run("box", GAMEFORGE_PLUGINS=plugins).stdout == "chalk none 0\n"
        assert boxes.run("box", "--game", "balls", GAMEFORGE_PLUGINS=plugins).stdout == "marbles balls 0\n"

    def test_an_unsupported_game_is_an_error(self, boxes: Site) -> None:
        done = boxes.run("box", "--game", "marble")
        assert done.returncode == 2
        assert done.stderr == (
            "error: command 'box' does not support the game 'marble' (did you mean 'marbles'?); "
            "supported: chalk, marbles\n"
        )

    def test_help_and_the_list_of_plugins_show_both(self, boxes: Site) -> None:
        assert "Opens (--game chalk, marbles)." in " ".join(boxes.run("--help").stdout.split())
        commands = json.loads(boxes.run("plugins", "--json").stdout)["commands"]
        assert [(command["name"], command["game"]) for command in commands] == [("box", "chalk"), ("box", "marbles")]

    def test_a_command_for_any_game_excludes_one_for_a_game(self, boxes: Site) -> None:
        report = json.loads(boxes.run("plugins", "--json", GAMEFORGE_PLUGINS="toy,marbles").stdout)
        assert [c["plugin"] for c in report["commands"] if c["name"] == "box"] == ["marbles"]
        reasons = [failure["reason"] for failure in report["failures"] if failure["name"] == "toy"]
        assert "its command 'box' is ignored, because marbles has a command of the same name" in reasons


class TestPublicNames:
    def test_are_lazy_and_complete(self) -> None:
        assert gameforge.GameforgeError is GameforgeError
        assert set(gameforge.__all__) <= set(dir(gameforge))
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            gameforge.nonsense  # noqa: B018

    def test_importing_a_module_of_the_same_name_does_not_hide_the_function(self, site: Site) -> None:
        code = (
            "from gameforge.interfaces.oracle import Verdict; print(Verdict('win')); "
            "import gameforge; print('oracle' in vars(gameforge))"
        )
        assert site.python(code).stdout == "win\nFalse\n"

    def test_typed(self) -> None:
        assert (Path(gameforge.__file__).parent / "py.typed").exists()

"""Consent: a program that a file or a folder names is not started unasked; what a person names is.

The program of these tests does not exist. A player that may start it is refused for that reason alone.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gameforge as gf
from gameforge.cli import terminal
from gameforge.cli.commands.web import web_backend
from gameforge.cli.main import run
from gameforge.config import Spec, dump_toml
from gameforge.discovery.consent import Consent, Program
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.play.saved_players import PLAYING, save_player
from gameforge.play.workshop import Workshop
from gameforge.training.run_folder import PIPELINE, RUN_FORMAT
from gameforge.web.site import Options, Site

GAME = "othello"
ENGINE = {"use": "engine", "command": "/no/such/engine --fast", "protocol": "ugi"}
TEXT = "engine:command='/no/such/engine --fast',protocol=ugi"
REFUSED, STARTED = "is not started unasked", "there is no program '/no/such/engine'"
SEARCHERS = {
    "the engine": ENGINE,
    "a qualified name": {**ENGINE, "use": "engines/engine"},
    "the engine inside another searcher": {"use": "handicap", "searcher": ENGINE},
    "a text inside another searcher": {"use": "handicap", "searcher": TEXT},
    "two levels down": {"use": "handicap", "searcher": {"use": "handicap", "searcher": ENGINE}},
}


@pytest.fixture
def registry() -> Registry:
    """All installed plugins, and nobody has agreed to anything."""
    return Registry(load())


@pytest.fixture(scope="module")
def harmless() -> Player:
    return gf.player(GAME, searcher="minimax:depth=1", evaluator="wpc", oracle="none")


def saved(folder: Path, player: Player, **settings: object) -> Path:
    """Save a player whose manifest has other settings."""
    save_player(folder, Player(player.parts, player.weights, "stranger", {**player.spec, **settings}))
    return folder


def toml(folder: Path, **settings: object) -> Path:
    path = folder / "stranger.toml"
    path.write_text(dump_toml({"game": GAME, "evaluator": "none", "learner": "none", "oracle": "none", **settings}))
    return path


def spec(**changes: object) -> Spec:
    return Spec.from_settings({**ENGINE, **changes})


Naming = Callable[[Path, Player], Path]
NAMING: dict[str, Naming] = {
    "a TOML file": lambda folder, player: toml(folder, searcher=ENGINE),
    "the manifest of a player": lambda folder, player: saved(folder / "p", player, searcher=ENGINE),
    "player.toml": lambda folder, player: playing(folder, player, {"searcher": ENGINE}),
    "the player of a run": lambda folder, player: saved(folder / "run" / "player", player, searcher=ENGINE).parent,
}


def playing(folder: Path, player: Player, content: dict[str, Any]) -> Path:
    where = saved(folder / "p", player)
    (where / PLAYING).write_text(dump_toml(content))
    return where


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_file_starts_no_program_however_it_names_it(searcher: str, tmp_path: Path, registry: Registry) -> None:
    path = toml(tmp_path, searcher=SEARCHERS[searcher])
    with pytest.raises(GameforgeError, match=REFUSED):
        Workshop(registry).player(str(path))
    with pytest.raises(GameforgeError, match=STARTED):
        Workshop(registry.allowing()).player(str(path))


@pytest.mark.parametrize("naming", NAMING)
def test_no_file_starts_a_program(naming: str, tmp_path: Path, registry: Registry, harmless: Player) -> None:
    path = NAMING[naming](tmp_path, harmless)
    with pytest.raises(
        GameforgeError, match=f"{path}.*names the program engine:command=.*{REFUSED}.*allow_engines=True"
    ):
        Workshop(registry).player(str(path))
    with pytest.raises(GameforgeError, match=REFUSED):
        gf.match(str(path), "random", 2, registry=registry)
    with pytest.raises(GameforgeError, match=STARTED):
        gf.match(str(path), "random", 2, registry=registry, allow_engines=True)


def test_a_level_starts_no_program(tmp_path: Path, registry: Registry, harmless: Player) -> None:
    path = playing(tmp_path, harmless, {"levels": [{"searcher": ENGINE}, {}]})
    assert gf.player(path, level=2, registry=registry)
    with pytest.raises(GameforgeError, match=REFUSED):
        gf.player(path, level=1, registry=registry)


def test_a_member_of_another_component_starts_no_program(tmp_path: Path, registry: Registry, harmless: Player) -> None:
    """The text that a person names is harmless; the folder that it names is not."""
    path = saved(tmp_path / "p", harmless, searcher=ENGINE)
    with pytest.raises(GameforgeError, match=REFUSED):
        gf.player(GAME, searcher={"use": "vote", "players": [str(path)]}, evaluator="none", registry=registry)


def test_a_run_starts_no_program(tmp_path: Path, registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither as a source nor when it is resumed."""
    folder = tmp_path / "run"
    folder.mkdir()
    toml(folder, searcher=ENGINE).rename(folder / PIPELINE)
    RUN_FORMAT.write(folder, {"state": "interrupted", "seed": 0})
    with pytest.raises(GameforgeError, match=f"{folder} names the program .*{REFUSED}"):
        gf.Pipeline.resume(folder, registry)
    for line in (["run", str(folder)], ["run", "--resume", str(folder)]):
        assert run(line) == 2
        assert REFUSED in capsys.readouterr().err


def test_what_a_person_names_is_agreed_to(registry: Registry) -> None:
    for searcher in (TEXT, ENGINE, {"use": "handicap", "searcher": TEXT}):
        with pytest.raises(GameforgeError, match=STARTED):
            gf.player(GAME, searcher=searcher, evaluator="none", registry=Registry(registry.plugins))
    with pytest.raises(GameforgeError, match=STARTED):
        gf.match(f"{TEXT} + none", "random", 2, game=GAME, registry=registry)
    with pytest.raises(GameforgeError, match=STARTED):
        gf.Pipeline(game=GAME, searcher=ENGINE, learner="none", evaluator="none").parts()


def test_what_a_person_names_replaces_what_a_folder_names(tmp_path: Path, harmless: Player, registry: Registry) -> None:
    path = saved(tmp_path / "p", harmless)
    with pytest.raises(GameforgeError, match=STARTED):
        gf.player(path, searcher=TEXT, registry=registry)


def test_consent_is_to_the_texts_of_a_component(registry: Registry) -> None:
    """Numbers name no program; every text may."""
    registry.agree(TEXT)
    strangers = registry.for_files("stranger.toml")
    assert strangers.create("searcher", spec(time=3.0))
    with pytest.raises(GameforgeError, match=f"^stranger.toml names the program .*,options=.*{REFUSED}"):
        strangers.create("searcher", spec(options="Log=/etc/passwd"))
    with pytest.raises(GameforgeError, match=REFUSED):
        strangers.create("searcher", spec(command="/no/such/engine --slow"))


def test_naming_something_else_is_no_consent(registry: Registry) -> None:
    registry.agree("random", "/no/such/engine --fast", {"command": ENGINE["command"]}, ["engine"], 3, None)
    with pytest.raises(GameforgeError, match=REFUSED):
        registry.for_files().create("searcher", spec())


def test_consent_goes_with_the_registry_to_other_processes(registry: Registry) -> None:
    registry.agree(TEXT)
    elsewhere: Registry = pickle.loads(pickle.dumps(registry.for_files()))
    assert elsewhere.create("searcher", spec())
    with pytest.raises(GameforgeError, match=REFUSED):
        elsewhere.create("searcher", spec(command="other"))


@pytest.mark.parametrize("naming", NAMING)
def test_a_page_starts_no_program(naming: str, tmp_path: Path, registry: Registry, harmless: Player) -> None:
    """Its texts are harmless: they name folders and files below the folder of runs."""
    path = NAMING[naming](tmp_path, harmless)
    options = Options(runs=tmp_path, game=GAME)
    with (
        pytest.raises(GameforgeError, match="was not named when the server was started"),
        Site(web_backend(registry.allowing()), options).player(str(path), GAME, {}),
    ):
        pass
    registry.agree(TEXT)
    with (
        pytest.raises(GameforgeError, match=STARTED),
        Site(web_backend(registry), options).player(str(path), GAME, {}),
    ):
        pass


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("analyze --player {file}", REFUSED),
        ("analyze --player {file} --allow-engines", STARTED),
        ("--allow-engines analyze --player {file}", STARTED),
        ("analyze --player={text} --game othello", STARTED),
        ("match {file} random --games 2", REFUSED),
        ("match {text} random --games 2 --game othello", STARTED),
        ("run --game othello --searcher {text} --learner none --set seed=3", "no learner"),
        ("run {file} --set searcher={text}", "no learner"),
        ("run {file}", REFUSED),
        ("engine {file}", REFUSED),
        ("web --no-open --player {file}", REFUSED),
    ],
)
def test_arguments_are_agreed_to(line: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a person types on the command line, and no more."""
    path = toml(tmp_path, searcher=ENGINE)
    arguments = [word.format(file=path, text=TEXT) for word in line.split()]
    assert run(arguments) == 2
    assert reason in capsys.readouterr().err


class TestAsking:
    """On a terminal, the person is asked once."""

    @pytest.fixture(autouse=True)
    def asked(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
        """The questions; the person agrees."""
        questions: list[str] = []
        monkeypatch.setattr(terminal.platformdirs, "user_state_path", lambda *a, **k: tmp_path)
        monkeypatch.setattr(terminal, "_on_terminal", lambda: True)
        monkeypatch.setattr(terminal.typer, "confirm", lambda text, err: not questions.append(text))
        return questions

    @staticmethod
    def program(tmp_path: Path, **settings: object) -> Program:
        script = tmp_path / "engine.py"
        script.write_text("print()")
        registry = Registry(load())
        component = registry.find("searcher", "engine")
        named = spec(**{"command": f"python3 {script}", **settings})
        return Program.of(component, registry.allowing().create("searcher", named))

    def test_the_program_is_shown_and_the_answer_kept(self, tmp_path: Path, asked: list[str]) -> None:
        program = self.program(tmp_path)
        for _ in range(2):
            Consent(ask=terminal.ask_to_start, origin="a\x1b[2J.toml").require(program)
        (question,) = asked
        assert "engine.py" in question
        assert "\x1b" not in question

    @pytest.mark.parametrize("by_directory", [False, True])
    def test_another_program_of_the_same_name_is_asked_about_again(
        self, by_directory: bool, tmp_path: Path, asked: list[str]
    ) -> None:
        """Also if the name is relative to the working directory that the settings name."""
        settings = {"command": "python3 engine.py", "directory": str(tmp_path)} if by_directory else {}
        program = self.program(tmp_path, **settings)
        Consent(ask=terminal.ask_to_start).require(program)
        (tmp_path / "engine.py").write_text("print(1)")
        Consent(ask=terminal.ask_to_start).require(program)
        assert len(asked) == 2

    def test_a_file_that_others_can_write_counts_for_nothing(self, tmp_path: Path, asked: list[str]) -> None:
        program = self.program(tmp_path)
        Consent(ask=terminal.ask_to_start).require(program)
        (tmp_path / "allowed-programs").chmod(0o666)
        Consent(ask=terminal.ask_to_start).require(program)
        assert len(asked) == 2

    def test_who_says_no_is_not_overruled(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(terminal.typer, "confirm", lambda text, err: False)
        with pytest.raises(GameforgeError, match=REFUSED):
            Consent(ask=terminal.ask_to_start).require(self.program(tmp_path))

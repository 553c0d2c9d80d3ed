"""What `gameforge warmup` does, so that no later command has to compile."""

from pathlib import Path
from typing import Any

import pytest
from gameforge_draughts.files import DraughtsFiles
from gameforge_draughts.rules import Draughts

from gameforge.cli import main as cli
from gameforge.cli.commands import warmup
from gameforge.play.game import Move, Position
from gameforge.play.player import Player


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What a warmup does. Only the use of kernels is visible: a test cannot see which process compiled them."""
    done: set[str] = set()
    book_move, analyse, read_games = Player.book_move, Player.analyse, DraughtsFiles.read_games

    def by_book(self: Player, position: Position) -> Move | None:
        found = book_move(self, position)
        done.add(f"{self.name}: book" if found else "no book")
        return found

    def by_search(self: Player, position: Position) -> Any:
        done.add(f"{self.name}: search")
        return analyse(self, position)

    def read(self: DraughtsFiles, path: Path, **options: Any) -> Any:
        for game in read_games(self, path, **options):
            done.add(f"{len(game.codes)} move read")
            yield game

    def seen(text: str, name: str) -> None:
        function = getattr(warmup, name)
        monkeypatch.setattr(warmup, name, lambda *given, **options: done.add(text) or function(*given, **options))

    for text, name in (("counted", "perft"), ("trained", "train"), ("match", "match")):
        seen(text, name)
    for cls, name, function in (
        (Player, "book_move", by_book),
        (Player, "analyse", by_search),
        (DraughtsFiles, "read_games", read),
    ):
        monkeypatch.setattr(cls, name, function)
    return done


PLAYER = Draughts.defaults.player


def test_everything_is_compiled_unless_commands_are_named(done: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["warmup", "--game", "draughts"]) == 0
    assert done == {f"{PLAYER}: book", f"{PLAYER}: search", "1 move read", "counted", "trained", "match"}
    assert "draughts: ready in " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("commands", "expected"),
    [("perft", {"counted"}), ("perft, match", {"counted", "match"}), ("analyze", {"book", "search"})],
)
def test_only_what_the_named_commands_use(commands: str, expected: set[str], done: set[str]) -> None:
    assert cli.run(["warmup", "--game", "draughts", "--for", commands]) == 0
    assert {text.removeprefix(f"{PLAYER}: ") for text in done} == expected

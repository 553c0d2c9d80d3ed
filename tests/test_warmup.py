"""What `gameforge warmup` does, so that no later command has to compile."""

from pathlib import Path
from typing import Any

import pytest
from gameforge_draughts.files import DraughtsFiles
from gameforge_draughts.rules import Draughts

from gameforge.cli import main as cli
from gameforge.play.game import Move, Position
from gameforge.play.player import Player


def test_the_default_player_moves_by_book_and_search_and_a_file_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the use of kernels is visible: a test cannot see which process compiled them."""
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
            done.add(f"{len(game.moves)} move read")
            yield game

    for cls, name, function in (
        (Player, "book_move", by_book),
        (Player, "analyse", by_search),
        (DraughtsFiles, "read_games", read),
    ):
        monkeypatch.setattr(cls, name, function)
    assert cli.run(["warmup", "--game", "draughts"]) == 0
    player = Draughts.defaults.player
    assert done == {f"{player}: book", f"{player}: search", "1 move read"}
    assert "draughts: ready in " in capsys.readouterr().out

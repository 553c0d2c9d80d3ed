"""The page saves the games of a file as they were: the server reads and writes them, node runs the page's own part."""

import asyncio
import itertools
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
from test_web_client import UNIT_TESTS, node

import gameforge as gf
from gameforge.discovery.registry import default_registry
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game, Position
from gameforge.storage.stored import read_as
from gameforge.web.databases import Databases
from gameforge.web.files import game_json, read_games
from gameforge.web.requests import Save

MOST = 200
"""Games of each file of the corpora."""
ANNOTATED = """
[Event "Club 1/2 {a} \\"final\\""]
[Site "Bath"]
[Date "2024.05.??"]
[Round "3"]
[Black "Ann"]
[White "Bob"]
[BlackRating "2105"]
[Result "0-1"]

{a cold evening} 1. 11-15! $1 $14 {[%clk 0:09:57] b} 1... 23-19 {[%emt 0:00:05]} ({instead} 1... 22-18 $6
(1... 22-17 {shy} 2. 15-19 (2. 9-13)) 2. 15x22 25x18) {so far} (1... 24-20) 2. 8-11 22-17 0-1

[Event "adjourned"]
[Result "adjourned"]
[SetUp "1"]
[FEN "W:W21,22:B5,6"]

1. 21-17?! *
"""
MORRIS = '[White "Ann"]\n[Black "Bob"]\n[Round "2"]\nd6 {centre} f4! d2 b4 1-0\n'
OTHELLO = '[Black "Ann"]\n[White "Bob"]\n[Site "Paris"]\nf5d6{diagonal}c3d3!c4 33-31\n'


@attrs.frozen
class Tab:
    """A tab that replays games of one kind."""

    rules: Game

    async def position(self, game: str, start: str | None, moves: tuple[str, ...]) -> Position:
        here = self.rules.position(start)
        for move in moves:
            here = here.play(move)
        return here


def saved(game: Game, stored: Any) -> str:
    """The text of a file with a game that the page has loaded and saves as it is."""
    notes = {key: stored[key] for key in ("comments", "marks", "glyphs", "variations")}
    message = {"game": "", "start": stored["start"], "moves": stored["moves"], "notes": notes, "tags": stored["tags"]}
    sent = json.loads(json.dumps({**message, **stored["ending"]}))
    if sent["start"] is None:
        del sent["start"]
    answer = asyncio.run(read_as(Save, sent).answer(Tab(game), lambda _: None))  # type: ignore[arg-type]
    return str(answer["text"])


def read(game: Game, path: Path, text: str) -> list[GameRecord]:
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    assert game.files is not None
    return list(itertools.islice(game.files.read_games(path, tolerant=True, notice=lambda _: None), MOST))


def kept(record: GameRecord) -> GameRecord:
    """A record without what a format writes although it is unknown."""
    tags = {name: value for name, value in record.annotations.tags.items() if value not in ("?", "*")}
    first, second = ("" if name == "?" else name for name in record.players)
    return attrs.evolve(
        record,
        number=0,
        players=(first, second),
        annotations=attrs.evolve(record.annotations, tags=dict(sorted(tags.items()))),
    )


def check(game: Game, records: Sequence[GameRecord], folder: Path) -> list[Any]:
    """Check that games are the same after they have been loaded and saved; return them as the page gets them."""
    stored = [game_json(game, record) for record in records]
    assert game.files is not None
    again = read(game, folder / f"again{game.files.suffix}", "\n".join(saved(game, one) for one in stored))
    assert [kept(one) for one in again] == [kept(one) for one in records]
    return stored


def check_page(stored: Sequence[Any], folder: Path) -> None:
    """Check that the page sends back what it has been sent."""
    games = folder / "games.jsonl"
    games.write_text("".join(json.dumps(one) + "\n" for one in stored))
    command = [node(), "--test", str(UNIT_TESTS / "filing.test.mjs")]
    environment = {**os.environ, "GAMEFORGE_GAMES": str(games)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_load_and_save_give_the_same_games(tmp_path: Path) -> None:
    stored: list[Any] = []
    for name, text in (("draughts", ANNOTATED), ("morris", MORRIS), ("othello", OTHELLO)):
        game = gf.game(name)
        assert game.files is not None
        records = read(game, tmp_path / f"first{game.files.suffix}", text)
        assert len(records) == text.count("\n\n[") + 1
        stored += check(game, records, tmp_path)
    check_page(stored, tmp_path)
    text = saved(gf.game("draughts"), stored[0])
    for part in ('[Site "Bath"]', '[BlackRating "2105"]', '[Result "0-1"]', "$1 $14", "[%clk 0:09:57]"):
        assert part in text


@pytest.mark.browser
def test_games_of_the_corpora_are_the_same_after_load_and_save(shared: Path, tmp_path: Path) -> None:
    game, stored = gf.game("draughts"), []
    games = shared / "data" / "games"
    for path in (games / "acf_4000.pdn", *sorted((games / "pdn_corpus").glob("*.pdn"))):
        records = read(game, tmp_path / "first.pdn", path.read_text(encoding="utf-8", errors="surrogateescape"))
        stored += check(game, records, tmp_path)
    assert len(stored) > MOST
    check_page(stored, tmp_path)


def sent(game: str, folder: Path, content: bytes) -> Any:
    """What the page gets for a file, which is deleted."""
    path, registry = folder / "sent.pdn", default_registry()
    path.write_bytes(content)
    found = read_games(gf.game(game), "old.pdn", path, registry, Databases(registry))
    assert not path.exists()
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_files_are_read_whatever_their_encoding(encoding: str, tmp_path: Path) -> None:
    found = sent("draughts", tmp_path, '[Black "Andr\xe9"]\n1. 11-15 *\n'.encode(encoding))
    assert found["games"][0]["players"][0] == "Andr\xe9"


@pytest.mark.parametrize(
    ("opened", "expected"), [("draughts", None), ("othello", "draughts"), ("brazilian", "draughts")]
)
def test_a_file_chooses_its_game(opened: str, expected: str | None, tmp_path: Path) -> None:
    found = sent(opened, tmp_path, b'[GameType "21,B,8,8,N1,0"]\n1. 11-15 *\n')
    assert [one["game"] for one in found["games"]] == [expected]


def test_a_game_of_a_kind_with_settings_is_opened_with_them(tmp_path: Path) -> None:
    [found] = sent("draughts", tmp_path, b'[GameType "29,W,8,8,A0,0"]\n1. c3-d4 *\n')["games"]
    assert found["game"].startswith("draughts-variant:board=8x8,men_capture=forwards")
    assert gf.game(found["game"]).position(found["start"]).play("c3-d4")


def test_ten_thousand_variations_and_a_second_format_are_read(tmp_path: Path) -> None:
    """The games of the other format are named among what could not be read."""
    found = sent("draughts", tmp_path, b"1. 11-15 " + b"(1. 9-14) " * 10_000 + b"22-18 *\n\nf5d6c3d3c4 33-31\n")
    assert len(found["games"][0]["variations"][0]) == 10_000
    assert "game 2" in found["notices"][0]

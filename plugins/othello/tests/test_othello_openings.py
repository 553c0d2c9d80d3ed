"""Openings by name, and the book `book`."""

import json
from collections import Counter
from pathlib import Path

import pytest
from gameforge_othello.cells import OF_THE_START, SYMMETRIES
from gameforge_othello.evaluation import Material
from gameforge_othello.movegen import NAMES, START
from gameforge_othello.notation import transcript
from gameforge_othello.openings import SET_NAMES, Book
from gameforge_othello.rules import Othello
from othello_positions import GAME, played

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Openings
from gameforge.play.game import Position
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop

RULES = Othello()


@pytest.mark.parametrize(("name", "count", "least", "most"), [("named", 77, 2, 21), ("edax", 577, 2, 26)])
def test_every_line_is_legal_different_and_leaves_a_game(name: str, count: int, least: int, most: int) -> None:
    lines = RULES.openings.get(name)
    assert len(lines) == len({line.moves for line in lines}) == count
    assert (min(len(line.moves) for line in lines), max(len(line.moves) for line in lines)) == (least, most)
    for line in lines:
        state = line.start
        for move in line.moves:
            assert move in GAME.legal(state)
            state = GAME.play(state, move)
        assert GAME.legal(state)
        assert NAMES[line.moves[0]] == "f5"


def test_named_lines_are_33_diagonal_42_perpendicular_and_1_parallel() -> None:
    """The three openings themselves are among the 77 lines."""
    second = Counter(NAMES[line.moves[1]] for line in RULES.openings.get("named"))
    assert second == {"f6": 33, "d6": 43, "f4": 1}


def test_some_names() -> None:
    lines = {line.name: transcript(line.moves) for line in RULES.openings.get("named")}
    assert lines["Tiger"] == "f5d6c3d3c4"
    assert lines["Snake/Peasant"] == "f5f6e6f4g6"


def test_the_names_are_those_of_the_sets() -> None:
    assert isinstance(RULES.openings, Openings)
    assert RULES.openings.names == SET_NAMES
    with pytest.raises(GameforgeError, match=r"no openings 'nmed' .did you mean 'named'.*; sets: named, edax"):
        RULES.openings.get("nmed")


def test_the_lines_are_those_of_the_sources(shared: Path) -> None:
    entries = json.loads((shared / "data" / "openings" / "othello_openings.json").read_text())["openings"]
    for name, source in (("named", "gatliff"), ("edax", "edax")):
        expected = {entry["moves"] for entry in entries if entry["source"] == source}
        assert {transcript(line.moves) for line in RULES.openings.get(name)} == expected


def player(lines: str = "named") -> Player:
    return gf.player(GAME, searcher="minimax:depth=1", evaluator="wpc", oracle=f"book:lines={lines}")


def drawn(position: Position, times: int) -> Counter[str]:
    one = player()
    return Counter(str(one.choose(position)) for _ in range(times))


def after(text: str) -> Position:
    position = GAME.position()
    for move in played(text).moves:
        position = position.after(move)
    return position


def test_the_four_first_moves_are_equally_likely() -> None:
    counts = drawn(GAME.position(), 400)
    assert set(counts) == {"f5", "e6", "d3", "c4"}
    assert sum((n - 100) ** 2 / 100 for n in counts.values()) < 16.3  # chi square, 3 degrees of freedom, 0.1 %


def test_the_chance_of_a_branch_is_in_proportion_to_its_lines() -> None:
    """33 of the 77 lines are diagonal, one is parallel."""
    counts = drawn(after("f5"), 770)
    assert abs(counts["f6"] - 33 * 10) < 70
    assert abs(counts["d6"] - 43 * 10) < 70
    assert 0 < counts["f4"] < 35


def test_the_book_knows_the_images_of_its_lines() -> None:
    images = [NAMES[SYMMETRIES.move_image(START, NAMES.index("f5"), i)] for i in OF_THE_START]
    assert sorted(images) == ["c4", "d3", "e6", "f5"]
    for i in OF_THE_START:
        record = [SYMMETRIES.move_image(START, move, i) for move in played("f5d6c3d3").moves]
        position = GAME.position()
        for move in record:
            position = position.after(move)
        assert player().choose(position).code == SYMMETRIES.move_image(START, NAMES.index("c4"), i)


def test_out_of_the_book_the_player_searches() -> None:
    position = after("f5d6c4d3c5f4e3f3c2c6")  # Sakaguchi ends here
    assert player().choose(position) == player().analyse(position).move


def test_matches_begin_with_openings() -> None:
    result = gf.match(player(), player(), games=4, openings="named", seed=1)
    lines = {line.moves for line in RULES.openings.get("named")}
    assert all(any(game.codes[: len(line)] == line for line in lines) for game in result.games)


def test_parts_of_a_player_are_those_of_the_game() -> None:
    """Other games also have components named book and material."""
    one = Workshop().player("alphabeta:depth=2 + material + book", "othello:komi=1")
    assert isinstance(one.parts.evaluator, Material)
    assert one.game.rules == Othello(komi=1)
    with pytest.raises(
        GameforgeError, match="oracle 'chinook' exists for draughts, not for othello; known for othello"
    ):
        Workshop().player("alphabeta + wpc + chinook", "othello")


def test_a_book_is_not_an_oracle() -> None:
    with pytest.raises(GameforgeError, match="unknown oracle 'othello/book': that is the name of a book"):
        gf.oracle("othello/book")


def test_bad_lines_and_another_game() -> None:
    with pytest.raises(GameforgeError, match=r"'lines' must be one or several of named, edax.*not 'edx'.*'edax'"):
        Book(lines="named+edx")
    assert all(opening.start == START for opening in Book(lines="named+edax").opening_lines(RULES).lines)

"""The book `book`: moves by the record of the game, drawn with the rule of [KimCho2007]."""

from collections import Counter, defaultdict

import pytest
from gameforge_draughts.movegen import START
from gameforge_draughts.openings import Book
from gameforge_draughts.rules import Draughts

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.game import Position
from gameforge.play.player import Player

GAME = gf.game("draughts")


def player(lines: str = "kim-cho") -> Player:
    return gf.player(GAME, searcher="minimax:depth=1", evaluator="material", oracle=f"book:lines={lines}")


def drawn(position: Position, times: int = 700) -> Counter[str]:
    one = player()
    return Counter(str(one.choose(position)) for _ in range(times))


def after(text: str) -> Position:
    position = GAME.position()
    for move in text.split():
        position = position.play(move)
    return position


def continuations(set_name: str) -> dict[tuple[int, ...], set[int]]:
    found = defaultdict(set)
    for opening in Draughts().openings.get(set_name):
        for i, move in enumerate(opening.moves):
            found[opening.moves[:i]].add(move)
    return found


def test_the_seven_first_moves_are_equally_likely() -> None:
    counts = drawn(GAME.position(), 700)
    assert set(counts) == {"9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"}
    assert sum((n - 100) ** 2 / 100 for n in counts.values()) < 22.5  # chi square, 6 degrees of freedom, 0.1 %


def test_after_9_13_there_are_four_choices_as_the_paper_says() -> None:
    counts = drawn(after("9-13"), 400)
    assert set(counts) == {"22-18", "23-19", "24-20", "23-18"}
    assert min(counts.values()) > 60


def test_distinct_moves_are_equally_likely_not_lines() -> None:
    """Five lines continue with 9-13 22-18, one with 9-13 24-20."""
    counts = drawn(after("9-13 22-18"))
    assert set(counts) == {"6-9", "11-15", "10-15", "10-14", "11-16"}


@pytest.mark.parametrize("name", ["kim-cho", "3move"])
def test_every_beginning_of_a_line_is_continued_by_a_line_with_this_beginning(name: str) -> None:
    one = player(name)
    for record, moves in continuations(name).items():
        position = GAME.position()
        for move in record:
            position = position.after(move)
        assert one.choose(position).code in moves


def test_out_of_the_book_the_player_searches() -> None:
    one = player()
    end = after("11-16 22-18 10-14 25-22 8-11 24-20 16-19 23-16 14-23 26-19")
    for position in (end, after("9-13 21-17")):
        assert one.choose(position) == one.analyse(position).move


def test_the_record_counts_not_the_position() -> None:
    """Transpositions, positions that were set up, and positions with 11 men are not in the book."""
    one = player()
    position = GAME.position(after("9-13 22-18").game.position_text(after("9-13 22-18").state))
    assert one.choose(position) == one.analyse(position).move
    eleven = Draughts().openings.get("11man")[0].start
    position = Position(GAME, eleven)
    assert one.choose(position) == one.analyse(position).move


def test_a_seed_repeats_the_moves() -> None:
    def first_moves(seed: int) -> list[str]:
        one = player()
        one.reseed(seed)
        return [str(one.choose(GAME.position())) for _ in range(20)]

    assert first_moves(3) == first_moves(3)
    assert first_moves(3) != first_moves(4)


def test_players_follow_the_book_in_matches() -> None:
    result = gf.match(player(), player(), games=40, openings=0, seed=1, workers=2)
    again = gf.match(player(), player(), games=40, openings=0, seed=1, workers=1)
    assert [game.codes for game in result.games] == [game.codes for game in again.games]
    known = continuations("kim-cho")
    for game in result.games:
        record: tuple[int, ...] = ()
        while record in known:
            assert game.codes[len(record)] in known[record]
            record = game.codes[: len(record) + 1]
    assert len({game.codes[0] for game in result.games}) >= 6


def test_a_book_is_not_an_oracle_and_does_not_count_as_one() -> None:
    with pytest.raises(GameforgeError, match="unknown oracle 'draughts/book': that is the name of a book"):
        gf.oracle("draughts/book")
    parts = player().parts
    assert int(parts.oracles.size) == 0


def test_bad_lines() -> None:
    with pytest.raises(
        GameforgeError, match=r"'lines' must be one or several of .*not 'kim-choo' .did you mean 'kim-cho'"
    ):
        Book(lines="kim-choo+3move")
    assert all(opening.start == START for opening in Book(lines="named+2move").opening_lines(Draughts()).lines)

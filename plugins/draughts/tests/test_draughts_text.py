"""FEN and moves as text."""

import random
import re

import pytest
from draughts_positions import compiled, placed, positions
from draughts_reference import board_of, fen_of
from gameforge_draughts.movegen import BLACK, START, WHITE, pieces, state_of, to_move
from gameforge_draughts.notation import move_text, parse_move, parse_position, path, position_text
from hypothesis import given

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State

KERNEL = compiled()
LOOP = "B:W5,17,18,20,25,26:BK23"
LOOP_OR_JUMP = "B:W17,18,19,25,26:BK23"


@given(positions())
def test_fen_round_trip(state: State) -> None:
    text = position_text(state)
    if pieces(state):
        assert parse_position(text) == state
        assert fen_of(board_of(text)) == text
    assert state_of(to_move(state), pieces(state)) == state


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("B:W21-32:B1-12", position_text(START)),
        ("W:WK15,20:B12,K28", "W:WK15,20:B12,K28"),
        ("W:B12,K28:WK15,20", "W:WK15,20:B12,K28"),
        ("W:W20,K15:BK28,12.", "W:WK15,20:B12,K28"),
        ("W:WK15,20:B12,K28 . ", "W:WK15,20:B12,K28"),
        ('"W:WK15,20:B12,K28"', "W:WK15,20:B12,K28"),
        ('[FEN "W:WK15,20:B12,K28"]', "W:WK15,20:B12,K28"),
        (" w : wk15 , 20 :\n b 12 , k 28", "W:WK15,20:B12,K28"),
        ("B:W10:BK1-3,5", "B:W10:BK1,K2,K3,5"),
        ("B:W:B07", "B:W:B7"),
        ("W:W21:B", "W:W21:B"),
    ],
)
def test_fen_is_read_in_all_usual_forms_and_written_in_one(text: str, canonical: str) -> None:
    assert position_text(parse_position(text)) == canonical


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("  .", "it is empty"),
        ("W21:B1", "it must begin with the side to move"),
        (":W21:B1", "it must begin with the side to move"),
        ("X:W21:B1", "it must begin with the side to move, W: or B:, not with 'X'"),
        ("?:W21:B1", "it must begin with the side to move"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "it must begin with the side to move"),
        ("B", "White's pieces are not listed"),
        ("B:W21", "Black's pieces are not listed"),
        ("B:B1", "White's pieces are not listed"),
        ("B:W21:W22:B1", "White's pieces are listed twice"),
        ("B:W21:R1", "a list of pieces must begin with its colour, W or B, not with 'R'"),
        ("W::.", "a list of pieces must begin with its colour"),
        ("B:W:B", "there are no pieces on the board"),
        ("B:W33:B1", "there is no square 33; squares: 1 to 32"),
        ("B:W0:B1", "there is no square 0"),
        ("B:W31-50:B1-20", "there is no square 50"),
        ("B:W22-21:B1", "the range 22-21 runs backwards"),
        ("B:W21,21:B1", "square 21 holds two pieces"),
        ("B:W21:B1,K21", "square 21 holds two pieces"),
        ("B:W13-25:B1", "White has 13 pieces; a side has at most 12"),
        ("B:W32:B1-13", "Black has 13 pieces"),
        ("B:W21:B29", "a black man cannot be on square 29"),
        ("B:W4,21:B9", "a white man cannot be on square 4"),
        ("B:W21,:B9", "'' in White's list is not a square"),
        ("B:W21;22:B9", "'21;22' in White's list is not a square"),
        ("B:WK:B9", "'K' in White's list is not a square"),
        ("B:Wa1:B9", "there is no square a1"),
        ("B:W-5:B9", "'-5' in White's list is not a square"),
        ("B:W" + "9" * 5000 + ":B9", "is not a square"),
    ],
)
def test_an_impossible_fen_gives_one_sentence_that_says_why(text: str, reason: str) -> None:
    with pytest.raises(GameforgeError, match=re.escape(reason)) as caught:
        parse_position(text)
    assert str(caught.value).startswith("FEN ")
    assert "\n" not in str(caught.value)


def texts(position: str) -> list[str]:
    state = parse_position(position)
    legal = KERNEL.legal(state)
    return sorted(move_text(state, move, legal) for move in legal)


def test_moves_are_written_with_two_squares_if_these_are_enough() -> None:
    assert texts(position_text(START)) == ["10-14", "10-15", "11-15", "11-16", "12-16", "9-13", "9-14"]
    assert texts("W:W22:B18,11") == ["22x8"]
    assert texts("B:W26,27:B22,23") == ["22x31", "23x30", "23x32"]


def test_moves_that_share_both_ends_are_written_with_the_whole_path() -> None:
    assert texts(LOOP) == ["23x14x21x30x23", "23x30x21x14x23"]


def test_a_jump_is_distinguished_from_a_loop_that_ends_with_the_same_jump() -> None:
    assert texts(LOOP_OR_JUMP) == ["23x14x21x30x23x16", "23x16", "23x30x21x14x23x16"]


def test_a_short_text_of_a_legal_whole_path_means_that_path() -> None:
    state = parse_position(LOOP_OR_JUMP)
    assert path(parse_move(state, "23x16", KERNEL.legal(state))) == (23, 16)


def assert_every_text_is_read_back(state: State) -> None:
    legal = KERNEL.legal(state)
    for move in legal:
        assert parse_move(state, move_text(state, move, legal), legal) == move
        assert parse_move(state, "x".join(map(str, path(move))), legal) == move
    assert len({move_text(state, move, legal) for move in legal}) == len(legal)


@given(positions())
def test_every_move_is_read_back_from_its_text(state: State) -> None:
    assert_every_text_is_read_back(state)


def test_every_move_is_read_back_from_its_text_if_kings_have_many_routes() -> None:
    """White is in every second row and Black's kings are in the others, so loops are common."""
    rng = random.Random(7)
    same_ends = 0
    for _ in range(1_000):
        black = 0x0F0F0F0F & rng.getrandbits(32) & rng.getrandbits(32) & rng.getrandbits(32)
        white = 0x00F0F0F0 & (rng.getrandbits(32) | rng.getrandbits(32))
        state = placed(black | white, black, 2**32 - 1, BLACK)
        assert_every_text_is_read_back(state)
        legal = KERNEL.legal(state)
        same_ends += len({path(move)[:: len(path(move)) - 1] for move in legal}) < len(legal)
    assert same_ends > 40


@pytest.mark.parametrize("text", ["22x8", "22-8", "22:8", "22X8", " 22 x 8 ", "22x15x8", "22-15-8", "22:15x08"])
def test_separators_and_paths_are_read_liberally(text: str) -> None:
    state = parse_position("W:W22:B18,11")
    (only,) = KERNEL.legal(state)
    assert parse_move(state, text, [only]) == only


def test_a_text_whose_readings_differ_only_in_the_route_means_the_first() -> None:
    state = parse_position(LOOP)
    legal = KERNEL.legal(state)
    assert parse_move(state, "23x23", legal) == legal[0]
    assert parse_move(state, "23x14x23", legal) == legal[0]
    assert path(parse_move(state, "23x14x21x23", legal)) == (23, 14, 21, 30, 23)


def test_a_text_that_may_mean_different_captures_is_refused_with_the_readings() -> None:
    """Both ways capture two men, but not the same ones."""
    state = parse_position("B:W6,7,14,15:B2")
    legal = KERNEL.legal(state)
    assert sorted(map(path, legal)) == [(2, 9, 18), (2, 11, 18)]
    with pytest.raises(GameforgeError, match=r"'2x18' may mean (2x11x18, 2x9x18|2x9x18, 2x11x18) in B:W6"):
        parse_move(state, "2x18", legal)
    assert path(parse_move(state, "2x11x18", legal)) == (2, 11, 18)


@pytest.mark.parametrize("text", ["", "e4", "11", "1115", "11-15-", "11--15", "11-15!", "1000-15", "resign"])
def test_text_that_is_not_a_move_is_refused_with_the_legal_moves(text: str) -> None:
    with pytest.raises(GameforgeError, match=r"is not a move such as 11-15 or 22x15; legal here: 9-13, 10-14"):
        parse_move(START, text, KERNEL.legal(START))


def test_an_illegal_move_is_refused_with_the_legal_moves() -> None:
    with pytest.raises(GameforgeError, match=r"'11-14' is not legal in B:W21.*; legal here: 9-13, 10-14, 11-15"):
        parse_move(START, "11-14", KERNEL.legal(START))


def test_without_legal_moves_no_move_is_read() -> None:
    with pytest.raises(GameforgeError, match="no legal move"):
        parse_move(parse_position("B:W5,6,9,10:B1"), "1-5", [])


def test_the_sides() -> None:
    assert (to_move(START), to_move(parse_position("W:W21:B1"))) == (BLACK, WHITE)


@pytest.mark.parametrize("text", ["1-" * 40, "1 - " * 40, f"{'1-' * 5000}x", "1" * 5000, "\u00b2-\u00b3"])
def test_moves_that_are_none_are_refused_in_time(text: str) -> None:
    """With two ways to read each dash, the first of them would take longer than the world has existed."""
    with pytest.raises(GameforgeError):
        parse_move(START, text, [])

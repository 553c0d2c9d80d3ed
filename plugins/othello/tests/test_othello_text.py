"""Positions, moves and transcripts as text; the board as a picture."""

import re

import pytest
from gameforge_othello.drawing import diagram, svg
from gameforge_othello.movegen import CENTRE, PASS, START
from gameforge_othello.notation import PASSES, position_text, square_text, transcript
from hypothesis import given
from hypothesis import strategies as st
from othello_positions import GAME, parse_position, played, positions, reached

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State

LINE = f"{'-' * 27}OX------XO{'-' * 27}"
AFTER_F5 = f"{'-' * 27}OX------XXX{'-' * 26} O"
PASSING = "--OOO----X-O------XX-------XX------XXX-------------------------- X"
"""Black has to pass; then White has three moves."""


@given(positions())
def test_positions_come_back_from_text_and_diagram(state: State) -> None:
    assert parse_position(position_text(state)) == state
    assert parse_position(diagram(state)) == state
    assert len(position_text(state)) == 66


@pytest.mark.parametrize(
    "text",
    [
        AFTER_F5,
        AFTER_F5.lower(),
        f"{AFTER_F5};",
        f"{AFTER_F5}; D6:+1; F6:+0;",
        "f5",
        "F5",
        "1. f5",
        "\n".join(AFTER_F5[8 * row : 8 * row + 8] for row in range(8)) + "\nWhite to move",
        " ".join(AFTER_F5[:64].replace("-", ".")) + " O",
        AFTER_F5.replace("X", "*").replace("-", "_"),
        AFTER_F5.replace("X", "B").replace("O", "W"),
        AFTER_F5.replace("X", "●").replace("O", "○").replace("-", "·"),
        "  A B C D E F G H\n"
        + "\n".join(f"{row + 1} {AFTER_F5[8 * row : 8 * row + 8]} {row + 1}" for row in range(8))
        + "\n  A B C D E F G H\nWhite",
    ],
)
def test_diagrams_are_read_in_all_usual_forms(text: str) -> None:
    assert position_text(parse_position(text)) == AFTER_F5


def test_without_a_side_black_is_to_move() -> None:
    assert parse_position(LINE) == START


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINE + "-", "it has 65 squares; a board has 64"),
        (" ".join(LINE + "-X"), "it has 66 squares"),
        (" ".join(LINE + "--"), "it has 66 squares"),
        (LINE + "- X", "it has 65 squares; a board has 64"),
        (LINE[1:] + " X", "it has 63 squares; a board has 64"),
        ("", "it has 0 squares; a board has 64"),
        (LINE.replace("X", "Q") + " X", "'q' is not a square; X is Black, O is White, - is empty"),
        (LINE + " XO", "it has 66 squares"),
        ("-" * 64, "d4 is empty, but the four squares in the centre have discs"),
        (LINE.replace("XO", "X-") + " X", "e5 is empty"),
    ],
)
def test_text_that_is_not_a_diagram_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(GameforgeError, match=re.escape(message)) as error:
        parse_position(text)
    assert str(error.value).startswith("diagram ")
    assert "\n" not in str(error.value)


@given(st.one_of(st.text(), st.text("XO-abcdefgh12345678 .\n", max_size=90)))
def test_any_text_is_read_or_refused_in_one_sentence(text: str) -> None:
    state, refused = START, ""
    try:
        state = parse_position(text)
    except GameforgeError as error:
        refused = str(error)
    assert len(refused.splitlines()) <= 1
    assert state[0] & state[1] == 0
    assert (state[0] | state[1]) & CENTRE == CENTRE


def test_moves_are_squares_or_a_pass() -> None:
    position = GAME.position()
    assert [str(move) for move in position.legal_moves] == ["d3", "c4", "f5", "e6"]
    assert position.play(" F5 ") == position.play("f5")
    passing = GAME.position(PASSING)
    assert [str(move) for move in passing.legal_moves] == ["pass"]
    for text in PASSES:
        assert passing.play(text.upper()).last_move == PASS


@pytest.mark.parametrize(
    ("position", "move", "message"),
    [
        (LINE, "a1", rf"'a1' is not legal in {LINE} X; legal: d3, c4, f5, e6"),
        (LINE, "pass", "'pass' is not legal"),
        (LINE, "i9", "'i9' is not a move such as f5 or pass; legal in"),
        (LINE, "", "'' is not a move"),
        (PASSING, "a1", "'a1' is not legal in .*; legal: pass"),
        ("X" * 64, "a1", "the game is over, since neither side can move"),
    ],
)
def test_moves_that_cannot_be_played(position: str, move: str, message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        GAME.position(position).play(move)


class TestTranscripts:
    @given(st.randoms(use_true_random=False))
    def test_a_game_comes_back_without_its_passes(self, rng: object) -> None:
        position = GAME.position()
        while position.codes:
            position = position.after(rng.choice(position.codes))  # type: ignore[attr-defined]
        text = transcript(position.moves_played)
        assert re.fullmatch("([a-h][1-8])+", text)
        assert played(text).moves == position.moves_played
        assert parse_position(text) == position.state

    def test_passes_may_be_written(self) -> None:
        start = parse_position(PASSING)
        moves = played("passa3", start).moves
        assert [square_text(move) for move in moves] == ["pass", "a3"]
        for text in ("a3", "-- a3", "PA A3", "ps, a3"):
            assert played(text, start).moves == moves

    def test_a_pass_at_the_end_is_written(self) -> None:
        assert transcript([PASS]) == "pass"
        assert played("pass", parse_position(PASSING)).moves == [PASS]

    def test_separators_and_numbers_of_moves(self) -> None:
        assert played("1. f5 d6 2. c3, d3").moves == played("f5d6c3d3").moves

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("f5f5", r"transcript, move 2: 'f5' is not legal in .*; legal: f4, d6, f6"),
            ("f5d6x", "transcript, move 3: 'x' is not a move such as f5 or pass"),
            ("f5d9", "transcript, move 2: 'd' is not a move"),
            ("f5d6--", "transcript, move 3: '--' is not legal"),
            ("f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6h4g4h3h5h7a1", "transcript, move 22: 'a1' is not legal"),
        ],
    )
    def test_texts_that_are_not_transcripts(self, text: str, message: str) -> None:
        with pytest.raises(GameforgeError, match=message):
            parse_position(text)

    def test_a_transcript_that_continues_after_the_end(self) -> None:
        """The shortest game, in which Black captures all discs with nine moves."""
        shortest = "e6f4e3f6g5d6e7f5c5"
        assert played(shortest).is_over
        with pytest.raises(
            GameforgeError, match="transcript, move 10: 'a1' comes after the end of the game; neither side can move"
        ):
            played(shortest + "a1")


@given(reached())
def test_a_picture_shows_every_disc(state: State) -> None:
    text = svg(state)
    assert text.startswith("<svg")
    assert text.endswith("</svg>")
    assert text.count("<circle") == (state[0] | state[1]).bit_count()


def test_the_board_in_a_terminal() -> None:
    assert diagram(START).splitlines() == [
        "  a b c d e f g h",
        "1 · · · · · · · ·",
        "2 · · · · · · · ·",
        "3 · · · · · · · ·",
        "4 · · · ○ ● · · ·",
        "5 · · · ● ○ · · ·",
        "6 · · · · · · · ·",
        "7 · · · · · · · ·",
        "8 · · · · · · · ·",
        "Black (●) to move; ● 2, ○ 2",
    ]
    assert CENTRE == START[0] | START[1]

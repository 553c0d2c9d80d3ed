"""Moves and positions as text."""

import pytest

import gameforge as gf
from gameforge.errors import GameforgeError


@pytest.mark.parametrize(
    ("game", "fen"),
    [
        ("international", "W:W31,32,K40:B1,2,K5"),
        ("russian", "B:Wa1,c1,Kh4:Bb6,Kd8"),
        ("turkish", "W:Wa2,Kd4:Be7"),
        ("spanish", "W:W1,2:B31,K30"),
        ("international", "W:WK46,K47:BK5:E7"),
        ("frisian", "W:WK46,40:BK5,11:M46/2"),
    ],
)
def test_positions_are_read_back(game: str, fen: str) -> None:
    assert gf.game(game).position(fen).fen == gf.game(game).position(gf.game(game).position(fen).fen).fen
    assert gf.game(game).position(fen.lower().replace(",", " , ")).fen == gf.game(game).position(fen).fen


def test_both_notations_are_read() -> None:
    russian = gf.game("russian")
    assert russian.position("W:W21-32:B1-12").fen == russian.position().fen
    wanted = russian.position().play("c3-d4").fen
    assert {russian.position().play(text).fen for text in ("22-18", "c3d4", "C3:D4")} == {wanted}


@pytest.mark.parametrize(
    ("game", "fen", "reason"),
    [
        ("international", "W:W51:B1", "there is no square 51; squares: 1 to 50"),
        ("russian", "W:Wa2:Bh8", "there is no square a2"),
        ("international", "W:W3:B1", "a white man cannot be on square 3, where it would be a king"),
        ("turkish", "W:Wa1:Bh7", "a white man cannot be on square a1, behind the row where men begin"),
        ("russian", "W:W9-21:BKa1", "White has 13 pieces; a side has at most 12"),
        ("international", "W:W31:B31", "square 31 holds two pieces"),
        ("international", "W:W:B", "there are no pieces on the board"),
        ("international", "X:W31:B1", "must begin with the side to move"),
        ("international", "W:W31", "Black's pieces are not listed"),
        ("international", "W:W31:W32", "White's pieces are listed twice"),
        ("international", "W:Wx:B1", "'x' in White's list is not a square"),
        ("international", "", "it is empty"),
        ("breakthrough-draughts", "W:WK31:B1", "White is to move and has a king, so the game would be over"),
        ("italian", "W:WK31:BK1:E3", "E3 counts plies of an ending; these rules allow 1 to 0"),
        ("international", "W:WK31,32:BK1:M31/2", "M31/2 counts moves of a king; it needs a king there"),
    ],
)
def test_impossible_positions(game: str, fen: str, reason: str) -> None:
    with pytest.raises(GameforgeError) as error:
        gf.game(game).rules.positions.parse_position(fen)  # type: ignore[attr-defined]
    assert reason in str(error.value)


class TestCaptures:
    LOOP = "B:WK11,K21,K24,39:BK35,K43"

    def test_captures_with_the_same_ends_are_written_with_their_paths(self) -> None:
        position = gf.game("pool").position("W:W6,K30:B8,9,K11,14,26,K28,K29")
        texts = [str(move) for move in position.legal_moves]
        assert len(set(texts)) == len(texts)
        assert max(text.count("x") for text in texts) > 1
        for move, text in zip(position.legal_moves, texts, strict=True):
            assert position.play(text).state == position.play(move).state

    def test_ends_that_fit_several_results_are_refused(self) -> None:
        position = gf.game("pool").position("W:W6,K30:B8,9,K11,14,26,K28,K29")
        long = next(text for text in map(str, position.legal_moves) if text.count("x") > 1).split("x")
        with pytest.raises(GameforgeError, match=r"may mean .*; write one of them"):
            position.play(f"{long[0]}x{long[-1]}")

    def test_routes_apart_have_texts_of_their_own(self) -> None:
        once, apart = (gf.game(f"international{routes}").position(self.LOOP) for routes in ("", ":routes=apart"))
        assert len(apart.legal_moves) > len(once.legal_moves)
        assert len({str(move) for move in apart.legal_moves}) == len(apart.legal_moves)

    def test_a_move_that_is_not_legal(self) -> None:
        with pytest.raises(GameforgeError, match=r"'32-27' is not legal .* legal here: 28x19"):
            gf.game("international").position("W:W28,32:B23").play("32-27")

    def test_a_text_that_is_not_a_move(self) -> None:
        with pytest.raises(GameforgeError, match=r"'abc' is not a move"):
            gf.game("international").position().play("abc")

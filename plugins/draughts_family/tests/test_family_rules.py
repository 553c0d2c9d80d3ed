"""Rules that perft does not show: limits of kings and endings, goals, settings that contradict each other."""

import pytest

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Outcome
from gameforge.play.game import Position


def play(game: str, fen: str, moves: str) -> Position:
    position = gf.game(game).position(fen)
    for move in moves.split():
        position = position.play(move)
    return position


def texts(position: Position) -> set[str]:
    return {str(move) for move in position.legal_moves}


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("international", "White", "Black"), ("pool", "Black", "White"), ("turkish", "White", "Black")],
)
def test_who_begins(name: str, first: str, second: str) -> None:
    rules = gf.game(name).rules
    assert rules.sides == (first, second)
    assert rules.side_to_move(rules.initial()) == 0


class TestCaptures:
    def test_a_man_passes_the_last_row_as_a_man_in_international_draughts(self) -> None:
        after = play("international", "W:W11:B7,8,40", "11x13")
        assert after.fen == "B:W13:B40"

    def test_and_continues_as_a_king_in_russian_draughts(self) -> None:
        assert texts(gf.game("russian").position("W:Wb6:Bc7,f6,h2")) == {"b6xg5", "b6xh4"}
        assert play("russian", "W:Wb6:Bc7,f6,h2", "b6xg5").fen == "B:WKg5:Bh2"

    def test_captured_pieces_are_removed_at_once_in_turkish_draughts(self) -> None:
        """The king captures a3 first, and ends there after the fourth jump."""
        assert texts(gf.game("turkish").position("W:WKa1:Ba3,b3,d4,c5")) == {"a1xa3"}

    def test_elsewhere_they_are_in_the_way_until_the_capture_ends(self) -> None:
        after = gf.game("draughts-variant:board=8x8-orthogonal,notation=algebraic,removal=after")
        assert texts(after.position("W:WKa1:Ba3,b3,d4,c5")) == {"a1xd1", "a1xd2", "a1xd3"}

    def test_canadian_draughts_captures_across_the_words_of_its_board(self) -> None:
        """Squares 65 to 72 lie in the second word of a set."""
        assert play("canadian", "W:WK6:B1,28,61", "6x67").fen == "B:WK67:B1"
        assert play("canadian", "B:WK62,43:BK68,4", "68x57").fen == "W:W43:B4,K57"

    def test_a_promotion_on_the_last_row_of_either_side_in_canadian_draughts(self) -> None:
        assert play("canadian", "W:W7:B50", "7-1").fen == "B:WK1:B50"
        assert play("canadian", "B:W7:B66", "66-72").fen == "W:W7:BK72"


class TestKingMoves:
    START = "W:WK47,40:BK4,11"
    MOVES = "47-42 4-9 42-47 9-4 47-42 4-9"

    def test_a_frisian_king_moves_three_times_in_a_row(self) -> None:
        after = play("frisian", self.START, self.MOVES)
        assert after.fen.endswith(":M42/3:M9/3")
        assert texts(after) == {"40-34", "40-35"}

    def test_then_another_piece_sets_it_free(self) -> None:
        after = play("frisian", self.START, f"{self.MOVES} 40-35 11-16")
        assert "42-47" in texts(after)

    def test_a_side_without_men_is_free(self) -> None:
        after = play("frisian", "W:WK47:BK4,11", self.MOVES)
        assert "42-47" in texts(after)
        assert after.fen.endswith(":M9/3")


class TestEndings:
    def test_two_kings_against_one_have_five_moves_each(self) -> None:
        start = "W:WK26,K47:BK4"
        there_and_back = "47-42 4-9 42-47 9-4 "
        assert play("international", start, 2 * there_and_back + "47-42").outcome is None
        final = play("international:repetition=0", start, 2 * there_and_back + "47-42 4-9")
        assert final.outcome == Outcome(None, "limit of the ending")

    def test_promotions_begin_a_new_count(self) -> None:
        assert play("russian", "W:WKa1,b6:BKh2", "a1-c3 h2-g1 b6-a7").fen.endswith(":E3")
        assert not play("russian", "W:WKa1,b6:BKh2", "a1-c3 h2-g1 b6-a7 g1-h2 a7-b8").fen[-4:].startswith(":E")

    @pytest.mark.parametrize("fen", ["W:WKa1:BKh8", "W:WKa1:Bh7", "B:Wa2:Bh7"])
    def test_one_piece_each_is_a_draw_in_turkish_draughts(self, fen: str) -> None:
        assert gf.game("turkish").position(fen).outcome == Outcome(None, "limit of the ending")

    def test_two_pieces_against_one_go_on_in_turkish_draughts(self) -> None:
        assert gf.game("turkish").position("W:WKa1,b2:BKh8").outcome is None
        assert play("turkish", "B:WKa1:Bb3,g6", "g6-h6").outcome is None

    def test_men_alone_have_no_limit(self) -> None:
        assert ":E" not in play("international", "W:W40:B11", "40-34 11-16").fen


class TestGoals:
    def test_the_first_king_wins(self) -> None:
        assert play("breakthrough-draughts", "W:W6:B40", "6-1").outcome == Outcome(0, "a king")

    def test_the_goals_on_twelve_by_twelve(self) -> None:
        variant = "draughts-variant:board=12x12,goal="
        assert play(f"{variant}king", "W:W7:B50", "7-1").outcome == Outcome(0, "a king")
        assert play(f"{variant}lose", "W:W40:B34", "40x27").outcome == Outcome(1, "no legal move")

    def test_who_cannot_move_wins(self) -> None:
        assert play("antidraughts", "W:W28:B23", "28x19").outcome == Outcome(1, "no legal move")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("board=8x8-orthogonal,lines=all", "lines=all needs dark squares"),
        ("board=8x8-orthogonal,corner=right", "corner=right needs dark squares"),
        ("notation=algebraic,origin=bottom-right", "origin=bottom-right needs notation=numeric"),
        ("goal=king,king_moves=3", "goal=king ends the game with the first king, so king_moves=3 never applies"),
        ("goal=king,endings=russian", "goal=king ends the game with the first king, so endings=russian never applies"),
        ("board=12x12,kings=short", "has the moves of international draughts, so kings=short is not possible"),
        ("board=12x12,endings=russian", "so endings=russian is not possible"),
        ("board=9x9", "must be one of 10x10, 8x8, 8x8-orthogonal"),
        ("kings=slow", "must be one of flying, short, halting"),
    ],
)
def test_settings_that_contradict_each_other(settings: str, reason: str) -> None:
    with pytest.raises(GameforgeError, match=reason):
        gf.game(f"draughts-variant:{settings}")

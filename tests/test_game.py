"""Game, Position, Move and Outcome."""

import attrs
import pytest
import toy_game
from toy_site import registry, shuttle

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import DRAW, LOSS, MAX_REASONS, WIN, Outcome
from gameforge.play.game import Move, Position


class TestPosition:
    def test_playing_leaves_it_as_it_was(self) -> None:
        position = gf.game("draughts").position()
        before = position.state, position.legal_moves
        after = position.play("11-15")
        assert (position.state, position.legal_moves) == before
        assert (after.parent, after.start, after.moves_played) == (position, position, [after.last_move])
        assert (position.turn, after.turn) == (0, 1)

    @pytest.mark.parametrize("name", ["state", "game", "parent", "last_move", "anything"])
    def test_nothing_can_be_assigned(self, name: str) -> None:
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(shuttle().position(), name, None)

    def test_lists_that_it_hands_out_are_the_callers_own(self) -> None:
        position = shuttle().position()
        position.codes.clear()
        position.legal_moves.clear()
        assert len(position.codes) == len(position.legal_moves) == 4

    def test_equal_states_are_equal_positions_however_they_came_about(self) -> None:
        position = gf.game("draughts").position()
        one = position.play("11-15").play("24-20").play("9-13")
        other = gf.game("draughts").position().play("9-13").play("24-20").play("11-15")
        assert one == other
        assert hash(one) == hash(other)
        assert len({one, other, position}) == 2
        assert one != position
        assert one != one.state

    def test_rules_with_other_settings_make_other_positions(self) -> None:
        assert gf.game("draughts").position() != gf.game("draughts", repetition=0).position()
        assert shuttle().position() != gf.game("draughts").position()

    def test_text(self) -> None:
        position = shuttle().position()
        assert str(position) == "0x2,0x2,0x3,0x0,0x0"
        assert repr(position) == "Position('shuttle', '0x2,0x2,0x3,0x0,0x0')"
        assert position._repr_svg_() is None
        draughts = gf.game("draughts").position()
        assert str(draughts) == draughts.game.rules.drawing.diagram(draughts.state)
        assert draughts._repr_svg_().startswith("<svg")

    @pytest.mark.parametrize("text", ["2,2,3,0,0", "0x2,0x2,0x3,0x0,0x0", " 2, 2, 0b11, 0, 0"])
    def test_a_game_without_setup_reads_words(self, text: str) -> None:
        assert shuttle().position(text) == shuttle().position()

    @pytest.mark.parametrize("text", ["", "1,2", "2,2,3,0,0,0", "2,2,3,0,x", "2,2,3,0,-1", f"2,2,3,0,{1 << 64}"])
    def test_text_that_is_no_position(self, text: str) -> None:
        with pytest.raises(GameforgeError, match="shuttle has no notation for positions; must be 5 unsigned 64-bit"):
            shuttle().position(text)

    def test_finished_games_still_show_their_moves(self) -> None:
        over = shuttle(stones=1).position().play("0x2")
        assert over.outcome == Outcome(0, "last stone taken")
        assert [str(move) for move in over.legal_moves] == ["0x0", "0x1"]


class TestMove:
    def test_text_leads_back_to_it(self) -> None:
        for game in (shuttle(), gf.game("draughts")):
            position = game.position()
            for move in position.legal_moves:
                assert position.play(str(move)) == position.play(move) == position.after(move.code)
                assert repr(move) == f"Move('{move}')"

    def test_equality_and_hash(self) -> None:
        game = gf.game("draughts")
        one, other = game.position().legal_moves, gf.game("draughts").position().legal_moves
        assert one == other
        assert set(one) == set(other)
        assert len(set(one)) == len(one) == 7
        elsewhere = game.position("B:W32:B1").legal_moves[0]
        assert elsewhere not in one
        assert one[0] != one[0].code

    @pytest.mark.parametrize("text", ["0x4", "take", "", "2"])
    def test_text_that_is_no_move_lists_the_legal_ones(self, text: str) -> None:
        with pytest.raises(GameforgeError, match=rf"no legal move '{text}'; legal: 0x0, 0x1, 0x2, 0x3$"):
            shuttle().position().play(text)

    def test_a_move_of_another_position_lists_the_legal_ones(self) -> None:
        game = gf.game("draughts")
        move = game.position("B:W32:B1").legal_moves[0]
        with pytest.raises(GameforgeError, match=rf"move {move} is not legal here; legal: .*11-15"):
            game.position().play(move)

    def test_a_move_of_an_equal_position_will_do(self) -> None:
        game = gf.game("draughts")
        assert game.position().play(game.position().legal_moves[0]).turn == 1

    def test_texts_of_all_legal_moves_differ(self) -> None:
        position = gf.game("draughts").position("B:W17,18,20,25,26,5:BK23")
        assert len({str(move) for move in position.legal_moves}) == len(position.legal_moves)


class TestOutcome:
    RULES = toy_game.Shuttle()

    @pytest.mark.parametrize("to_move", [0, 1])
    def test_codes_are_those_of_the_side_to_move(self, to_move: int) -> None:
        assert Outcome.of(self.RULES, 0, to_move) is None
        assert Outcome.of(self.RULES, WIN, to_move) == Outcome(to_move, "last stone taken")
        assert Outcome.of(self.RULES, LOSS, to_move) == Outcome(1 - to_move, "last stone taken")
        assert Outcome.of(self.RULES, DRAW + 4, to_move) == Outcome(None, "both home")

    def test_draws_by_the_course_of_the_game_say_whether_they_are_loops(self) -> None:
        reasons = ["repetition", "no progress", "ply cap", "shuffle"]
        found = [Outcome.of(self.RULES, DRAW + 4 * (MAX_REASONS + i), 0) for i in range(4)]
        assert found == [Outcome(None, reason, reason in ("repetition", "shuffle")) for reason in reasons]

    def test_a_reason_that_the_rules_do_not_have(self) -> None:
        with pytest.raises(GameforgeError, match="rules shuttle: outcome returned reason 2; the last reason is 1"):
            Outcome.of(self.RULES, LOSS + 4 * 2, 0)

    def test_points(self) -> None:
        assert [Outcome(0, "").points(side) for side in (0, 1)] == [2, 0]
        assert [Outcome(None, "").points(side) for side in (0, 1)] == [1, 1]

    def test_by_the_rules(self) -> None:
        position = shuttle(stones=2).position()
        assert position.outcome is None
        assert position.play("0x3").outcome == Outcome(0, "last stone taken")
        assert position.play("0x2").play("0x2").outcome == Outcome(1, "last stone taken")
        home = position.play("0x1").play("0x1").play("0x1").play("0x1")
        assert home.outcome == Outcome(None, "both home")


class TestMakingGames:
    def test_from_a_rules_object(self) -> None:
        rules = toy_game.Shuttle(stones=5)
        assert gf.game(rules).rules is rules

    def test_parameters(self) -> None:
        assert gf.game("draughts:repetition=4", max_plies=9).rules.draws.repetition == 4
        assert gf.game("draughts:repetition=4", max_plies=9).rules.draws.max_plies == 9
        assert gf.game("draughts:repetition=4", repetition=5).rules.draws.repetition == 5

    @pytest.mark.parametrize(
        ("name", "params", "sentence"),
        [
            ("draught", {}, r"unknown game 'draught' \(did you mean 'draughts'\?\)"),
            ("shuttle", {"stone": 3}, r"rules.stone: no such parameter \(did you mean 'stones'\?\); allowed: stones,"),
            ("shuttle", {"stones": 0}, r"rules.stones = 0: must be >= 1"),
            ("shuttle", {"stones": 2.0}, r"rules.stones = 2.0: must be an integer"),
            ("shuttle:stones", {}, "expected key=value|a value is missing"),
        ],
    )
    def test_errors(self, name: str, params: dict[str, object], sentence: str) -> None:
        with pytest.raises(GameforgeError, match=sentence):
            gf.game(name, registry=registry(), **params)

    def test_positions_of_one_game_share_its_compiled_rules(self) -> None:
        game = shuttle()
        assert isinstance(game.position().play("0x1"), Position)
        assert all(isinstance(move, Move) for move in game.position().legal_moves)
        assert game.compiled is game.compiled


@pytest.mark.parametrize("code", [-3, 4 * 31 + WIN, 10**9 + 1])
def test_a_code_that_no_outcome_has(code: int) -> None:
    with pytest.raises(gf.GameforgeError, match="outcome returned reason"):
        Outcome.of(gf.game("draughts").rules, code, 0)

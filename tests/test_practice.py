"""Exercises: endings from databases, puzzles from games, and the boxes from which they come back."""

from pathlib import Path

import pytest

import gameforge as gf
from gameforge.coaching.exercises import (
    Ending,
    Exercise,
    PuzzleMaker,
    answer,
    draw_ending,
    force_text,
    forces_known,
    solution,
)
from gameforge.coaching.practice import DAY, Practice
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop

KINGS = Ending(own=("king", "king"), other=("king",))
SHOT = "W:W22,25,30:B13,17,19"
"""25-21 gives a man, and 30x16 takes two; no other move wins."""


@pytest.fixture(scope="module")
def oracles() -> list[OracleHandle]:
    return [gf.oracle("chinook:pieces=3")]


@pytest.fixture(scope="module")
def player() -> Player:
    return Workshop().player("alphabeta:depth=5 + material", "draughts")


def exercise(start: str = SHOT, *, goal: str = "win", line: tuple[str, ...] = ()) -> Exercise:
    return Exercise(game="draughts", start=start, goal=goal, line=line)  # type: ignore[arg-type]


def test_an_ending_has_the_pieces_and_the_goal_that_are_asked_for(oracles: list[OracleHandle]) -> None:
    game = gf.game("draughts")
    for ending in (KINGS, Ending(own=("king",), other=("king", "king"), goal="draw")):
        found = draw_ending(game, "draughts", ending, oracles, seed=5)
        assert found == draw_ending(game, "draughts", ending, oracles, seed=5)
        assert found != draw_ending(game, "draughts", ending, oracles, seed=6)
        position = game.position(found.start)
        verdict = oracles[0].get(position)
        assert verdict is not None
        assert verdict.value == found.goal == ending.goal
        assert sorted(piece.kind for piece in game.board.pieces(position.state) if piece.side == position.turn) == list(
            ending.own
        )


def test_what_cannot_be_drawn_is_refused(oracles: list[OracleHandle]) -> None:
    game = gf.game("draughts")
    for ending, why in (
        (Ending(own=("queen",), other=("king",)), "'queen' is not a kind of piece"),
        (Ending(own=("king",), other=()), "pieces of both sides"),
        (Ending(own=("king", "king"), other=("king",), longest=9), "does not know how long"),
        (Ending(own=("king",), other=("king",) * 3), "no database knows 1 king against 3 kings"),
    ):
        with pytest.raises(GameforgeError, match=why):
            draw_ending(game, "draughts", ending, oracles, seed=1)


def test_the_pieces_that_a_database_knows(oracles: list[OracleHandle]) -> None:
    game = gf.game("draughts")
    known = forces_known(game, oracles)
    assert (("", "king"), ("king",)) in known
    assert {len(own) + len(other) for own, other in known} == {2, 3}
    assert force_text(game, ("", "", "king")) == "1 king and 2 men"


def test_the_database_defends_and_refuses_what_gives_the_win_away(oracles: list[OracleHandle], player: Player) -> None:
    game = gf.game("draughts")
    ending = draw_ending(game, "draughts", KINGS, oracles, seed=5)
    here = game.position(ending.start)
    wrong = [move for move in here.legal_moves if not answer(ending, here, str(move), oracles, player).good]
    assert wrong
    for _ in range(80):
        found = answer(ending, here, str(solution(ending, here, oracles, player)), oracles, player)
        assert found.good
        if found.done or found.reply is None:
            break
        here = here.play(solution(ending, here, oracles, player)).play(found.reply)
        verdict = oracles[0].get(here)
        assert here.outcome is None
        assert verdict is not None
        assert verdict.value == "win"


def test_a_draw_is_held_for_some_moves(oracles: list[OracleHandle], player: Player) -> None:
    game = gf.game("draughts")
    ending = draw_ending(game, "draughts", Ending(own=("king",), other=("king", "king"), goal="draw"), oracles, seed=5)
    here, moves = game.position(ending.start), 0
    while True:
        move = solution(ending, here, oracles, player)
        found = answer(ending, here, str(move), oracles, player)
        moves += 1
        assert found.good
        if found.reply is None:
            break
        here = here.play(move).play(found.reply)
    assert found.done
    assert found.text.startswith("The draw is held")
    assert moves <= 12


def test_a_puzzle_is_a_line_of_only_moves(player: Player) -> None:
    puzzle = PuzzleMaker(player, "draughts").puzzle(gf.game("draughts").position(SHOT), "a game")
    assert puzzle is not None
    assert puzzle.line == ("25-21", "17x26", "30x16")
    assert puzzle.source == "a game"


def test_only_the_move_of_the_line_solves_a_puzzle(player: Player) -> None:
    puzzle, here = exercise(line=("25-21", "17x26", "30x16")), gf.game("draughts").position(SHOT)
    assert answer(puzzle, here, "22-18", (), player).text == "22-18 is not it."
    first = answer(puzzle, here, "25-21", (), player)
    assert (first.good, first.done, str(first.reply)) == (True, False, "17x26")
    here = here.play("25-21").play("17x26")
    assert str(solution(puzzle, here, (), player)) == "30x16"
    assert answer(puzzle, here, "30x16", (), player).done


def test_puzzles_of_a_game_do_not_overlap(player: Player) -> None:
    start = here = gf.game("draughts").position(SHOT)
    for move in ("25-21", "17x26", "30x16"):
        here = here.play(move)
    record = GameRecord(start=start.state, moves=tuple(here.moves_played), outcome=Outcome.UNFINISHED)
    seen: list[int] = []
    found = PuzzleMaker(player, "draughts").puzzles(record, "Ann - Bob", lambda done, total: seen.append(done))
    assert seen == [0, 1, 2, 3]
    assert [(puzzle.start, puzzle.source) for puzzle in found] == [(start.fen, "Ann - Bob, move 1")]


def test_solved_exercises_come_back_more_rarely_and_failed_ones_the_next_day(tmp_path: Path) -> None:
    practice, now = Practice(tmp_path / "state" / "practice.json"), 1_000_000
    assert practice.due("draughts", now) == []
    assert practice.add([exercise(), exercise(), exercise(goal="draw")]) == 2
    assert len(practice.due("draughts", now)) == 2
    assert practice.due("othello", now) == []
    waits = []
    for success in (True, True, True, True, True, True, False, True):
        card = practice.record(exercise(), success, now)
        waits.append((card.box, (card.due - now) // DAY))
    assert waits == [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (5, 16), (1, 1), (2, 2)]
    assert (card.tried, card.solved) == (8, 7)
    assert [each.exercise.goal for each in practice.due("draughts", now)] == ["draw"]
    again = Practice(tmp_path / "state" / "practice.json")  # another process
    assert again.cards("draughts") == practice.cards("draughts")
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["practice.json"]


def test_a_damaged_file_of_exercises_is_named(tmp_path: Path) -> None:
    path = tmp_path / "practice.json"
    for content in ("{", "[]", '{"version": 2, "cards": []}', '{"version": 1, "cards": [{"exercise": 1}]}'):
        path.write_text(content)
        with pytest.raises(GameforgeError, match=r"practice\.json is damaged"):
            Practice(path).record(exercise(), True, 0)
        assert path.read_text() == content


def test_without_a_file_exercises_last_as_long_as_the_program() -> None:
    practice = Practice(None)
    practice.record(exercise(), True, 0)
    assert [card.box for card in practice.cards("draughts")] == [1]

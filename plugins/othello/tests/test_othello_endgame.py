"""Exact endings, and the commands of the plugin."""

import json
from pathlib import Path

import numpy as np
import pytest
from called import completed
from gameforge_othello.endgame import BEST, find_lead, table_bits, work_words
from gameforge_othello.movegen import NAMES, rays, to_move
from gameforge_othello.notation import position_text
from gameforge_othello.solver import read_problems, solve
from hypothesis import assume, example, given, settings
from hypothesis.strategies import integers
from othello_positions import GAME, parse_position, reached
from othello_reference import Board, board_of, final_lead, turns
from uncompiled import both_ways

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import compiled_evaluator

FFO_5 = "-OOOOO----OXXO-XXXOXOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOOO---XXXXX-- X"
FFO_17 = "-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX--- X"
FFO_40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"


def best_lead(board: Board) -> int:
    """Return the lead of the side to move, by trying all lines."""
    following = turns(board)
    if not following:
        return final_lead(board) * (1 if board.side == "X" else -1)
    return max(-best_lead(after) for _, after in following)


def late(state: State, empty: int = 5) -> State:
    """Return a position with few empty squares from random play."""
    while (64 - (state[0] | state[1]).bit_count()) > empty and GAME.legal(state):
        state = GAME.play(state, GAME.legal(state)[len(GAME.legal(state)) // 2])
    return state


@settings(max_examples=12)  # each is an exact search
@given(reached())
def test_the_lead_agrees_with_exhaustive_search(state: State) -> None:
    state = late(state)
    found = solve(state, memory=1)
    assert found.lead == best_lead(board_of(position_text(state)))
    assume(GAME.legal(state))
    assert found.move in GAME.legal(state)
    assert solve(GAME.play(state, found.move), memory=1).lead == -found.lead


@settings(max_examples=30)  # each is an exact search
@given(reached(), integers(9, 12))
@example((34_628_173_824, 68_853_694_464, 0), 12)  # the last of its searches proves that the lead is not higher
def test_the_solver_agrees_with_a_search_that_proves_wins(state: State, empty: int) -> None:
    """Here its table and its ordering matter; the two share no code."""
    state = late(state, empty)
    assume(GAME.legal(state))
    found = solve(state)
    assert found.lead == solve(state, searcher="alphabeta", memory=1).lead
    assert solve(GAME.play(state, found.move), memory=0).lead == -found.lead


@pytest.mark.parametrize("guess", [-64, -30, 0, 8, 64])
def test_neither_a_guess_nor_earlier_searches_change_the_lead(guess: int) -> None:
    """What the table holds is exact, so the workspace of one search serves the next."""
    work, bits = np.zeros(work_words(table_bits(0)), np.uint64), table_bits(0)
    evaluator = compiled_evaluator(None)
    for text, lead, move in ((FFO_5, 32, "g8"), (FFO_17, 8, "f8"), (FFO_5, 32, "g8")):
        state = np.array(parse_position(text), np.uint64)
        found = find_lead(evaluator, np.array(rays(), np.uint64), work, bits, state, np.int64(guess))
        assert (found, int(work[int(BEST)])) == (lead, NAMES.index(move))


def test_a_lost_position_without_a_disc_left_has_a_best_move() -> None:
    """The only move is a pass that loses all 64 discs: no search finds a lead above the lowest."""
    state = parse_position("OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOX-- X")
    assert GAME.legal(state)
    found = solve(state)
    assert found.lead == best_lead(board_of(position_text(state)))
    assert found.move in GAME.legal(state)


def test_uncompiled_code_solves_the_same() -> None:
    text = "XXXXXXXXXXXXXXXXXXXOOOXXXXOOOOXXXOOOOOXXXXOOXOXX--OOOOXX---OOO-X X"
    code = f"""
from gameforge_othello.solver import solve
from gameforge_othello.rules import Othello
found = solve(Othello().positions.parse_position("{text}"), memory=0)
print(found.lead, found.move, found.nodes)
"""
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled


def test_a_finished_game_has_its_lead_and_no_move() -> None:
    for text, lead in (("X" * 64 + " X", 64), ("X" * 64 + " O", -64), ("X" * 63 + "- O", -64)):
        found = solve(parse_position(text))
        assert (found.lead, found.move, found.nodes) == (lead, None, 0)


@pytest.mark.parametrize(("text", "lead", "move"), [(FFO_5, 32, "g8"), (FFO_17, 8, "f8"), (FFO_40, 38, "a2")])
def test_problems_of_the_ffo_test(text: str, lead: int, move: str) -> None:
    """Published results of numbers 5, 17 and 40, each of which has only one best move.

    Number 40 has 20 empty squares: there the shipped player orders the moves and guesses the lead.
    """
    found = solve(parse_position(text))
    assert (found.lead, found.move) == (lead, NAMES.index(move))


def test_a_searcher_that_proves_nothing_is_refused() -> None:
    with pytest.raises(GameforgeError, match="memory"):
        solve(parse_position(FFO_5), searcher="minimax")


@pytest.mark.parametrize("number", range(1, 20))
def test_every_problem_of_the_file_is_solved_exactly(number: int, shared: Path) -> None:
    problems = list(read_problems(shared / "data" / "games" / "ffo" / "fforum-1-19.obf"))
    assert len(problems) == 19
    problem = problems[number - 1]
    found = solve(problem.state)
    assert found.lead == max(problem.leads.values())
    assert problem.leads[found.move or 0] == found.lead


def test_problems_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.obf"
    path.write_text(f"{FFO_5}; G8:+32; G2:+12;\n\n% a remark\n{FFO_17};\n")
    first, second = read_problems(path)
    assert first.leads == {NAMES.index("g8"): 32, NAMES.index("g2"): 12}
    assert to_move(second.state) == 0
    assert second.leads == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("XO", "some.obf, line 1: diagram 'XO': it has 2 squares"),
        (f"{FFO_5}; G8", "line 1: 'G8' is not a move with its lead, such as G8:\\+18"),
    ],
)
def test_lines_that_are_not_problems(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "some.obf"
    path.write_text(text)
    with pytest.raises(GameforgeError, match=message):
        list(read_problems(path))
    with pytest.raises(GameforgeError, match="cannot read"):
        list(read_problems(tmp_path / "none.obf"))


def test_the_command_check(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.oth", tmp_path / "bad.oth"
    good.write_text("f5d6c3\nf5f6\n")
    bad.write_text("f5a1\nf5\n")
    done = completed(["othello", "check", str(good)])
    assert done.stdout == f"{good}: 2 games, 5 moves, all legal\n"
    done = completed(["othello", "check", str(bad)])
    assert done.returncode == 2
    assert "bad.oth, line 1: move 2: 'a1' is not legal" in done.stderr
    done = completed(["othello", "check", "--tolerant", "--json", str(good), str(bad)])
    assert done.returncode == 1
    assert [json.loads(line)["bad"] for line in done.stdout.splitlines()] == [0, 1]


def test_the_command_solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ending = "XXXXXXXXXXXXXXXXXXXXXXXXXXXOOXXXXXXOOXXXXXXXXXXXXXXXXXOOXXXXXX-- X"
    path = tmp_path / "ending.obf"
    path.write_text(f"{ending}; G8:+2;\n")
    done = completed(["othello", "solve", ending, "--json"])
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["lead"] == best_lead(board_of(ending))
    done = completed(["othello", "solve", str(path)])
    assert done.returncode == 1
    assert "but the file says +2" in done.stdout


def test_a_file_without_a_suffix_is_no_position(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "endings").write_text("XO\n")
    done = completed(["othello", "solve", "endings"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: endings, line 1: diagram 'XO'")

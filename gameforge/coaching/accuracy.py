"""Accuracy: how much of the expected result the moves of a game kept, by side and by phase.

Scores of different players count different things: men, discs, shares of the points. An expected result, from 0 for a
loss to 1 for a win, compares them all. The accuracy of a move follows from what it lost of this result by the formula
that lichess.org publishes ("Accuracy metric"): 100 % for no loss, 80 % for 0.05, 64 % for 0.1, 19 % for 0.35.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from gameforge.interfaces.evaluator import UNSCORED, WON, Unit
from gameforge.interfaces.oracle import Value
from gameforge.play.analysis import GameAnalysis, Judged
from gameforge.play.game import Position

Phase = Literal["opening", "middle game", "ending"]
"""A part of a game."""
PHASES: tuple[Phase, ...] = ("opening", "middle game", "ending")
"""The phases in their order."""
GOOD_ENOUGH = 0.05
"""A move that loses less of the expected result than this is no mistake that a person should learn from."""
_BEGUN, _ENDING = 1 / 4, 2 / 3
"""Shares of the way from the initial number of pieces to none, or to a full board, at which a new phase begins."""
_POINTS: dict[Value, float] = {"win": 1.0, "draw": 0.5, "loss": 0.0}


def expected_result(score: float, unit: Unit, position: Position) -> float:
    """Return the expected result, from 0 to 1, of the side to which a score in the unit of its player belongs.

    Scores in pieces are converted by the game's odds of a piece (`piece_odds`) if it has them. All others count as
    expected results on the scale from -1 to 1, as which learners fit them.
    """
    if abs(score) >= WON:
        return float(score > 0)
    odds = None if unit.one == Unit.EXPECTED_RESULT.one else position.game.piece_odds(position.state)
    if odds is None or odds.one != unit.one:
        return (1 + score) / 2
    return 0.5 + math.tanh(odds.log_odds * unit.amount(score) / 2) / 2


def lost_result(judged: Judged, unit: Unit) -> float:
    """Return how much of the expected result a move lost, from 0 to 1; exact if oracles know what was before and after.

    unit: that of the player who judged the move.
    """
    if judged.known_before is not None and judged.known_after is not None:
        before, after = (_POINTS[known.verdict.value] for known in (judged.known_before, judged.known_after))
    else:
        position = judged.move.position
        before, after = (expected_result(score, unit, position) for score in (judged.before, judged.after))
    return max(0.0, before - after)


def move_accuracy(lost: float) -> float:
    """Return the accuracy, in percent, of a move that lost this much of the expected result."""
    return min(100.0, max(0.0, 103.1668 * math.exp(-4.354 * lost) - 3.1669))


def accuracy(analysis: GameAnalysis, side: int, unit: Unit, phase: Phase | None = None) -> float | None:
    """Return the mean accuracy, in percent, of the moves of a side in a phase, or in the whole game.

    Moves without an alternative do not count. None if the side had no choice at all, or if nothing was scored.
    """
    if unit == UNSCORED:
        return None
    chosen = [
        move_accuracy(lost_result(judged, unit))
        for judged, its_phase in zip(analysis.moves, phases(analysis), strict=True)
        if judged.move.position.turn == side
        and len(judged.move.position.codes) > 1
        and (phase is None or phase == its_phase)
    ]
    return sum(chosen) / len(chosen) if chosen else None


def phases(analysis: GameAnalysis) -> Sequence[Phase | None]:
    """Return the phase in which each move was made; None for each if the game has no board.

    The phase follows from the number of pieces. The opening lasts until a quarter of the initial pieces are gone, and
    the ending begins when a third of them are left. If the board fills instead, it is the share of the cells that were
    empty at first. A phase does not return: an ending in which a piece is added remains one.
    """
    board = analysis.start.game.board
    if board is None:
        return [None] * len(analysis.moves)
    cells = len(board.places)
    states = [analysis.start.game.rules.initial(), *(judged.move.position.state for judged in analysis.moves)]
    first, *counts = (len(board.pieces(state)) for state in states)
    fills = first < cells / 2 and max(counts, default=0) > first
    room = cells - first if fills else first
    ways = [(count - first if fills else first - count) / max(1, room) for count in counts]
    stages = ((way >= _BEGUN) + (way >= _ENDING) for way in ways)
    return [PHASES[stage] for stage in accumulate(stages, max)]

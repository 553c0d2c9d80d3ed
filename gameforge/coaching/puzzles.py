"""Puzzles from games: positions in which one move alone wins or holds the draw, followed for at least three plies.

A strong player searches the positions of a game, and then each alternative of its move. What a move is worth is the
expected result, so that scores in all units compare (accuracy.py); what oracles know outranks it.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate

import attrs

from gameforge.coaching.accuracy import expected_result
from gameforge.coaching.exercises import LEAST_PLIES, Exercise, Goal
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.oracle import Value
from gameforge.play.analysis import candidate
from gameforge.play.game import Move, Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player, score_unit

_MOST_PLIES = 11
"""Largest length of a puzzle."""
_POINTS: dict[Value, float] = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@attrs.frozen
class _Bounds:
    """When a move is the only one: its expected result is at least `best`, that of every other at most `others`."""

    best: float
    others: float


_BOUNDS: dict[Goal, _Bounds] = {"win": _Bounds(0.85, 0.65), "draw": _Bounds(0.4, 0.15)}


class PuzzleMaker:
    """Finds puzzles. player: judges moves with its limits. oracles: exact verdicts that outrank its scores."""

    def __init__(self, player: Player, name: str, oracles: Sequence[OracleHandle] = ()) -> None:
        self._player = player
        self._name = name
        self._oracles = oracles
        self._unit = score_unit(player)

    def puzzles(
        self, game: GameRecord, source: str = "", progress: Callable[[int, int], None] = lambda done, total: None
    ) -> list[Exercise]:
        """Return the puzzles in a game, in the order of its moves; they do not overlap.

        source: the game, for the person. progress: called before each position with the numbers of those searched and
        of all; an exception that it raises ends the search.
        """
        start = Position(self._player.game, game.start)
        positions = list(accumulate(game.codes, Position.after, initial=start))
        found: list[Exercise] = []
        next_ply = 0
        for ply, position in enumerate(positions):
            progress(ply, len(positions))
            if ply < next_ply:
                continue
            puzzle = self.puzzle(position, ", ".join(filter(None, (source, f"move {ply // 2 + 1}"))))
            if puzzle is not None:
                found.append(puzzle)
                next_ply = ply + len(puzzle.line)
        return found

    def puzzle(self, position: Position, source: str = "") -> Exercise | None:
        """Return the puzzle that begins in this position; None if there is none.

        The person has a choice at the first move. Later ones may be the only legal move. The last one may not: the
        line ends with a move that has to be found, or is the first forced move that completes `LEAST_PLIES`.
        """
        if position.outcome is not None or len(position.codes) < 2:
            return None
        fresh = Position(position.game, position.state)  # what a person sees has no history
        first = self._only_move(fresh, None)
        if first is None:
            return None
        goal, move = first
        moves, chosen = [move], 1
        while len(moves) < _MOST_PLIES:
            answered = self._answered(moves[-1])
            if answered is None:
                break
            here = Position.after(answered.position, answered.code)
            if here.outcome is not None:
                break
            following = Move(here, here.codes[0]) if len(here.codes) == 1 else None
            if following is None:
                only = self._only_move(here, goal)
                if only is None:
                    break
                following = only[1]
            moves += [answered, following]
            if len(here.codes) > 1 or len(moves) <= LEAST_PLIES:
                chosen = len(moves)
        if chosen < LEAST_PLIES:
            return None
        line = tuple(map(str, moves[:chosen]))
        return Exercise(game=self._name, start=fresh.fen, goal=goal, line=line, source=source)

    def _answered(self, move: Move) -> Move | None:
        """Return the answer to a move; None if the game is over."""
        child = move.position.after(move.code)
        return None if child.outcome is not None else self._player.analyse(child).move

    def _only_move(self, position: Position, goal: Goal | None) -> tuple[Goal, Move] | None:
        """Return the goal and the move that alone reaches it; None if no move or several do. goal: None: either."""
        best = self._player.analyse(position).move
        value = self._value(best)
        reached = next(
            (each for each, bounds in _BOUNDS.items() if goal in (None, each) and value >= bounds.best), None
        )
        if reached is None:
            return None
        others = (move for move in position.legal_moves if move.code != best.code)
        return None if any(self._value(move) > _BOUNDS[reached].others for move in others) else (reached, best)

    def _value(self, move: Move) -> float:
        """Return the expected result of a move, from 0 to 1, for the side that makes it."""
        found = candidate(self._player, move, self._oracles)
        if found.known is not None:
            return _POINTS[found.known.verdict.value]
        return expected_result(found.score, self._unit, move.position)

"""Exercises: positions in which a person has to win, or to hold the draw, and how moves in them are answered.

An ending is drawn at random from what an oracle knows. The oracle says whether each move of the person still reaches
the goal, and defends as well as possible.

A puzzle comes from a game, and has a line of at least three plies, in which no other move of the person reaches the
goal. A strong player searches the positions of the game, and then each alternative of its move. What a move is worth is
the expected result, so that scores in all units compare (accuracy.py); what oracles know outranks it.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

import attrs

from gameforge.coaching.accuracy import expected_result
from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Board, Piece
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.oracle import Value, Verdict
from gameforge.interfaces.rules import State
from gameforge.play.analysis import KnownMove, ask, candidate, known_moves
from gameforge.play.game import Game, Move, Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player, score_unit

Goal = Literal["win", "draw"]
"""What the side to move has to achieve: a win, or at least a draw."""
Force = tuple[str, ...]
"""The kinds of the pieces of a side, in the order of Board.kinds."""
LEAST_PLIES = 3
"""Least length of an exercise: a move of the person, the answer, and another move of the person."""
HOLD = 12
"""Moves of the person after which a draw that has not been given away counts as held."""
_MOST_PIECES = 6
"""Most pieces of an ending, of both sides together."""
_TRIES = 20_000
"""Positions that are drawn at most to find an ending."""
_SAMPLES = 12
"""Positions that are drawn to see whether oracles know a set of pieces."""
_BASES = 8
"""Random games that are played at most to find a position to which pieces can be moved."""
_PLIES = 40
"""Plies of a random game."""


@attrs.frozen(kw_only=True)
class Exercise:
    """A position with a goal for the side to move."""

    game: str = attrs.field(validator=attrs.validators.min_len(1))
    """Name of the game, with its parameters."""
    start: str = attrs.field(validator=attrs.validators.min_len(1))
    """The position as text."""
    goal: Goal = attrs.field(validator=attrs.validators.in_(("win", "draw")))
    """What the side to move has to achieve."""
    line: tuple[str, ...] = ()
    """Of a puzzle: the moves of both sides; it begins and ends with a move of the person. (): an ending."""
    source: str = ""
    """Where the position comes from, for the person."""


@attrs.frozen(kw_only=True)
class Answer:
    """What a move of the person leads to."""

    good: bool
    """Whether the goal can still be reached; if not, the move is to be taken back."""
    done: bool = False
    """Whether the exercise is solved."""
    reply: Move | None = None
    """The move of the other side; None if the exercise is over."""
    text: str
    """A sentence for the person."""


@attrs.frozen(kw_only=True)
class Ending:
    """The endings that a person asks for."""

    own: Force
    """The pieces of the side to move."""
    other: Force
    """Those of the other side."""
    goal: Goal = "win"
    """What the side to move has to achieve."""
    shortest: int = LEAST_PLIES
    """Of a win: the least number of plies that it takes with best play."""
    longest: int | None = None
    """Of a win: the largest number; None: any. With both defaults, oracles without distances serve, too."""

    @property
    def any_length(self) -> bool:
        """Whether a win of unknown length is one of them."""
        return self.shortest <= LEAST_PLIES and self.longest is None

    def fits(self, verdict: Verdict) -> bool:
        """Return whether a position with this verdict is such an ending."""
        distance = verdict.distance
        if verdict.value != self.goal or self.goal == "draw":
            return verdict.value == self.goal
        return self.any_length if distance is None else self.shortest <= distance <= (self.longest or distance)


def force_text(game: Game, force: Force) -> str:
    """Return the pieces of a side as text, such as `2 kings and 1 man`."""
    odds = game.piece_odds(game.rules.initial())
    plain = ("piece", "pieces") if odds is None else (odds.one, odds.many)
    counts = {kind: force.count(kind) for kind in reversed(force)}
    names = {kind: (kind, f"{kind}s") if kind else plain for kind in counts}
    return " and ".join(f"{n} {names[kind][n != 1]}" for kind, n in counts.items())


def forces_known(game: Game, oracles: Sequence[OracleHandle], seed: int = 0) -> list[tuple[Force, Force]]:
    """Return the pieces, own and other, of the endings that the oracles know, from few pieces to many.

    A few random positions of each are looked up. Raises GameforgeError if the game's pieces cannot be arranged.
    """
    board, base = _board(game), _base(game, seed)
    found: list[tuple[Force, Force]] = []
    for total in range(2, _MOST_PIECES + 1):
        known = []
        for size in range(1, total):
            for own, other in itertools.product(_forces(board, size), _forces(board, total - size)):
                drawn = itertools.islice(
                    _drawn(game, base, own, other, random.Random(f"{seed} {own} {other}")), _SAMPLES
                )
                if any(position is not None and ask(oracles, position) is not None for position in drawn):
                    known.append((own, other))
        if found and not known:
            break
        found += known
    return found


def draw_ending(game: Game, name: str, wanted: Ending, oracles: Sequence[OracleHandle], seed: int) -> Exercise:
    """Draw an ending in which at least one legal move misses the goal; the same one for the same seed.

    name: the game with its parameters. Raises GameforgeError if no such ending is found.
    """
    board = _board(game)
    wrong = [kind for kind in (*wanted.own, *wanted.other) if kind not in board.kinds]
    if wrong:
        raise GameforgeError(f"{wrong[0]!r} is not a kind of piece; allowed: {', '.join(map(repr, board.kinds))}")
    if not 2 <= len(wanted.own) + len(wanted.other) <= _MOST_PIECES or not wanted.own or not wanted.other:
        raise GameforgeError(f"an ending has pieces of both sides, at most {_MOST_PIECES} in all")
    pieces, known_ones = f"{force_text(game, wanted.own)} against {force_text(game, wanted.other)}", 0
    places = _drawn(game, _base(game, seed), wanted.own, wanted.other, random.Random(seed))
    for drawn, position in enumerate(itertools.islice(places, _TRIES)):
        known = None if position is None else ask(oracles, position)
        if position is None or known is None:
            if drawn >= _SAMPLES**2 and not known_ones:
                raise GameforgeError(f"no database knows {pieces}")
            continue
        known_ones += 1
        if not wanted.any_length and known.verdict.value == wanted.goal == "win" and known.verdict.distance is None:
            raise GameforgeError("the database does not know how long a win takes; ask for any length")
        if not wanted.fits(known.verdict):
            continue
        results = [one.known and one.known.verdict.value for one in known_moves(position, oracles)]
        if wanted.goal in results and any(result is not None and result != wanted.goal for result in results):
            return Exercise(game=name, start=position.fen, goal=wanted.goal, source=f"{pieces}: {known.verdict}")
    raise GameforgeError(f"of {pieces}, no such ending was found that can go wrong")


def answer(
    exercise: Exercise, position: Position, move: str, oracles: Sequence[OracleHandle], player: Player
) -> Answer:
    """Judge a move of the person, and answer it with the best one of the other side.

    position: the one before the move, with the moves that led to it from the start of the exercise. player: chooses
    among moves that oracles know to be equally good. Raises GameforgeError for an illegal move, and if no oracle knows
    the position.
    """
    made = position.play(move)
    text = str(Move(position, made.moves_played[-1]))
    if exercise.line:
        return _answer_in_line(exercise, made, text)
    known = next(one for one in known_moves(position, oracles) if one.move.code == made.last_move).known
    if known is None:
        raise GameforgeError(f"no database knows the position after {text}")
    value = known.verdict.value
    if value == "loss" or (exercise.goal == "win" and value == "draw"):
        return Answer(good=False, text=f"{text} {'gives the win away' if exercise.goal == 'win' else 'loses'}.")
    if made.outcome is not None:
        return Answer(good=True, done=True, text="Won." if value == "win" else "The draw is held.")
    if exercise.goal == "draw" and value == "draw" and len(made.moves_played) >= 2 * HOLD - 1:
        return Answer(good=True, done=True, text=f"The draw is held: {HOLD} moves without a mistake.")
    return Answer(good=True, reply=best_move(made, oracles, player), text=f"{text} is right.")


def _answer_in_line(puzzle: Exercise, made: Position, text: str) -> Answer:
    plies = len(made.moves_played)
    if plies > len(puzzle.line) or text != puzzle.line[plies - 1]:
        return Answer(good=False, text=f"{text} is not it.")
    if plies == len(puzzle.line):
        return Answer(good=True, done=True, text=f"{text} is right: solved.")
    return Answer(good=True, reply=_move(made, puzzle.line[plies]), text=f"{text} is right.")


def _move(position: Position, text: str) -> Move:
    return Move(position, position.play(text).moves_played[-1])


def solution(exercise: Exercise, position: Position, oracles: Sequence[OracleHandle], player: Player) -> Move:
    """Return a move of the person that is right; position: as for `answer`."""
    played = len(position.moves_played)
    if exercise.line and played < len(exercise.line):
        return _move(position, exercise.line[played])
    return best_move(position, oracles, player)


def best_move(position: Position, oracles: Sequence[OracleHandle], player: Player) -> Move:
    """Return the best move by the oracles; the player chooses among those that they do not distinguish."""
    known = known_moves(position, oracles)
    equal = [one.move for one in known if _result(one) == _result(known[0])]
    if len(equal) == 1:
        return equal[0]
    preferred = player.analyse(position).move
    return preferred if preferred in equal else equal[0]


def _result(one: KnownMove) -> tuple[str, int | None, int | None] | None:
    verdict = None if one.known is None else one.known.verdict
    return None if verdict is None else (verdict.value, verdict.distance, verdict.lead)


def _board(game: Game) -> Board:
    if game.board is None or game.board.arrange is None:
        raise GameforgeError(f"positions of {game.rules.name} cannot be set up piece by piece, so no endings are drawn")
    return game.board


def _forces(board: Board, size: int) -> list[Force]:
    return list(itertools.combinations_with_replacement(board.kinds, size))


def _base(game: Game, seed: int) -> State:
    """Return a state late in a random game: what is not on the board, such as men in hand, has been played."""
    best, longest = game.rules.initial(), 0
    for i in range(_BASES):
        chance, position = random.Random(f"{seed} {i}"), game.position()
        for ply in range(_PLIES):
            if position.outcome is not None:
                break
            if ply > longest:
                best, longest = position.state, ply
            position = position.after(chance.choice(position.codes))
        if longest >= _PLIES - 1:
            break
    return best


def _drawn(game: Game, base: State, own: Force, other: Force, chance: random.Random) -> Iterator[Position | None]:
    """Yield positions with these pieces on random cells; None for one that cannot occur or is over."""
    board = _board(game)
    assert board.arrange is not None
    cells = range(len(board.places))
    while True:
        turn = chance.randrange(2)
        places = chance.sample(cells, len(own) + len(other))
        sides = (turn,) * len(own) + (1 - turn,) * len(other)
        pieces = [Piece(*each) for each in zip(places, sides, (*own, *other), strict=True)]
        try:
            state = game.parse_position(game.position_text(board.arrange(base, pieces, turn)))
        except GameforgeError:
            yield None
            continue
        position = Position(game, state)
        yield None if position.outcome is not None else position


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

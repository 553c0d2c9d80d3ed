"""Analysis: rank the moves of a position, judge a game move by move, and explain a static score.

Scores are those of `gameforge.interfaces.evaluator`, for the side to move or, in a game, for the mover.

An explanation says what each piece and each input of a net contributes to the evaluator's score. The contribution of a
piece is the difference that its removal makes; that of an input, the difference when it is 0. This works for evaluators
of every kind, and for all boards whose pieces can be arranged (gameforge.interfaces.board).
"""

import itertools
from collections.abc import Callable, Mapping, Sequence

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Piece
from gameforge.interfaces.evaluator import PLY, PROVEN_WIN, WON, NetFunctions, Unit
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.oracle import Value, Verdict
from gameforge.play.display import Tabular
from gameforge.play.game import Move, Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player

_OPPOSITE: dict[Value, Value] = {"win": "loss", "loss": "win", "draw": "draw"}
_RANK: dict[Value, int] = {"loss": 0, "draw": 1, "win": 2}


@attrs.frozen(kw_only=True)
class Known:
    """A verdict and the oracle that gave it."""

    verdict: Verdict
    """What the oracle knows."""
    oracle: str
    """The name of the oracle."""


@attrs.frozen(kw_only=True)
class KnownMove:
    """A legal move with what oracles know about the position after it; nothing is searched."""

    move: Move
    """The move."""
    known: Known | None
    """The verdict for the side that makes the move; None if no oracle knows the position."""


@attrs.frozen(kw_only=True)
class Candidate:
    """A legal move with its score and the line that is expected to follow."""

    move: Move
    """The move."""
    score: float
    """Its score for the side that makes the move; bands in gameforge.interfaces.evaluator."""
    line: tuple[Move, ...]
    """Begins with the move."""
    depth: int
    """Plies searched, the move included; 0 if the searcher does not report a depth."""
    nodes: int
    """Nodes of the search of this move."""
    limit: str
    """The limit that ended the search: depth, nodes, simulations or time; "" if none did."""
    known: Known | None
    """The verdict on the position after the move, for the side that makes the move."""
    policy: float | None = None
    """The probability that the evaluator gives to the move without a search; None if it has no policy."""


@attrs.frozen(kw_only=True)
class Judged:
    """A move of a game with its analysis; scores and verdicts are for the side that made it."""

    move: Move
    """The move that was made."""
    best: Move
    """The move that the player prefers; the same move if it was the best."""
    line: tuple[Move, ...]
    """The moves that the player expected; begins with `best`."""
    before: float
    """Score of the best move, from a search of the position after it."""
    after: float
    """Score of the move made, likewise."""
    known_before: Known | None
    """The verdict on the position before the move; None if no oracle knows it."""
    known_after: Known | None
    """The verdict on the position after the move; None if no oracle knows it."""
    depth: int
    """Plies searched, the move included; 0 if the searcher does not report a depth, or if the move ended the game."""

    @property
    def loss(self) -> float:
        """How much worse the move is than the best one, on the heuristic scale: won is 1, lost is -1."""
        return max(0.0, _bounded(self.before) - _bounded(self.after))

    @property
    def heuristic_loss(self) -> float | None:
        """The loss if neither score is a win or a loss, so that it can be measured in pieces; else None."""
        return None if max(abs(self.before), abs(self.after)) >= WON else self.loss

    @property
    def dropped(self) -> tuple[Value, Value] | None:
        """(verdict before, verdict after) if oracles know both and the second is worse; else None."""
        if self.known_before is None or self.known_after is None:
            return None
        before, after = self.known_before.verdict.value, self.known_after.verdict.value
        return (before, after) if _RANK[after] < _RANK[before] else None


@attrs.frozen(kw_only=True)
class GameAnalysis(Tabular):
    """A game with the analysis of each of its moves."""

    start: Position
    """The position in which the game began."""
    end: Position
    """The position in which it ended."""
    moves: tuple[Judged, ...]
    """All moves of the game in their order."""
    scores: tuple[float, ...]
    """Scores of all positions, the last one included, for the first mover."""
    known: tuple[Known | None, ...]
    """Verdicts on all positions, for the side to move in each."""

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each move of the game; scores are for the side that made it."""
        return [
            {
                "ply": ply,
                "side": judged.move.position.turn,
                "move": str(judged.move),
                "best": str(judged.best),
                "before": judged.before,
                "after": judged.after,
                "loss": judged.loss,
                "depth": judged.depth,
            }
            for ply, judged in enumerate(self.moves, 1)
        ]

    def __str__(self) -> str:
        return f"a game of {len(self.moves)} moves, {len(self.lost_wins)} of which gave a win away"

    @property
    def lost_wins(self) -> list[int]:
        """Indices of the moves that gave a win away, according to the oracles."""
        return [i for i, move in enumerate(self.moves) if move.dropped is not None and move.dropped[0] == "win"]


def mark(judged: Judged, mistake: float) -> str:
    """Return the mark of a move: `??`, `?` or "".

    `??`: it loses a won or drawn game. `?`: it gives up a win for a draw, or loses at least `mistake` of the score. If
    oracles know the positions before and after the move, only they count.
    """
    if judged.known_before is not None and judged.known_after is not None:
        return "" if judged.dropped is None else "??" if judged.dropped[1] == "loss" else "?"
    if judged.loss >= 1.0:
        return "??"
    return "?" if judged.loss >= mistake else ""


def least_loss(unit: Unit) -> float:
    """Return the least loss of a move that `graded` marks: 5 % of the points, or half of a piece.

    unit: that of the scores. Plain scores count as expected results.
    """
    return Unit.EXPECTED_RESULT.worth * 5 if unit.one in ("", Unit.EXPECTED_RESULT.one) else unit.worth / 2


def graded(judged: Judged, least: float) -> str:
    """Return the mark of a move for a person who reviews a game: `?!`, `?`, `??` or "".

    `?!`: it loses at least `least`; `?`: twice as much; `??`: four times as much. If oracles know the positions before
    and after the move, only they count, as for `mark`.
    """
    if judged.known_before is not None and judged.known_after is not None:
        return mark(judged, least)
    return next((text for text, times in (("??", 4), ("?", 2), ("?!", 1)) if judged.loss >= times * least), "")


def ask(oracles: Sequence[OracleHandle], position: Position) -> Known | None:
    """Return the verdict of the first oracle that knows the position; None if no oracle does."""
    for oracle in oracles:
        verdict = oracle.get(position)
        if verdict is not None:
            return Known(verdict=verdict, oracle=str(oracle.spec))
    return None


def known_moves(position: Position, oracles: Sequence[OracleHandle]) -> list[KnownMove]:
    """Return all legal moves, best first, with the verdict of the first oracle that knows the position after each.

    Near wins come before far ones, then draws, moves that no oracle knows, and losses, far ones before near ones. The
    end of the game by the rules is a verdict, too. Raises GameforgeError if the game is over.
    """
    position.require_running()
    found = [
        KnownMove(move=move, known=_opposite(_ended(child) or ask(oracles, child)))
        for move in position.legal_moves
        for child in (position.after(move.code),)
    ]
    return sorted(found, key=_rank_of_known)


def _ended(position: Position) -> Known | None:
    """Return the verdict of the rules on a position in which the game is over."""
    outcome = position.outcome
    if outcome is None:
        return None
    value: Value = "draw" if outcome.winner is None else "win" if outcome.winner == position.turn else "loss"
    return Known(verdict=Verdict(value, None if value == "draw" else 0), oracle="rules")


def _rank_of_known(one: KnownMove) -> tuple[int, int]:
    if one.known is None:
        return 2, 0
    verdict = one.known.verdict
    if verdict.lead is not None:
        return {"win": 0, "draw": 1, "loss": 3}[verdict.value], -verdict.lead
    distance = verdict.distance or 0
    return {"win": (0, distance), "draw": (1, 0), "loss": (3, -distance)}[verdict.value]


def threat_position(position: Position) -> Position:
    """Return the position with the other side to move: what that side would do shows what it threatens.

    Raises GameforgeError if the game's pieces cannot be arranged, or if the position cannot occur or is over.
    """
    game, board = position.game, position.game.board
    if board is None or board.arrange is None:
        raise GameforgeError(f"the side to move of a position of {game.rules.name} cannot be changed")
    state = board.arrange(position.state, list(board.pieces(position.state)), 1 - position.turn)
    passed = Position(game, game.parse_position(game.position_text(state)))
    passed.require_running()
    return passed


def candidates(player: Player, position: Position, oracles: Sequence[OracleHandle] = ()) -> list[Candidate]:
    """Return all legal moves, best first; the position after each is searched with the player's limits.

    A win or loss that an oracle knows outranks any score. Raises GameforgeError if the game is over.
    """
    position.require_running()
    policy = dict(zip(position.codes, player.policy(position) or (), strict=False))
    found = [
        attrs.evolve(candidate(player, move, oracles), policy=policy.get(move.code)) for move in position.legal_moves
    ]
    return sorted(found, key=worth, reverse=True)


def judge(
    player: Player,
    game: GameRecord,
    oracles: Sequence[OracleHandle] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
    judged: Callable[[Judged], None] = lambda move: None,
) -> GameAnalysis:
    """Search every position of a game and, where the player prefers another move, the position after that move.

    * `progress`: called after each position with the numbers of those searched and of all; an exception that it raises
      ends the analysis.
    * `judged`: called with each move as soon as it is judged.

    The loss of a move thus compares two positions with the same side to move, searched with the same limits. Scores of
    positions one ply apart would differ for another reason, too: one search ends with the other side's move.
    """
    start = Position(player.game, game.start)
    positions = list(itertools.accumulate(game.codes, Position.after, initial=start))
    known = [ask(oracles, start)]
    score, line, *_ = _searched(player, start)
    scores, moves = [score], []
    for i, code in enumerate(game.codes):
        progress(i + 1, len(positions))
        score, after, _, depth, _ = _searched(player, positions[i + 1])
        move, expected = Move(positions[i], code), line
        known.append(ask(oracles, positions[i + 1]))  # move by move, so that the first judgement comes at once
        scores.append(score)
        line = after
        moves.append(_judged(player, move, score, expected, depth, (known[i], _opposite(known[i + 1]))))
        judged(moves[-1])
    progress(len(positions), len(positions))
    firsts = tuple(-score if p.turn else score for score, p in zip(scores, positions, strict=True))
    return GameAnalysis(start=start, end=positions[-1], moves=tuple(moves), scores=firsts, known=tuple(known))


def _judged(
    player: Player,
    move: Move,
    score: float,
    expected: tuple[Move, ...],
    depth: int,
    known: tuple[Known | None, Known | None],
) -> Judged:
    """Judge a move by the score of the position after it, for the side to move there, and its depth.

    expected: the line that the player expected before the move. known: the verdicts before and after it, for the mover.
    """
    before = after = _seen_before(score)
    line = expected or (move,)
    best = line[0]
    if best != move:
        better, rest, *_ = _searched(player, move.position.after(best.code))
        before, line = _seen_before(better), (best, *rest)
    return Judged(
        move=move,
        best=best,
        line=line,
        before=before,
        after=after,
        known_before=known[0],
        known_after=known[1],
        depth=depth + 1 if depth else 0,
    )


def worth(one: Candidate) -> float:
    """Return the number by which candidates are ranked: a win or loss that an oracle knows outranks any score.

    Where it knows the lead at the end, the larger one ranks higher.
    """
    if one.known is None:
        return one.score
    if one.known.verdict.lead is not None:
        return one.known.verdict.lead * (2 * PROVEN_WIN)
    rank = _RANK[one.known.verdict.value] - _RANK["draw"]
    return rank * (2 * PROVEN_WIN) + abs(rank) * one.score


def candidate(player: Player, move: Move, oracles: Sequence[OracleHandle] = ()) -> Candidate:
    """Search the position after a legal move with the player's limits."""
    child = move.position.after(move.code)
    score, line, nodes, depth, limit = _searched(player, child)
    return Candidate(
        move=move,
        score=_seen_before(score),
        line=(move, *line),
        depth=depth + 1 if depth else 0,
        nodes=nodes,
        limit=limit,
        known=_opposite(ask(oracles, child)),
    )


def _searched(player: Player, position: Position) -> tuple[float, tuple[Move, ...], int, int, str]:
    """Search a position: (score for the side to move, line, nodes, depth, limit that ended the search).

    If the game is over, the score is exact.
    """
    outcome = position.outcome
    if outcome is not None:
        return (outcome.points(position.turn) - 1) * PROVEN_WIN, (), 0, 0, ""
    analysis = player.analyse(position)
    line = tuple(analysis.line) or (analysis.move,)
    return analysis.score, line, analysis.nodes, analysis.depth, analysis.limit


def _seen_before(score: float) -> float:
    """Convert a score to the side that has just moved, which is one ply further from the end of the game."""
    farther = PLY if abs(score) > WON else 0.0
    return -score + (farther if score > 0 else -farther)


def _opposite(known: Known | None) -> Known | None:
    if known is None:
        return None
    distance, lead = known.verdict.distance, known.verdict.lead
    verdict = Verdict(
        _OPPOSITE[known.verdict.value],
        None if distance is None else distance + 1,
        lead=None if lead is None else -lead,
    )
    return Known(verdict=verdict, oracle=known.oracle)


def _bounded(score: float) -> float:
    return max(-WON, min(WON, score))


@attrs.frozen(kw_only=True)
class Input:
    """An input of a net."""

    name: str
    value: float
    share: float
    """How much the score would fall if the input were 0."""


@attrs.frozen(kw_only=True)
class Explanation:
    """A static score and its parts, for the side to move; no search is involved."""

    score: float
    pieces: tuple[tuple[Piece, float], ...]
    """The pieces, and how much the score would fall without each; empty if the game's board cannot be rearranged."""
    inputs: tuple[Input, ...]
    """The inputs of a net; empty for other evaluators."""


def explain(player: Player, position: Position) -> Explanation:
    """Explain the evaluator's score of a position; GameforgeError if the player has no evaluator."""
    import numpy as np

    if player.parts.net is None:
        raise GameforgeError(f"player {player.name} has no evaluator, so it has no opinion to explain")
    state, board = position.state, position.game.board
    states, pieces = [state], []
    if board is not None and board.arrange is not None:
        pieces = list(board.pieces(state))
        states += [board.arrange(state, [*pieces[:i], *pieces[i + 1 :]], position.turn) for i in range(len(pieces))]
    scores = player.values(np.array(states, np.uint64)).tolist()
    worths = [scores[0] - score for score in scores[1:]]
    return Explanation(
        score=scores[0], pieces=tuple(zip(pieces, worths, strict=True)), inputs=_inputs(player, position)
    )


def _inputs(player: Player, position: Position) -> tuple[Input, ...]:
    net = player.parts.net
    if not isinstance(net, NetFunctions):
        return ()
    values, scores = player.inputs(position.state)
    names = net.features.names or tuple(f"input {i + 1}" for i in range(net.features.inputs))
    shares = (scores[0] - scores[1:]).tolist()
    return tuple(
        Input(name=name, value=value, share=share)
        for name, value, share in zip(names, values.tolist(), shares, strict=True)
    )

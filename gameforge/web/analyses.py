"""The analysis that keeps deepening, and the analysis of a whole game.

The first searches all legal moves with growing limits and reports every step; the second finds the game's graph, its
mistakes and the better moves.
"""

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from gameforge.coaching.accuracy import GOOD_ENOUGH, PHASES, accuracy, lost_result, phases
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import UNSCORED, WON, Unit
from gameforge.interfaces.games import GameRecord
from gameforge.play.analysis import Candidate, Judged, candidate, judge, worth
from gameforge.play.game import Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player, score_unit
from gameforge.web.searches import Stopper
from gameforge.web.site import Backend
from gameforge.web.views import JsonObject, Send

_INTERVAL = 0.1
"""Seconds between updates; a step that ends sooner is reported with the next one."""


@attrs.define
class Now:
    """The search that an analysis is running; another thread may read it."""

    step: int = 0
    """Number of the step, from 1; each searches all moves with a larger limit."""
    move: str = ""
    done: int = 0
    """Number of moves that this step has searched."""


def deepening(
    player: Player, position: Position, oracles: Sequence[OracleHandle], backend: Backend, stopper: Stopper, now: Now
) -> Iterator[JsonObject]:
    """Yield the analysis of a position after each move that has been searched, until `stopper` ends it.

    now: is changed whenever the next move is searched.
    """
    position.require_running()
    began, nodes, reported = time.perf_counter(), 0, 0.0
    found: dict[int, Candidate] = {}
    order = position.legal_moves
    policy = dict(zip(position.codes, player.policy(position) or (), strict=False))
    text, unit = functools.partial(backend.score, player=player, position=position), score_unit(player)
    for number, limits in enumerate(Player.growing_limits(backend.limits(player, backend.registry)), 1):
        step = backend.with_limits(player, limits)
        with stopper.stopping(step):
            for done, move in enumerate(order):
                now.step, now.move, now.done = number, str(move), done
                one = candidate(step, move, oracles)
                if stopper.stopped:
                    return
                found[move.code] = one
                nodes += one.nodes
                seconds = time.perf_counter() - began
                if seconds - reported >= _INTERVAL and len(found) == len(order):
                    reported = seconds
                    yield _update(found, nodes, seconds, text, unit, policy)
        best = sorted(found.values(), key=worth, reverse=True)
        order = [one.move for one in best]
        yield _update(found, nodes, time.perf_counter() - began, text, unit, policy)


def _update(
    found: dict[int, Candidate],
    nodes: int,
    seconds: float,
    text: Callable[[float], str],
    unit: Unit,
    policy: Mapping[int, float],
) -> JsonObject:
    best = sorted(found.values(), key=worth, reverse=True)
    return {
        "nodes": nodes,
        "seconds": seconds,
        "moves": [
            {
                "move": str(one.move),
                "line": list(map(str, one.line)),
                "score": None if unit == UNSCORED and abs(one.score) < WON else one.score,
                "text": lead_text(one) or text(one.score),
                "depth": one.depth,
                "short": square_text(one, unit),
                "policy": policy.get(one.move.code),
                "known": None if one.known is None else lead_text(one) or str(one.known.verdict),
            }
            for one in best
        ],
    }


def lead_text(one: Candidate) -> str:
    """Return the lead at the end of the game if an oracle knows it, such as `+8 discs`; "" if none does."""
    lead = None if one.known is None else one.known.verdict.lead
    odds = one.move.position.game.piece_odds(one.move.position.state)
    if lead is None or odds is None:
        return ""
    return f"{lead:+d} {odds.one if abs(lead) == 1 else odds.many}"


def square_text(one: Candidate, unit: Unit) -> str | None:
    """Return what a move that places a piece is worth, for its square: the lead at the end, exact or expected.

    unit: that of the scores. None in games that are not won by a count of pieces.
    """
    odds = one.move.position.game.piece_odds(one.move.position.state)
    if odds is None or math.isinf(odds.most):
        return None
    if one.known is not None and one.known.verdict.lead is not None:
        return f"{one.known.verdict.lead:+d}"
    if abs(one.score) >= WON:
        return "win" if one.score > 0 else "loss"
    if unit == UNSCORED:
        return None
    expected = unit.piece_odds is not None
    return f"~{odds.amount(one.score) if expected else unit.amount(one.score):+.0f}"


def judged_game(
    player: Player, record: GameRecord, oracles: Sequence[OracleHandle], backend: Backend, stopper: Stopper, send: Send
) -> JsonObject:
    """Return the scores of all positions of a game, for the first mover, a judgement of each move, and the accuracies.

    There are no scores if the player's searcher has none. "phases" names the phase of each move. "accuracy" has a list
    for each side: of the whole game, then of each phase; None if the side had no choice. Before, each move's mark and
    score are sent as soon as it is judged.
    """
    unit = score_unit(player)
    mistake, seen = backend.mistake(unit), 0

    def progress(done: int, total: int) -> None:
        if stopper.stopped:
            raise GameforgeError("the analysis was stopped")
        send({"preparing": "Analysing the game", "share": done / total})

    def judged(move: Judged) -> None:
        nonlocal seen
        seen += 1
        score = move.after if move.move.position.turn == 0 else -move.after
        shown = None if unit == UNSCORED else max(-1.0, min(1.0, score))
        send({"judged": seen, "mark": backend.mark(move, mistake), "score": shown})

    analysis = judge(player, record, oracles, progress, judged)
    moves = [
        {
            "mark": backend.mark(one, mistake),
            "remark": backend.remark(analysis, i, unit),
            "loss": backend.loss(one, unit),
            "lesson": lost_result(one, unit) >= GOOD_ENOUGH,
            "best": str(one.best),
            "line": list(map(str, one.line)),
        }
        for i, one in enumerate(analysis.moves)
    ]
    accuracies = [[accuracy(analysis, side, unit, phase) for phase in (None, *PHASES)] for side in (0, 1)]
    return {
        "scores": [] if unit == UNSCORED else [max(-1.0, min(1.0, score)) for score in analysis.scores],
        "moves": moves,
        "phases": phases(analysis),
        "accuracy": accuracies,
    }

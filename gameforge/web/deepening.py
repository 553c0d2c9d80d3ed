"""The analysis that keeps deepening: all legal moves are searched with growing limits, and every step is reported."""

import time
from collections.abc import Callable, Iterator, Sequence

from gameforge.errors import GameforgeError
from gameforge.play.analysis import Candidate, candidate, worth
from gameforge.play.game import Position
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.web.backend import Backend
from gameforge.web.searches import Stopper
from gameforge.web.views import Json

_DEEPEST = 60
_SIMULATIONS = 64
"""Simulations of the first step of a searcher that counts them; each step doubles them."""
_STEPS = 24
_INTERVAL = 0.1
"""Seconds between updates; a step that ends sooner is reported with the next one."""


def deepening(
    player: Player, position: Position, oracles: Sequence[OracleHandle], backend: Backend, stopper: Stopper
) -> Iterator[Json]:
    """Yield the analysis of a position after each move that has been searched, until `stopper` ends it."""
    if position.outcome is not None:
        raise GameforgeError(f"the game is over: {position.outcome.reason}")
    began, nodes, reported = time.perf_counter(), 0, 0.0
    found: dict[int, Candidate] = {}
    order = position.legal_moves

    def text(score: float) -> str:
        return backend.score_text(score, player)

    for step in _steps(player, backend):
        with stopper.stopping(step):
            for move in order:
                one = candidate(step, move, oracles)
                if stopper.stopped:
                    return
                found[move.code] = one
                nodes += one.nodes
                now = time.perf_counter() - began
                if now - reported >= _INTERVAL and len(found) == len(order):
                    reported = now
                    yield _update(found, nodes, now, text)
        best = sorted(found.values(), key=worth, reverse=True)
        order = [one.move for one in best]
        yield _update(found, nodes, time.perf_counter() - began, text)


def _steps(player: Player, backend: Backend) -> Iterator[Player]:
    """Yield the player with growing limits; only the player itself if its searcher has none that grow."""
    known = backend.limits(player)
    if "depth" in known:
        for depth in range(1, _DEEPEST + 1):
            yield backend.limited(player, depth=depth)
    elif "simulations" in known:
        for i in range(_STEPS):
            yield backend.limited(player, simulations=_SIMULATIONS << i)
    else:
        yield player


def _update(found: dict[int, Candidate], nodes: int, seconds: float, text: Callable[[float], str]) -> Json:
    best = sorted(found.values(), key=worth, reverse=True)
    return {
        "nodes": nodes,
        "seconds": seconds,
        "moves": [
            {
                "move": str(one.move),
                "line": list(map(str, one.line)),
                "score": one.score,
                "text": text(one.score),
                "depth": one.depth,
                "known": None if one.known is None else str(one.known.verdict),
            }
            for one in best
        ],
    }

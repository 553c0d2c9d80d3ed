"""What the opponent of a person answers: moves, hints, and the values that oracles know."""

import time
from collections.abc import Sequence

from gameforge.cli.shared.score_text import score_text
from gameforge.errors import GameforgeError, NotCovered
from gameforge.play.game import Move, Position
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.play.score_unit import score_unit


def player_move(player: Player, position: Position) -> tuple[Move, str]:
    """Return the player's move and the reason for it: the only move, a book move, or score and time of the search."""
    known = _without_search(player, position)
    if known is not None:
        return known
    began = time.perf_counter()
    analysis = player.analyse(position)
    seconds = time.perf_counter() - began
    return analysis.move, f"{score_text(analysis.score, score_unit(player), position.state)}, {seconds:.1f} s"


def hint_text(player: Player, position: Position) -> str:
    """Return the move that the player would make, with the reason or with score and line."""
    known = _without_search(player, position)
    if known is not None:
        return f"{known[0]}: {known[1]}"
    analysis = player.analyse(position)
    line = " ".join(map(str, analysis.line))
    return f"{analysis.move}: {score_text(analysis.score, score_unit(player), position.state)}, {line}"


def verdict_text(oracles: Sequence[OracleHandle], position: Position) -> str:
    """Return the value of the position by the first oracle that knows it; if none does, the reason of each.

    Raises GameforgeError if there is no oracle.
    """
    if not oracles:
        raise GameforgeError("there is no oracle; choose one with --oracle NAME")
    side = position.game.rules.sides[position.turn]
    reasons = []
    for oracle in oracles:
        try:
            return f"{oracle.spec}: a {oracle.probe(position)} for {side}"
        except NotCovered as reason:
            reasons.append(str(reason))
    return "\n".join(reasons)


def _without_search(player: Player, position: Position) -> tuple[Move, str] | None:
    if len(position.codes) == 1:
        return position.legal_moves[0], "the only move"
    move = player.book_move(position)
    return None if move is None else (move, "book move")

"""Results of games: the codes of kernels, the reasons that belong to them, and what a person reads."""

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules

RUNNING, WIN, LOSS, DRAW = 0, 1, 2, 3
"""Codes of `outcome`, for the side to move; `code + 4 * i` tells that reasons[i] is why."""
MAX_REASONS = 32
"""Rules may name up to this many reasons; the core's own draw reasons follow behind them."""
DRAW_REASONS = ("repetition", "no progress", "ply cap", "shuffle")
"""Reasons of the draws that the core adjudicates by a game's DrawRules, from index MAX_REASONS on."""
FORFEIT_REASONS = ("crash", "illegal move")
"""Reasons for which a player loses whatever the position is; they follow behind the draws."""
ADJUDICATED_REASON = "adjudicated"
"""An oracle knew how the game would end, and somebody wanted no more of it; behind the forfeits."""
_CORE_REASONS = (*DRAW_REASONS, *FORFEIT_REASONS, ADJUDICATED_REASON)


@attrs.frozen
class Outcome:
    """How a game ended."""

    winner: int | None
    """0 the first mover, 1 the second, None a draw."""
    reason: str
    loop: bool = False
    """True if the reason is one that the game counts as a loop draw."""

    def points(self, side: int) -> int:
        """2 for a win of this side, 1 for a draw, 0 for a loss."""
        return 1 if self.winner is None else 2 * (self.winner == side)


UNFINISHED = Outcome(None, "unfinished")
"""Stands in the record of a game that has no result."""


def code_of(rules: Rules, outcome: Outcome, to_move: int) -> int:
    """The code that outcome_of reads as the outcome of a finished game, for a state with this side to move."""
    result = DRAW if outcome.winner is None else WIN if outcome.winner == to_move else LOSS
    reasons, first = (rules.reasons, 0) if outcome.reason in rules.reasons else (_CORE_REASONS, MAX_REASONS)
    return result + 4 * (first + reasons.index(outcome.reason))


def outcome_of(rules: Rules, code: int, to_move: int) -> Outcome | None:
    """The outcome that a kernel's code means for a state with this side to move; None: it runs."""
    result, index = code & 3, code >> 2
    if result == RUNNING:
        return None
    reasons, i = (rules.reasons, index) if index < MAX_REASONS else (_CORE_REASONS, index - MAX_REASONS)
    if i >= len(reasons):
        raise GameforgeError(f"rules {rules.name}: outcome gave reason {i}, but the last one is {len(reasons) - 1}")
    winner = None if result == DRAW else to_move if result == WIN else 1 - to_move
    return Outcome(winner, reasons[i], reasons[i] in rules.draws.loops)

"""Outcomes of games: the codes that kernels use, the reasons, and the outcome that users see."""

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules

RUNNING, WIN, LOSS, DRAW = 0, 1, 2, 3
"""Results that the function `outcome` returns, for the side to move; it adds 4 * i if reasons[i] is the reason."""
MAX_REASONS = 32
"""Maximum number of reasons of a game's rules; the core's own reasons follow them."""
DRAW_REASONS = ("repetition", "no progress", "ply cap", "shuffle")
"""Reasons for draws that the core adjudicates by a game's DrawRules, from index MAX_REASONS on."""
FORFEIT_REASONS = ("crash", "illegal move", "time")
"""Reasons why a player loses whatever the position is; they follow the draw reasons."""
ADJUDICATED_REASON = "adjudicated"
"""The game was ended early because an oracle knew its result; it follows the forfeit reasons."""
_CORE_REASONS = (*DRAW_REASONS, *FORFEIT_REASONS, ADJUDICATED_REASON)


@attrs.frozen
class Outcome:
    """How a game ended."""

    winner: int | None
    """0: the first mover, 1: the second, None: a draw."""
    reason: str
    """Why the game ended, in words, such as `no moves`."""
    loop: bool = False
    """True if the game counts draws for this reason as loop draws."""

    def points(self, side: int) -> int:
        """Return 2 for a win of this side, 1 for a draw, 0 for a loss."""
        return 1 if self.winner is None else 2 * (self.winner == side)


UNFINISHED = Outcome(None, "unfinished")
"""The outcome in the record of a game that has no result."""


def code_of(rules: Rules, outcome: Outcome, to_move: int) -> int:
    """Encode the outcome of a finished game, for a final state with this side to move; the inverse of outcome_of."""
    result = DRAW if outcome.winner is None else WIN if outcome.winner == to_move else LOSS
    reasons, first = (rules.reasons, 0) if outcome.reason in rules.reasons else (_CORE_REASONS, MAX_REASONS)
    return result + 4 * (first + reasons.index(outcome.reason))


def outcome_of(rules: Rules, code: int, to_move: int) -> Outcome | None:
    """Decode the outcome of a state with this side to move; None if the game is running.

    Raises GameforgeError for a reason that the rules do not have.
    """
    result, index = code & 3, code >> 2
    if result == RUNNING:
        return None
    reasons, i = (rules.reasons, index) if index < MAX_REASONS else (_CORE_REASONS, index - MAX_REASONS)
    if not 0 <= i < len(reasons):
        raise GameforgeError(f"rules {rules.name}: outcome returned reason {i}; the last reason is {len(reasons) - 1}")
    winner = None if result == DRAW else to_move if result == WIN else 1 - to_move
    return Outcome(winner, reasons[i], reasons[i] in rules.draws.loops)

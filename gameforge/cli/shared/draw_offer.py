"""The answer of a player to an offer of a draw."""

from collections.abc import Sequence

from gameforge.interfaces.evaluator import WON
from gameforge.play.analysis import ask
from gameforge.play.game import Position
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player

EARLIEST = 20
"""Number of plies that a game must have before a player accepts a draw without knowing that it is one."""
EVEN = 0.02
"""A player accepts a draw if its plain score is at most this: less than a man, or 51 % of the points."""


def answer(player: Player, position: Position, side: int, oracles: Sequence[OracleHandle]) -> tuple[bool, str]:
    """Return whether the player of this side accepts a draw in the position, and why.

    What an oracle knows decides; otherwise the player searches the position, in which either side may be to move.
    """
    known = ask(oracles, position)
    if known is not None:
        value = known.verdict.value
        wins = value == ("win" if position.turn == side else "loss")
        return not wins, f"{known.oracle} knows a win" if wins else f"by {known.oracle}"
    if len(position.moves_played) < EARLIEST:
        return False, f"it is too early; draws are accepted after {EARLIEST} plies"
    score = player.analyse(position).score
    own = score if position.turn == side else -score
    if own > EVEN:
        return False, "the player has winning chances" if own < WON else "the player sees a win"
    return True, "the score is about even" if own >= -EVEN else "the player is worse"

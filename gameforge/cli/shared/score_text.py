"""Scores and differences of scores as text, in the unit of the player that gave them."""

from gameforge.cli.shared.figures_text import counted
from gameforge.interfaces.evaluator import HEURISTIC_LIMIT, ORACLE_WIN, PLY, PROVEN_WIN, WON
from gameforge.interfaces.rules import State
from gameforge.interfaces.units import PLAIN, Unit


def score_text(score: float, unit: Unit = PLAIN, state: State | None = None) -> str:
    """Format a score: `+0.120`, `+1.50 men`, `61.3 %`, or `win` or `loss`, with the number of plies if it is proven.

    state: the position that has this score. With it, an expected result is also shown in pieces if the unit knows how.
    """
    size, result = abs(score), "win" if score > 0 else "loss"
    if size < WON:
        text = _amount(unit.amount(score), unit.decimals, unit.one, unit.many, signed=unit.even == 0)
        odds = None if unit.piece_odds is None or state is None else unit.piece_odds(state)
        if odds is None:
            return text
        bounded = max(-HEURISTIC_LIMIT, min(HEURISTIC_LIMIT, score))
        return f"{text} ({_amount(odds.amount(bounded), odds.decimals, odds.one, odds.many, signed=True)})"
    plies = round((PROVEN_WIN - size) / PLY) if size > ORACLE_WIN else 0
    return f"{result} in {counted(plies, 'ply', 'plies')}" if plies else result


def difference_text(difference: float, unit: Unit = PLAIN) -> str:
    """Format a difference of two heuristic scores, which is not negative: `0.120`, `1.50 men`, `12.0 %`."""
    return _amount(difference / unit.worth, unit.decimals, unit.one, unit.many, signed=False)


def _amount(amount: float, decimals: int, one: str, many: str, *, signed: bool) -> str:
    rounded = round(amount, decimals) + 0.0  # without -0.0
    name = one if abs(rounded) == 1 else many
    return f"{rounded:{'+' if signed else ''}.{decimals}f} {name}".rstrip()

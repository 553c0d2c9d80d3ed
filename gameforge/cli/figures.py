"""Figures as short text: numbers, rates and results of trainings and matches, and scores in the unit of a player."""

import math

from gameforge.interfaces.evaluator import (
    HEURISTIC_LIMIT,
    ORACLE_WIN,
    PLAIN,
    PLY,
    PROVEN_WIN,
    UNSCORED,
    WON,
    PieceOdds,
    Unit,
)
from gameforge.interfaces.rules import State
from gameforge.play.display import counted

Figure = float | int | bool | str
_ROUNDING = 1e-12
"""What smaller figures differ from 0 by is due to rounding, such as the Elo of a score of a half."""


def figure_text(value: Figure | None) -> str:
    """Format a figure with four significant digits, but all digits before the decimal point."""
    if value is None or value is False:
        return "" if value is None else "no"
    if value is True:
        return "yes"
    if isinstance(value, float):
        if abs(value) < _ROUNDING:
            return "0"
        return f"{value:.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return str(value)


def rate_text(games: int, seconds: float) -> str:
    """Format the speed of games in the unit of second, minute and hour that gives a number above 1."""
    rate = games / seconds if seconds > 0 else 0.0
    for unit, length in (("s", 1), ("min", 60), ("h", 3600)):
        if rate * length >= 1 or unit == "h":
            number = rate * length
            return f"{number:.0f} games/{unit}" if number >= 10 else f"{number:.1f} games/{unit}"
    raise AssertionError("hours are the last unit")


def milliseconds_text(seconds: float) -> str:
    """Format a short time with three significant digits, but all digits before the decimal point: `0.0000730 ms`."""
    milliseconds = 1000 * seconds
    decimals = 2 - math.floor(math.log10(milliseconds)) if milliseconds > 0 else 0
    return f"{milliseconds:.{max(0, decimals)}f} ms"


def results_text(wins: int, draws: int, losses: int) -> str:
    """Format results as `+12 =3 -5`."""
    return f"+{wins} ={draws} -{losses}"


def score_text(score: float, unit: Unit = PLAIN, state: State | None = None) -> str:
    """Format a score: `+0.120`, `+1.50 men`, `61.3 %`, or `win` or `loss`, with the number of plies if it is proven.

    `no score` if the searcher scores no positions (UNSCORED).
    state: the position that has this score. With it, an expected result is also shown in pieces if the unit knows how.
    """
    if abs(score) >= WON:
        plies = _plies(score)
        return f"{_result(score)} in {counted(plies, 'ply', 'plies')}" if plies else _result(score)
    if unit == UNSCORED:
        return "no score"
    text = _amount(unit.amount(score), unit.decimals, unit.one, unit.many, signed=unit.even == 0)
    odds = None if state is None else _odds(unit, state)
    if odds is None:
        return text
    return f"{text} ({_amount(_pieces(score, odds), odds.decimals, odds.one, odds.many, signed=True)})"


def score_numbers(score: float, unit: Unit, state: State) -> dict[str, float | str | None]:
    """Return what `score_text` shows, as numbers that are not rounded.

    `amount`, in the unit, and `pieces`, None if the unit does not know them; both are None for a win or a loss, and if
    the searcher scores no positions.
    `result`: `win` or `loss`, and `plies` to it if the search has proven it; both are None for a heuristic score.
    """
    if abs(score) >= WON:
        return {"amount": None, "pieces": None, "result": _result(score), "plies": _plies(score)}
    odds = _odds(unit, state)
    pieces = None if odds is None else _pieces(score, odds)
    amount = None if unit == UNSCORED else unit.amount(score)
    return {"amount": amount, "pieces": pieces, "result": None, "plies": None}


def unit_names(unit: Unit, state: State) -> dict[str, str | None]:
    """Return the plural names of the unit and of its pieces; None for plain scores and if it does not know pieces."""
    odds = _odds(unit, state)
    return {"unit": unit.many or None, "piece_unit": None if odds is None else odds.many}


def difference_text(difference: float, unit: Unit = PLAIN) -> str:
    """Format a difference of two heuristic scores, which is not negative: `0.120`, `1.50 men`, `12.0 %`."""
    return _amount(difference / unit.worth, unit.decimals, unit.one, unit.many, signed=False)


def _amount(amount: float, decimals: int, one: str, many: str, *, signed: bool) -> str:
    rounded = round(amount, decimals) + 0.0  # without -0.0
    name = one if abs(rounded) == 1 else many
    return f"{rounded:{'+' if signed else ''}.{decimals}f} {name}".rstrip()


def _result(score: float) -> str:
    return "win" if score > 0 else "loss"


def _plies(score: float) -> int | None:
    """Return the distance of a proven win or loss; None if it is not known."""
    return round((PROVEN_WIN - abs(score)) / PLY) if abs(score) > ORACLE_WIN else None


def _odds(unit: Unit, state: State) -> PieceOdds | None:
    return None if unit.piece_odds is None else unit.piece_odds(state)


def _pieces(score: float, odds: PieceOdds) -> float:
    return odds.amount(max(-HEURISTIC_LIMIT, min(HEURISTIC_LIMIT, score)))

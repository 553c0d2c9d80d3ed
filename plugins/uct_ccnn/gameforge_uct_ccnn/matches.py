"""Matches as the experiment keeps them: tallies that tell who had the first move of the game."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.tally import Tally
from gameforge.play.arena import MatchResult

Numbers = Mapping[str, Any]


def match_numbers(result: MatchResult, simulations: int = 0) -> dict[str, Any]:
    """Figures of the player named first; `simulations`: per move of either side, 0 if it does not use any.

    begins, follows: its wins, draws and losses in the games in which it had the first move, or had not.
    """
    sides: dict[str, list[int]] = {}
    for name, second in (("begins", 0), ("follows", 1)):
        points = [game.outcome.points(second) for game in result.games[second::2]]
        sides[name] = [points.count(worth) for worth in (2, 1, 0)]
    return {**sides, **_tally_numbers(Tally.of(result), simulations)}


def tally(numbers: Numbers) -> Tally:
    """The tally of both sides."""
    wins, draws, losses = (
        begun + followed for begun, followed in zip(numbers["begins"], numbers["follows"], strict=True)
    )
    return Tally(wins=wins, draws=draws, losses=losses, pairs=tuple(numbers["pairs"]), distinct=numbers["distinct"])


def together(matches: Sequence[Numbers]) -> dict[str, Any]:
    """The same match with several seeds as one."""
    sides = {
        key: [sum(column) for column in zip(*(one[key] for one in matches), strict=True)]
        for key in ("begins", "follows")
    }
    return {**sides, **_tally_numbers(Tally.total(map(tally, matches)), matches[0]["simulations"])}


def _tally_numbers(found: Tally, simulations: int) -> dict[str, Any]:
    return {
        "games": found.games,
        "distinct": found.distinct,
        "pairs": list(found.pairs),
        "simulations": simulations,
        "score": found.score,
        "interval": list(found.interval),
    }

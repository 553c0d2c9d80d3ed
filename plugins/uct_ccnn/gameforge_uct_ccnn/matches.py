"""Results of the experiment's matches: tallies that distinguish games with and without the first move."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.tally import Tally, interval_over_seeds
from gameforge.play.arena import MatchResult

Numbers = Mapping[str, Any]


def match_numbers(result: MatchResult, simulations: int = 0) -> dict[str, Any]:
    """Figures of the player named first; `simulations`: per move of either side, 0 without UCT.

    begins, follows: its wins, draws and losses in the games with and without the first move.
    """
    sides: dict[str, list[int]] = {}
    for name, second in (("begins", 0), ("follows", 1)):
        points = [game.outcome.points(second) for game in result.games[second::2]]
        sides[name] = [points.count(worth) for worth in (2, 1, 0)]
    return {**sides, **_tally_numbers(Tally.of(result), simulations)}


def tally(numbers: Numbers) -> Tally:
    """The tally over both sides."""
    wins, draws, losses = (
        begun + followed for begun, followed in zip(numbers["begins"], numbers["follows"], strict=True)
    )
    distinct = {key: numbers[key] for key in ("distinct", "distinct_pairs")}
    return Tally(wins=wins, draws=draws, losses=losses, pairs=tuple(numbers["pairs"]), **distinct)


def together(matches: Sequence[Numbers]) -> dict[str, Any]:
    """The sum of the same match over several seeds, with the interval over them if they are enough for a verdict.

    win_shares: by side, the share of games that each seed won.
    """
    found = list(map(tally, matches))
    sides = {
        key: [sum(column) for column in zip(*(one[key] for one in matches), strict=True)]
        for key in ("begins", "follows")
    }
    numbers = _tally_numbers(Tally.total(found), matches[0]["simulations"])
    shares = {key: [one[key][0] / sum(one[key]) for one in matches] for key in sides}
    return {**sides, **numbers, "interval": list(interval_over_seeds(found)), "win_shares": shares}


def _tally_numbers(found: Tally, simulations: int) -> dict[str, Any]:
    return {
        "games": found.games,
        "distinct": found.distinct,
        "distinct_pairs": found.distinct_pairs,
        "pairs": list(found.pairs),
        "simulations": simulations,
        "score": found.score,
        "interval": list(found.interval),
    }

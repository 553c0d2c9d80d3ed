"""A match in numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.play.arena import MatchResult
from gameforge.play.arena.elo import mean_and_variance, score_interval


def tally(result: MatchResult, simulations: int = 0) -> dict[str, Any]:
    """Of the player named first; `simulations`: of either side's moves, 0 if it searches otherwise.

    begins, follows: wins, draws and losses in the games in which it had the first move of the game, or had not.
    """
    found: dict[str, Any] = {}
    for name, second in (("begins", 0), ("follows", 1)):
        points = [game.outcome.points(second) for game in result.games[second::2]]
        found[name] = [points.count(worth) for worth in (2, 1, 0)]
    return {
        **found,
        "games": len(result.games),
        "distinct": result.distinct,
        "pairs": list(result.pentanomial),
        "simulations": simulations,
        **_score(result.pentanomial),
    }


def together(tallies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The same match with several seeds as one."""
    found: dict[str, Any] = {
        key: [sum(column) for column in zip(*(one[key] for one in tallies), strict=True)]
        for key in ("begins", "follows", "pairs")
    }
    found |= {key: sum(one[key] for one in tallies) for key in ("games", "distinct")}
    return {**found, "simulations": tallies[0]["simulations"], **_score(found["pairs"])}


def _score(pairs: Sequence[int]) -> dict[str, Any]:
    return {"score": mean_and_variance(pairs)[0], "interval": list(score_interval(pairs))}


def won(numbers: Mapping[str, Any]) -> tuple[int, int, int]:
    """Wins, draws and losses of all games."""
    wins, draws, losses = (numbers["begins"][i] + numbers["follows"][i] for i in range(3))
    return wins, draws, losses

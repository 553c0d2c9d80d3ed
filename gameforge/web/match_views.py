"""Matches and tournaments as JSON for the page: scores, error bars, sequential tests, crosstables."""

from collections.abc import Sequence
from itertools import accumulate

from gameforge.interfaces.games import GameRecord
from gameforge.play.arena.match_folder import result_numbers
from gameforge.play.arena.result import MatchResult
from gameforge.play.arena.sprt import Sprt
from gameforge.play.arena.tournament import standings
from gameforge.play.game import Game
from gameforge.web.files import game_json
from gameforge.web.views import Json

_MOST_POINTS = 300
"""Most points of a curve."""


def match_view(players: tuple[str, str], records: Sequence[GameRecord], sprt: Sprt | None = None) -> Json:
    """Return the figures of a match so far, and the score after pairs of games."""
    result = MatchResult(players, tuple(records), sprt)
    points = accumulate(game.outcome.points(i % 2) / 2 for i, game in enumerate(records))
    course = [(i, score / i) for i, score in enumerate(points, 1) if i % 2 == 0]
    crashes = [f"{loser(game)} crashed in game {game.number}: {game.note}" for game in records if game.note]
    return {
        "result": result_numbers(result),
        "elo": result.elo_text if records else "",
        "bounds": None if sprt is None else [sprt.lower, sprt.upper],
        "text": str(result) if records else "No game has ended yet.",
        "crashes": list(dict.fromkeys(crashes))[:5],
        "warnings": _warnings([result]),
        "course": course[:: max(1, len(course) // _MOST_POINTS)],
    }


def _warnings(matches: Sequence[MatchResult]) -> list[str]:
    """Return a sentence for each match in which fewer than half of the games are distinct."""
    return [match.repeats_text for match in matches if match.repeats]


def loser(game: GameRecord) -> str:
    """Return the name of the player who lost; "" after a draw."""
    return "" if game.outcome.winner is None else game.players[1 - game.outcome.winner]


def playing_view(game: Game, record: GameRecord) -> Json:
    """Return the moves so far of a game that is being played."""
    return {**game_json(game, record), "number": record.number}


def tournament_view(matches: Sequence[MatchResult]) -> Json:
    """Return the crosstable of the matches so far, with ratings; a match without a pair of games does not count yet."""
    rated = [match for match in matches if len(match.games) > 1]
    names = list(dict.fromkeys(name for match in rated for name in match.players))
    if not names:
        return {"rows": [], "games": 0, "distinct": 0, "warnings": []}
    result = standings(names, rated)
    rows = [
        {
            "name": name,
            "elo": rating.elo,
            "error": rating.error,
            "points": result.score(name),
            "games": result.games(name),
            "cells": [result.cell(name, other) for other in result.players],
        }
        for name, rating in zip(result.players, result.ratings, strict=True)
    ]
    return {"rows": rows, "games": result.played, "distinct": result.distinct, "warnings": _warnings(rated)}

"""The experiment `lambda-league`: nets that differ only in lambda, and a league of their last clones.

[Lynch1997], section 7: one seed, five nets, 100 sequences of 10 games with a test after each,
two games between any two of the last clones.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.api import match
from gameforge.experiments.trial import Training, Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge.play.arena.result import repeats_text
from gameforge.play.player import Player
from gameforge_neurodraughts.experiments.league_report import GENERATIONS, LAMBDAS, league_report

PRESET = "neurodraughts"
SESSIONS = 100
PROGRAMS: Mapping[str, Mapping[str, Any]] = {
    "clean bits, true gradient": {},
    "legacy bits, legacy trace": {"evaluator": {"legacy_trace": True, "features": {"coder": "legacy"}}},
}
"""Conditions: the preset, and the preset with two mistakes of the surviving programs."""
OPENINGS = "2move"
"""Openings of the wide league, each played twice, because two deterministic games measure little."""


class LambdaLeague:
    """The league of the thesis, once for each seed, and a wide league of the same clones."""

    title = "League of five lambdas"
    source = "Lynch 1997, section 7: lambda 0.0 best, 0.3 worst, in one league"
    seeds = 24
    least_scale = GENERATIONS / SESSIONS
    """A session for each generation of which the thesis says that most nets reached it."""
    conditions = dict.fromkeys(PROGRAMS, 15.0)

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Points of each clone against each other clone, distinct games, and figures of their training."""
        trained = [self._trained(trial, lambda_) for lambda_ in LAMBDAS]
        players = [one.player(one.trained.weights, f"{lambda_}") for one, lambda_ in zip(trained, LAMBDAS, strict=True)]
        start = players[0].game.position()
        openings = players[0].game.openings
        assert openings is not None
        games = 2 * len(openings.get(OPENINGS))
        points, distinct = play_league(trial, players, 2, [start])
        wide_points, wide_distinct = play_league(trial, players, games, OPENINGS)
        return {
            "points": points,
            "distinct": distinct,
            "wide_games": games,
            "wide_points": wide_points,
            "wide_distinct": wide_distinct,
            "training": [
                {key: [session.get(key) for session in one.sessions] for key in ("cloned", "balance", "mean_plies")}
                for one in trained
            ],
        }

    def _trained(self, trial: Trial, lambda_: float) -> Training:
        learner = {"lambda": lambda_, "sessions": trial.scaled(SESSIONS), "result": "clone"}
        return trial.train(trial.pipeline(PRESET, PROGRAMS[trial.condition], {"learner": learner}))

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return league_report(results, scale)


def play_league(trial: Trial, players: Sequence[Player], games: int, openings: Any) -> tuple[list[list[int]], int]:
    """(points[i][j]: points of i against j, where a win is 2 and a draw 1; distinct games of all pairings).

    Notifies the user if fewer than half of a pairing's games are distinct.
    """
    distinct = 0
    points = [[0] * len(players) for _ in players]
    for i, j in itertools.combinations(range(len(players)), 2):
        played = match(players[i], players[j], games, openings=openings, game_finished=trial.game_finished)
        points[i][j] = 2 * played.wins + played.draws
        points[j][i] = 2 * played.losses + played.draws
        distinct += played.distinct
        repeats = repeats_text(played.players, played.distinct, games)
        if repeats:
            trial.notice(f"league of lambdas: {repeats}")
    return points, distinct

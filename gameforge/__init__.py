"""GameForge: a framework for playing and learning two-player games of perfect information, composed of plugins.

These are the names that programs call. Each is imported on first use, so `import gameforge` is cheap, and a plugin can
import `Component` and `hookimpl` from here without loading numba.
"""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.api import game, match, oracle, player
    from gameforge.discovery.registry import Registry, default_registry
    from gameforge.errors import GameforgeError
    from gameforge.interfaces.hooks import Command, Component, hookimpl
    from gameforge.play.analysis import candidates, judge
    from gameforge.play.arena.contests import Contender, Pairing, contests, each_in_order
    from gameforge.play.arena.elo import Pentanomial, elo_figures, independent
    from gameforge.play.arena.match_folder import result_numbers
    from gameforge.play.arena.openings import match_openings, random_game, random_opening
    from gameforge.play.arena.result import DistinctGames, MatchResult, game_key, repeats_text
    from gameforge.play.arena.sprt import Sprt
    from gameforge.play.arena.workspace import GameSeries, Workspace
    from gameforge.play.game import Game, Position, RunningGame, complete_names, rules_text
    from gameforge.play.knowledge import OracleHandle
    from gameforge.play.parts import Parts
    from gameforge.play.perft import perft, playouts
    from gameforge.play.pipeline import SETTABLE
    from gameforge.play.player import Analysis, Player, growing_limits, limit_names, limited
    from gameforge.play.records import check_record, finished_games
    from gameforge.play.saved_players import player_spec
    from gameforge.play.terminal import duration_text, printable
    from gameforge.play.trace_files import TraceFiles
    from gameforge.play.workshop import Workshop
    from gameforge.training.pipeline import Pipeline
    from gameforge.training.train import resume
    from gameforge.training.work import LOCAL, executor, pipeline_work
    from gameforge.training.yardstick import Yardstick, default_evaluator

    __version__: str

__all__ = [
    "Analysis",
    "Command",
    "Component",
    "Contender",
    "DistinctGames",
    "Game",
    "GameSeries",
    "GameforgeError",
    "LOCAL",
    "MatchResult",
    "OracleHandle",
    "Pairing",
    "Parts",
    "Pentanomial",
    "Pipeline",
    "Player",
    "Position",
    "Registry",
    "RunningGame",
    "SETTABLE",
    "Sprt",
    "TraceFiles",
    "Workshop",
    "Workspace",
    "Yardstick",
    "__version__",
    "candidates",
    "check_record",
    "complete_names",
    "contests",
    "default_evaluator",
    "default_registry",
    "duration_text",
    "each_in_order",
    "elo_figures",
    "executor",
    "finished_games",
    "game",
    "game_key",
    "growing_limits",
    "hookimpl",
    "independent",
    "judge",
    "limit_names",
    "limited",
    "match",
    "match_openings",
    "oracle",
    "perft",
    "pipeline_work",
    "player",
    "player_spec",
    "playouts",
    "printable",
    "random_game",
    "random_opening",
    "repeats_text",
    "result_numbers",
    "resume",
    "rules_text",
]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    _load, __dir__ = on_first_use(__name__)

    def __getattr__(name):
        if name == "__version__":
            from importlib.metadata import version

            return version("gameforge")
        return _load(name)

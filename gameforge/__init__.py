"""GameForge: a framework for playing and learning two-player games of perfect information, composed of plugins.

These are the names that programs call. Each is imported on first use, so `import gameforge` is cheap, and a plugin can
import `Component` and `hookimpl` from here without loading numba.
"""

from gameforge.public import on_first_use

TYPE_CHECKING = False  # that of typing would load typing
if TYPE_CHECKING:
    from gameforge.api import game, match, oracle, player, reproduce, tournament
    from gameforge.arena.contests import Contender, Pairs, contests
    from gameforge.arena.elo import Sprt
    from gameforge.arena.match_folder import read_match as load_match
    from gameforge.arena.openings import match_openings
    from gameforge.arena.result import MatchResult
    from gameforge.arena.tournament import TournamentResult
    from gameforge.arena.workspace import GameSeries
    from gameforge.discovery.registry import Registry, default_registry
    from gameforge.errors import GameforgeError
    from gameforge.interfaces.hooks import Command, Component, hookimpl
    from gameforge.play.analysis import candidates, judge
    from gameforge.play.batches import batch_evaluator
    from gameforge.play.display import duration_text
    from gameforge.play.game import Game, Move, Position, games
    from gameforge.play.knowledge import OracleHandle
    from gameforge.play.nets import jax_evaluator, torch_evaluator
    from gameforge.play.parts import Parts
    from gameforge.play.perft import perft, playouts
    from gameforge.play.player import Analysis, Player
    from gameforge.play.workshop import Workshop
    from gameforge.records.database import games_db
    from gameforge.records.game_records import finished_games, load_games
    from gameforge.records.trace_files import TraceFiles
    from gameforge.studies.study import Study
    from gameforge.training.run import Run
    from gameforge.training.run_report import RunReport
    from gameforge.training.train import Pipeline
    from gameforge.training.work import executor
    from gameforge.training.yardstick import Yardstick

    __version__: str

__all__ = ["Analysis", "Command", "Component", "Contender", "Game", "GameSeries", "GameforgeError"]
__all__ += ["MatchResult", "Move", "OracleHandle", "Pairs", "Parts", "Pipeline", "Player"]
__all__ += ["Position", "Registry", "Run", "RunReport", "Sprt", "Study", "TournamentResult"]
__all__ += ["TraceFiles", "Workshop", "Yardstick", "__version__", "batch_evaluator", "candidates"]
__all__ += ["contests", "default_registry", "duration_text", "executor"]
__all__ += ["finished_games", "game", "games", "games_db", "hookimpl", "jax_evaluator", "judge"]
__all__ += ["load_games", "load_match", "match", "match_openings", "oracle", "perft"]
__all__ += ["player", "playouts", "reproduce"]
__all__ += ["torch_evaluator", "tournament"]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    _load, __dir__ = on_first_use(__name__)

    def __getattr__(name):
        if name == "__version__":
            from importlib.metadata import version

            from gameforge.errors import DISTRIBUTION

            return globals().setdefault(name, version(DISTRIBUTION))  # engines say it to each client
        return _load(name)

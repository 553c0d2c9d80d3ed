"""The analysis of a whole game: its graph, its mistakes and the better moves."""

from collections.abc import Sequence

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.analysis import judge
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.web.backend import Backend
from gameforge.web.searches import Stopper
from gameforge.web.views import Json, Send


def judged_game(
    player: Player, record: GameRecord, oracles: Sequence[OracleHandle], backend: Backend, stopper: Stopper, send: Send
) -> Json:
    """Return the scores of all positions of a game, for the first mover, and a judgement of each move."""

    def progress(done: int, total: int) -> None:
        if stopper.stopped:
            raise GameforgeError("the analysis was stopped")
        send({"preparing": "Analysing the game", "share": done / total})

    analysis = judge(player, record, oracles, progress)
    return {
        "scores": [max(-1.0, min(1.0, score)) for score in analysis.scores],
        "moves": [
            {
                "mark": backend.mark(judged, player),
                "remark": backend.remark(analysis, i, player),
                "best": str(judged.best),
            }
            for i, judged in enumerate(analysis.moves)
        ],
    }

"""What a page asks about the position beside its analysis.

The threat, what the oracles know of every move, and whether a move that a person tries is good enough.
"""

import attrs

from gameforge.coaching.accuracy import GOOD_ENOUGH, lost_result
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.play.analysis import judge, known_moves, threat_position
from gameforge.play.game import Position
from gameforge.play.player import Player, score_unit
from gameforge.web.requests import Ask, progress
from gameforge.web.site import Site
from gameforge.web.views import JsonObject, Send

_SECONDS = 0.5
"""Time for the search of a threat."""


@attrs.frozen(kw_only=True)
class Threat(Ask):
    """What the other side would do if the side to move passed."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        passed = threat_position(position)
        found = player.analyse(passed, seconds=_SECONDS)
        board = position.game.board
        return {
            "move": str(found.move),
            "path": [] if board is None else list(board.path(passed.state, found.move.code)),
            "start": position.game.position_text(passed.state),
            "line": [str(move) for move in found.line] or [str(found.move)],
            "score": site.backend.score(found.score, player, passed),
        }


@attrs.frozen(kw_only=True)
class Verdicts(Ask):
    """What the oracles know about each legal move, best first, without a search."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        oracles = site.oracles(player, self.player, self.game, progress(send))
        return {
            "oracles": [str(oracle.spec) for oracle in oracles],
            "moves": [
                {
                    "move": str(one.move),
                    "value": None if one.known is None else one.known.verdict.value,
                    "distance": None if one.known is None else one.known.verdict.distance,
                    "lead": None if one.known is None else one.known.verdict.lead,
                    "text": "unknown" if one.known is None else str(one.known.verdict),
                    "oracle": "" if one.known is None else one.known.oracle,
                }
                for one in known_moves(position, oracles)
            ],
        }


@attrs.frozen(kw_only=True)
class Attempt(Ask):
    """The judgement of a move that a person tries in the position, beside the move that the player prefers."""

    move: str

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        oracles = site.oracles(player, self.player, self.game, progress(send))
        code = position.play(self.move).moves_played[-1]
        tried = GameRecord(start=position.state, moves=(code,), outcome=Outcome.UNFINISHED)
        [judged] = judge(player, tried, oracles).moves
        unit = score_unit(player)
        return {
            "good": lost_result(judged, unit) < GOOD_ENOUGH,
            "loss": site.backend.loss(judged, unit),
            "best": str(judged.best),
            "line": list(map(str, judged.line)),
        }

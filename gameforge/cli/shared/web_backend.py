"""What the commands lend the server of the browser board (gameforge.web.backend)."""

from collections.abc import Sequence

import attrs

from gameforge.cli.shared.annotated import MISTAKE, mark, remark
from gameforge.cli.shared.draw_offer import answer
from gameforge.cli.shared.limits import limits_of, with_limits
from gameforge.cli.shared.player_choice import oracles_for, player_for
from gameforge.cli.shared.score_text import score_text
from gameforge.config import parse_spec
from gameforge.interfaces.oracle import Announce
from gameforge.play.analysis import GameAnalysis, Judged
from gameforge.play.game import Game, Position
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.play.score_unit import score_unit
from gameforge.plugins.registry import Registry


@attrs.frozen
class WebBackend:
    """Players as the other commands make them."""

    registry: Registry

    def player(self, text: str, game: str, announce: Announce) -> Player:
        found = Game(self.registry.create("rules", parse_spec(game)))
        return player_for(text or None, game, found, self.registry, announce)

    def limited(self, player: Player, **limits: float) -> Player:
        whole = {name: limit if name == "time" else int(limit) for name, limit in limits.items()}
        return with_limits(player, self.registry, **whole)

    def limits(self, player: Player) -> Sequence[str]:
        return limits_of(player, self.registry)

    def oracles(self, player: Player, text: str, announce: Announce) -> list[OracleHandle]:
        return oracles_for((), player, text or None, self.registry, announce)

    def score_text(self, score: float, player: Player, position: Position) -> str:
        return score_text(score, score_unit(player), position.state)

    def mark(self, judged: Judged, player: Player) -> str:
        return mark(judged, MISTAKE)

    def remark(self, analysis: GameAnalysis, i: int, player: Player) -> str:
        return remark(analysis, i, MISTAKE, score_unit(player))

    def answer_to_draw(
        self, player: Player, position: Position, side: int, oracles: Sequence[OracleHandle]
    ) -> tuple[bool, str]:
        return answer(player, position, side, oracles)

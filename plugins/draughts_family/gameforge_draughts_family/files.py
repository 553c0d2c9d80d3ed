"""Files of games: PDN, read and written by the plugin `draughts`, with the GameType of each game."""

from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
from gameforge_draughts.pdn.games import PdnGame
from gameforge_draughts.pdn.reader import Archive
from gameforge_draughts.pdn.tokens import open_pdn
from gameforge_draughts.pdn.writer import game_text

from gameforge.interfaces import GameFiles, GameRecord

GAME_TYPES = {
    "international": "20,W,10,10,N2,0",
    "italian": "22,W,8,8,N2,1",
    "pool": "23,B,8,8,N1,0",
    "spanish": "24,W,8,8,N1,1",
    "russian": "25,W,8,8,A0,0",
    "brazilian": "26,W,8,8,A0,0",
    "turkish": "30,W,8,8,A0,0",
    "frisian": "40,W,10,10,N2,0",
    "breakthrough-draughts": "42,W,10,10,N2,0",
    "antidraughts": "43,W,10,10,N2,0",
    "draughts-variant": "49",
}
"""Game -> the tag GameType: number, first mover, board, how squares are written and where they begin, whether the dark
corner is on the right. Source: PDN 3.0, section "GameType tag". It leaves 42 to 49 to further kinds of draughts, of
which 42, 43 and 49 are ours; 50 is Othello."""
EITHER_FIRST = ("pool",)
"""Games whose number PDN 3.0 shares with kinds of the same game in which White begins and squares have letters."""


@attrs.frozen
class FamilyFiles(GameFiles):
    """The capability `files` of the rules."""

    kind: PdnGame

    suffix = ".pdn"

    def game_text(self, game: GameRecord) -> str:
        """Return a game as PDN."""
        return game_text(game, self.kind)

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of this kind in a PDN file, with their comments, marks and variations."""
        with open_pdn(path, encoding) as stream:
            for game, _ in Archive(self.kind, stream, str(path), notice, tolerant):
                yield game

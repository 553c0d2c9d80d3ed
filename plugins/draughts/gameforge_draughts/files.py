"""Files of games and positions: PDN, and the files of NeuroDraughts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from gameforge.interfaces import GameBoards, GameRecord, Opening, Rules
from gameforge_draughts.pdn.english import EnglishPdn
from gameforge_draughts.pdn.writer import game_text


@attrs.frozen
class DraughtsFiles:
    """The capability `files` of the rules."""

    rules: Rules

    suffix = ".pdn"

    def game_text(self, game: GameRecord) -> str:
        """Return a game as PDN."""
        return game_text(game, EnglishPdn(self.rules))

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of a PDN file: with their comments, marks and variations."""
        from gameforge_draughts.pdn.reader import Reader
        from gameforge_draughts.pdn.tokens import open_pdn

        with open_pdn(path, encoding) as stream:
            for game, _ in Reader(self.rules, stream, str(path), notice, tolerant):
                yield game

    def read_openings(self, path: Path) -> Sequence[Opening] | None:
        """Read a board file of NeuroDraughts; None if it is not one."""
        from gameforge_draughts.neurodraughts_files import board_openings, is_board_file

        return board_openings(path) if is_board_file(path) else None

    def read_boards(self, path: Path) -> Iterator[GameBoards]:
        """Read a training file of NeuroDraughts."""
        from gameforge_draughts.neurodraughts_files import read_training_games

        return read_training_games(path)

"""Files of games and positions: PDN, and the files of NeuroDraughts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from gameforge.interfaces import GameBoards, GameFiles, GameRecord, Opening, Rules
from gameforge_draughts.pdn.games import PdnGame, game_text


@attrs.frozen
class PdnFiles(GameFiles):
    """The capability `files` of a kind of draughts."""

    kind: PdnGame

    suffix = ".pdn"

    def game_text(self, game: GameRecord) -> str:
        """Return a game as PDN."""
        return game_text(game, self.kind)

    @property
    def suffixes(self) -> tuple[str, ...]:
        return (self.suffix,)

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of this kind in a PDN file, with their comments, marks and variations."""
        from gameforge_draughts.pdn.reader import Archive
        from gameforge_draughts.pdn.tokens import open_pdn

        with open_pdn(path, encoding) as stream:
            yield from Archive(self.kind, stream, str(path), notice, tolerant)

    def read_mixed(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[tuple[Rules, GameRecord]]:
        """Read the games of all installed kinds of draughts in a file; this is the kind of those without GameType."""
        from gameforge_draughts.pdn.games import installed_kinds
        from gameforge_draughts.pdn.reader import Archive
        from gameforge_draughts.pdn.tokens import open_pdn

        with open_pdn(path, encoding) as stream:
            archive = Archive(self.kind, stream, str(path), notice, tolerant, installed_kinds())
            for game in archive:
                yield archive.kind.rules, game


@attrs.frozen
class DraughtsFiles(PdnFiles):
    """The files of English draughts."""

    def read_openings(self, path: Path) -> Sequence[Opening] | None:
        """Read a board file of NeuroDraughts; None if it is not one."""
        from gameforge_draughts.neurodraughts_files import board_openings, is_board_file

        return board_openings(path) if is_board_file(path) else None

    def read_boards(self, path: Path) -> Iterator[GameBoards]:
        """Read a training file of NeuroDraughts."""
        from gameforge_draughts.neurodraughts_files import read_training_games

        return read_training_games(path)

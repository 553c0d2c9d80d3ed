"""Reading PDN from a string."""

import io

from gameforge_draughts.pdn.notes import PdnGame
from gameforge_draughts.pdn.reader import Reader
from gameforge_draughts.rules import Draughts

RULES = Draughts()


def read(text: str, *, tolerant: bool = False) -> tuple[list[PdnGame], list[str]]:
    """The games and the notices."""
    notices: list[str] = []
    reader = Reader(RULES, io.StringIO(text), "games.pdn", notices.append, tolerant)
    games = list(reader)
    assert reader.skipped + reader.bad == len(notices)
    return games, notices


def one(text: str) -> PdnGame:
    """The only game of a text without notices."""
    (game,), notices = read(text)
    assert notices == []
    return game

"""Reading PDN from a string."""

import io

from gameforge_draughts.pdn.english import EnglishPdn
from gameforge_draughts.pdn.games import Notes
from gameforge_draughts.pdn.reader import Archive
from gameforge_draughts.rules import Draughts

from gameforge.interfaces.games import GameRecord

RULES = Draughts()
KIND = EnglishPdn(RULES)


def read(text: str, *, tolerant: bool = False) -> tuple[list[GameRecord], list[str]]:
    """Return the games and the notices."""
    games, notices = noted(text, tolerant=tolerant)
    return [game for game, _ in games], notices


def noted(text: str, *, tolerant: bool = False) -> tuple[list[tuple[GameRecord, Notes]], list[str]]:
    """Return the games with all their notes, and the notices."""
    notices: list[str] = []
    reader = Archive(KIND, io.StringIO(text), "games.pdn", notices.append, tolerant)
    games = list(reader)
    assert reader.skipped + reader.bad + reader.glued == len(notices)
    return games, notices


def one(text: str) -> GameRecord:
    """Return the only game of a text, which must give no notices."""
    return one_noted(text)[0]


def one_noted(text: str) -> tuple[GameRecord, Notes]:
    """Return the only game of a text, with all its notes."""
    (game,), notices = noted(text)
    assert notices == []
    return game

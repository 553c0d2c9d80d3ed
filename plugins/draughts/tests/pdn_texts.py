"""Reading PDN from a string."""

import io

from gameforge_draughts.english_pdn import EnglishPdn
from gameforge_draughts.files import Archive
from gameforge_draughts.rules import Draughts

from gameforge.interfaces.games import GameRecord

RULES = Draughts()
KIND = EnglishPdn(RULES)


def read(text: str, *, tolerant: bool = False) -> tuple[list[GameRecord], list[str]]:
    """Return the games and the notices."""
    notices: list[str] = []
    reader = Archive(KIND, io.StringIO(text), "games.pdn", notices.append, tolerant)
    games = list(reader)
    assert reader.skipped + reader.bad + reader.remarks == len(notices)
    return games, notices


def one(text: str) -> GameRecord:
    """Return the only game of a text, which must give no notices."""
    (game,), notices = read(text)
    assert notices == []
    return game

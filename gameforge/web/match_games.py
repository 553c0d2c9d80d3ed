"""All games of a match in a folder: as a list that can be filtered and ordered, and one of them to replay it."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import attrs

from gameforge.arena.match_folder import RECORDS
from gameforge.config.outside import open_file
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.storage.stored import parse_json, read_as
from gameforge.web.files import game_json
from gameforge.web.folders import known_folder
from gameforge.web.requests import Tab
from gameforge.web.views import JsonObject, Send

_A_PAGE = 200
"""Most games in one answer."""


def read_match_games(folder: Path) -> Iterator[GameRecord]:
    """Yield the games of a match so far; a line that is still being written is skipped."""
    path = folder / RECORDS
    try:
        with open_file(path) as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield read_as(GameRecord, parse_json(line))
    except FileNotFoundError as error:
        raise GameforgeError(f"{folder.name} has no games yet") from error
    except (ValueError, TypeError) as error:
        raise GameforgeError(f"{path} is damaged: {' '.join(str(error).split())}") from error


@attrs.frozen(kw_only=True)
class Listed:
    """A game in the list."""

    number: int
    players: tuple[str, str]
    """The first and the second mover."""
    winner: int | None
    plies: int
    reason: str
    opening: str
    diverges: int | None
    """Number of moves that the game has in common with the other game of its pair, in which the players have changed
    sides; None if there is no other game, or if it is the same."""


def listed(games: Iterator[GameRecord]) -> list[Listed]:
    """Return the games of a match, which come in pairs from the same opening."""
    found: list[Listed] = []
    first: GameRecord | None = None
    for i, game in enumerate(games, 1):
        diverges = None
        if i % 2:
            first = game
        elif first is not None and first.start == game.start and first.codes != game.codes:
            same = zip(first.codes, game.codes, strict=False)
            diverges = next((ply for ply, (a, b) in enumerate(same) if a != b), min(len(first.codes), len(game.codes)))
            found[-1] = attrs.evolve(found[-1], diverges=diverges)
        found.append(
            Listed(
                number=i,
                players=game.players,
                winner=game.outcome.winner,
                plies=len(game.codes),
                reason=game.reason,
                opening=game.opening,
                diverges=diverges,
            )
        )
    return found


@attrs.frozen(kw_only=True)
class MatchGames:
    """Games of a match, a page at a time."""

    path: str
    player: str = ""
    """Name of the player whom `result` and `side` mean; "": either."""
    result: Literal["", "won", "drawn", "lost"] = attrs.field(
        default="", validator=attrs.validators.in_(("", "won", "drawn", "lost"))
    )
    side: int | None = attrs.field(default=None, validator=attrs.validators.in_((None, 0, 1)))
    """The side of the player."""
    order: Literal["number", "plies", "diverges"] = attrs.field(
        default="number", validator=attrs.validators.in_(("number", "plies", "diverges"))
    )
    """By number, the shortest first, or the earliest first in which the pair's games differ."""
    skip: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    """Number of games to leave out: those of the pages before."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        folder = known_folder(tab.site, self.path)

        def read() -> JsonObject:
            chosen = self.chosen(listed(read_match_games(folder)))
            page = chosen[self.skip : self.skip + _A_PAGE]
            return {"games": [attrs.asdict(game) for game in page], "skip": self.skip, "total": len(chosen)}

        return await asyncio.to_thread(read)

    def chosen(self, games: Sequence[Listed]) -> list[Listed]:
        """Return the games that the request means, in its order."""
        found = [game for game in games if any(self._fits(game, side) for side in (0, 1))]
        if self.order == "plies":
            found.sort(key=lambda game: (game.plies, game.number))
        elif self.order == "diverges":
            found.sort(key=lambda game: (game.diverges is None, game.diverges or 0, game.number))
        return found

    def _fits(self, game: Listed, side: int) -> bool:
        """Whether the player of this side is one whom the request means."""
        if self.player not in ("", game.players[side]) or self.side not in (None, side):
            return False
        outcome = "drawn" if game.winner is None else "won" if game.winner == side else "lost"
        return self.result in ("", outcome)


@attrs.frozen(kw_only=True)
class MatchGame:
    """One game of a match, to replay it."""

    path: str
    game: str
    number: int = attrs.field(validator=attrs.validators.ge(1))

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        folder, game = known_folder(tab.site, self.path), tab.site.game(self.game)

        def read() -> JsonObject:
            for i, record in enumerate(read_match_games(folder), 1):
                if i == self.number:
                    return {"game": game_json(game, record)}
            raise GameforgeError(f"{self.path} has no game {self.number}")

        return await asyncio.to_thread(read)

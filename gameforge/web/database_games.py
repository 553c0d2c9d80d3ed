"""The games of a database, page by page: filtered by player, result, opening and position, and one of them to open."""

import asyncio

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Position
from gameforge.records.database import GamesDb
from gameforge.records.finding import Query
from gameforge.records.game_records import player_names
from gameforge.web.databases import Opened
from gameforge.web.files import game_json
from gameforge.web.requests import Line, Tab
from gameforge.web.site import Site
from gameforge.web.views import JsonObject, Send

_A_PAGE = 50
"""Most games in one answer."""


def listed_games(database: GamesDb, query: Query, limit: int) -> list[JsonObject]:
    """Return the first games that have what the query asks for, without their moves."""
    found = database.found(query, limit)
    return [{"number": one.record.number, "ply": one.ply, **_head(database, one.record)} for one in found]


def _head(database: GamesDb, record: GameRecord) -> JsonObject:
    sides = database.game.rules.sides
    tags, winner = record.tags(sides), record.outcome.winner
    result = "" if not record.finished else "draw" if winner is None else f"{sides[winner]} won"
    return {
        "players": player_names(record, sides),
        "event": " ".join(tags[key] for key in ("Event", "Date") if key in tags),
        "result": result,
        "plies": len(record.codes),
    }


@attrs.frozen(kw_only=True)
class DatabaseGames(Line):
    """A page of the games that have all that is given; the filters are those of `GamesDb.find`."""

    database: int | None = None
    """The number of the database; None: the one that was opened last."""
    player: str = ""
    result: str = ""
    opening: str = ""
    position: bool = False
    """Whether the position that the moves lead to occurs."""
    after: int = attrs.field(default=0, validator=[attrs.validators.ge(0), attrs.validators.lt(1 << 62)])
    """The number after which the games begin."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        position = await self.here(tab) if self.position else None
        return await asyncio.to_thread(self._found, tab.site, position)

    def _found(self, site: Site, position: Position | None) -> JsonObject:
        opened = site.databases.of(site.game(self.game))
        one = chosen(opened, self.database)
        if one is None:
            return {"databases": [], "database": None, "games": [], "total": 0, "reading": None}
        if position is not None and one.reading:
            raise GameforgeError(f"{one.name} can be searched by position when all of its games have been read")
        query = Query(
            player=self.player,
            result=self.result,
            opening=self.opening,
            position=None if position is None else position.state,
            symmetries=position is not None,
        )
        reading = {"done": one.done} if one.reading else None  # before the games are counted
        with one.database(site.game(self.game)) as database:
            return {
                "databases": [[each.number, each.name] for each in opened if each is one or not each.is_empty],
                "database": one.number,
                "games": listed_games(database, attrs.evolve(query, after=self.after), _A_PAGE),
                "total": database.count(query),
                "reading": reading,
                "notices": one.notices,
                "left_out": one.left_out,
            }


def chosen(opened: list[Opened], number: int | None) -> Opened | None:
    """Return the database with this number.

    Without a number, or if it is there no more, the first one with games that is not being read, or else the first one.
    """
    whole = [one for one in opened if not one.reading and not one.is_empty]
    return next((one for one in opened if one.number == number), next(iter(whole or opened), None))


@attrs.frozen(kw_only=True)
class DatabaseGame:
    """A game of a database."""

    game: str
    number: int
    database: int | None = None

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        return await asyncio.to_thread(self._read, tab.site)

    def _read(self, site: Site) -> JsonObject:
        game = site.game(self.game)
        one = chosen(site.databases.of(game), self.database)
        if one is None:
            raise GameforgeError(f"no database of {self.game} was named with gameforge web --games")
        with one.database(game) as database:
            return {"game": game_json(game, database.game_number(self.number))}

"""The openings of the analysis: how the shipped lines and the games of the user's database go on from a position."""

import asyncio
import secrets

import attrs

from gameforge.errors import GameforgeError
from gameforge.play.game import Position
from gameforge.records.finding import Query
from gameforge.records.openings import PlayedMove
from gameforge.web.database_games import listed_games
from gameforge.web.requests import Line, Tab
from gameforge.web.site import Site
from gameforge.web.views import JsonObject, Send

_GAMES = 12
"""Most games with the position that the page lists."""


@attrs.frozen(kw_only=True)
class Openings(Line):
    """The name of the opening, and the moves with which lines and games go on from the position."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        return await asyncio.to_thread(_openings, tab.site, self.game, await self.here(tab))


def _openings(site: Site, game: str, position: Position) -> JsonObject:
    lines = site.opening_lines(game)
    shipped = {one.move.code: one for one in lines.moves(position)}
    with site.database(game) as database:
        tree = None if database is None else database.tree(position, symmetries=True)
        played = {} if tree is None else {one.move.code: one for one in tree.moves if one.move is not None}
        codes = sorted(
            {*shipped, *played},
            key=lambda code: (
                -played[code].games if code in played else 0,
                -shipped[code].lines if code in shipped else 0,
            ),
        )
        return {
            "names": list(lines.reached(position)),
            "moves": [
                {
                    "move": position.game.move_text(position.state, code, position.codes),
                    "names": list(shipped[code].names) if code in shipped else [],
                    "lines": shipped[code].lines if code in shipped else 0,
                    **_results(played.get(code)),
                }
                for code in codes
            ],
            "database": None if database is None else database.path.name,
            "games": 0 if tree is None else tree.games,
            "found": [] if database is None else listed_games(database, Query(position=position.state), _GAMES),
        }


def _results(played: PlayedMove | None) -> JsonObject:
    if played is None:
        return {"games": 0, "wins": [0, 0], "draws": 0, "score": None}
    return {"games": played.games, "wins": list(played.wins), "draws": played.draws, "score": played.score}


@attrs.frozen(kw_only=True)
class Ballot:
    """A position to begin with: the end of an opening that is drawn at random from a set of the game."""

    game: str
    set: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        return await asyncio.to_thread(self._drawn, tab.site)

    def _drawn(self, site: Site) -> JsonObject:
        game = site.game(self.game)
        if game.openings is None:
            raise GameforgeError(f"{self.game} has no openings")
        opening = secrets.choice(game.openings.get(self.set))
        end = Position(game, opening.start)
        for move in opening.moves:
            end = end.after(move)
        return {"name": opening.name, "start": end.fen}

"""What a page asks about a game: positions, moves of a player, analyses, files, and single positions.

A single position can be set up by hand, and an evaluator can explain what it thinks of it.
"""

import asyncio
import contextlib
import secrets
import threading
import time
from collections.abc import Iterator
from typing import Protocol

import attrs

from gameforge.config.kinds import Field
from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Piece
from gameforge.interfaces.evaluator import Unit
from gameforge.interfaces.oracle import Announce
from gameforge.interfaces.rules import Outcome
from gameforge.play.analysis import explain
from gameforge.play.game import Position, games
from gameforge.play.player import Player, score_unit
from gameforge.records.game_records import record_of
from gameforge.records.page import game_page
from gameforge.web.analyses import Now, deepening, judged_game
from gameforge.web.files import Notes, game_file, game_record, pasted_json
from gameforge.web.searches import Stopper
from gameforge.web.site import Site
from gameforge.web.views import JsonObject, Send, game_view, position_view

MOST_MOVES = 4096
"""Most moves of a game in a message."""
_MOST_LETTERS = 10_000
"""Longest text of a player in a message."""
_BEAT = 0.125
"""Seconds between reports on the search that is running."""
_PATIENCE = 2.0
"""Seconds for which a new game waits for its opponent."""


class Tab(Protocol):
    """What a request may use of the tab that sent it."""

    site: Site

    async def position(self, game: str, start: str | None, moves: tuple[str, ...]) -> Position:
        """Return the position after these moves; GameforgeError if one of them is not legal."""
        ...


def progress(send: Send, stopper: Stopper | None = None) -> Announce:
    """Return a callback that sends the progress of a preparation, such as that of an endgame database.

    In the thread that makes it, it raises GameforgeError when the request has been cancelled: this ends a preparation
    of that thread, and its waiting for one of another request, but not the other's preparation.
    """
    thread = threading.get_ident()

    def announce(what: str, done: int, total: int) -> None:
        if stopper is not None and stopper.stopped and threading.get_ident() == thread:
            raise GameforgeError("the request was cancelled")
        send({"preparing": what, "share": done / total if total else None})

    return announce


def _few(instance: object, attribute: Field, value: tuple[str, ...]) -> None:
    if len(value) > MOST_MOVES:
        raise ValueError(f"'{attribute.name}' has {len(value)} entries; at most {MOST_MOVES} are allowed")


def _short(instance: object, attribute: Field, value: str) -> None:
    if len(value) > _MOST_LETTERS:
        raise ValueError(f"'{attribute.name}' has {len(value)} characters; at most {_MOST_LETTERS} are allowed")


@attrs.frozen(kw_only=True)
class Hello:
    """The first request of a page: the games, and the one to open."""

    game: str | None = None
    """The game that the page has kept."""
    last: str | None = None
    """The game that this browser opened last; it counts if the server was started without a game."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        site = tab.site
        registry = site.backend.registry
        known = [{"name": name, "summary": registry.find("rules", name).summary} for name in games(registry)]
        name = self.game or site.first_game(self.last)
        return {
            "games": known,
            "player": site.options.player,
            "runs": site.options.runs is not None,
            **await _opened(tab, name),
        }


@attrs.frozen(kw_only=True)
class OpenGame:
    """Another game: its board and its initial position."""

    game: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        return await _opened(tab, self.game)


async def _opened(tab: Tab, name: str) -> JsonObject:
    position = await tab.position(name, None, ())
    view = await asyncio.to_thread(position_view, position)
    site, game = tab.site, position.game
    player = site.backend.registry.defaults(game.rules).player
    return {"game": game_view(name, game, player, site.trained(name)), "position": view}


@attrs.frozen(kw_only=True)
class Line:
    """A request about the position that these moves lead to."""

    game: str
    start: str | None = None
    """The initial position as text; None: that of the game."""
    moves: tuple[str, ...] = attrs.field(default=(), validator=_few)

    async def here(self, tab: Tab) -> Position:
        return await tab.position(self.game, self.start, self.moves)


@attrs.frozen(kw_only=True)
class Show(Line):
    """The position, to draw it."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        return {"position": await asyncio.to_thread(position_view, await self.here(tab))}


@attrs.frozen(kw_only=True)
class WithPlayer(Line):
    """A request that a player answers."""

    player: str = attrs.field(default="", validator=_short)
    """"": the default player of the game."""
    limits: dict[str, float] = attrs.field(factory=dict)

    @contextlib.contextmanager
    def lent(self, site: Site, send: Send, stopper: Stopper) -> Iterator[Player]:
        """Lend the player, whose searches the stopper ends."""
        lent = site.player(self.player, self.game, self.limits, progress(send, stopper))
        with lent as player, stopper.stopping(player):
            yield player


@attrs.frozen(kw_only=True)
class Invite(WithPlayer):
    """Build the opponent of a new game, so that one that does not fit is refused before the game begins.

    What takes longer, such as compiling, goes on while the person makes the first move.
    """

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        def build(_: Stopper) -> JsonObject:
            with tab.site.player(self.player, self.game, self.limits):
                return {}

        building = asyncio.ensure_future(tab.site.searches.analysis(build))
        building.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({building}, timeout=_PATIENCE)
        return building.result() if done else {}


@attrs.frozen(kw_only=True)
class Ask(WithPlayer):
    """A question to the player about the position, in its turn among all searches for moves."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        """Return the last answer; updates before it are sent with `send`."""
        raise NotImplementedError

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        position = await self.here(tab)

        def search(stopper: Stopper) -> JsonObject:
            with self.lent(tab.site, send, stopper) as player:
                return self.reply(player, position, tab.site, send)

        return await tab.site.searches.move(search)


@attrs.frozen(kw_only=True)
class Think(Ask):
    """The player's move."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        began = time.perf_counter()
        player.reseed(secrets.randbits(63))
        if len(position.codes) == 1 and position.outcome is None:
            return {"move": str(position.legal_moves[0]), "why": "only move"}
        book = player.book_move(position)
        if book is not None:
            return {"move": str(book), "why": "book move"}
        found = player.analyse(position)
        seconds = time.perf_counter() - began
        why = site.backend.score(found.score, player, position)
        return {"move": str(found.move), "why": why, "seconds": seconds}


@attrs.frozen(kw_only=True)
class Hint(Ask):
    """The move that the player would make, with the line that it expects."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        found = player.analyse(position)
        score = site.backend.score(found.score, player, position)
        return {"move": str(found.move), "score": score, "line": list(map(str, found.line))}


@attrs.frozen(kw_only=True)
class Offer(Ask):
    """Offer a draw to the player of this side."""

    side: int = attrs.field(validator=attrs.validators.in_((0, 1)))

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        oracles = site.oracles(player, self.player, self.game, progress(send))
        accepted, why = site.backend.answer_to_draw(player, position, self.side, oracles)
        return {"accepted": accepted, "why": why}


@attrs.frozen(kw_only=True)
class Analyse(WithPlayer):
    """An analysis that keeps deepening until the page cancels it.

    Answers when moves have been searched, and several times a second with the move that is being searched.
    """

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        position = await self.here(tab)
        now = Now()

        def search(stopper: Stopper) -> JsonObject:
            site = tab.site
            with site.player(self.player, self.game, {}, progress(send, stopper)) as player:
                oracles = site.oracles(player, self.player, self.game, progress(send, stopper))
                for update in deepening(player, position, oracles, site.backend, stopper, now):
                    send(update)
            return {}

        beat = asyncio.create_task(_report(now, send))
        try:
            return await tab.site.searches.analysis(search)
        finally:
            beat.cancel()


async def _report(now: Now, send: Send) -> None:
    began = time.perf_counter()
    while True:
        await asyncio.sleep(_BEAT)
        if now.step:
            send({"searching": attrs.asdict(now), "seconds": time.perf_counter() - began})


@attrs.frozen(kw_only=True)
class Judge(WithPlayer):
    """The analysis of the whole game that these moves are."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        record = record_of(await self.here(tab), ("", ""), "", "")

        def search(stopper: Stopper) -> JsonObject:
            site = tab.site
            with self.lent(site, send, stopper) as player:
                oracles = site.oracles(player, self.player, self.game, progress(send, stopper))
                return judged_game(player, record, oracles, site.backend, stopper, send)

        return await tab.site.searches.analysis(search)


@attrs.frozen(kw_only=True)
class Save(Line):
    """The game as text for a file."""

    players: tuple[str, str] = ("", "")
    tags: dict[str, str] | None = None
    """Tags of a game from a file; None: the page's own, with these players."""
    notes: Notes = Notes()
    finished: bool | None = None
    """Whether the game has ended, for this reason; None: as the rules say."""
    winner: int | None = attrs.field(default=None, validator=attrs.validators.in_((None, 0, 1)))
    reason: str = ""
    page: bool = False
    """As an HTML page instead, which opens without a server."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        position = await self.here(tab)
        outcome = None
        if self.finished is not None:
            outcome = Outcome(self.winner, self.reason) if self.finished else Outcome.UNFINISHED

        def write() -> JsonObject:
            record = game_record(position, self.players, self.notes, self.tags, outcome)
            if self.page:
                return {"text": game_page(position.game, [record]), "name": "game.html"}
            return game_file(position.game, record)

        return await asyncio.to_thread(write)


@attrs.frozen(kw_only=True)
class Paste:
    """The games of a text: a position, moves, or the content of a file."""

    game: str
    text: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        return await asyncio.to_thread(pasted_json, tab.site.game(self.game), self.text)


_HUNDREDTHS = Unit(one="hundredth", many="hundredths", worth=0.01)
_INPUTS = 24
"""Most inputs of a net that the page shows: those that contribute most."""


@attrs.frozen(kw_only=True)
class Arrange(Line):
    """The position with other pieces, as text; everything else is as in the position that the moves lead to."""

    pieces: list[tuple[int, int, str]]
    """(cell, side, kind) of each."""
    turn: int = attrs.field(validator=attrs.validators.in_((0, 1)))

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        position = await self.here(tab)
        board = position.game.board
        if board is None or board.arrange is None:
            raise GameforgeError(f"positions of {self.game} cannot be set up piece by piece; enter one as text")
        cells = [cell for cell, _, _ in self.pieces]
        wrong = [cell for cell in cells if not 0 <= cell < len(board.places)]
        if wrong or len(set(cells)) != len(cells):
            raise GameforgeError("each piece needs a cell of its own on the board")
        if any(side not in (0, 1) or kind not in board.kinds for _, side, kind in self.pieces):
            raise GameforgeError(
                f"pieces belong to side 0 or 1 and are of the kinds {', '.join(map(repr, board.kinds))}"
            )
        state = board.arrange(position.state, [Piece(*piece) for piece in self.pieces], self.turn)
        text = position.game.position_text(state)
        await asyncio.to_thread(position.game.parse_position, text)  # refuses positions that cannot occur
        return {"text": text}


@attrs.frozen(kw_only=True)
class Explain(Ask):
    """The static score of the position, and what each piece and each input of a net contributes for the first mover."""

    def reply(self, player: Player, position: Position, site: Site, send: Send) -> JsonObject:
        found = explain(player, position)
        unit, decimals = score_unit(player), 1
        if unit.one in ("", "%"):
            unit, decimals = (Unit.EXPECTED_RESULT if unit.one else _HUNDREDTHS), 0
        scale = (-1.0 if position.turn else 1.0) / unit.worth
        inputs = sorted((one for one in found.inputs if one.share), key=lambda one: -abs(one.share))
        return {
            "text": site.backend.score(found.score, player, position),
            "unit": unit.many,
            "decimals": decimals,
            "cells": [[piece.cell, scale * worth] for piece, worth in found.pieces],
            "inputs": [[one.name, one.value, scale * one.share] for one in inputs[:_INPUTS]],
            "more": max(0, len(inputs) - _INPUTS),
        }

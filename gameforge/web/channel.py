"""One websocket for each tab: requests come in, each is a task, and its answers go out with the request's number.

A message is {"id": 7, "do": "show", ...}; its last answer is {"id": 7, "done": true, ...}, answers before it have
`"done": false`, and {"id": 7, "error": "..."} ends it, too. {"cancel": 7} ends task 7 without an answer.
"""

import asyncio
import contextlib
import sys
import traceback
from collections.abc import Awaitable
from typing import Protocol

import attrs
from starlette.websockets import WebSocket, WebSocketDisconnect

from gameforge.errors import GameforgeError, near
from gameforge.play.game import Position
from gameforge.storage.stored import parse_json, read_as
from gameforge.web import (
    database_games,
    explorer,
    folders,
    insights,
    match_games,
    matches,
    practice,
    requests,
    trainings,
)
from gameforge.web.requests import Tab
from gameforge.web.site import Site
from gameforge.web.views import JsonObject, Send, json_text


class Request(Protocol):
    """A message from a page."""

    def answer(self, tab: Tab, send: Send) -> Awaitable[JsonObject]:
        """Return the last answer; GameforgeError for a request that cannot be met."""
        ...


REQUESTS: dict[str, type[Request]] = {
    "hello": requests.Hello,
    "game": requests.OpenGame,
    "show": requests.Show,
    "invite": requests.Invite,
    "think": requests.Think,
    "hint": requests.Hint,
    "offer": requests.Offer,
    "analyse": requests.Analyse,
    "judge": requests.Judge,
    "save": requests.Save,
    "paste": requests.Paste,
    "arrange": requests.Arrange,
    "explain": requests.Explain,
    "threat": insights.Threat,
    "verdicts": insights.Verdicts,
    "attempt": insights.Attempt,
    "openings": explorer.Openings,
    "ballot": explorer.Ballot,
    "database-game": database_games.DatabaseGame,
    "database-games": database_games.DatabaseGames,
    "practice": practice.Due,
    "endings": practice.Endings,
    "new-ending": practice.NewEnding,
    "tried": practice.Tried,
    "solution": practice.Solution,
    "practised": practice.Practised,
    "puzzles": practice.FindPuzzles,
    "folders": folders.Folders,
    "run": trainings.FollowRun,
    "study": trainings.FollowStudy,
    "games": folders.FolderGames,
    "match": matches.FollowMatch,
    "match-games": match_games.MatchGames,
    "match-game": match_games.MatchGame,
    "tournament": matches.FollowTournament,
    "start-match": matches.StartMatch,
    "start-tournament": matches.StartTournament,
}
"""The requests by the names that pages use."""


_TASKS = 16
"""Most tasks of a tab at a time."""


@attrs.frozen
class _Message:
    id: int
    do: str


@attrs.frozen
class _Cancel:
    cancel: int


class Channel:
    """The connection of one tab."""

    def __init__(self, site: Site, socket: WebSocket) -> None:
        self.site = site
        self._socket = socket
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._outgoing: asyncio.Queue[JsonObject] = asyncio.Queue()
        self._replaying = asyncio.Lock()
        self._line: tuple[str, str | None, list[tuple[str, Position]], Position] | None = None

    async def run(self) -> None:
        await self._socket.accept()
        writer = asyncio.create_task(self._write())
        try:
            while True:
                self._take(await self._socket.receive_text())
        except (WebSocketDisconnect, RuntimeError, KeyError):  # KeyError: a binary message
            pass
        finally:
            for task in (writer, *self._tasks.values()):
                task.cancel()

    async def position(self, game: str, start: str | None, moves: tuple[str, ...]) -> Position:
        """Return the position after these moves; GameforgeError if one of them is not legal."""
        async with self._replaying:
            return await asyncio.to_thread(self._replay, game, start, moves)

    def _replay(self, game: str, start: str | None, moves: tuple[str, ...]) -> Position:
        """Replay the moves, except those that they share with the last request."""
        line = self._line
        if line is None or line[:2] != (game, start):
            line = game, start, [], self.site.game(game).position(start)
        same = next((i for i, (one, other) in enumerate(zip(line[2], moves)) if one[0] != other), len(moves))  # noqa: B905
        played = line[2][:same]
        here = played[-1][1] if played else line[3]
        for text in moves[len(played) :]:
            here = here.play(text)
            played.append((text, here))
        self._line = *line[:2], played, line[3]  # at once: the thread of a cancelled request may still be replaying
        return here

    def _take(self, text: str) -> None:
        """Start the task of a message; a malformed message is answered with an error."""
        number: object = None
        try:
            content = parse_json(text, finite=True)
            number = content.get("id") if isinstance(content, dict) else None
            if isinstance(content, dict) and "cancel" in content:
                task = self._tasks.get(read_as(_Cancel, content).cancel)
                if task is not None:
                    task.cancel()
                return
            message = read_as(_Message, content)
            if message.do not in REQUESTS:
                raise GameforgeError(f"unknown request {message.do!r}{near(message.do, REQUESTS)}")
            if message.id in self._tasks:
                raise GameforgeError(f"request number {message.id} is still running")
            if len(self._tasks) >= _TASKS:
                raise GameforgeError(f"{_TASKS} requests are running, the most that one tab may have at a time")
            request = read_as(REQUESTS[message.do], content)
        except (GameforgeError, ValueError, RecursionError) as error:
            what = "the message is nested too deeply" if isinstance(error, RecursionError) else str(error)
            self._send({"id": number if isinstance(number, int) else None, "error": " ".join(what.split())})
            return
        task = asyncio.create_task(self._answer(message.id, request))
        self._tasks[message.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(message.id, None))

    async def _answer(self, number: int, request: Request) -> None:
        loop = asyncio.get_running_loop()

        def send(update: JsonObject) -> None:
            with contextlib.suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(self._send, {"id": number, "done": False, **update})

        try:
            self._send({"id": number, "done": True, **await request.answer(self, send)})
        except GameforgeError as error:
            self._send({"id": number, "error": " ".join(str(error).split())})
        except Exception as error:  # a plugin may raise anything; the terminal has the whole story
            traceback.print_exc(file=sys.stderr)
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            self._send({"id": number, "error": f"this failed: {reason}; the terminal shows where"})

    def _send(self, answer: JsonObject) -> None:
        self._outgoing.put_nowait(answer)

    async def _write(self) -> None:
        """Send the answers one after the other."""
        while True:
            await self._socket.send_text(json_text(await self._outgoing.get()))

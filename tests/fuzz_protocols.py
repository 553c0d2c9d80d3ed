"""What programs and pages send: engine protocols in both directions, and messages of the web page."""

import asyncio
import atexit
import contextlib
import functools
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from fuzzing import Reader
from gameforge_engines import dxp
from gameforge_engines.dxp import (
    END,
    BackRequest,
    Chat,
    DxpClient,
    DxpServer,
    GameAccepted,
    GameEnd,
    GameRequest,
    MoveMade,
)
from gameforge_engines.gtp import GtpClient, GtpServer
from gameforge_engines.hub import HubClient, HubServer
from gameforge_engines.nboard import NBoardServer
from gameforge_engines.protocols import Client, EngineFailed, Limits
from gameforge_engines.server import Lines, Server, Thinker
from gameforge_engines.ugi import UgiClient, UgiServer
from starlette.websockets import WebSocketDisconnect
from toy_site import registry

import gameforge as gf
from gameforge.cli.commands.web import web_backend
from gameforge.play.player import Player
from gameforge.web.channel import Channel
from gameforge.web.site import Options, Site

_START = "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"
_GGF = "(;GM[Othello]PC[x]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[d3];)"


def _text(name: str, lines: str, read: Callable[[str], object], share: float = 0.5) -> Reader:
    def make(folder: Path) -> None:
        (folder / "lines.txt").write_text(f"{lines}\n")

    def decoded(folder: Path) -> None:
        read((folder / "lines.txt").read_bytes().decode("utf-8", "replace"))

    return Reader(name=name, make=make, read=decoded, share=share)


@functools.cache
def _player(game: str) -> Player:
    return gf.player(game, searcher="random", evaluator="none", oracle="none")


def _thinker(game: str) -> Thinker:
    return Thinker(_player(game))


def _server(name: str, game: str, make: Callable[[Thinker, Lines], Server], lines: str) -> Reader:
    """What a client sends; whatever it is, the engine must not die."""

    def read(text: str) -> None:
        make(_thinker(game), Lines(io.StringIO(text), io.StringIO())).serve()

    return _text(f"{name} client", lines, read)


class _Connection:
    """A client of DXP whose messages are known."""

    def __init__(self, data: bytes) -> None:
        self._chunks = iter((data, b""))

    def __enter__(self) -> "_Connection":
        return self

    def __exit__(self, *exception: object) -> None: ...

    def recv(self, size: int) -> bytes:
        return next(self._chunks)

    def sendall(self, data: bytes) -> None: ...

    def settimeout(self, seconds: float) -> None: ...

    def close(self) -> None: ...


class _NoMoreClients(Exception): ...


class _Listener:
    def __init__(self, data: bytes) -> None:
        self._clients: Iterator[_Connection] = iter((_Connection(data),))

    def accept(self) -> tuple[_Connection, None]:
        client = next(self._clients, None)
        if client is None:
            raise _NoMoreClients
        return client, None


def _dxp(text: str) -> None:
    data = text.encode("latin-1", "replace").replace(b"\n", END)
    with contextlib.suppress(_NoMoreClients), mock.patch.object(dxp, "_PAUSE", 0):
        DxpServer(_thinker("draughts"), _Listener(data)).serve()  # type: ignore[arg-type]


class _Engine:
    """An engine whose lines are known; it ends after them."""

    port = None

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = iter(text.split("\n"))

    def send(self, line: str) -> None: ...

    def receive(self, seconds: float, check: Callable[[], None] = lambda: None) -> str:
        line = next(self._lines, None)
        if line is None:
            raise self.failure("ended")
        return line

    def failure(self, what: str) -> EngineFailed:
        return EngineFailed(what)

    def failed(self, kind: type[EngineFailed], what: str) -> EngineFailed:
        return kind(what)

    def died(self) -> str:
        return "ended"


class _DxpClient(DxpClient):
    """A client whose engine sends the lines as messages."""

    def _connected(self, seconds: float) -> Any:
        return _Connection(self._process.text.encode("latin-1", "replace").replace(b"\n", END))  # type: ignore[attr-defined]


def _client(name: str, game: str, make: type[Client], options: Mapping[str, str], lines: str) -> Reader:
    """What an engine sends: moves and figures that a search can return, or an error that names the engine."""

    def read(text: str) -> None:
        here = gf.game(game)
        client = make(_Engine(text), here)  # type: ignore[arg-type]
        client.shake_hands(options, 1.0)
        answer = client.choose(here.position(), Limits(), 1.0, lambda: None)
        assert answer.move in here.position().codes
        assert -1 <= answer.score <= 1
        assert 0 <= answer.depth < 1 << 31
        assert 0 <= answer.nodes < 1 << 63

    return _text(f"{name} engine", lines, read)


class _Socket:
    """A tab that sends its messages and leaves when all are answered."""

    def __init__(self, messages: list[str]) -> None:
        self._messages = iter(messages)
        self.channel: Channel | None = None
        self.answers: list[Any] = []

    async def accept(self) -> None: ...

    async def receive_text(self) -> str:
        assert self.channel is not None
        while tasks := self.channel._tasks.values():
            await asyncio.wait(tasks)
        message = next(self._messages, None)
        if message is None:
            await asyncio.sleep(0)  # the last answers are sent
            raise WebSocketDisconnect
        return message

    async def send_text(self, text: str) -> None:
        self.answers.append(json.loads(text))


@functools.cache
def _loop() -> asyncio.Runner:
    """One loop, and so one pool of threads, for all tabs."""
    runner = asyncio.Runner()
    atexit.register(runner.close)
    return runner


def _page(folder: Path) -> None:
    (folder / "messages.jsonl").write_text("".join(json.dumps(message) + "\n" for message in _MESSAGES))


def _messages(folder: Path) -> None:
    socket = _Socket((folder / "messages.jsonl").read_bytes().decode("utf-8", "replace").split("\n"))
    site = Site(web_backend(registry()), Options(game="shuttle", runs=folder, host="", port=0))
    socket.channel = Channel(site, socket)  # type: ignore[arg-type]
    _loop().run(socket.channel.run())
    failed = [answer["error"] for answer in socket.answers if "this failed" in answer.get("error", "")]
    assert not failed, failed


_HERE = {"game": "draughts", "moves": ["11-15", "22-18"]}
_MESSAGES = [
    {"id": 1, "do": "hello", "game": "draughts"},
    {"id": 2, "do": "game", "game": "draughts:repetition=0"},
    {"id": 3, "do": "show", **_HERE, "start": None},
    {"id": 4, "do": "think", **_HERE, "player": "random", "limits": {}},
    {"id": 5, "do": "save", **_HERE, "players": ["a", "b"], "comments": {"1": "x"}, "marks": {"0": "?"}, "winner": 0,
     "reason": "resignation"},
    {"id": 6, "do": "folders"},
    {"id": 7, "do": "games", "path": "x", "game": "draughts"},
    {"id": 8, "do": "run", "path": "x"},
    {"cancel": 8},
]  # fmt: skip

_DXP = (
    GameRequest("a", "Z", 5, 75, _START).encoded(),
    MoveMade(1, 22, 18).encoded(),
    GameEnd("1").encoded(),
    GameRequest("b", "W", 0, 0).encoded(),
    MoveMade(0, 24, 19).encoded(),
)
_DXP_ENGINE = (
    Chat("depth = 3").encoded(),
    GameAccepted("a").encoded(),
    Chat("hello").encoded(),
    BackRequest().encoded(),
    MoveMade(0, 11, 15).encoded(),
    "",
)
_GTP = """boardsize 8
1 play black D3
2 genmove white
undo
time_left black 300 0
time_settings 60 5 1
genmove black
showboard
final_score
list_commands"""
_UGI = """ugi
isready
setoption name depth value 3
position startpos moves 11-15 22-18
go movetime 20
position fen W:W10:B20
go p1time 3000 p2time 3000 p1inc 10 p2inc 10
query result
stop
go"""
_HUB = f"""hub
set-param name=depth value=3
init
pos pos={_START} moves="11-15 22-18"
level move-time=0.1
go think
stop
level moves=30 time=60 inc=0.5
new-game
go ponder
ponder-hit
stop"""
_NBOARD = f"""nboard 2
set depth 3
set game {_GGF}
move C3//0.1
ping 3
hint 2
go"""
_GTP_ENGINE = "= 2\n\n= play\ngenmove\n\n=\n\n= d3\n"
_UGI_ENGINE = """id name x
ugiok
readyok
info depth 3 score cp 12 nodes 100 pv 11-15
info depth 4 score mate -3
bestmove 11-15"""
_HUB_ENGINE = """id name=x
param name=depth value=3
wait
ready
info depth=3 score=0.12 nodes=100 pv="11-15"
done move=11-15"""

READERS = [
    _server("GTP", "othello", lambda thinker, lines: GtpServer(thinker, lines=lines), _GTP),
    _server("UGI", "draughts", lambda thinker, lines: UgiServer(thinker, lines=lines), _UGI),
    _server("Hub", "draughts", lambda thinker, lines: HubServer(thinker, lines=lines), _HUB),
    _server("NBoard", "othello", lambda thinker, lines: NBoardServer(thinker, lines=lines), _NBOARD),
    _text("DXP client", "\n".join(_DXP), _dxp),
    _client("DXP", "draughts", _DxpClient, {"depth": "3"}, "\n".join(_DXP_ENGINE)),
    _client("GTP", "othello", GtpClient, {}, _GTP_ENGINE),
    _client("UGI", "draughts", UgiClient, {"depth": "3"}, _UGI_ENGINE),
    _client("Hub", "draughts", HubClient, {"depth": "3"}, _HUB_ENGINE),
    Reader(name="web messages", make=_page, read=_messages, share=0.2),
]

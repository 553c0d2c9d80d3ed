"""An engine that speaks DXP: it waits for games at a TCP port of this computer, and we propose them."""

import math
import socket
import time
import weakref
from collections.abc import Callable, Mapping

from gameforge.errors import GameforgeError
from gameforge.play.game import Game, Position
from gameforge_engines import dxp_messages as dxp
from gameforge_engines.client import Answer, Limits
from gameforge_engines.process import LOOK_SECONDS, EngineProcess
from gameforge_engines.words import dialect_of

PROTOCOL = "dxp"
_NAME = "GameForge"
_MOVES = 100
"""Number of moves, about, for which a time is proposed; the time is a whole number of minutes."""
_MOST = 999
"""Largest number of minutes and of moves."""
_RETRY_SECONDS = 0.05


class DxpClient:
    """Proposes a game that begins at the position of the first move, and sends the opponent's moves."""

    farewell = ""

    def __init__(self, process: EngineProcess, game: Game) -> None:
        self._process = process
        self._dialect = dialect_of(game, PROTOCOL, required=True)
        self._initial = game.rules.initial()
        self._buffer = b""
        self._told: list[int] | None = None
        """Moves after the engine's last answer, while a game is running."""

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        self._connection = self._connected(seconds)
        weakref.finalize(self, self._connection.close)
        for name, value in options.items():
            self._send(dxp.Chat(f"set {name} {value}"))
            answer = self._receive(seconds)
            if answer != dxp.Chat(f"{name} = {value}"):
                said = answer.text if isinstance(answer, dxp.Chat) else answer.encoded()
                raise self._process.failure(f"did not accept the option {name!r}: {said}")

    def _connected(self, seconds: float) -> socket.socket:
        """Connect as soon as the engine listens."""
        address = ("127.0.0.1", self._process.port or dxp.PORT)
        deadline = time.monotonic() + seconds
        while True:
            try:
                return socket.create_connection(address, timeout=seconds)
            except OSError:
                if self._process.ended:
                    raise self._process.failure(self._process.died()) from None
                if time.monotonic() > deadline:
                    raise self._process.failure(f"does not listen at port {address[1]} after {seconds:g} s") from None
                time.sleep(_RETRY_SECONDS)

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        moves, before = position.moves_played, position.parent
        if self._told is not None and before is not None and moves[:-1] == self._told:
            text = self._dialect.move_text(before.state, moves[-1], before.codes)
            self._send(dxp.move_made(text))
        else:
            self._propose(position, limits, seconds, check)
        while not isinstance(answer := self._receive(seconds, check), dxp.MoveMade):
            if isinstance(answer, dxp.GameEnd):
                raise self._process.failure("ended the game")
            if isinstance(answer, dxp.BackRequest):
                self._send(dxp.BackAnswer())
        try:
            move = self._dialect.parse_move(position.state, answer.text, position.codes)
        except GameforgeError as error:
            raise self._process.failure(f"made an illegal move: {error}") from error
        self._told = [*moves, move]
        return Answer(move=move)

    def _propose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> None:
        """End the game that is running, and propose one in which the engine moves first."""
        if self._told is not None:
            self._told = None
            self._send(dxp.GameEnd())
            while not isinstance(self._receive(seconds, check), dxp.GameEnd):
                pass
        text = self._dialect.position_text(position.state)
        place = "" if position.state == self._initial else text
        self._send(dxp.GameRequest(_NAME, text[0], *_time(limits.seconds), place))
        while not isinstance(answer := self._receive(seconds, check), dxp.GameAccepted):
            pass
        if answer.code != "0":
            raise self._process.failure(f"refused a game from {text}, with code {answer.code}")

    def _send(self, message: dxp.Message) -> None:
        try:
            self._connection.sendall(dxp.packed(message))
        except OSError:
            raise self._process.failure(self._process.died()) from None

    def _receive(self, seconds: float, check: Callable[[], None] = lambda: None) -> dxp.Message:
        """Return the next message; EngineFailed if there is none in time. check: as for EngineProcess.receive."""
        deadline = time.monotonic() + seconds
        while dxp.END not in self._buffer:
            if len(self._buffer) > dxp.LONGEST:
                raise self._process.failure(f"sent more than {dxp.LONGEST} bytes without the end of a message")
            check()
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._process.failure(f"did not answer within {seconds:g} s")
            self._connection.settimeout(min(left, LOOK_SECONDS))
            try:
                chunk = self._connection.recv(4096)
            except TimeoutError:
                continue
            except OSError:
                chunk = b""
            if not chunk:
                raise self._process.failure(self._process.died())
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(dxp.END)
        try:
            return dxp.decoded(text.decode("latin-1").strip())
        except GameforgeError as error:
            raise self._process.failure(f"sent something other than a DXP message: {error}") from error


def _time(seconds: float | None) -> tuple[int, int]:
    """Return the minutes and the moves of a game for this time per move; zeros for the engine's own limits."""
    if seconds is None:
        return 0, 0
    minutes = min(max(1, math.floor(seconds * _MOVES / 60)), _MOST)
    return minutes, min(math.ceil(60 * minutes / seconds), _MOST)

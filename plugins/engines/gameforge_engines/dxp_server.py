"""DXP over TCP: the follower, which waits for a program that proposes games."""

import socket
import time
from collections.abc import Iterator

from gameforge.errors import GameforgeError
from gameforge.play.game import Position
from gameforge_engines import dxp_messages as dxp
from gameforge_engines.thinking import Thinker, clock_budget
from gameforge_engines.words import dialect_of, played

PROTOCOL = "dxp"
_PAUSE = 0.1
"""Seconds before a first move: pydraughts takes messages that arrive together for one, and would lose the move."""


class DxpServer:
    """Plays the games that clients propose, one client after the other, until it is interrupted."""

    def __init__(self, thinker: Thinker, listener: socket.socket, seconds: float | None = None) -> None:
        """seconds: for each move; None: the clock of the game that the client proposes."""
        self._thinker = thinker
        self._dialect = dialect_of(thinker.player.game, PROTOCOL, required=True)
        self._listener = listener
        self._seconds = seconds
        self._first = self._dialect.position_text(thinker.player.game.rules.initial())[0]
        """The colour that moves first in this game."""
        self._side = 0
        self._left, self._moves = 0.0, 0
        """Seconds left, 0 for the player's own limits, and the moves for which they must suffice, 0 if unknown."""
        self._playing = False

    def serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                self._playing = False
                for text in _messages(connection):
                    try:
                        self._take(connection, dxp.decoded(text))
                    except GameforgeError as error:
                        _send(connection, dxp.Chat(str(error)))
                    except OSError:
                        break

    def _take(self, connection: socket.socket, message: dxp.Message) -> None:
        if isinstance(message, dxp.GameRequest):
            self._begin(connection, message)
        elif isinstance(message, dxp.MoveMade):
            self._replied(connection, message)
        elif isinstance(message, dxp.GameEnd):
            if self._playing:
                self._playing = False
                _send(connection, dxp.GameEnd(dxp.UNKNOWN))
        elif isinstance(message, dxp.BackRequest):
            _send(connection, dxp.BackAnswer())
        elif isinstance(message, dxp.Chat):
            self._chat(connection, message.text)

    def _chat(self, connection: socket.socket, text: str) -> None:
        """Set an option if the text is `set NAME VALUE`: the protocol itself has no options."""
        command, _, rest = text.strip().partition(" ")
        name, _, value = rest.strip().partition(" ")
        if command == "set":
            self._thinker.set_option(name, value.strip())
            _send(connection, dxp.Chat(f"{name} = {value.strip()}"))

    def _begin(self, connection: socket.socket, asked: dxp.GameRequest) -> None:
        game = self._thinker.player.game
        try:
            text = asked.position
            position = Position(game, self._dialect.parse_position(text)) if text else game.position()
        except GameforgeError:
            _send(connection, dxp.GameAccepted("GameForge", "2"))
            return
        self._thinker.position = position
        self._side = 0 if asked.follower == self._first else 1
        self._left, self._moves = 60.0 * asked.minutes, asked.moves
        self._playing = True
        _send(connection, dxp.GameAccepted("GameForge"))
        time.sleep(_PAUSE)
        self._move(connection)

    def _replied(self, connection: socket.socket, made: dxp.MoveMade) -> None:
        if not self._playing:
            raise GameforgeError(f"no game is running, so {made.text} cannot be played")
        self._thinker.position = played(self._dialect, self._thinker.position, made.text)
        self._move(connection)

    def _move(self, connection: socket.socket) -> None:
        """Move if it is the player's turn, and end the game if it is over."""
        position = self._thinker.position
        outcome = position.outcome
        if outcome is None and position.turn == self._side:
            began = time.perf_counter()
            budget = self._seconds
            if budget is None and self._left:
                budget = clock_budget(self._left, moves=self._moves)
            found = self._thinker.choose(budget)
            spent = time.perf_counter() - began
            self._left = max(0.0, self._left - spent) or 0.1 * bool(self._left)
            self._moves = max(0, self._moves - 1)
            text = self._dialect.move_text(position.state, found.move.code, position.codes)
            _send(connection, dxp.move_made(text, spent))
            position = self._thinker.position = position.after(found.move.code)
            outcome = position.outcome
        if outcome is not None and self._playing:
            self._playing = False
            points = outcome.points(self._side)
            _send(connection, dxp.GameEnd((dxp.LOST, dxp.DRAWN, dxp.WON)[points]))


def _send(connection: socket.socket, message: dxp.Message) -> None:
    connection.sendall(dxp.packed(message))


def _messages(connection: socket.socket) -> Iterator[str]:
    """Yield the messages of a client until it leaves; a message that is too long is dropped."""
    buffer = b""
    while True:
        try:
            chunk = connection.recv(4096)
        except OSError:
            return
        if not chunk:
            return
        *whole, buffer = (buffer + chunk).split(dxp.END)
        yield from (text.decode("latin-1").strip() for text in whole if 0 < len(text) <= dxp.LONGEST)
        buffer = buffer[: dxp.LONGEST]

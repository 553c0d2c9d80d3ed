"""DXP, the DamExchange Protocol for draughts programs, over TCP: its messages, the server and the client.

A message is one letter, fields of fixed width and a final NUL. The server is the follower, which waits for a program
that proposes games. The client proposes games to an engine that waits for them at a TCP port of this computer.
"""

import contextlib
import math
import re
import select
import socket
import time
import weakref
from collections.abc import Callable, Iterator, Mapping

import attrs

from gameforge import Game, GameforgeError, Position
from gameforge_engines import protocols
from gameforge_engines.protocols import Answer, Client, EngineDisagrees, EngineProcess, EngineUnusable, Limits, played
from gameforge_engines.server import Server, Thinker, clock_budget

PORT = 27531
"""The usual TCP port."""
END = b"\0"
LONGEST_MESSAGE = 256
"""Maximum length of a message, in bytes."""
UNKNOWN, LOST, DRAWN, WON = "0", "1", "2", "3"
"""Reasons of GAMEEND, as its sender sees the game."""
WHITE, BLACK = "W", "Z"


@attrs.frozen
class GameRequest:
    """R: the initiator proposes a game."""

    name: str
    follower: str
    """Colour of the follower, WHITE or BLACK."""
    minutes: int
    moves: int
    position: str = ""
    """"" for the initial position, else the side to move and a letter for each square."""

    def encoded(self) -> str:
        place = f"B{self.position}" if self.position else "A"
        return f"R01{self.name[:32]:<32}{self.follower}{self.minutes:03}{self.moves:03}{place}"


@attrs.frozen
class GameAccepted:
    """A: the follower accepts (code 0) or refuses."""

    name: str
    code: str = "0"

    def encoded(self) -> str:
        return f"A{self.name[:32]:<32}{self.code}"


@attrs.frozen
class MoveMade:
    """M: a move by its first and last square and the captured squares."""

    seconds: int
    first: int
    last: int
    captured: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The move in the dialect of a game for DXP."""
        return "-".join(map(str, (self.first, self.last, *self.captured)))

    def encoded(self) -> str:
        squares = "".join(f"{square:02}" for square in self.captured)
        return f"M{min(self.seconds, 9999):04}{self.first:02}{self.last:02}{len(self.captured):02}{squares}"


@attrs.frozen
class GameEnd:
    """E: the sender ends the game."""

    reason: str = UNKNOWN
    stop: str = "0"

    def encoded(self) -> str:
        return f"E{self.reason}{self.stop}"


@attrs.frozen
class Chat:
    """C: a text for the person at the other end."""

    text: str

    def encoded(self) -> str:
        return f"C{self.text[:126]}"


@attrs.frozen
class BackRequest:
    """B: a request to take back moves."""

    def encoded(self) -> str:
        return "B001W"


@attrs.frozen
class BackAnswer:
    """K: the answer to a request to take back moves; 1 refuses because the program does not support it."""

    code: str = "1"

    def encoded(self) -> str:
        return f"K{self.code}"


Message = GameRequest | GameAccepted | MoveMade | GameEnd | Chat | BackRequest | BackAnswer


def decoded(text: str) -> Message:
    """Parse a message; GameforgeError if it is not one."""
    kind, rest = text[:1], text[1:]
    try:
        if kind == "R":
            position = rest[42:] if rest[41] == "B" else ""
            return GameRequest(rest[2:34].strip(), rest[34], int(rest[35:38]), int(rest[38:41]), position)
        if kind == "A":
            return GameAccepted(rest[:32].strip(), rest[32:33])
        if kind == "M":
            return MoveMade(int(rest[:4]), int(rest[4:6]), int(rest[6:8]), _squares(rest[10:], int(rest[8:10])))
        if kind == "E":
            return GameEnd(rest[0], rest[1:2] or "0")
        if kind == "C":
            return Chat(rest)
        if kind == "B":
            return BackRequest()
        if kind == "K":
            return BackAnswer(rest[:1])
    except (IndexError, ValueError):
        pass
    raise GameforgeError(f"DXP: {text[:60]!r} is not a message")


def _squares(text: str, count: int) -> tuple[int, ...]:
    if len(text) < 2 * count:
        raise ValueError(text)
    return tuple(int(text[2 * i : 2 * i + 2]) for i in range(count))


def packed(message: Message) -> bytes:
    """Write a message as it is sent."""
    return message.encoded().encode("latin-1", "replace") + END


def move_made(text: str, seconds: float = 0.0) -> MoveMade:
    """Make the message of a move from its squares in the dialect: the first, the last, then the captured pieces."""
    first, last, *captured = map(int, re.findall(r"\d+", text))
    return MoveMade(round(seconds), first, last, tuple(captured))


_PAUSE = 0.1
"""Seconds before a first move: pydraughts takes messages that arrive together for one, and would lose the move."""
_IDLE_SECONDS, _GAME_SECONDS = 10.0, 900.0
"""Seconds of silence, before and in a game, after which a client leaves its place to one that waits."""
_SEND_SECONDS = 10.0
"""Seconds in which a client must take a message."""


class DxpServer(Server):
    """Plays the games that clients propose, one client after the other, until it is interrupted."""

    protocol = "dxp"

    def __init__(self, thinker: Thinker, listener: socket.socket, seconds: float | None = None) -> None:
        """seconds: for each move; None: the clock of the game that the client proposes."""
        super().__init__(thinker, seconds)
        self._listener = listener
        self._first = self._dialect.position_text(self._game.rules.initial())[0]
        """The colour that moves first in this game."""
        self._side = 0
        self._left, self._moves = 0.0, 0
        """Seconds left, 0 for the player's own limits, and the moves for which they must suffice, 0 if unknown."""
        self._playing = False

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except ConnectionError:  # the client left before its turn
                continue
            with connection, contextlib.suppress(OSError):  # the client has left, or takes no message
                self._playing = False
                for text in self._messages(connection):
                    self._serve(connection, text)

    def _serve(self, connection: socket.socket, text: str) -> None:
        """Take a message. Whatever it makes the player raise, the client hears of it, and the server goes on."""
        try:
            self._take(connection, decoded(text))
        except OSError:
            raise
        except GameforgeError as error:
            _send(connection, Chat(str(error)))
        except Exception as error:
            _send(connection, Chat(f"{type(error).__name__}: {error}"))
            self._end(connection, UNKNOWN)

    def _messages(self, connection: socket.socket) -> Iterator[str]:
        """Yield the messages of a client until it leaves; a message that is too long is dropped.

        A client that is silent for long leaves its place as soon as another one waits for it.
        """
        buffer = b""
        heard = time.monotonic()
        while True:
            patience = _GAME_SECONDS if self._playing else _IDLE_SECONDS
            connection.settimeout(max(protocols.LOOK_SECONDS, heard + patience - time.monotonic()))
            try:
                chunk = connection.recv(4096)
            except TimeoutError:
                if select.select([self._listener], [], [], 0)[0]:
                    return
                continue
            if not chunk:
                return
            *whole, buffer = (buffer + chunk).split(END)
            connection.settimeout(_SEND_SECONDS)
            yield from (text.decode("latin-1").strip() for text in whole if 0 < len(text) <= LONGEST_MESSAGE)
            buffer = buffer[:LONGEST_MESSAGE]
            heard = time.monotonic()

    def _take(self, connection: socket.socket, message: Message) -> None:
        if isinstance(message, GameRequest):
            self._begin(connection, message)
        elif isinstance(message, MoveMade):
            self._replied(connection, message)
        elif isinstance(message, GameEnd):
            self._end(connection, UNKNOWN)
        elif isinstance(message, BackRequest):
            _send(connection, BackAnswer())
        elif isinstance(message, Chat):
            self._chat(connection, message.text)

    def _chat(self, connection: socket.socket, text: str) -> None:
        """Set an option if the text is `set NAME VALUE`: the protocol itself has no options."""
        command, _, rest = text.strip().partition(" ")
        name, _, value = rest.strip().partition(" ")
        if command == "set":
            self._thinker.set_option(name, value.strip())
            _send(connection, Chat(f"{name} = {value.strip()}"))

    def _begin(self, connection: socket.socket, asked: GameRequest) -> None:
        text = asked.position
        try:
            position = Position(self._game, self._dialect.parse_position(text)) if text else self._game.position()
        except GameforgeError:
            _send(connection, GameAccepted("GameForge", "2"))
            return
        self._thinker.position = position
        self._side = 0 if asked.follower == self._first else 1
        self._left, self._moves = 60.0 * asked.minutes, asked.moves
        self._playing = True
        _send(connection, GameAccepted("GameForge"))
        time.sleep(_PAUSE)
        self._move(connection)

    def _replied(self, connection: socket.socket, made: MoveMade) -> None:
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
            _send(connection, move_made(self._text(found.move), spent))
            position = self._thinker.position = position.after(found.move)
            outcome = position.outcome
        if outcome is not None:
            self._end(connection, (LOST, DRAWN, WON)[outcome.points(self._side)])

    def _end(self, connection: socket.socket, reason: str) -> None:
        """End the game, if one is running."""
        if self._playing:
            self._playing = False
            _send(connection, GameEnd(reason))


def _send(connection: socket.socket, message: Message) -> None:
    connection.sendall(packed(message))


_NAME = "GameForge"
_PROPOSED_MOVES = 100
"""Number of moves, about, for which a time is proposed; the time is a whole number of minutes."""
_MOST_PROPOSED = 999
"""Largest number of minutes and of moves."""
_RETRY_SECONDS = 0.05


class DxpClient(Client):
    """Proposes a game that begins at the position of the first move, and sends the opponent's moves."""

    protocol = "dxp"
    farewell = ""

    def __init__(self, process: EngineProcess, game: Game) -> None:
        super().__init__(process, game)
        self._buffer = b""
        self._told: list[int] | None = None
        """Moves after the engine's last answer, while a game is running."""

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        self._connection = self._connected(seconds)
        weakref.finalize(self, self._connection.close)
        for name, value in options.items():
            self._send(Chat(f"set {name} {value}"))
            answer = self._receive(seconds)
            if answer != Chat(f"{name} = {value}"):
                said = answer.text if isinstance(answer, Chat) else answer.encoded()
                raise self._process.failure(f"did not accept the option {name!r}: {said}")

    def _connected(self, seconds: float) -> socket.socket:
        """Connect as soon as the engine listens."""
        address = ("127.0.0.1", self._process.port or PORT)
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
            self._send(move_made(text))
        else:
            self._propose(position, limits, seconds, check)
        while not isinstance(answer := self._receive(seconds, check), MoveMade):
            if isinstance(answer, GameEnd):
                if answer.reason == LOST:
                    raise self._process.failure("resigned")
                raise self._process.failed(EngineDisagrees, "ended the game")
            if isinstance(answer, BackRequest):
                self._send(BackAnswer())
        move = self._move(position, answer.text)
        self._told = [*moves, move]
        return Answer(move=move)

    def _propose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> None:
        """End the game that is running, and propose one in which the engine moves first."""
        if self._told is not None:
            self._told = None
            self._send(GameEnd())
            while not isinstance(self._receive(seconds, check), GameEnd):
                pass
        text = self._dialect.position_text(position.state)
        place = "" if position.state == self._game.rules.initial() else text
        self._send(GameRequest(_NAME, text[0], *_proposed_time(limits.seconds), place))
        while not isinstance(answer := self._receive(seconds, check), GameAccepted):
            pass
        if answer.code != "0":
            raise self._process.failed(EngineUnusable, f"refused a game from {text}, with code {answer.code}")

    def _send(self, message: Message) -> None:
        try:
            self._connection.sendall(packed(message))
        except OSError:
            raise self._process.failure(self._process.died()) from None

    def _receive(self, seconds: float, check: Callable[[], None] = lambda: None) -> Message:
        """Return the next message; EngineFailed if there is none in time. check: as for EngineProcess.receive."""
        deadline = time.monotonic() + seconds
        while END not in self._buffer:
            if len(self._buffer) > LONGEST_MESSAGE:
                raise self._process.failure(f"sent more than {LONGEST_MESSAGE} bytes without the end of a message")
            check()
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._process.failure(f"did not answer within {seconds:g} s")
            self._connection.settimeout(min(left, protocols.LOOK_SECONDS))
            try:
                chunk = self._connection.recv(4096)
            except TimeoutError:
                continue
            except OSError:
                chunk = b""
            if not chunk:
                raise self._process.failure(self._process.died())
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(END)
        try:
            return decoded(text.decode("latin-1").strip())
        except GameforgeError as error:
            raise self._process.failure(f"sent something other than a DXP message: {error}") from error


def _proposed_time(seconds: float | None) -> tuple[int, int]:
    """Return the minutes and the moves of a game for this time per move; zeros for the engine's own limits."""
    if seconds is None:
        return 0, 0
    minutes = min(max(1, math.floor(seconds * _PROPOSED_MOVES / 60)), _MOST_PROPOSED)
    return minutes, min(math.ceil(60 * minutes / seconds), _MOST_PROPOSED)

"""What all protocols share: how they write a game, and the client's end, an engine as a child process.

A protocol writes a game in the game's dialect for it, else in the game's own notation.

Lines go to the engine, and lines come from it with a time limit; its last words are kept for messages.
"""

import abc
import collections
import contextlib
import os
import queue
import shlex
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, ClassVar, TypeVar

import attrs

from gameforge import Game, GameforgeError, Position
from gameforge.interfaces import Dialect, State


@attrs.frozen
class OwnNotation:
    """The notation of the game itself, as a dialect."""

    game: Game
    variant: str
    implied: str = "pass"

    def position_text(self, state: State) -> str:
        return self.game.position_text(state)

    def parse_position(self, text: str) -> State:
        return self.game.parse_position(text)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return self.game.move_text(state, move, legal)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        return self.game.parse_move(state, text, legal)


_OF_ALL_GAMES = ("gtp", "ugi")
"""Protocols in which a game without a dialect of its own can be written."""


def dialect_of(game: Game, protocol: str) -> Dialect:
    """Return the game's dialect for a protocol, or its own notation; GameforgeError if it can have neither."""
    found = None if game.dialects is None else game.dialects.dialect(protocol)
    if found is not None:
        return found
    if protocol not in _OF_ALL_GAMES:
        raise GameforgeError(
            f"protocol {protocol} cannot express {game.rules.name}: the game offers no dialect for it; "
            "gtp and ugi serve every game"
        )
    return OwnNotation(game, game.rules.name)


def played(dialect: Dialect, position: Position, text: str) -> Position:
    """Play a move given in a dialect."""
    return position.after(dialect.parse_move(position.state, text, position.codes))


def move_words(dialect: Dialect, position: Position, codes: Sequence[int]) -> list[str]:
    """Write the moves that are played one after the other from a position."""
    words = []
    for code in codes:
        words.append(dialect.move_text(position.state, code, position.codes))
        position = position.after(code)
    return words


class GameLine:
    """The last game that was read or written: protocols send the whole game with each search, and it has grown."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._start: Position | None = None

    def _begin(self, start: Position) -> None:
        self._start = self._position = start
        self._moves: list[int] = []
        self._words: list[str] = []

    def read(self, start: Position, words: Sequence[str]) -> Position:
        """Return the position after these moves; GameforgeError for one that is not legal."""
        if start != self._start or self._words != words[: len(self._words)]:
            self._begin(start)
        for word in words[len(self._words) :]:
            code = self._dialect.parse_move(self._position.state, word, self._position.codes)
            self._add(code, word)
        return self._position

    def write(self, start: Position, moves: Sequence[int]) -> list[str]:
        """Return the words of these moves."""
        if start != self._start or self._moves != moves[: len(self._moves)]:
            self._begin(start)
        for code in moves[len(self._moves) :]:
            self._add(code, self._dialect.move_text(self._position.state, code, self._position.codes))
        return list(self._words)

    def _add(self, code: int, word: str) -> None:
        self._position = self._position.after(code)
        self._moves.append(code)
        self._words.append(word)


LONGEST = 1 << 16
"""Maximum length of a line from an engine, in bytes; an engine that exceeds it is ended."""
_QUOTED = 3
"""Number of the engine's last lines that a message quotes."""
_WIDTH = 200
LOOK_SECONDS = 0.2
"""Interval at which a waiting caller looks whether it should give up."""
_END_SECONDS = 2.0
"""Seconds that an engine has to end by itself."""


_PORT = "{port}"


class EngineFailed(GameforgeError):
    """The engine died, answered nothing, or answered something that it must not."""


class EngineUnusable(GameforgeError):
    """The engine cannot be started, or cannot be set up for a game, so that no game can be played with it."""


class EngineDisagrees(GameforgeError):
    """The engine plays by other rules: it takes a running game for over, or refuses a legal move."""


Failure = TypeVar("Failure", bound=EngineFailed | EngineUnusable | EngineDisagrees)


@attrs.frozen(kw_only=True)
class Surroundings:
    """Where an engine runs."""

    directory: str | None = None
    """Its working directory; None: that of GameForge."""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    """Variables of its environment, beside those of GameForge."""
    log: Path | None = None
    """File to which its standard error is appended."""

    @property
    def variables(self) -> dict[str, str]:
        """The whole environment."""
        return {**os.environ, **self.environment}


def require_program(command: str, around: Surroundings) -> None:
    """Raise GameforgeError unless the command begins with the name of a program that can be run there."""
    if around.directory is not None and not os.path.isdir(around.directory):
        raise GameforgeError(f"engine {command!r} cannot be started: there is no directory {around.directory!r}")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise GameforgeError(f"engine {command!r} cannot be started: {error}") from error
    program = words[0] if words else ""
    if os.path.dirname(program):
        program = os.path.join(around.directory or "", program)
    if not words or shutil.which(program, path=around.variables.get("PATH")) is None:
        raise GameforgeError(f"engine {command!r} cannot be started: there is no program {' '.join(words[:1])!r}")


class EngineProcess:
    """A running engine. One thread uses it at a time."""

    def __init__(self, command: str, around: Surroundings | None = None, program: Sequence[str] | None = None) -> None:
        """Start the command. program: its words, if they are not those of a shell.

        `{port}` in the command stands for a free TCP port. Raises EngineFailed if the command cannot be started.
        """
        around = around or Surroundings()
        self.command = command
        self.port = _free_port() if _PORT in command else None
        """The port that the command names."""
        self._last: collections.deque[str] = collections.deque(maxlen=_QUOTED)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._fault = ""
        try:
            words = [word.replace(_PORT, str(self.port)) for word in program or shlex.split(command)]
            errors: IO[bytes] | int = subprocess.PIPE if around.log is None else around.log.open("ab")
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                cwd=around.directory,
                env=around.variables,
            )
        except (OSError, ValueError, IndexError) as error:
            raise EngineFailed(f"engine {command!r} cannot be started: {error}") from error
        if not isinstance(errors, int):
            errors.close()
        for name, stream, take in (
            ("answers", self._process.stdout, self._answered),
            ("errors", self._process.stderr, self._last.append),
        ):
            if stream is not None:
                threading.Thread(
                    target=self._read, args=(stream, take), name=f"gameforge-engine-{name}", daemon=True
                ).start()

    def _read(self, stream: IO[bytes], take: Callable[[str], None]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST):
                if len(line) == LONGEST and not line.endswith(b"\n"):
                    self._fault = f"sent more than {LONGEST} bytes without an end of line"
                    self._process.kill()
                    break
                take(line.decode("utf-8", "replace").rstrip("\r\n"))
        if stream is self._process.stdout:
            self._lines.put(None)

    def _answered(self, line: str) -> None:
        if line:
            self._last.append(line)
        self._lines.put(line)

    def failure(self, what: str) -> EngineFailed:
        """Make the error that says what the engine did, with its last lines."""
        return self.failed(EngineFailed, what)

    def failed(self, kind: type[Failure], what: str) -> Failure:
        """Make such an error of another kind."""
        said = "; ".join(repr(line[:_WIDTH]) for line in self._last)  # with control characters spelled out
        return kind(f"engine {self.command!r} {self._fault or what}" + (f"; it last said: {said}" if said else ""))

    def send(self, line: str) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(line.encode() + b"\n")
            stdin.flush()
        except (OSError, ValueError):
            raise self.failure(self.died()) from None

    def receive(self, seconds: float, check: Callable[[], None] = lambda: None) -> str:
        """Return the next line; EngineFailed if there is none in time, or if the engine has ended.

        check: called regularly; if it raises, the wait ends.
        """
        deadline = time.monotonic() + seconds
        while True:
            check()
            left = deadline - time.monotonic()
            try:
                line = self._lines.get(timeout=max(0.0, min(left, LOOK_SECONDS)))
            except queue.Empty:
                if left <= 0:
                    raise self.failure(f"did not answer within {seconds:g} s") from None
                continue
            if line is None:
                self._lines.put(None)
                raise self.failure(self.died())
            return line

    @property
    def processor_nanoseconds(self) -> int:
        """Processor time that the engine has used so far, without that of programs that it has started.

        0 where the system does not offer the clock of another process, as Linux does.
        """
        try:
            return time.clock_gettime_ns(~self._process.pid << 3 | 2)  # CPUCLOCK_SCHED of the whole process
        except (AttributeError, OSError):
            return 0

    @property
    def ended(self) -> bool:
        """Whether the engine runs no more."""
        return self._process.poll() is not None

    def died(self) -> str:
        """Say how the engine ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_END_SECONDS)
            return f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"
        return "closed its output"

    def close(self, farewell: str = "") -> None:
        """End the engine: by its farewell or a signal, then by force."""
        with contextlib.suppress(EngineFailed):
            if farewell:
                self.send(farewell)
            else:
                self._process.terminate()
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


_OVER = "game is over"
"""What an error says if an engine takes the game for over."""
_NO_MOVE = ("", "none", "(none)", "null", "pass", "pa", "ps", "--", "0000", "@@@@")
"""What engines answer, in small letters, if they have no move."""
MOST_DEPTH, MOST_NODES, MOST_SCORE = 1e6, 1e18, 1e9
"""Largest figures that an engine can report about a search."""


@attrs.frozen(kw_only=True)
class Answer:
    """The engine's answer."""

    move: int
    score: float = 0.0
    """From -1 to 1 for the side to move; 0 if the engine states none."""
    nodes: int = 0
    depth: int = 0


@attrs.frozen(kw_only=True)
class Limits:
    """How long an engine may think about a move; None: not limited by this."""

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None


class Client(abc.ABC):
    """The other end of a protocol: it tells an engine what to do and reads its answers.

    All methods raise EngineFailed if the engine does not do what the protocol demands. `choose` raises EngineUnusable
    if the engine cannot be set up for the game, and EngineDisagrees if it plays by other rules.
    """

    protocol: ClassVar[str]
    """Name of the protocol."""
    farewell = "quit"
    """The line that ends the engine."""
    before_errors = ""
    """What stands before the word `error` in a line that reports one."""

    def __init__(self, process: EngineProcess, game: Game) -> None:
        """Raises GameforgeError if the protocol cannot express the game."""
        self._process = process
        self._game = game
        self._dialect = dialect_of(game, self.protocol)
        self._line = GameLine(self._dialect)

    @classmethod
    def program(cls, command: str) -> list[str]:
        """Return the words of the program that speaks the protocol for an engine's command."""
        return shlex.split(command)

    @classmethod
    def require(cls, command: str, around: Surroundings) -> None:
        """Raise GameforgeError if the engine obviously cannot be started there."""
        require_program(command, around)

    @abc.abstractmethod
    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        """Make the engine ready for games, with these options, within this time."""

    @abc.abstractmethod
    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        """Return the engine's move in a position; it must answer within `seconds`. check: as for `receive`."""

    def _received(self, seconds: float, check: Callable[[], None] = lambda: None) -> str:
        """Return the next line, as `receive` does, unless it reports an error."""
        line = self._process.receive(seconds, check)
        if line.startswith(f"{self.before_errors}error"):
            said = line.removeprefix(self.before_errors)
            if _OVER in line.lower():
                raise self._process.failed(EngineDisagrees, f"reported {said!r}")
            raise self._process.failure(f"reported {said!r}")
        return line

    def _move(self, position: Position, text: str) -> int:
        """Read the move that the engine has chosen."""
        try:
            return self._dialect.parse_move(position.state, text, position.codes)
        except GameforgeError as error:
            if text.strip().lower() in _NO_MOVE:
                raise self._process.failed(EngineDisagrees, f"made no move, {text!r}, in a running game") from error
            raise self._process.failure(f"made an illegal move: {error}") from error


def figure(text: str | None, otherwise: float, most: float) -> float:
    """Read a figure that an engine reports; one that is not a number from -most to most is ignored."""
    try:
        number = otherwise if text is None else float(text)
    except ValueError:
        return otherwise
    return number if -most <= number <= most else otherwise


def squashed(pieces: float) -> float:
    """Map a score in pieces to (-1, 1); engines count pieces differently, so this is for display only."""
    return pieces / (1 + abs(pieces))

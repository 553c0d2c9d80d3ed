"""Hub, version 2, the protocol of Scan and other draughts engines (F. Letouzey, 2015): the server and the client.

Messages are a word and arguments `name=value`; values with spaces stand in quotes. Positions are a letter for the side
to move and one for each square; a capture names all captured squares. Both come from the game's dialect.
"""

import importlib.metadata
import re
from collections.abc import Callable, Mapping

from gameforge import Game, GameforgeError, Position
from gameforge.interfaces import WON
from gameforge_engines.client import MOST_DEPTH, MOST_NODES, MOST_SCORE, Answer, EngineProcess, Limits, figure, squashed
from gameforge_engines.dialects import GameLine, dialect_of, move_words
from gameforge_engines.server import Found, Lines, Thinker, clock_budget, converse, number_from, search_limits

PROTOCOL = "hub"
_ARGUMENT = re.compile(r'([^\s=]+)(?:=(?:"([^"]*)"|(\S*)))?')
_WON = 100.0
"""Pieces by which Hub engines report a won position, less the moves to the win."""


def arguments(text: str) -> dict[str, str]:
    """Parse the arguments of a message; one without `=` has an empty value."""
    return {match[1]: match[2] if match[2] is not None else match[3] or "" for match in _ARGUMENT.finditer(text)}


def quoted(text: str) -> str:
    """Write a value, in quotes if it needs them."""
    return f'"{text}"' if not text or " " in text or "=" in text else text.replace('"', "'")


class HubServer:
    """Answers Hub commands until `quit`, or until the input ends; searches run in a thread of their own."""

    def __init__(self, thinker: Thinker, seconds: float | None = None, lines: Lines | None = None) -> None:
        """seconds: for each move, until the client sets a level; None: the player's own limits."""
        self._thinker = thinker
        self._dialect = dialect_of(thinker.player.game, PROTOCOL, required=True)
        self._line = GameLine(self._dialect)
        self._seconds = seconds
        self._level: dict[str, str] = {}
        self._lines = Lines() if lines is None else lines
        self._pondering = False
        self._kept: str | None = None
        """The answer after pondering, which is sent only after `stop`."""

    def serve(self) -> None:
        converse(self._lines, self._thinker, lambda command, rest: self._take(command, arguments(rest)), self.report)

    def report(self, error: Exception) -> None:
        self._lines.write(f"error message={quoted(' '.join(str(error).split()))}")

    def _take(self, command: str, given: dict[str, str]) -> None:
        write = self._lines.write
        if command == "hub":
            write(
                f'id name=GameForge version={importlib.metadata.version("gameforge")} author="The GameForge developers"'
            )
            write(f"param name=variant value={self._dialect.variant} type=enum values={self._dialect.variant}")
            for name, value in self._thinker.options.values.items():
                write(f"param name={name} value={quoted(value)} type=string")
            write("wait")
        elif command == "init":
            write("ready")
        elif command == "ping":
            write("pong")
        elif command == "set-param":
            self._set_param(given.get("name", ""), given.get("value", ""))
        elif command == "new-game":
            self._look_at(self._thinker.player.game.position())
        elif command == "pos":
            self._look_at(self._position(given))
        elif command == "level":
            self._level = _checked_level(given)
        elif command == "go":
            self._go("think" if not given else next(iter(given)))
        elif command == "stop":
            self._stop()
        elif command != "ponder-hit":
            raise GameforgeError(f"unknown command {command!r}")

    def _look_at(self, position: Position) -> None:
        self._thinker.stop()
        self._thinker.position = position

    def _set_param(self, name: str, value: str) -> None:
        if name == "variant":
            if value != self._dialect.variant:
                raise GameforgeError(f"unknown variant {value!r}; this engine plays {self._dialect.variant}")
            return
        self._thinker.set_option(name, value)

    def _position(self, given: dict[str, str]) -> Position:
        game = self._thinker.player.game
        text = given.get("pos", given.get("start", ""))
        position = Position(game, self._dialect.parse_position(text)) if text else game.position()
        return self._line.read(position, given.get("moves", "").split())

    def _go(self, how: str) -> None:
        if how not in ("think", "analyze", "ponder"):
            raise GameforgeError(f"go: expected think, analyze or ponder, not {how!r}")
        self._thinker.stop()
        self._pondering, self._kept = how == "ponder", None
        if how == "analyze":
            self._thinker.analyse(self)
        else:
            self._thinker.start(self._budget(), search_limits(self._level), self)

    def _stop(self) -> None:
        self._thinker.stop()
        if self._kept is not None:
            self._lines.write(self._kept)
            self._kept = None

    def _budget(self) -> float | None:
        """Seconds for the next move, by the level."""
        level = self._level
        if "move-time" in level:
            return number_from(level["move-time"])
        if "time" in level:
            moves = max(0, int(number_from(level.get("moves", "0"))))
            increment = number_from(level.get("inc", "0"))
            return clock_budget(number_from(level["time"]) + increment, increment, moves)
        return self._seconds

    def inform(self, found: Found) -> None:
        position, analysis = self._thinker.position, found.analysis
        if analysis is not None:
            line = move_words(self._dialect, position, [move.code for move in analysis.line])
            rate = analysis.nodes / max(found.seconds, 1e-6) / 1e6
            self._lines.write(
                f"info depth={analysis.depth} score={_score(analysis.score):.2f} nodes={analysis.nodes} "
                f"time={found.seconds:.2f} nps={rate:.1f} pv={quoted(' '.join(line))}"
            )

    def answer(self, found: Found) -> None:
        position = self._thinker.position
        text = f"done move={self._dialect.move_text(position.state, found.move, position.codes)}"
        if self._pondering:
            self._kept = text
        else:
            self._lines.write(text)


def _checked_level(level: dict[str, str]) -> dict[str, str]:
    """Return the level that a client sets; GameforgeError if one of its limits is not a number that is allowed."""
    search_limits(level)
    for name in ("move-time", "time", "moves", "inc"):
        if name in level:
            number_from(level[name])
    return level


def _score(score: float) -> float:
    """Write a score in the range of Hub engines: won positions lie near 100."""
    return (_WON if score > 0 else -_WON) if abs(score) >= WON else 10 * score


class HubClient:
    """Sends the whole game with each search."""

    farewell = "quit"

    def __init__(self, process: EngineProcess, game: Game) -> None:
        self._process = process
        self._game = game
        self._dialect = dialect_of(game, PROTOCOL, required=True)
        self._line = GameLine(self._dialect)

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        self._process.send("hub")
        names = set()
        while (line := self._process.receive(seconds)) != "wait":
            if line.startswith("param "):
                names.add(arguments(line.partition(" ")[2]).get("name", ""))
        if "variant" in names:
            self._process.send(f"set-param name=variant value={self._dialect.variant}")
        for name, value in options.items():
            if name not in names:
                raise self._process.failure(f"has no parameter {name!r}; it has {', '.join(sorted(names)) or 'none'}")
            self._process.send(f"set-param name={name} value={quoted(value)}")
        self._process.send("init")
        while (line := self._process.receive(seconds)) != "ready":
            self._refused(line)

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        start = position.start
        moves = " ".join(self._line.write(start, position.moves_played))
        self._process.send(
            f"pos pos={self._dialect.position_text(start.state)}" + (f" moves={quoted(moves)}" if moves else "")
        )
        for name, value in (("move-time", limits.seconds), ("depth", limits.depth), ("nodes", limits.nodes)):
            if value is not None:
                self._process.send(f"level {name}={value:g}" if name == "move-time" else f"level {name}={value}")
        self._process.send("go think")
        score, depth, nodes = 0.0, 0, 0
        while True:
            line = self._process.receive(seconds, check)
            self._refused(line)
            kind, _, rest = line.partition(" ")
            given = arguments(rest)
            if kind == "info":
                score = figure(given.get("score"), score, MOST_SCORE)
                depth = int(figure(given.get("depth"), depth, MOST_DEPTH))
                nodes = int(figure(given.get("nodes"), nodes, MOST_NODES))
            elif kind == "done":
                break
        try:
            move = self._dialect.parse_move(position.state, given.get("move", ""), position.codes)
        except GameforgeError as error:
            raise self._process.failure(f"made an illegal move: {error}") from error
        return Answer(move=move, score=squashed(score), nodes=nodes, depth=depth)

    def _refused(self, line: str) -> None:
        if line.startswith("error"):
            raise self._process.failure(f"reported {line!r}")

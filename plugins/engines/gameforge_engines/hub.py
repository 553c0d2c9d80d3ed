"""Hub, version 2, the protocol of Scan and other draughts engines (F. Letouzey, 2015): the server and the client.

Messages are a word and arguments `name=value`; values with spaces stand in quotes. Positions are a letter for the side
to move and one for each square; a capture names all captured squares. Both come from the game's dialect.
"""

import re
from collections.abc import Callable, Mapping

import gameforge as gf
from gameforge import GameforgeError, Position
from gameforge.interfaces import WON
from gameforge_engines import protocols
from gameforge_engines.protocols import Answer, Client, Limits, figure, move_words, squashed
from gameforge_engines.server import Found, Lines, LineServer, Thinker, clock_budget, number_from, search_limits

_ARGUMENT = re.compile(r'([^\s=]+)(?:=(?:"([^"]*)"|(\S*)))?')
_WON = 100.0
"""Pieces by which Hub engines report a won position, less the moves to the win."""


def arguments(text: str) -> dict[str, str]:
    """Parse the arguments of a message; one without `=` has an empty value."""
    return {match[1]: match[2] if match[2] is not None else match[3] or "" for match in _ARGUMENT.finditer(text)}


def quoted(text: str) -> str:
    """Write a value, in quotes if it needs them."""
    return f'"{text}"' if not text or " " in text or "=" in text else text.replace('"', "'")


class HubServer(LineServer):
    """Answers Hub commands."""

    protocol = "hub"

    def __init__(self, thinker: Thinker, seconds: float | None = None, lines: Lines | None = None) -> None:
        super().__init__(thinker, seconds, lines)
        self._level: dict[str, str] = {}
        self._pondering = False
        self._kept: str | None = None
        """The answer after pondering, which is sent only after `stop`."""

    def commands(self) -> Mapping[str, Callable[[str], object]]:
        return {
            "hub": lambda _: self._introduce(),
            "init": lambda _: self._lines.write("ready"),
            "ping": lambda _: self._lines.write("pong"),
            "set-param": self._set_param,
            "new-game": lambda _: self._look_at(self._game.position()),
            "pos": lambda rest: self._look_at(self._position(arguments(rest))),
            "level": self._set_level,
            "go": lambda rest: self._go(next(iter(arguments(rest)), "think")),
            "stop": lambda _: self._stop(),
            "ponder-hit": lambda _: None,
        }

    def report(self, error: Exception) -> None:
        self._lines.write(f"error message={quoted(' '.join(str(error).split()))}")

    def _introduce(self) -> None:
        variant = self._dialect.variant
        self._lines.write(f'id name=GameForge version={gf.__version__} author="The GameForge developers"')
        self._lines.write(f"param name=variant value={variant} type=enum values={variant}")
        for name, value in self._thinker.options.values.items():
            self._lines.write(f"param name={name} value={quoted(value)} type=string")
        self._lines.write("wait")

    def _set_param(self, rest: str) -> None:
        given = arguments(rest)
        name, value = given.get("name", ""), given.get("value", "")
        if name != "variant":
            self._thinker.set_option(name, value)
        elif value != self._dialect.variant:
            raise GameforgeError(f"unknown variant {value!r}; this engine plays {self._dialect.variant}")

    def _position(self, given: dict[str, str]) -> Position:
        text = given.get("pos", given.get("start", ""))
        position = Position(self._game, self._dialect.parse_position(text)) if text else self._game.position()
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

    def _set_level(self, rest: str) -> None:
        """Take the limits of the searches to come; GameforgeError if one is not a number that is allowed."""
        level = arguments(rest)
        search_limits(level)
        for name in ("move-time", "time", "moves", "inc"):
            if name in level:
                number_from(level[name])
        self._level = level

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
        text = f"done move={self._text(found.move)}"
        if self._pondering:
            self._kept = text
        else:
            self._lines.write(text)


def _score(score: float) -> float:
    """Write a score in the range of Hub engines: won positions lie near 100."""
    return (_WON if score > 0 else -_WON) if abs(score) >= WON else 10 * score


class HubClient(Client):
    """Sends the whole game with each search."""

    protocol = "hub"

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
        while self._received(seconds) != "ready":
            pass

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
            kind, _, rest = self._received(seconds, check).partition(" ")
            given = arguments(rest)
            if kind == "info":
                score = figure(given.get("score"), score, protocols.MOST_SCORE)
                depth = max(0, int(figure(given.get("depth"), depth, protocols.MOST_DEPTH)))
                nodes = max(0, int(figure(given.get("nodes"), nodes, protocols.MOST_NODES)))
            elif kind == "done":
                break
        move = self._move(position, given.get("move", ""))
        return Answer(move=move, score=squashed(score), nodes=nodes, depth=depth)

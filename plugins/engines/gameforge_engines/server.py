"""The server's end of every protocol: a player with options, its search in a thread, and lines in and out."""

import abc
import functools
import math
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, TextIO

import attrs

from gameforge import Analysis, Game, GameforgeError, Pipeline, Player, Position
from gameforge.cli import ChosenPlayer
from gameforge.interfaces import config
from gameforge_engines.protocols import GameLine, dialect_of

LEVEL, MEMORY, DATABASES = "level", "memory", "databases"
_MOST_PLAYERS = 4
"""Number of changed players that are kept, for clients that send the same limits with each search."""


@attrs.frozen(kw_only=True)
class Options:
    """The options of a player, as texts; "" is the player's own setting."""

    values: Mapping[str, str]
    """Names and current values."""
    changed: Callable[[Mapping[str, str]], Player]
    """Makes the player with these settings; GameforgeError for a value that is not allowed."""

    def with_value(self, name: str, value: str) -> "Options":
        """Return the options with one more value; GameforgeError for an unknown name. Case does not matter."""
        known = {key.lower(): key for key in self.values}
        if name.lower() not in known:
            raise GameforgeError(f"unknown option {name!r}; known: {', '.join(self.values) or 'none'}")
        return attrs.evolve(self, values={**self.values, known[name.lower()]: value})

    def player(self, limits: Mapping[str, str] | None = None) -> Player:
        """Make the player with the current values, and with these limits instead of its own."""
        own = (LEVEL, MEMORY, DATABASES) if limits else self.values
        given = {name: value if name in own else "" for name, value in self.values.items()}
        return self.changed({**given, **(limits or {})})


def options_of(chosen: ChosenPlayer, limits: Mapping[str, float | None], base: Player, seed: int) -> Options:
    """Return the options of a player.

    limits: of each level, unless a client sets its own. base: the player without changes. seed: of each changed player.
    """
    workshop, levels, spec = chosen.workshop, chosen.levels, base.spec["searcher"]
    registry = workshop.registry
    cls = registry.load(registry.find("searcher", spec["use"], base.game.rules.name))
    memory = (MEMORY,) if attrs.has(cls) and MEMORY in attrs.fields_dict(cls) else ()
    names = (*((LEVEL,) if levels else ()), *chosen.limits(base), *memory, DATABASES)

    @functools.lru_cache(maxsize=_MOST_PLAYERS)
    def changed(items: tuple[tuple[str, str], ...]) -> Player:
        values = dict(items)
        level, memory, databases = (values.pop(name, "") for name in (LEVEL, MEMORY, DATABASES))
        player = chosen.made(int(_option_number(LEVEL, level)), **limits) if level else base
        settings: dict[str, object] = {"searcher.memory": _option_number(MEMORY, memory)} if memory else {}
        oracles = {"oracle": databases.replace(";", " ").split()} if databases else {}
        if settings or oracles:
            own = Pipeline(learner="none", registry=registry, **{**player.spec, **oracles})
            pipeline = own.with_settings(settings) if settings else own
            player = Player(
                *(workshop.parts(pipeline), player.weights, player.name, pipeline.settings),
                own_limits=player.own_limits,
            )
        player = chosen.limited(player, **{name: _option_number(name, value) for name, value in values.items()})
        player.reseed(seed)
        return player

    def of_values(values: Mapping[str, str]) -> Player:
        given = tuple((name, value) for name, value in values.items() if value)
        return changed(given) if given else base

    return Options(values=dict.fromkeys(names, ""), changed=of_values)


def _option_number(name: str, text: str) -> float:
    value = config.parse_value(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GameforgeError(f"{name} = {text!r}: must be a number")
    return value


_STOP_SECONDS = 0.002
"""Interval at which a search is asked again to stop, in case it had not begun."""
_MOVES_TO_GO = 25
"""Without a control ahead, the time is planned as if the game lasted this many more of the player's moves."""
_LAG = 0.01
"""Seconds of the clock that no search may use: the client's clock runs until it has read the move."""


@attrs.frozen(kw_only=True)
class Found:
    """The result of a search, or of a choice that needed none."""

    move: int
    """Its word."""
    seconds: float
    analysis: Analysis | None = None
    """None for an only move and for a move from a book."""


def number_from(text: str, most: float = 1e8) -> float:
    """Read a number that a client sent, such as a time in seconds; GameforgeError unless it is from -most to most."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not -most <= number <= most:
        raise GameforgeError(f"{text[:20]!r}: expected a number from {-most:g} to {most:g}")
    return number


def clock_budget(left: float, increment: float = 0.0, moves: int = 0) -> float:
    """Return the seconds to spend on a move with this time on the clock; moves: until the next control, 0: unknown."""
    planned = left / (moves + 1 if moves else _MOVES_TO_GO) + 0.75 * increment
    return max(0.001, min(planned, left - _LAG))


def search_limits(given: Mapping[str, str]) -> dict[str, str]:
    """Pick the limits of a search from what a client sent; GameforgeError unless each is a whole number above 0."""
    limits = {name: given[name] for name in ("depth", "nodes") if name in given}
    for name, text in limits.items():
        if not re.fullmatch(r"0*[1-9][0-9]{0,18}", text, re.ASCII):
            raise GameforgeError(f"{name} {text[:20]!r}: expected a whole number, 1 or more")
    return {name: str(int(text)) for name, text in limits.items()}


class Thinker:
    """A player, the position that it looks at, and at most one search at a time."""

    def __init__(self, player: Player, options: Options | None = None) -> None:
        """options: what a client may change; None: nothing."""
        self.player = player
        self.options = options or Options(values={}, changed=lambda values: player)
        self.position = player.game.position()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._endless = False
        self._searching = player

    def set_option(self, name: str, value: str) -> None:
        """Change the player; GameforgeError for an unknown option and for a value that is not allowed."""
        options = self.options.with_value(name, value)
        self.stop()
        self.player = options.player()
        self.options = options

    def choose(self, seconds: float | None = None, player: Player | None = None) -> Found:
        """Choose a move in the current position; GameforgeError if the game is over. player: instead of the usual."""
        position, began = self.position, time.perf_counter()
        self._searching = player = self.player if player is None else player
        position.require_running()
        known = position.legal_moves[0] if len(position.codes) == 1 else player.book_move(position)
        if known is not None:
            return Found(move=known.code, seconds=time.perf_counter() - began)
        analysis = player.analyse(position, seconds=seconds)
        return Found(move=analysis.move.code, analysis=analysis, seconds=time.perf_counter() - began)

    def start(self, seconds: float | None, limits: Mapping[str, str], listener: "LineServer") -> None:
        """Choose a move in another thread. limits: of this search, in place of the player's own."""
        player = self.options.player(limits) if limits else self.player

        def work() -> None:
            found = self.choose(seconds, player)
            listener.inform(found)
            listener.answer(found)

        self._run(work, listener, endless=False)

    def analyse(self, listener: "LineServer", depth: int | None = None) -> None:
        """Search with growing limits, in another thread; each result is reported.

        depth: the last one, after which the answer is given; None: the answer waits for `stop`.
        """

        def work() -> None:
            began, last = time.perf_counter(), None
            for limits in Player.growing_limits(self.options.values):
                if depth is not None and limits.get("depth", 0) > depth:
                    break
                player = self.options.player({name: str(limit) for name, limit in limits.items()})
                if last is not None and self._stopped.is_set():
                    break
                found = self.choose(None, player)
                if last is not None and self._stopped.is_set():
                    break
                last = attrs.evolve(found, seconds=time.perf_counter() - began)
                listener.inform(last)
                if self._stopped.is_set() or found.analysis is None:
                    break
            if depth is None:
                self._stopped.wait()
            if last is not None:
                listener.answer(last)

        self._run(work, listener, endless=depth is None)

    def _run(self, work: Callable[[], None], listener: "LineServer", *, endless: bool) -> None:
        def guarded() -> None:
            try:
                work()
            except Exception as error:  # reported by the protocol; the engine must not die
                listener.report(error)

        self.stop()
        self._stopped.clear()
        self._endless = endless
        self._thread = threading.Thread(target=guarded, name="gameforge-engine")
        self._thread.start()

    def finish(self) -> None:
        """Wait until the search, if there is one, has reported its answer; an analysis without an end is ended."""
        if self._thread is not None:
            if self._endless:
                self._stopped.set()
            self._thread.join()

    def stop(self) -> None:
        """End the search, if there is one, and wait until its answer has been reported."""
        self._stopped.set()
        while self._thread is not None and self._thread.is_alive():
            self._searching.stop()
            self._thread.join(_STOP_SECONDS)
        self._thread = None


LONGEST = 1 << 20
"""Maximum length of a line from a client, in characters; the rest of a longer line is ignored."""


class Lines:
    """Lines from a client and to it; any thread may write."""

    def __init__(self, source: TextIO | None = None, target: TextIO | None = None) -> None:
        self._source = sys.stdin if source is None else source
        self._target = sys.stdout if target is None else target
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        while line := self._source.readline(LONGEST):
            text, whole = line.strip(), line.endswith("\n")
            while not whole and (rest := self._source.readline(LONGEST)):
                whole = rest.endswith("\n")
            yield text

    def write(self, text: str) -> None:
        with self._lock:
            self._target.write(text + "\n")
            self._target.flush()


class Server(abc.ABC):
    """A protocol, served until the client leaves."""

    protocol: ClassVar[str]
    """Name of the protocol."""

    def __init__(self, thinker: Thinker, seconds: float | None = None, lines: Lines | None = None) -> None:
        """seconds: for each move, unless the client limits it; None: the player's own limits.

        lines: to and from the client; None: standard input and output. Raises GameforgeError if the protocol cannot
        express the game.
        """
        self._thinker = thinker
        self._seconds = seconds
        self._lines = Lines() if lines is None else lines
        self._dialect = dialect_of(self._game, self.protocol)
        self._line = GameLine(self._dialect)

    @property
    def _game(self) -> Game:
        return self._thinker.player.game

    @abc.abstractmethod
    def serve(self) -> None: ...

    def _look_at(self, position: Position) -> None:
        """Take the position of the next search."""
        self._thinker.stop()
        self._thinker.position = position

    def _text(self, move: int) -> str:
        """Write a move in the present position."""
        position = self._thinker.position
        return self._dialect.move_text(position.state, move, position.codes)


class LineServer(Server):
    """A protocol of lines that need no answer at once: searches run in a thread of their own, which reports them."""

    @abc.abstractmethod
    def commands(self) -> Mapping[str, Callable[[str], object]]:
        """Return what to call with the rest of a line, by the first word of the line."""

    @abc.abstractmethod
    def inform(self, found: Found) -> None:
        """Report the result of a search: the move, the score and the line."""

    @abc.abstractmethod
    def answer(self, found: Found) -> None:
        """Say which move was chosen."""

    @abc.abstractmethod
    def report(self, error: Exception) -> None:
        """Say what was wrong with a command, or why a search has no answer."""

    def serve(self) -> None:
        """Execute commands until `quit`, which ends a search, or until the input ends, when its answer is awaited."""
        commands = self.commands()
        try:
            for line in self._lines:
                command, _, rest = line.partition(" ")
                if command == "quit":
                    self._thinker.stop()
                    break
                if command:
                    try:
                        if command not in commands:
                            raise GameforgeError(f"unknown command {command!r}")
                        commands[command](rest.strip())
                    except Exception as error:  # the engine must not die
                        self.report(error)
            self._thinker.finish()
        except BaseException:
            self._thinker.stop()
            raise

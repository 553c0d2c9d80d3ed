"""The searcher `engine`: an external program that chooses the moves of a player.

Each thread that plays games has an engine process of its own. The search itself is a Python callback, which talks
to the process; an engine that fails loses the game, and is started again for the next one.
"""

import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from gameforge import Game, GameforgeError, Position, Registry
from gameforge.interfaces import Rules, RulesFunctions, SearcherFunctions, kinds
from gameforge.kernel import CompiledPlayer, GameWorkspace, slots
from gameforge_engines import protocols
from gameforge_engines.checkerboard import CheckerBoardClient
from gameforge_engines.dxp import DxpClient
from gameforge_engines.gtp import GtpClient
from gameforge_engines.hub import HubClient
from gameforge_engines.nboard import NBoardClient
from gameforge_engines.protocols import Client, EngineFailed, EngineProcess, EngineUnusable, Surroundings, dialect_of
from gameforge_engines.ugi import UgiClient

CLIENTS: Mapping[str, type[Client]] = {
    client.protocol: client for client in (CheckerBoardClient, DxpClient, GtpClient, HubClient, NBoardClient, UgiClient)
}
"""Protocols in which an engine can be used."""
_UNLIMITED = 3600.0
"""Seconds that an engine without a time limit may take for a move."""


def _options(text: str, parameter: str = "options") -> dict[str, str]:
    """Parse `NAME=VALUE; NAME=VALUE`, the value of a parameter."""
    found = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{parameter}: {part!r} is not of the form NAME=VALUE; separate several by semicolons")
        found[name.strip()] = value.strip()
    return found


def _are_options(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    _options(value, attribute.name)


_positive = attrs.validators.optional(kinds.above(0))


@attrs.frozen(kw_only=True)
class Engine:
    """The component."""

    command: str = attrs.field(validator=attrs.validators.min_len(1))
    """The program and its arguments, as in a shell, but without a shell's expansions. `{port}`: a free TCP port. Of the
    protocol checkerboard, the path of a shared library."""
    protocol: str = attrs.field(validator=attrs.validators.in_(tuple(CLIENTS)))
    """Protocol that the program speaks."""
    time: float | None = attrs.field(default=None, validator=_positive)
    """Seconds for each move; None: the engine's own limits, unless the match has a clock."""
    depth: int | None = attrs.field(default=None, validator=_positive)
    """Maximum depth, in plies; None: the engine's own limit."""
    nodes: int | None = attrs.field(default=None, validator=_positive)
    """Maximum number of nodes for each move; None: the engine's own limit."""
    options: str = attrs.field(default="", validator=_are_options)
    """The engine's options, `NAME=VALUE; NAME=VALUE`."""
    directory: str | None = None
    """Working directory of the program; None: that of GameForge. A relative path in `command` is relative to it."""
    environment: str = attrs.field(default="", validator=_are_options)
    """Variables of its environment, `NAME=VALUE; NAME=VALUE`, beside those of GameForge."""
    handshake: float = attrs.field(default=10.0, validator=kinds.above(0))
    """Seconds in which the engine must be ready."""
    patience: float = attrs.field(default=5.0, validator=kinds.above(0))
    """Seconds beyond the time of a move after which the engine is ended."""

    def surroundings(self, log: Path | None = None) -> Surroundings:
        """Return where the program runs. log: file to which its standard error is appended."""
        return Surroundings(directory=self.directory, environment=_options(self.environment), log=log)

    def composed(self, registry: Registry, rules: Rules) -> "EngineSearcher":
        return EngineSearcher(self, Game(rules))


class EngineSearcher:
    """The searcher of one engine for one game."""

    def __init__(self, settings: Engine, game: Game) -> None:
        self.settings = settings
        self.game = game
        self._log: Path | None = None
        dialect_of(game, settings.protocol)  # raises if the protocol cannot express the game
        CLIENTS[settings.protocol].require(settings.command, settings.surroundings())

    def keep_logs(self, folder: Path) -> None:
        """Append what the engine writes to its standard error to a file in this folder."""
        self._log = folder / "engine.log"

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(
            statistics=True,
            crew=self.crew,
            external=True,
            unusable=(EngineUnusable,),
            disputes=(protocols.EngineDisagrees,),
        )

    def crew(self, player: CompiledPlayer, game: GameWorkspace) -> Callable[[int], int]:
        """Make the function that asks the engine for a move in the games of one thread; it returns the nodes."""
        seat = _Seat(self.settings, self.game, lambda: self._log)
        control, words = player.context.control, int(game.rules.words)

        def check() -> None:
            if control[slots.STOP]:
                raise EngineFailed("the search was stopped")

        def crew(command: int) -> int:
            start, moves = game.so_far()
            state = tuple(player.context.stack[:words].tolist())
            budget = int(control[slots.BUDGET])
            try:
                answer = seat.choose(start, moves, state, budget / 1e9 if budget else None, check)
            finally:
                control[slots.ELSEWHERE] += seat.processor_nanoseconds
            player.out[slots.OUT_MOVE] = answer.move
            player.context.scores[0] = answer.score
            control[slots.DEPTH] = answer.depth
            return answer.nodes

        return crew


class _Seat:
    """One engine process, which is started when it is needed, and again after it has failed."""

    def __init__(self, settings: Engine, game: Game, log: Callable[[], Path | None]) -> None:
        self._settings = settings
        self._game = game
        self._log = log
        self._client: Client | None = None
        self._end: Callable[[], object] = lambda: None
        self._position: Position | None = None
        self._process: EngineProcess | None = None
        self.processor_nanoseconds = 0
        """Processor time of the last search."""

    def choose(
        self,
        start: tuple[int, ...],
        moves: list[int],
        state: tuple[int, ...],
        budget: float | None,
        check: Callable[[], None],
    ) -> protocols.Answer:
        """Ask for a move after `moves`; EngineFailed if the engine does not make a legal one in time."""
        settings = self._settings
        self.processor_nanoseconds = 0
        seconds = settings.time if budget is None else budget
        limits = protocols.Limits(seconds=seconds, depth=settings.depth, nodes=settings.nodes)
        position = self._reached(start, moves)
        if position.state != state:
            position = Position(self._game, state)
        try:
            if self._client is None or self._process is None:
                self._client, self._process = self._started()
            before = self._process.processor_nanoseconds
            try:
                return self._client.choose(
                    position, limits, settings.patience + (_UNLIMITED if seconds is None else seconds), check
                )
            finally:
                self.processor_nanoseconds = max(0, self._process.processor_nanoseconds - before)
        except GameforgeError:
            self._client = None
            self._end()
            raise

    def _reached(self, start: tuple[int, ...], moves: list[int]) -> Position:
        """Return the position after the moves, going on from the last one if the game is the same."""
        here = self._position
        done = [] if here is None else here.moves_played
        if here is None or here.start.state != start or moves[: len(done)] != done:
            here, done = Position(self._game, start), []
        for move in moves[len(done) :]:
            here = here.after(move)
        self._position = here
        return here

    def _started(self) -> tuple[Client, EngineProcess]:
        settings = self._settings
        try:
            kind = CLIENTS[settings.protocol]
            program = kind.program(settings.command)
            process = EngineProcess(settings.command, settings.surroundings(self._log()), program)
            client = kind(process, self._game)
            self._end = weakref.finalize(self, process.close, client.farewell)
            client.shake_hands(_options(settings.options), settings.handshake)
        except EngineFailed as failure:
            raise EngineUnusable(str(failure)) from failure
        return client, process

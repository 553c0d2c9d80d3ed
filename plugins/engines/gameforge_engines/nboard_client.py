"""An engine that speaks NBoard, version 2: the game goes to it as GGF with each search."""

import itertools
from collections.abc import Callable, Mapping

from gameforge.errors import GameforgeError
from gameforge.play.game import Game, Position
from gameforge_engines.client import Answer, Limits
from gameforge_engines.nboard_server import PROTOCOL
from gameforge_engines.process import EngineProcess
from gameforge_engines.words import GameLine, dialect_of


class NBoardClient:
    """The protocol can limit the depth of a search, but not its time."""

    farewell = "quit"

    def __init__(self, process: EngineProcess, game: Game) -> None:
        self._process = process
        self._dialect = dialect_of(game, PROTOCOL, required=True)
        self._line = GameLine(self._dialect)
        self._pings = itertools.count(1)
        self._depth: int | None = None

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        self._process.send("nboard 2")
        for name, value in options.items():
            self._process.send(f"set {name} {value}")
        self._synchronise(seconds)

    def _synchronise(self, seconds: float) -> None:
        """Wait until the engine has read everything; what it says about an earlier position comes before."""
        number = next(self._pings)
        self._process.send(f"ping {number}")
        while self._received(seconds) != f"pong {number}":
            pass

    def _received(self, seconds: float, check: Callable[[], None] = lambda: None) -> str:
        line = self._process.receive(seconds, check)
        if line.startswith("status error"):
            raise self._process.failure(f"reported {line.removeprefix('status ')!r}")
        return line

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        start = position.start
        words = self._line.write(start, position.moves_played)
        moves = "".join(f"{'BW'[(start.turn + ply) % 2]}[{word}]" for ply, word in enumerate(words))
        board = self._dialect.position_text(start.state)
        if limits.depth != self._depth:
            self._process.send(f"set depth {limits.depth}")
            self._depth = limits.depth
        self._process.send(f"set game (;GM[Othello]PC[GameForge]PB[black]PW[white]RE[?]TY[8]BO[8 {board}]{moves};)")
        self._synchronise(seconds)
        self._process.send("go")
        while not (line := self._received(seconds, check)).startswith("==="):
            pass
        text = line.removeprefix("===").strip().partition("/")[0]
        try:
            return Answer(move=self._dialect.parse_move(position.state, text, position.codes))
        except GameforgeError as error:
            raise self._process.failure(f"made an illegal move: {error}") from error

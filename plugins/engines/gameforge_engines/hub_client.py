"""An engine that speaks Hub, version 2."""

from collections.abc import Callable, Mapping

from gameforge.errors import GameforgeError
from gameforge.play.game import Game, Position
from gameforge_engines.client import MOST_DEPTH, MOST_NODES, MOST_SCORE, Answer, Limits, figure, squashed
from gameforge_engines.hub_server import PROTOCOL, arguments, quoted
from gameforge_engines.process import EngineProcess
from gameforge_engines.words import GameLine, dialect_of


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

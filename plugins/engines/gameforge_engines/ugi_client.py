"""An engine that speaks UGI (or UCI, under the name that it has here)."""

import itertools
import math
from collections.abc import Callable, Mapping

from gameforge.errors import GameforgeError
from gameforge.play.game import Game, Position
from gameforge_engines.client import MOST_DEPTH, MOST_NODES, MOST_SCORE, Answer, Limits, figure, squashed
from gameforge_engines.process import EngineProcess
from gameforge_engines.words import GameLine, dialect_of

PROTOCOL = "ugi"


class UgiClient:
    """Sends the whole game with each search, as UGI demands."""

    farewell = "quit"

    def __init__(self, process: EngineProcess, game: Game) -> None:
        self._process = process
        self._game = game
        self._dialect = dialect_of(game, PROTOCOL)
        self._line = GameLine(self._dialect)

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        self._process.send("ugi")
        self._wait("ugiok", seconds)
        for name, value in options.items():
            self._process.send(f"setoption name {name} value {value}")
        self._ready(seconds)
        self._process.send("uginewgame")

    def _ready(self, seconds: float) -> None:
        self._process.send("isready")
        self._wait("readyok", seconds)

    def _wait(self, word: str, seconds: float) -> None:
        while (line := self._process.receive(seconds)) != word:
            if line.startswith("info string error"):
                raise self._process.failure(f"reported {line.removeprefix('info string ')!r}")

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        start, moves = position.start, position.moves_played
        known = start.state == self._game.rules.initial()
        where = "startpos" if known else f"fen {self._dialect.position_text(start.state)}"
        words = [word.replace(" ", "_") for word in self._line.write(start, moves)]
        self._process.send(f"position {where}" + (f" moves {' '.join(words)}" if words else ""))
        self._process.send(f"go{_go(limits)}")
        score, depth, nodes = 0.0, 0, 0
        while True:
            line = self._process.receive(seconds, check)
            if line.startswith("bestmove"):
                break
            if line.startswith("info string error"):
                raise self._process.failure(f"reported {line.removeprefix('info string ')!r}")
            if line.startswith("info "):
                score, depth, nodes = read_info(line.split(), score, depth, nodes)
        text = line.partition(" ")[2].split(" ponder ")[0].strip().replace("_", " ")
        try:
            move = self._dialect.parse_move(position.state, text, position.codes)
        except GameforgeError as error:
            raise self._process.failure(f"made an illegal move: {error}") from error
        return Answer(move=move, score=score, nodes=nodes, depth=depth)


def _go(limits: Limits) -> str:
    parts = ""
    if limits.seconds is not None:
        parts += f" movetime {max(1, round(1000 * limits.seconds))}"
    if limits.depth is not None:
        parts += f" depth {limits.depth}"
    if limits.nodes is not None:
        parts += f" nodes {limits.nodes}"
    return parts


def read_info(words: list[str], score: float, depth: int, nodes: int) -> tuple[float, int, int]:
    """Read the fields of an `info` line that are there; a field that is not a number is ignored."""
    pairs = dict(itertools.pairwise(words))
    depth = int(figure(pairs.get("depth"), depth, MOST_DEPTH))
    nodes = int(figure(pairs.get("nodes"), nodes, MOST_NODES))
    hundredths, mate = (figure(pairs.get(name), math.nan, MOST_SCORE) for name in ("cp", "mate"))
    if not math.isnan(hundredths):
        score = squashed(hundredths / 100)
    if not math.isnan(mate):
        score = 1.0 if mate > 0 else -1.0
    return score, depth, nodes

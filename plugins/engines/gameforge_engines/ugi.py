"""UGI, the Universal Game Interface, which is UCI for games other than chess: the server and the client.

Positions are `startpos` or `fen TEXT`, moves stand in the game's own notation (spaces in it become `_`). Scores are in
hundredths of the unit that the player's scores have, or thousandths of the score itself.
"""

import importlib.metadata
import itertools
import math
from collections.abc import Callable, Mapping

from gameforge import Game, GameforgeError, Position
from gameforge.interfaces import PLY, PROVEN_WIN, WON
from gameforge_engines.client import MOST_DEPTH, MOST_NODES, MOST_SCORE, Answer, EngineProcess, Limits, figure, squashed
from gameforge_engines.dialects import GameLine, dialect_of, move_words
from gameforge_engines.server import Found, Lines, Thinker, clock_budget, converse, number_from, search_limits

PROTOCOL = "ugi"
_GO = ("depth", "nodes", "movetime", "p1time", "p2time", "p1inc", "p2inc")


class UgiServer:
    """Answers UGI commands until `quit`, or until the input ends; searches run in a thread of their own."""

    def __init__(self, thinker: Thinker, seconds: float | None = None, lines: Lines | None = None) -> None:
        """seconds: for each move, unless the client limits it; None: the player's own limits."""
        self._thinker = thinker
        self._dialect = dialect_of(thinker.player.game, PROTOCOL)
        self._line = GameLine(self._dialect)
        self._seconds = seconds
        self._lines = Lines() if lines is None else lines

    def serve(self) -> None:
        converse(self._lines, self._thinker, lambda command, rest: self._take(command, rest.split()), self.report)

    def report(self, error: Exception) -> None:
        self._lines.write(f"info string error: {' '.join(str(error).split())}")

    def _take(self, command: str, words: list[str]) -> None:
        write = self._lines.write
        if command == "ugi":
            write(f"id name GameForge {importlib.metadata.version('gameforge')}")
            write("id author The GameForge developers")
            for name, value in self._thinker.options.values.items():
                write(f"option name {name} type string default {value or '<empty>'}")
            write("ugiok")
        elif command == "isready":
            write("readyok")
        elif command == "stop":
            self._thinker.stop()
        elif command == "setoption":
            self._set_option(words)
        elif command == "uginewgame":
            self._set_position(self._thinker.player.game.position())
        elif command == "position":
            self._set_position(self._position(words))
        elif command == "go":
            self._go(words)
        elif command == "query":
            self._query(words)
        else:
            raise GameforgeError(f"unknown command {command!r}")

    def _set_position(self, position: Position) -> None:
        self._thinker.stop()
        self._thinker.position = position

    def _set_option(self, words: list[str]) -> None:
        name, _, value = " ".join(words).removeprefix("name ").partition(" value ")
        self._thinker.set_option(name, "" if value == "<empty>" else value)

    def _position(self, words: list[str]) -> Position:
        """Read `startpos` or `fen TEXT`, with `moves` perhaps."""
        place = words.index("moves") if "moves" in words else len(words)
        what, moves = words[:place], words[place + 1 :]
        if what == ["startpos"]:
            position = self._thinker.player.game.position()
        elif what[:1] == ["fen"]:
            position = self._thinker.player.game.position(" ".join(what[1:]))
        else:
            raise GameforgeError("position: expected startpos or fen TEXT")
        return self._line.read(position, [move.replace("_", " ") for move in moves])

    def _go(self, words: list[str]) -> None:
        """Search, with the limits that are the arguments of `go`."""
        if words == ["infinite"]:
            self._thinker.analyse(self)
            return
        given = dict(zip(words[::2], words[1::2], strict=False))
        unknown = given.keys() - set(_GO)
        if unknown or len(words) % 2:
            what = min(unknown) if unknown else words[-1]
            raise GameforgeError(f"go: unknown limit {what!r}; known: infinite, {', '.join(_GO)}, each with a number")
        self._thinker.start(self._budget(given), search_limits(given), self)

    def _budget(self, given: dict[str, str]) -> float | None:
        """Seconds for the next move, from the arguments of `go`."""
        side = self._thinker.position.turn + 1
        if "movetime" in given:
            return number_from(given["movetime"]) / 1000
        if f"p{side}time" in given:
            return clock_budget(
                number_from(given[f"p{side}time"]) / 1000, number_from(given.get(f"p{side}inc", "0")) / 1000
            )
        return self._seconds

    def inform(self, found: Found) -> None:
        position, analysis = self._thinker.position, found.analysis
        if analysis is not None:
            line = move_words(self._dialect, position, [move.code for move in analysis.line])
            parts = [
                f"info depth {analysis.depth} score {_score(analysis.score)} nodes {analysis.nodes}",
                f"time {round(1000 * found.seconds)}",
                f"pv {' '.join(word.replace(' ', '_') for word in line)}",
            ]
            self._lines.write(" ".join(parts))

    def answer(self, found: Found) -> None:
        position = self._thinker.position
        move = self._dialect.move_text(position.state, found.move, position.codes)
        self._lines.write(f"bestmove {move.replace(' ', '_')}")

    def _query(self, words: list[str]) -> None:
        position = self._thinker.position
        outcome = position.outcome
        if words == ["gameover"]:
            answer = str(outcome is not None).lower()
        elif words == ["p1turn"]:
            answer = str(position.turn == 0).lower()
        elif words == ["result"]:
            answer = "none" if outcome is None else "draw" if outcome.winner is None else f"p{outcome.winner + 1}win"
        else:
            raise GameforgeError("query: expected gameover, p1turn or result")
        self._lines.write(f"response {answer}")


def _score(score: float) -> str:
    """Write a score as `cp N` or `mate N`, in moves of the side to move."""
    if abs(score) < WON:
        return f"cp {round(1000 * score)}"
    moves = (round((PROVEN_WIN - abs(score)) / PLY) + 1) // 2
    return f"mate {moves if score > 0 else -moves}"


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
        self._process.send(f"go{_go_limits(limits)}")
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


def _go_limits(limits: Limits) -> str:
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

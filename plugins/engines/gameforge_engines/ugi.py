"""UGI, the Universal Game Interface, which is UCI for games other than chess: the server and the client.

Positions are `startpos` or `fen TEXT`, moves stand in the game's own notation (spaces in it become `_`). Scores are in
hundredths of the unit that the player's scores have, or thousandths of the score itself.
"""

import itertools
import math
from collections.abc import Callable, Mapping

import gameforge as gf
from gameforge import GameforgeError, Position
from gameforge.interfaces import PLY, PROVEN_WIN, WON
from gameforge_engines import protocols
from gameforge_engines.protocols import Answer, Client, Limits, figure, move_words, squashed
from gameforge_engines.server import Found, LineServer, clock_budget, number_from, search_limits

_GO = ("depth", "nodes", "movetime", "p1time", "p2time", "p1inc", "p2inc")


class UgiServer(LineServer):
    """Answers UGI commands."""

    protocol = "ugi"

    def commands(self) -> Mapping[str, Callable[[str], object]]:
        return {
            "ugi": lambda _: self._introduce(),
            "isready": lambda _: self._lines.write("readyok"),
            "stop": lambda _: self._thinker.stop(),
            "setoption": self._set_option,
            "uginewgame": lambda _: self._look_at(self._game.position()),
            "position": lambda rest: self._look_at(self._position(rest.split())),
            "go": lambda rest: self._go(rest.split()),
            "query": self._query,
        }

    def report(self, error: Exception) -> None:
        self._lines.write(f"info string error: {' '.join(str(error).split())}")

    def _introduce(self) -> None:
        self._lines.write(f"id name GameForge {gf.__version__}")
        self._lines.write("id author The GameForge developers")
        for name, value in self._thinker.options.values.items():
            self._lines.write(f"option name {name} type string default {value or '<empty>'}")
        self._lines.write("ugiok")

    def _set_option(self, rest: str) -> None:
        name, _, value = " ".join(rest.split()).removeprefix("name ").partition(" value ")
        self._thinker.set_option(name, "" if value == "<empty>" else value)

    def _position(self, words: list[str]) -> Position:
        """Read `startpos` or `fen TEXT`, with `moves` perhaps."""
        place = words.index("moves") if "moves" in words else len(words)
        what, moves = words[:place], words[place + 1 :]
        if what == ["startpos"]:
            position = self._game.position()
        elif what[:1] == ["fen"]:
            position = self._game.position(" ".join(what[1:]))
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
        self._lines.write(f"bestmove {self._text(found.move).replace(' ', '_')}")

    def _query(self, rest: str) -> None:
        position = self._thinker.position
        outcome = position.outcome
        if rest == "gameover":
            answer = str(outcome is not None).lower()
        elif rest == "p1turn":
            answer = str(position.turn == 0).lower()
        elif rest == "result":
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


class UgiClient(Client):
    """Sends the whole game with each search, as UGI demands."""

    protocol = "ugi"
    before_errors = "info string "

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        self._process.send("ugi")
        self._wait("ugiok", seconds)
        for name, value in options.items():
            self._process.send(f"setoption name {name} value {value}")
        self._process.send("isready")
        self._wait("readyok", seconds)
        self._process.send("uginewgame")

    def _wait(self, word: str, seconds: float) -> None:
        while self._received(seconds) != word:
            pass

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        start, moves = position.start, position.moves_played
        known = start.state == self._game.rules.initial()
        where = "startpos" if known else f"fen {self._dialect.position_text(start.state)}"
        words = [word.replace(" ", "_") for word in self._line.write(start, moves)]
        self._process.send(f"position {where}" + (f" moves {' '.join(words)}" if words else ""))
        self._process.send(f"go{_go_limits(limits)}")
        score, depth, nodes = 0.0, 0, 0
        while not (line := self._received(seconds, check)).startswith("bestmove"):
            if line.startswith("info "):
                score, depth, nodes = read_info(line.split(), score, depth, nodes)
        text = line.partition(" ")[2].split(" ponder ")[0].strip().replace("_", " ")
        return Answer(move=self._move(position, text), score=score, nodes=nodes, depth=depth)


def _go_limits(limits: Limits) -> str:
    milliseconds = None if limits.seconds is None else max(1, round(1000 * limits.seconds))
    given = {"movetime": milliseconds, "depth": limits.depth, "nodes": limits.nodes}
    return "".join(f" {name} {limit}" for name, limit in given.items() if limit is not None)


def read_info(words: list[str], score: float, depth: int, nodes: int) -> tuple[float, int, int]:
    """Read the fields of an `info` line that are there; a field that is not a number is ignored."""
    pairs = dict(itertools.pairwise(words))
    depth = max(0, int(figure(pairs.get("depth"), depth, protocols.MOST_DEPTH)))
    nodes = max(0, int(figure(pairs.get("nodes"), nodes, protocols.MOST_NODES)))
    hundredths, mate = (figure(pairs.get(name), math.nan, protocols.MOST_SCORE) for name in ("cp", "mate"))
    if not math.isnan(hundredths):
        score = squashed(hundredths / 100)
    if not math.isnan(mate):
        score = 1.0 if mate > 0 else -1.0
    return score, depth, nodes

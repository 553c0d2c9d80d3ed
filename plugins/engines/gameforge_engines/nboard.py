"""NBoard, version 2, the protocol between Othello boards and engines (C. Welty): the server and the client.

The board sends the game as GGF and each further move as `COORDINATE/EVAL/TIME`; the engine answers `go` with
`=== MOVE/EVAL/TIME`, and `hint N` with a search line for each depth, until the depth that the board has set or its next
command. `set depth N` is the protocol's; `set` knows the player's other options as well. Scores are from the side to
move, in discs by convention.

Edax (`-nboard`, 4.4) separates the parts of its answer by spaces, `=== F5 2.00 0.1`, takes the depth for its level, and
writes complaints to its standard error only. It understands the rest as it is sent here.
"""

import itertools
import re
from collections.abc import Callable, Mapping

import gameforge as gf
from gameforge import Game, GameforgeError, Position
from gameforge_engines.protocols import Answer, Client, EngineProcess, Limits, move_words, played
from gameforge_engines.server import Found, LineServer

_BOARD = re.compile(r"BO\[8 ([-*O]{64}) ([*O])\]|BO\[8 ([-*O ]{64,}) ?([*O])\]")
_MOVE = re.compile(r"[BW]\[([A-Za-z]\w*)")


class NBoardServer(LineServer):
    """Answers NBoard commands."""

    protocol = "nboard"
    _hinting = False
    """Whether the search answers `hint`, not `go`."""

    def commands(self) -> Mapping[str, Callable[[str], object]]:
        return {
            "nboard": lambda _: self._lines.write(f"set myname GameForge {gf.__version__}"),
            "set": self._set,
            "move": lambda rest: self._look_at(played(self._dialect, self._thinker.position, rest.partition("/")[0])),
            "ping": self._ping,
            "go": lambda _: self._go(),
            "hint": self._hint,
            "learn": lambda _: self._lines.write("learned"),
            "analyze": lambda _: None,
        }

    def report(self, error: Exception) -> None:
        self._lines.write(f"status error: {' '.join(str(error).split())}")

    def _set(self, rest: str) -> None:
        what, _, value = rest.partition(" ")
        if what == "game":
            self._look_at(self._read_game(value))
        elif what in self._thinker.options.values:
            self._thinker.set_option(what, value)

    def _ping(self, rest: str) -> None:
        self._thinker.stop()
        self._lines.write(f"pong {rest}")

    def _go(self) -> None:
        self._begin("thinking", hinting=False)
        self._thinker.start(self._seconds, {}, self)

    def _hint(self, rest: str) -> None:
        if rest and not re.fullmatch("0*[1-9][0-9]{0,8}", rest, re.ASCII):
            raise GameforgeError(f"hint {rest[:20]!r}: expected a number of moves, 1 or more")
        self._begin("analysing", hinting=True)
        depth = self._thinker.options.values.get("depth", "")
        self._thinker.analyse(self, int(depth) if depth.isdecimal() else None)

    def _read_game(self, text: str) -> Position:
        """Read a game in GGF: the board at its start, and the moves."""
        board = _BOARD.search(text)
        if board is None:
            raise GameforgeError("set game: expected a game in GGF with a board, BO[8 ...]")
        cells = (board[1] or board[3]).replace(" ", "")
        position = Position(self._game, self._dialect.parse_position(f"{cells} {board[2] or board[4]}"))
        for move in _MOVE.findall(text[board.end() :]):
            position = played(self._dialect, position, move)
        return position

    def _begin(self, what: str, *, hinting: bool) -> None:
        self._thinker.stop()
        self._hinting = hinting
        self._lines.write(f"status GameForge is {what}")

    def inform(self, found: Found) -> None:
        position, analysis = self._thinker.position, found.analysis
        if analysis is None and not self._hinting:
            return
        codes = [found.move] if analysis is None else [move.code for move in analysis.line] or [found.move]
        score, depth, nodes = (0.0, 0, 0) if analysis is None else (analysis.score, analysis.depth, analysis.nodes)
        line = "".join(move_words(self._dialect, position, codes))
        self._lines.write(f"search {line} {score:.2f} 0 {depth}")
        self._lines.write(f"nodestats {nodes} {found.seconds:.2f}")

    def answer(self, found: Found) -> None:
        if not self._hinting:
            score = "" if found.analysis is None else f"{found.analysis.score:.2f}"
            self._lines.write(f"=== {self._text(found.move)}/{score}/{found.seconds:.2f}")
        self._lines.write("status")


class NBoardClient(Client):
    """The protocol can limit the depth of a search, but not its time."""

    protocol = "nboard"
    before_errors = "status "

    def __init__(self, process: EngineProcess, game: Game) -> None:
        super().__init__(process, game)
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
        text = re.split(r"[/\s]", line.removeprefix("===").strip())[0]
        return Answer(move=self._move(position, text))

"""The interface of engines for CheckerBoard (M. Fierz): a shared library with `getmove` and `enginecommand`.

Cake, GuiNN, simplech and Kingsrow offer it. The client starts a program that loads the library (checkerboard_host.py).
`getmove` gets a board and returns the board after its move, so the move is the legal one that leads there. Engines for
other kinds of draughts fill in a struct with the move, which counts if the board is unchanged. What an engine claims
about the result is ignored: the rules of the game decide.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gameforge import Game, GameforgeError, Position
from gameforge_engines import protocols
from gameforge_engines.protocols import Answer, EngineFailed, EngineProcess, EngineUnusable, Limits, Surroundings

_HOST = Path(__file__).with_name("checkerboard_host.py")
_WHITE, _BLACK, _MAN, _KING = 1, 2, 4, 8
_PIECE = 15
"""The bits of a piece; some engines mark empty squares by another bit."""
_RESET, _EXACT = 1, 2
"""Bits of `info`: the position does not follow from the last one; the time must not be exceeded."""
_ENGLISH = "21"
"""The number of English draughts among CheckerBoard's kinds."""
_FEN = re.compile(r"([BW]):W([^:]*):B([^:]*)")
Board = list[int]


def place(square: int) -> int:
    """Return the index in a board of a square, from 1 to 32."""
    y, i = divmod(square - 1, 4)
    return 8 * (2 * (3 - i) + y % 2) + y


_SQUARES = tuple(place(square) for square in range(1, 33))
"""The indices of all squares that are played on."""


def board_of(fen: str) -> tuple[Board, int]:
    """Return the board of a position and the colour to move; fen: as GameForge writes positions of draughts."""
    found = _FEN.fullmatch(fen)
    assert found is not None, "a position of draughts"
    board = [0] * 64
    for colour, pieces in ((_WHITE, found[2]), (_BLACK, found[3])):
        for piece in filter(None, pieces.split(",")):
            board[place(int(piece.lstrip("K")))] = colour | (_KING if piece[0] == "K" else _MAN)
    return board, _WHITE if found[1] == "W" else _BLACK


def _men(board: Board) -> tuple[list[int], int]:
    """Return what a reversible move leaves as it is: the men with their squares, and the number of pieces."""
    return [piece if piece & _MAN else 0 for piece in board], sum(map(bool, board))


class CheckerBoardClient(protocols.Client):
    """Sends the position with each search, and the moves since the last one that cannot be undone."""

    protocol = "checkerboard"
    farewell = ""

    def __init__(self, process: EngineProcess, game: Game) -> None:
        super().__init__(process, game)
        self._told: list[int] | None = None
        """Moves of the game after the engine's last answer."""

    @classmethod
    def program(cls, command: str) -> list[str]:
        return [sys.executable, str(_HOST), command]

    @classmethod
    def require(cls, command: str, around: Surroundings) -> None:
        super().require(sys.executable, around)
        path = Path(around.directory or "", command)
        if not path.is_file():
            raise GameforgeError(f"engine {command!r} cannot be started: there is no shared library {str(path)!r}")

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        kind = self._ask({"command": "get gametype"}, seconds)["reply"]
        if kind.strip().isdecimal() and kind.strip() != _ENGLISH:
            raise self._process.failure(f"plays another kind of draughts: game type {kind}, not {_ENGLISH}")
        for name, value in options.items():
            answer = self._ask({"command": f"set {name} {value}"}, seconds)
            if not answer["result"]:
                raise self._process.failure(f"did not accept the option {name!r}: {answer['reply']}")

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        if limits.seconds is None:
            raise self._process.failed(
                EngineUnusable,
                "needs a time for each move, time=SECONDS or that of a match, since CheckerBoard sets one",
            )
        moves, told = position.moves_played, self._told
        follows = told is not None and moves[: len(told)] == told
        board, color = board_of(self._text(position))
        self._ask({"command": f"set gamehist {self._history(position)}"}, seconds)
        asked = {
            "board": board,
            "color": color,
            "seconds": limits.seconds,
            "info": _EXACT | (0 if follows else _RESET),
        }
        move = self._legal(position, board, self._ask(asked, seconds, check))
        self._told = [*moves, move]
        return Answer(move=move)

    def _text(self, position: Position) -> str:
        return self._dialect.position_text(position.state)

    def _history(self, position: Position) -> str:
        """Return the position after the last move that cannot be undone, and the moves since."""
        here, words = position, list[str]()
        men = _men(board_of(self._text(here))[0])
        while here.parent is not None and here.last_move is not None:
            before = here.parent
            if _men(board_of(self._text(before))[0]) != men:
                break
            words.append(self._dialect.move_text(before.state, here.last_move, before.codes))
            here = before
        return " ".join([self._text(here), *reversed(words)])

    def _legal(self, position: Position, board: Board, answer: Mapping[str, Any]) -> int:
        """Find the legal move that leads to the board of the answer."""
        after = answer["board"]
        if _same(after, board):
            start, end = (8 * x + y for x, y in (answer["from"], answer["to"]))
            if start == end:
                raise self._process.failed(protocols.EngineDisagrees, "made no move in a running game")
            after = list(board)
            for x, y in answer["captured"]:
                after[8 * x + y] = 0
            after[start], after[end] = 0, answer["newpiece"] or board[start]
        for code in position.codes:
            if _same(board_of(self._text(position.after(code)))[0], after):
                return code
        raise self._process.failure(f"made an illegal move in {self._text(position)}: {_differences(board, after)}")

    def _ask(
        self, request: Mapping[str, object], seconds: float, check: Callable[[], None] = lambda: None
    ) -> dict[str, Any]:
        self._process.send(json.dumps(request))
        line = self._process.receive(seconds, check)
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise self._process.failed(EngineFailed, "wrote into the answers of its host") from None
        return answer


def _same(one: Sequence[int], other: Sequence[int]) -> bool:
    return all(one[i] & _PIECE == other[i] & _PIECE for i in _SQUARES)


def _differences(before: Sequence[int], after: Sequence[int]) -> str:
    """Say which squares an engine has changed."""
    changed = [
        f"square {square} from {before[i]} to {after[i]}"
        for square, i in enumerate(_SQUARES, 1)
        if before[i] & _PIECE != after[i] & _PIECE
    ]
    return ", ".join(changed)

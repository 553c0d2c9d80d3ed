"""NeuroDraughts' training data: games as the boards after each side's moves ([Lynch1997], section 6.5).

    NeuroDraughts Training Board!
    Who_Won? 1
    Number_of_Black_Boards: 2
    Number_of_Red_Boards: 1
    1 1 1 1 1 1 1 1 0 1 1 1 0 1 0 0 0 0 0 0 2 2 2 2 2 2 2 2 2 2 2 2
    ...

and so on, game after game. Who_Won? is 1 for black, 2 for red, 3 for a draw. Black's boards come first; those of red
are turned and their colours exchanged. The digits of a board need not be separated, and may be on several lines.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameBoards
from gameforge.interfaces.rules import State
from gameforge_draughts.board import BLACK, SQUARES, WHITE
from gameforge_draughts.neurodraughts.codes import DIGITS, codes_for, state_of_codes, swapped

_TITLE = "NeuroDraughts Training Board!"
_RESULT, _BLACK_BOARDS, _RED_BOARDS = "Who_Won?", "Number_of_Black_Boards:", "Number_of_Red_Boards:"
_WINNERS: dict[int, int | None] = {1: BLACK, 2: WHITE, 3: None}
_MOST_BOARDS = 10_000
"""No game is that long; a larger number means that the file is damaged."""


def training_game(states: Iterable[State], winner: int | None) -> GameBoards:
    """Return the game whose moves led to these states, which do not include the initial one."""
    boards: tuple[list[State], list[State]] = [], []
    for state in states:
        boards[1 - (state[2] >> 63)].append(state)
    return GameBoards((tuple(boards[BLACK]), tuple(boards[WHITE])), winner)


def training_text(game: GameBoards) -> str:
    """Return a game as text that `read_training_games` reads."""
    result = next(code for code, winner in _WINNERS.items() if winner == game.winner)
    black, red = game.boards
    lines = [_TITLE, f"{_RESULT} {result}", f"{_BLACK_BOARDS} {len(black)}", f"{_RED_BOARDS} {len(red)}"]
    lines += (" ".join(codes_for(state)) for state in (*black, *red))
    return "\n".join(lines) + "\n"


def read_training_games(path: Path) -> Iterator[GameBoards]:
    """Yield the games of a file, one at a time; GameforgeError if the file is damaged or has no games."""
    try:
        with path.open(encoding="utf-8") as stream:
            lines = _Lines(path, stream)
            while True:
                yield _game(lines)
                if not lines.more():
                    return
    except OSError as error:
        raise GameforgeError(f"cannot read the training data {path}: {error.strerror or error}") from None
    except UnicodeError:
        raise GameforgeError(f"training data {path} is not UTF-8 text") from None


class _Lines:
    """The non-blank lines of a file, with their numbers."""

    def __init__(self, path: Path, stream: Iterable[str]) -> None:
        self._path, self._stream, self._number = path, iter(stream), 0
        self._next: str | None = None

    def more(self) -> bool:
        """Return whether a line is left."""
        while not self._next:
            line = next(self._stream, None)
            if line is None:
                return False
            self._number += 1
            self._next = line.strip()
        return True

    def take(self, what: str) -> str:
        if not self.more():
            raise GameforgeError(f"training data {self._path}: the file ends before {what}")
        line, self._next = self._next, None
        assert line is not None
        return line

    def refuse(self, reason: str) -> NoReturn:
        raise GameforgeError(f"training data {self._path}, line {self._number}: {reason}")


def _game(lines: _Lines) -> GameBoards:
    title = lines.take(f"a game, which begins with {_TITLE!r}")
    if title != _TITLE:
        lines.refuse(f"{title[:40]!r} does not begin a game; must be {_TITLE!r}")
    result = _number(lines, _RESULT, 1, len(_WINNERS))
    black, red = (_number(lines, label, 0, _MOST_BOARDS) for label in (_BLACK_BOARDS, _RED_BOARDS))
    boards = (
        tuple(_board(lines, WHITE, is_swapped=False) for _ in range(black)),
        tuple(_board(lines, BLACK, is_swapped=True) for _ in range(red)),
    )
    return GameBoards(boards, _WINNERS[result])


def _number(lines: _Lines, label: str, least: int, most: int) -> int:
    line = lines.take(repr(label))
    found, _, value = line.partition(" ")
    if found != label or not value.strip().isdecimal() or not least <= int(value) <= most:
        lines.refuse(f"{line[:60]!r}: must be {label!r} and an integer from {least} to {most}")
    return int(value)


def _board(lines: _Lines, side: int, *, is_swapped: bool) -> State:
    codes = ""
    while len(codes) < SQUARES:
        codes += "".join(lines.take(f"square {len(codes) + 1} of a board").split())
        if len(codes) > SQUARES or not DIGITS.issuperset(codes):
            lines.refuse(f"{codes[:40]!r} is not a board; must be {SQUARES} digits from 0 to 4")
    try:
        return state_of_codes(swapped(codes) if is_swapped else codes, side)
    except GameforgeError as error:
        lines.refuse(str(error))

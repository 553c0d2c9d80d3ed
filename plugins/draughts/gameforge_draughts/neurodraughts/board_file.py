"""NeuroDraughts' board files: boards from which a training or a match begins ([Lynch1997], section 9.1).

    1
    1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 2 2 2 2 2 2 2 2 2 2 2 2  -0.1 +0.1 4

A file has the number of boards, and for each board its 32 codes, the reward of a draw with black, that of a draw with
red, and the points to clone. Black moves first on each board. The digits of a board need not be separated.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import State
from gameforge_draughts.board import BLACK, SQUARES
from gameforge_draughts.neurodraughts.codes import DIGITS, state_of_codes
from gameforge_draughts.neurodraughts.text_file import read_text

_MOST_POINTS = 4
"""Maximum number of points in two games, with 2 for a win."""


@attrs.frozen
class TrainingBoard:
    """One board of a file."""

    state: State
    draw_black: float
    """Reward of a draw if the learner plays Black, from -1 to 1."""
    draw_red: float
    points_to_clone: int
    """Points in two test games, 0 to 4, at which the clone is replaced by a copy of the learner."""


def is_board_file(path: Path) -> bool:
    """Return whether a file begins like a board file, with a number."""
    try:
        with path.open(encoding="utf-8") as stream:
            return next((line.split()[0].isdecimal() for line in stream if line.split()), False)
    except (OSError, UnicodeError):
        return False


def read_boards(path: Path) -> tuple[TrainingBoard, ...]:
    """Read a board file; GameforgeError if it is not one, or if numbers are missing, superfluous or out of range."""
    tokens = iter(read_text(path, "board file").split())
    first = next(tokens, "")
    if not first.isdecimal() or int(first) < 1:
        raise GameforgeError(f"board file {path}: must begin with the number of its boards, not with {first[:40]!r}")
    count = int(first)
    boards = tuple(_board(tokens, f"board file {path}, board {number} of {count}") for number in range(1, count + 1))
    extra = next(tokens, None)
    if extra is not None:
        raise GameforgeError(f"board file {path}: {extra[:40]!r} follows the last of its boards, which number {first}")
    return boards


def board_openings(path: Path) -> list[Opening]:
    """Return the boards of a file as openings."""
    return [Opening(f"board {number}", board.state) for number, board in enumerate(read_boards(path), 1)]


def _board(tokens: Iterator[str], where: str) -> TrainingBoard:
    def refuse(reason: str) -> NoReturn:
        raise GameforgeError(f"{where}: {reason}")

    codes = ""
    while len(codes) < SQUARES:
        token = next(tokens, None)
        if token is None:
            refuse(f"the file ends after {len(codes)} of its {SQUARES} squares")
        if not DIGITS.issuperset(token) or len(codes) + len(token) > SQUARES:
            refuse(f"{token[:40]!r} is not the code of square {len(codes) + 1}, which must be a digit from 0 to 4")
        codes += token

    def number(what: str, least: float, most: float) -> float:
        token = next(tokens, None)
        if token is None:
            refuse(f"the file ends before {what}")
        try:
            value = float(token)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            refuse(f"{what} = {token[:40]!r}: must be a number from {least:g} to {most:g}")
        return value

    draws = number("the reward of a draw with black", -1, 1), number("the reward of a draw with red", -1, 1)
    points = number("the points to clone", 0, _MOST_POINTS)
    if points != int(points):
        refuse(f"the points to clone = {points:g}: must be an integer from 0 to {_MOST_POINTS}")
    try:
        state = state_of_codes(codes, BLACK)
    except GameforgeError as error:
        refuse(str(error))
    return TrainingBoard(state, *draws, int(points))

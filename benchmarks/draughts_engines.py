"""py-draughts' engines as engines that speak UGI, opponents for matches in three kinds of draughts.

    python -m venv clients/py-draughts && clients/py-draughts/bin/pip install py-draughts
    gameforge match 'alphabeta:time=0.1,selective=true + strong' 'engine:protocol=ugi,handshake=60,patience=60,
        command="clients/py-draughts/bin/python benchmarks/draughts_engines.py turbo international 0.1"' \\
        --game international --games 100 --openings random:8 --out turbo

The arguments are ENGINE GAME SECONDS. ENGINE is `turbo`, which plays international draughts only, or `simple`; GAME is
`draughts` (American), `international` or `russian`; SECONDS is the time of a move. When the engine quits, it reports on
standard error how long its moves took. This script needs nothing of this project
but `ugi.py` beside it.
"""

import re
import sys
import time
from typing import Any

from draughts import AmericanBoard, RussianBoard, StandardBoard
from draughts.engines import SimpleEngine
from draughts.engines.turbo import TurboEngine
from loguru import logger
from ugi import serve

ENGINES = {"turbo": TurboEngine, "simple": SimpleEngine}


class Checkers(AmericanBoard):  # type: ignore[misc]
    """American draughts with forced captures, which py-draughts leaves to the player's choice."""

    @property
    def legal_moves(self) -> list[Any]:
        moves = super().legal_moves
        return [move for move in moves if move.captured_list] or moves


BOARDS = {"draughts": Checkers, "international": StandardBoard, "russian": RussianBoard}
DEEPEST = 60
FIRST_RANK = 8
"""Rank of the row with the squares 1 to 4 on 8x8."""
SQUARES = 32
"""Number of squares of American draughts, where py-draughts turns the board, so that the first mover has White."""


def square(name: str, game: str) -> int:
    """Return the index of a square that is written as a number, or as a letter and a rank of 8x8."""
    if name.isdigit():
        return SQUARES - int(name) if game == "draughts" else int(name) - 1
    return 4 * (FIRST_RANK - int(name[1])) + (ord(name[0]) - ord("a")) // 2


def written(index: int, game: str) -> str:
    """Return the name of a square in the game's notation."""
    if game == "draughts":
        return str(SQUARES - index)
    if game == "international":
        return str(index + 1)
    row, place = divmod(index, 4)
    return f"{'bdfh'[place] if row % 2 == 0 else 'aceg'[place]}{FIRST_RANK - row}"


def meant(board: Any, text: str, game: str) -> Any:
    """Return the legal move with these squares; those between the first and the last may be left out."""
    wanted = [square(name, game) for name in re.findall(r"[a-h]\d|\d+", text)]
    for move in board.legal_moves:
        squares = list(move.square_list)
        if (squares[0], squares[-1]) == (wanted[0], wanted[-1]) and set(wanted) <= set(squares):
            return move
    raise ValueError(f"{text} is not legal: {board.legal_moves}")


def main(name: str, game: str, seconds: float) -> None:
    logger.remove()
    engine = ENGINES[name](depth_limit=DEEPEST, time_limit=seconds)

    def find(moves: list[str]) -> tuple[str, float]:
        board = BOARDS[game]()
        for move in moves:
            board.push(meant(board, move, game))
        began = time.perf_counter()
        found = engine.get_best_move(board)
        used = time.perf_counter() - began
        sign = "x" if found.captured_list else "-"
        return sign.join(written(index, game) for index in found.square_list), used

    serve(name, find)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))

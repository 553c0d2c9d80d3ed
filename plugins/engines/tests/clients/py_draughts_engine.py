"""py-draughts' SimpleEngine on its AmericanBoard, as an engine that speaks UGI: DEPTH.

Its White moves first, from above. Its board leaves captures optional, so that a board of our own makes them mandatory.
"""

import re
import sys

from draughts import AmericanBoard
from draughts.engines import SimpleEngine


class Board(AmericanBoard):
    @property
    def legal_moves(self) -> list:
        moves = super().legal_moves
        return [move for move in moves if move.captured_list] or moves


def meant(board: AmericanBoard, wanted: list[int]) -> object:
    """Return the legal move with these squares; those between the first and the last may be left out."""
    for move in board.legal_moves:
        squares = [square + 1 for square in move.square_list]
        if (squares[0], squares[-1]) == (wanted[0], wanted[-1]) and set(wanted) <= set(squares):
            return move
    raise ValueError(f"{wanted} is not legal: {board.legal_moves}")


engine, board = SimpleEngine(depth_limit=int(sys.argv[1])), Board()
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit":
        break
    if words[0] == "ugi":
        print("ugiok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        assert words[1] == "startpos", line
        board = Board()
        for word in words[3:]:
            board.push(meant(board, [33 - int(square) for square in re.findall(r"\d+", word)]))
    elif words[0] == "go":
        text = str(engine.get_best_move(board))
        print("bestmove", re.sub(r"\d+", lambda square: str(33 - int(square[0])), text), flush=True)

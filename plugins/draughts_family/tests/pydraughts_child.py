"""Answers with pydraughts' legal moves; runs in an environment of its own. It imports nothing of this project.

A line of input is VARIANT FEN, one of output the JSON list of moves: [from, to, captured squares in order].
"""

import json
import sys

from draughts.core.game import Game

for request in sys.stdin:
    variant, fen = request.split()
    moves, captures = Game(variant, fen).legal_moves()
    answer = [
        [move[0][0], move[-1][1], sorted(square for square in captured if square is not None)]
        for move, captured in zip(moves, captures, strict=True)
    ]
    print(json.dumps(answer), flush=True)

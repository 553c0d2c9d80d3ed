"""pydraughts' DXP client drives an engine through a game with random replies: PORT SEED FIRST. Prints the moves.

FIRST: `engine` if the engine makes the first move.
"""

import os
import random
import sys

import draughts.engine
from draughts.engines.dxp import DXPEngine

engine = DXPEngine(options={"engine-opened": True, "port": sys.argv[1]}, initial_time=600)
rng = random.Random(sys.argv[2])
board = draughts.Board(variant="english")
asks = sys.argv[3] == "engine"
for _ in range(200):
    legal = board.legal_moves()
    if not legal:
        break
    if asks:
        move = engine.play(board).move
        if move is None or move.board_move is None:
            break
    else:
        move = rng.choice(legal)
    print(("x" if move.captures else "-").join(map(str, move.steps_move)), flush=True)
    board.push(move)
    asks = not asks
sys.stdout.flush()
os._exit(0)  # its threads wait for messages

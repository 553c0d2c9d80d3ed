"""pydraughts' HubEngine drives an engine through a game with random replies: ENGINE SEED. Prints the moves."""

import random
import sys

import draughts
from draughts.engine import Limit
from draughts.engines.hub import HubEngine

engine = HubEngine(sys.argv[1])
rng = random.Random(sys.argv[2])
try:
    assert engine.variants == {"english"}, engine.variants
    engine.configure({"variant": "english"})
    engine.init()
    board = draughts.Board(variant="english")
    for ply in range(200):
        legal = board.legal_moves()
        if not legal:
            break
        move = rng.choice(legal) if ply % 2 else engine.play(board, Limit(movetime=1.0), False).move
        print(("x" if move.captures else "-").join(map(str, move.steps_move)), flush=True)
        board.push(move)
finally:
    engine.kill_process()

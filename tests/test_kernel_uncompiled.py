"""The same sources run as plain Python under NUMBA_DISABLE_JIT=1, with the same results."""

import json

import pytest
from uncompiled import both_ways

GAMES = """
import json, tempfile
import numpy as np
import gameforge as gf
from gameforge.arena import match
from gameforge.play.perft import perft
from gameforge.play.perft import playouts
from toy_site import registry, shuttle

game = gf.game("draughts", max_plies=24)
position = game.position("W:W18,24,27,28,K10,K5:B12,16,20,K22,K25,K29")
material = gf.player(game, searcher="minimax:depth=2", evaluator="material")
net = gf.player(game, searcher="minimax:depth=2", evaluator="mlp:hidden=5", features="netfeaturemap", seed=3)
analysis = net.analyse(position)
toy = gf.player("shuttle", searcher="greedy", evaluator="linear", features="lanes", seed=1, registry=registry())

class Sum:
    def values(self, states):
        return states[:, :2] @ np.array([0.01, -0.02])

batch = gf.player(shuttle(), searcher="greedy", evaluator=Sum(), registry=registry())
rules = gf.game("draughts", max_plies=8)
pipeline = gf.Pipeline(game=rules, searcher="minimax:depth=1", learner="td:sessions=1,games=2", oracle="none")
with tempfile.TemporaryDirectory() as folder:
    trained = pipeline.run(folder + "/run").trained
print(json.dumps({
    "perft": [perft(game.position(), 4), perft(position, 2), perft(shuttle().position(), 6)],
    "playouts": str(playouts(shuttle().position(), 40, seed=5)),
    "analysis": [str(analysis.move), list(map(str, analysis.line)), analysis.nodes],
    "score": analysis.score,
    "draughts": [(g.codes, str(g.outcome)) for g in match(material, net, 2, seed=1).games],
    "toys": [(g.codes, str(g.outcome)) for g in match(toy, batch, 6, openings=2, seed=1, workers=2).games],
    "outcome": str(position.play(analysis.move).outcome),
    "training": [trained.summary["games"], bool((trained.weights != trained.initial_weights).any())],
}))
"""


def test_same_results() -> None:
    """Scores agree to the last bits only: uncompiled, fma rounds twice."""
    compiled, uncompiled = map(json.loads, both_ways(GAMES))
    assert compiled["training"] == [2, True]
    compiled["score"] = pytest.approx(compiled["score"], abs=1e-6)
    assert uncompiled == compiled

"""Any Python object with `values(states)` is an evaluator: here a model fitted to random games, in NumPy.

    python batch_evaluator.py --games 200 --match-games 20

A PyTorch net works the same way. States are an array [N, words]; values are scores in (-1, 1) for the side to move.
"""

import argparse
import random

import numpy as np

import gameforge as gf


def inputs(states):
    """All bits of all words as 0 and 1, and a 1: [N, 64 * words + 1]."""
    octets = np.ascontiguousarray(states, "<u8").view(np.uint8)
    bits = np.unpackbits(octets, axis=1, bitorder="little").astype(np.float64)
    return np.hstack([bits, np.ones((len(bits), 1))])


class Fitted:
    """Ridge regression of results on the bits of states, without knowledge of the game."""

    def __init__(self, states, results):
        x = inputs(np.array(states, np.uint64))
        self.weights = np.linalg.solve(x.T @ x + 10 * np.eye(x.shape[1]), x.T @ np.array(results))

    def values(self, states):
        return np.tanh(inputs(states) @ self.weights)


def random_games(game, games, rng):
    """(state, result for its side to move: 1, 0 or -1) of every position of random games."""
    for _ in range(games):
        positions = [game.position()]
        while (outcome := positions[-1].outcome) is None:
            positions.append(positions[-1].play(rng.choice(positions[-1].legal_moves)))
        for position in positions:
            yield position.state, outcome.points(position.turn) - 1


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit an evaluator to random games, then play with it.")
    parser.add_argument("--games", type=int, default=200, help="random games to learn from")
    parser.add_argument("--match-games", type=int, default=20)
    options = parser.parse_args()
    game = gf.game("draughts")
    fitted = Fitted(*zip(*random_games(game, options.games, random.Random(1)), strict=True))
    players = [
        gf.player(game, searcher="minimax:depth=2", evaluator=evaluator, name=name)
        for name, evaluator in (("fitted", fitted), ("blind", "none"))
    ]
    print(gf.match(*players, games=options.match_games))


if __name__ == "__main__":
    main()

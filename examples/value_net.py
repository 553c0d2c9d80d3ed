"""A value net learns Connect Four by playing against itself with `uct`, and then plays against `uct` without it.

    python value_net.py                                    # a net in NumPy, a few minutes
    python value_net.py --net torch --rounds 7 --games 30  # one in PyTorch, if that is installed

The net is an evaluator of GameForge because it has `values(states)`: it scores all moves of a position of the tree in
one call, and the search starts each move with the net's score, weighted as `prior` simulations.
"""

import argparse
import os

import numpy as np

import gameforge as gf
from gameforge import Game
from gameforge.interfaces import DRAW, LOSS, RUNNING, DrawRules, RulesFunctions

GUIDED, OPENING = "prior=2", 10
KEPT, STEPS, BATCH, RATE = 30_000, 400, 128, 2e-3
COLUMNS, HEIGHT = 7, 7  # six rows and one empty bit above each column, so that no line wraps around
TOP, CELLS = 5, [HEIGHT * column + row for column in range(COLUMNS) for row in range(6)]
_0, _1, _7 = np.uint64(0), np.uint64(1), np.uint64(7)
_STEPS = tuple(np.uint64(step) for step in (1, 6, 7, 8))


def gen(rules, s, moves):
    """A move is a column. s[0]: stones of the side to move, s[1]: the other's; bit 7 * column + row."""
    n = _0
    for column in range(COLUMNS):
        if ((s[0] | s[1]) >> np.uint64(HEIGHT * column + TOP)) & _1 == _0:
            moves[n] = column
            n += _1
    return n


def play(rules, s, m, child):
    stones = s[0] | s[1]
    child[0], child[1] = s[1], s[0] | ((stones + (_1 << (_7 * m))) & ~stones)  # the sum carries to the lowest free cell


def outcome(rules, s, n_moves):
    for step in _STEPS:
        pairs = s[1] & (s[1] >> step)
        if pairs & (pairs >> (step + step)) != _0:
            return LOSS
    return RUNNING if n_moves != _0 else DRAW + 4


class ConnectFour:
    name, sides, reasons = "connect-four", ("yellow", "red"), ("four in a line", "board full")
    draws = DrawRules(max_plies=42)

    def functions(self):
        return RulesFunctions(words=2, max_moves=7, gen=gen, play=play, outcome=outcome)

    def initial(self):
        return 0, 0

    def side_to_move(self, state):
        return (state[0] | state[1]).bit_count() % 2


def boards(states):
    """Own and opponent's stones as 0 and 1: states[N, 2] -> [N, 2, 7 columns, 6 rows]."""
    bits = (np.asarray(states, np.uint64)[:, :, None] >> np.array(CELLS, np.uint64)) & _1
    return bits.reshape(-1, 2, COLUMNS, 6).astype(np.float32)


class NumpyNet:
    """84 inputs, one hidden layer, tanh; trained by Adam on the squared error."""

    def __init__(self, seed, hidden=96):
        rng = np.random.default_rng(seed)
        sizes = ((84, hidden), (hidden,), (hidden, 1), (1,))
        self.parts = [rng.normal(0, 1 / np.sqrt(size[0]), size).astype(np.float32) for size in sizes]
        self.parts[1][:] = self.parts[3][:] = 0
        self.moments = [[np.zeros_like(part), np.zeros_like(part)] for part in self.parts]
        self.steps = 0

    def forward(self, x):
        w, b, v, c = self.parts
        hidden = np.tanh(x @ w + b)
        return hidden, np.tanh(hidden @ v + c)

    def values(self, states):
        return self.forward(boards(states).reshape(-1, 84))[1][:, 0].astype(np.float64)

    def step(self, x, y, rate):
        x = x.reshape(-1, 84)
        hidden, out = self.forward(x)
        above = 2 * (out - y[:, None]) * (1 - out**2) / len(y)
        below = (above @ self.parts[2].T) * (1 - hidden**2)
        self.steps += 1
        gradients = (x.T @ below, below.sum(0), hidden.T @ above, above.sum(0))
        for part, (mean, square), gradient in zip(self.parts, self.moments, gradients, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            part -= rate * (mean / (1 - 0.9**self.steps)) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)


def torch_net(seed):
    """The same interface over a small convolutional net of PyTorch."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # so small a net is fastest in one thread
    import torch
    from torch import nn

    torch.manual_seed(seed)

    class TorchNet:
        def __init__(self):
            layers = [nn.Conv2d(2, 32, 4, padding=2), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU(), nn.Flatten()]
            self.net = nn.Sequential(*layers, nn.Linear(32 * 6 * 5, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())
            self.adam = torch.optim.Adam(self.net.parameters(), weight_decay=1e-5)

        def values(self, states):
            with torch.inference_mode():
                return self.net(torch.from_numpy(boards(states)))[:, 0].double().numpy()

        def step(self, x, y, rate):
            self.adam.param_groups[0]["lr"] = rate
            self.adam.zero_grad()
            nn.functional.mse_loss(self.net(torch.from_numpy(x))[:, 0], torch.from_numpy(y)).backward()
            self.adam.step()

    return TorchNet()


def self_play(player, game, rng):
    """(states, targets for the side to move) of one game; its first moves are drawn in proportion to their visits.

    A target is the mean of the game's result and the search's score of the position.
    """
    position = game.position()
    states, scores = [], []
    player.reseed(int(rng.integers(1 << 62)))
    while (end := position.outcome) is None:
        found = player.analyse(position)
        states.append(position.state)
        scores.append(min(max(found.score, -1.0), 1.0))
        move = found.move
        if len(states) <= OPENING:
            visits = np.array([tried.visits for tried in found.statistics], np.float64)
            move = found.statistics[rng.choice(len(visits), p=visits / visits.sum())].move
        position = position.after(move.code)
    results = [end.points(ply % 2) - 1 for ply in range(len(states))]
    return states, [(result + score) / 2 for result, score in zip(results, scores, strict=True)]


def learn(net, player, game, rounds, games, seed):
    """Alternate self-play with training on the latest games, including their mirror images."""
    rng = np.random.default_rng(seed)
    states, targets = [], []
    for number in range(1, rounds + 1):
        for _ in range(games):
            more_states, more_targets = self_play(player, game, rng)
            states += more_states
            targets += more_targets
        states, targets = states[-KEPT:], targets[-KEPT:]
        x, y = boards(states), np.array(targets, np.float32)
        before = float(np.mean((net.values(states) - y) ** 2))
        for _ in range(STEPS):
            chosen = rng.integers(len(y), size=BATCH)
            step = x[chosen]
            net.step(np.ascontiguousarray(step[:, :, :: rng.choice((1, -1))]), y[chosen], RATE)
        after = float(np.mean((net.values(states) - y) ** 2))
        print(f"round {number}: {len(y)} positions, squared error {before:.3f} before, {after:.3f} after", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="A value net learns Connect Four by self-play with uct.")
    parser.add_argument("--net", choices=("numpy", "torch"), default="numpy")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--games", type=int, default=60, help="games of a round")
    parser.add_argument("--simulations", type=int, default=100, help="of every move, in training and match, both sides")
    parser.add_argument("--match-games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = Game(ConnectFour())
    net = NumpyNet(options.seed) if options.net == "numpy" else torch_net(options.seed)
    plain = f"uct:simulations={options.simulations}"
    guided = gf.player(game, searcher=f"{plain},{GUIDED}", evaluator=net, name=f"uct with the {options.net} net")
    learn(net, guided, game, options.rounds, options.games, options.seed)
    print(gf.match(guided, gf.player(game, searcher=plain, name="uct"), games=options.match_games, seed=options.seed))


if __name__ == "__main__":
    main()

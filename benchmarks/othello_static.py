"""How far static scores of Othello players are from deep searches, in discs, on positions of balanced games.

    python benchmarks/othello_static.py [PLAYER ...] [--judge PLAYER] [--positions 200] [--empty 34] [--depth 16]

The positions have this many empty squares and occurred in games of `strong` against itself, 2,000 nodes a move, that
began with 8 random moves after which it found the position about even; one position from each game. Every player's
static scores are compared with its own search of 16 plies, or with that of the judge. With --exact they are compared
with the solver's leads, which 20 empty squares allow. Scores become discs by the factor that fits the deep values best,
so players with scores of any kind can be compared; it is printed, and 1 where scores are discs by the game's odds.
"""

import argparse

import numpy as np
from gameforge_othello.solver import solve
from numpy.typing import NDArray

import gameforge as gf

EVEN, RANDOM_PLIES = 0.3, 8
Doubles = NDArray[np.float64]


def sampled(positions: int, empty: int) -> list[gf.Position]:
    """Return positions with this many empty squares from as many games."""
    player = gf.player("othello", "strong", searcher="alphabeta:nodes=2000,selective=true,memory=1", oracle="none")
    rng, found = np.random.default_rng(34), list[gf.Position]()
    while len(found) < positions:
        position = player.game.position()
        for _ in range(RANDOM_PLIES):
            legal = position.legal_moves
            if not legal:
                break
            position = position.play(legal[rng.integers(len(legal))])
        if not position.legal_moves or abs(player.analyse(position).score) > EVEN:
            continue
        while position.legal_moves and _empty(position) > empty:
            position = position.play(player.choose(position))
        if position.legal_moves and _empty(position) == empty:
            found.append(position)
    return found


def _empty(position: gf.Position) -> int:
    own, other, _ = position.state
    return 64 - (own | other).bit_count()


def discs(player: gf.Player, position: gf.Position, score: float) -> float:
    """Return a score as a lead at the end."""
    odds = player.game.piece_odds(position.state)
    assert odds is not None
    return odds.amount(max(-0.9999, min(0.9999, score)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("players", nargs="*", default=["strong + none"])
    parser.add_argument("--judge")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--empty", type=int, default=34)
    parser.add_argument("--depth", type=int, default=16)
    parser.add_argument("--exact", action="store_true")
    arguments = parser.parse_args()
    positions = sampled(arguments.positions, arguments.empty)
    states = np.array([position.state for position in positions], np.uint64)
    workshop = gf.Workshop(gf.default_registry())
    search = f"alphabeta:depth={arguments.depth},selective=true,memory=64"

    def deep(name: str) -> Doubles:
        judge = workshop.player(f"{search} + {name}", "othello")
        return np.array([discs(judge, one, judge.analyse(one).score) for one in positions])

    known = None
    if arguments.exact:
        known = np.array([solve(position.state).lead for position in positions], np.float64)
    elif arguments.judge:
        known = deep(arguments.judge)
    for name in arguments.players:
        player = workshop.player(name, "othello")
        static = np.array([discs(player, one, s) for one, s in zip(positions, player.values(states), strict=True)])
        truth = deep(name) if known is None else known
        factor = float(static @ truth / (static @ static))
        rms, fitted = (float(np.sqrt(np.mean((f * static - truth) ** 2))) for f in (1.0, factor))
        correlation = float(np.corrcoef(static, truth)[0, 1])
        print(
            f"{name}: rms error {rms:.2f} discs, {fitted:.2f} times {factor:.2f}; correlation {correlation:.3f}; "
            f"the deep values have a standard deviation of {truth.std():.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

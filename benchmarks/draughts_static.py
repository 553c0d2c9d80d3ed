"""How well static scores of draughts players agree with deep searches: rank correlation on balanced positions.

    python benchmarks/draughts_static.py [PLAYER ...] [--searched] [--folder FOLDER]

The positions are quiet, have equal numbers of pieces, more than six, and occurred in games of `strong` against itself,
10,000 nodes a move, one from each of the 156 three-move ballots; `strong` judged them by 16 plies, at most 0.6 from
even. They are made in about five minutes and kept in the folder, where the next call finds them. With --searched the
players search the positions, as in `alphabeta:depth=4,selective=true + strong + none`.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from gameforge_examples.folder import Rows
from gameforge_examples.positions import GameSettings, SelfplayPlan, make_positions
from numpy.typing import NDArray

import gameforge as gf
from gameforge.interfaces import Spec

GAMES, POSITIONS = 156, 2000
MARGIN = 0.6
LEAST_PIECES = 7
SIDE = np.uint64((1 << 63) - 1)
"""The bits of the third word of a state that are kings; the last one is the side to move."""


def judged(folder: Path) -> Rows:
    """Return the positions, with the deep scores as utilities."""
    player = gf.player("draughts", "strong", searcher="alphabeta:nodes=10000,selective=true,memory=4", oracle="none")
    play = GameSettings(
        openings="3move",
        random_plies=0,
        margin=MARGIN,
        kept=0.5,
        judge=Spec.parse("alphabeta:depth=16,selective=true,memory=4"),
        no_progress=20,
    )
    rows = make_positions(folder, player, SelfplayPlan(games=GAMES, settings=play, seed=1)).rows()
    own, other = pieces(rows)
    return sample(rows[(own == other) & (own + other >= LEAST_PIECES) & (np.abs(rows["utility"]) <= MARGIN)], POSITIONS)


def pieces(rows: Rows) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the numbers of pieces of the side to move and of the other side."""
    return np.bitwise_count(rows["state"][:, 0]), np.bitwise_count(rows["state"][:, 1])


def sample(rows: Rows, most: int) -> Rows:
    """Draw at most this number of different positions; they stay in their order."""
    _, first = np.unique(rows["state"], axis=0, return_index=True)
    return rows[np.sort(np.random.default_rng(1).permutation(first)[:most])]


def ranks(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the rank of each value; equal values share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[which]


def rank_correlation(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """Spearman's correlation."""
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("players", nargs="*", default=["strong + none"])
    parser.add_argument("--searched", action="store_true")
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        rows = judged(arguments.folder or Path(temporary) / "positions")
        states, deep = np.array(rows["state"]), -rows["utility"].astype(np.float64)
    men = states[:, 2] & SIDE == 0
    print(f"{len(states):,} positions, {men.sum():,} of men only")
    workshop = gf.Workshop(gf.default_registry())
    for name in arguments.players:
        player = workshop.player(name, "draughts")
        if arguments.searched:
            positions = [gf.Position(player.game, tuple(state)) for state in states.tolist()]
            scores = np.array([player.analyse(position).score for position in positions])
        else:
            scores = player.values(states)
        found = [rank_correlation(scores[which], deep[which]) for which in (men | True, men)]
        print(f"{name}: {found[0]:.3f}, men only {found[1]:.3f}")


if __name__ == "__main__":
    main()

"""How often draughts players misjudge even endings of 6 and 8 pieces that a database of 6 pieces proves lost.

    python benchmarks/draughts_endings.py [PLAYER ...] [--nodes N] [--folder FOLDER]

The positions are quiet, have equal numbers of pieces, and occurred in games of `material`, which rarely wins its
endings: 1,000 nodes a move, from the three-move ballots, with two random plies. A search of 20 plies, or of a million
nodes, which prunes nothing that could save a side, proves with the results of all positions of up to 6 pieces that the
side to move has lost. The players know 5 pieces and search 100,000 nodes (--nodes). They misjudge a position if they
score it above -0.5. The database of 6 pieces is built once, in three minutes on two idle cores; the positions are kept
in the folder, where the next call finds them.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from draughts_static import pieces, sample
from gameforge_examples.folder import Rows
from gameforge_examples.positions import GameSettings, SelfplayPlan, make_positions

import gameforge as gf
from gameforge.interfaces.evaluator import WON

GAMES, TRIED = 3120, 4000
PIECES = 3, 4
"""Of each side."""
PROOF = "alphabeta:depth=20,nodes=1000000,memory=64 + material + chinook:pieces=6"
LIMIT = -0.5


def endings(folder: Path) -> Rows:
    """Return quiet positions with 6 or 8 pieces, half of them of each side, each once."""
    player = gf.player(
        "draughts",
        searcher="alphabeta:nodes=1000,selective=true,memory=1,convert=false",
        evaluator="material",
        oracle="none",
    )
    play = GameSettings(openings="3move", random_plies=2, adjudicate=False, no_progress=20)
    rows = make_positions(folder, player, SelfplayPlan(games=GAMES, settings=play, seed=1)).rows()
    own, other = pieces(rows)
    return sample(rows[(own == other) & np.isin(own, PIECES)], TRIED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("players", nargs="*", default=["strong"])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    workshop = gf.Workshop(gf.default_registry())
    proof = workshop.player(PROOF, "draughts")
    with tempfile.TemporaryDirectory() as temporary:
        states = endings(arguments.folder or Path(temporary) / "endings")["state"].tolist()
    positions = [gf.Position(proof.game, tuple(state)) for state in states]
    lost = [position for position in positions if proof.analyse(position).score <= -WON]
    print(f"{len(lost):,} of {len(positions):,} positions are lost", flush=True)
    for name in arguments.players:
        plan = f"alphabeta:nodes={arguments.nodes},selective=true + {name} + chinook:format=dtw"
        player = workshop.player(plan, "draughts")
        scores = np.array([player.analyse(position).score for position in lost])
        wrong = scores > LIMIT
        found = f"{wrong.sum():,} above {LIMIT} ({wrong.mean():.1%}), {(scores <= -WON).sum():,} proven lost"
        print(f"{name}: {found}", flush=True)


if __name__ == "__main__":
    main()

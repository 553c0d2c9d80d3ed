"""Nine Men's Morris: perft, random playouts and alphabeta, compared with OpenSpiel in the same run.

    pip install -e '.[bench]'; python benchmarks/morris.py

All numbers are per second of processor time on one pinned core. OpenSpiel counts a removal as a separate action and
plays up to 200 actions without draws by repetition, so we compare games, with a limit of 200 plies here. Its playouts
are called from Python through its Monte Carlo search, as rollouts of the children of the root.
"""

import sys
from typing import Any

from machine import pin
from rates import rate

import gameforge as gf
from gameforge.play.perft import perft, playouts

PERFT_DEPTH, GAMES, PEER_GAMES = 6, 50_000, 2_000
SEARCH_DEPTH = 8
GAME = gf.game("morris")
POSITIONS = ("W:W+9:B+9", "W:Wd6,f4,d2,b2+5:Bb4,d7,e4,c3+5", "W:Wa7,d7,g1,a1,b6,f6,e5,c3:Bg7,d6,f4,f2,b2,c5,d5,e3")


def open_spiel() -> float:
    """Games/s of the rollouts of its C++ search."""
    import pyspiel

    game = pyspiel.load_game("nine_mens_morris")
    start = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=PEER_GAMES // 10, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 10, 100, False, 1, False)
    return rate(lambda: (bot.mcts_search(start), PEER_GAMES)[1])


def main() -> None:
    print(pin())
    start = GAME.position()
    mine: dict[str, Any] = {
        "perft, leaves": rate(lambda: perft(start, PERFT_DEPTH)),
        "playouts, games": rate(lambda: (playouts(start, GAMES, seed=1), GAMES)[1]),
    }
    counts = playouts(start, GAMES, seed=1)
    mine["playouts, plies"] = mine["playouts, games"] * counts.plies / GAMES
    places = [GAME.position(text) for text in POSITIONS]
    for evaluator in ("material", "weighted"):
        player = gf.player(GAME, searcher=f"alphabeta:depth={SEARCH_DEPTH}", evaluator=evaluator)
        mine[f"alphabeta + {evaluator}, nodes"] = rate(lambda p=player: sum(p.analyse(place).nodes for place in places))
    for name, found in mine.items():
        print(f"{name:28} {found:14,.0f} /s", flush=True)
    try:
        games = open_spiel()
    except ImportError:
        print("OpenSpiel is not installed (extra `bench`): no comparison", file=sys.stderr)
        return
    print(f"playouts of OpenSpiel, games {games:13,.0f} /s   ratio {mine['playouts, games'] / games:8.1f}")


if __name__ == "__main__":
    main()

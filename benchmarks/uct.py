"""uct: simulations per second, one random game each, compared with OpenSpiel and rust-reversi in the same run.

    pip install -e '.[bench]'; python benchmarks/uct.py [GAME...]

All numbers are per second of processor time on one pinned core, from the initial position, with a tree that begins
empty; medians. OpenSpiel's search runs in C++. It splits a capture of several pieces, or a mill's removal, into several
actions, so we compare simulations, each of which is a whole game.
"""

import statistics
import sys
import time
from collections.abc import Callable

from machine import pin

import gameforge as gf

SIMULATIONS, PEER_SIMULATIONS, RUNS = 20_000, 2000, 7
MEGABYTES = 500
OPEN_SPIEL = {"draughts": "checkers", "othello": "othello", "morris": "nine_mens_morris"}


def rate(work: Callable[[], object], simulations: int) -> float:
    """Simulations per second of processor time of one run."""
    began = time.process_time()
    work()
    return simulations / (time.process_time() - began)


def ours(name: str) -> Callable[[], float]:
    game = gf.game(name)
    searcher = f"uct:simulations={SIMULATIONS},reuse=false"
    player = gf.player(game, searcher=searcher, evaluator="none", oracle="none")
    return lambda: rate(lambda: player.analyse(game.position()), SIMULATIONS)


def open_spiel(name: str) -> Callable[[], float]:
    import pyspiel

    game = pyspiel.load_game(OPEN_SPIEL[name])
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, PEER_SIMULATIONS, MEGABYTES, False, 1, False)
    return lambda: rate(lambda: bot.mcts_search(game.new_initial_state()), PEER_SIMULATIONS)


def rust_reversi(name: str) -> Callable[[], float] | None:
    from rust_reversi import Board, MctsSearch

    if name != "othello":
        return None
    search = MctsSearch(SIMULATIONS, 1.0, 10)
    return lambda: rate(lambda: search.get_move(Board()), SIMULATIONS)


def main() -> None:
    print(pin())
    for name in sys.argv[1:] or OPEN_SPIEL:
        works = {"GameForge": ours(name)}
        for peer, make in {"OpenSpiel": open_spiel, "rust-reversi": rust_reversi}.items():
            try:
                work = make(name)
            except ImportError:
                print(f"{peer} is not installed (extra `bench`): no comparison", file=sys.stderr)
            else:
                works |= {peer: work} if work else {}
        rates: dict[str, list[float]] = {who: [] for who in works}
        for run in range(1 + RUNS):  # in turn, so that other load on the machine affects all of them
            for who, work in works.items():
                measured = work()
                if run:  # the first run compiles
                    rates[who].append(measured)
        medians = {who: statistics.median(values) for who, values in rates.items()}
        own = medians["GameForge"]
        told = [f"{who} {value:,.0f} (ratio {own / value:.1f})" for who, value in medians.items() if who != "GameForge"]
        print(f"{name:10} {own:12,.0f} simulations/s   {'   '.join(told)}")


if __name__ == "__main__":
    main()

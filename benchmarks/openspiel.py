"""Games of OpenSpiel as rules of ours, beside OpenSpiel's own Python: random games, and a tree search.

    pip install -e '.[bench]'; python benchmarks/openspiel.py [GAME...]

All numbers are per second of processor time on one pinned core; medians. Random games: plies per second, beside a loop
over `legal_actions` and `apply_action` with `random.choice`. Search: simulations per second of `uct`, one random game
each, beside the MCTSBot in open_spiel.python with its random rollouts, on connect_four.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import pyspiel
from machine import pin
from open_spiel.python.algorithms import mcts

import gameforge as gf
from gameforge.play.perft import playouts

GAMES = ("tic_tac_toe", "connect_four", "breakthrough", "checkers", "othello", "go(board_size=9)", "lines_of_action")
RUNS, SECONDS, SIMULATIONS, GAMES_A_CALL = 5, 0.5, 1000, 200


def rate(work: Callable[[], int]) -> float:
    """What `work` counts, per second of processor time; called until the time is used up."""
    began, done = time.process_time(), 0
    while (used := time.process_time() - began) < SECONDS:
        done += work()
    return done / used


def their_random_game(game: pyspiel.Game, rng: random.Random) -> int:
    state, plies = game.new_initial_state(), 0
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        plies += 1
    return plies


def medians(works: dict[str, Callable[[], int]]) -> dict[str, float]:
    for work in works.values():
        work()
    runs = [{name: rate(work) for name, work in works.items()} for _ in range(RUNS)]
    return {name: statistics.median(run[name] for run in runs) for name in works}


def report(what: str, works: dict[str, Callable[[], int]]) -> None:
    ours, theirs = medians(works).values()
    print(f"{what:40} {ours:12,.0f} {theirs:12,.0f} {ours / theirs:8.2f}")


def searches() -> dict[str, Callable[[], int]]:
    game = gf.game("openspiel", name="connect_four")
    player = gf.player(game, searcher=f"uct:simulations={SIMULATIONS},reuse=false", evaluator="none", oracle="none")
    theirs, rng = pyspiel.load_game("connect_four"), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(theirs, 2, SIMULATIONS // 10, evaluator, random_state=rng)

    def our_search() -> int:
        player.analyse(game.position())
        return SIMULATIONS

    def their_search() -> int:
        bot.mcts_search(theirs.new_initial_state())
        return SIMULATIONS // 10

    return {"ours": our_search, "theirs": their_search}


def main() -> None:
    print(pin())
    print(f"{'':40} {'GameForge':>12} {'OpenSpiel':>12} {'ratio':>8}")
    for name in sys.argv[1:] or GAMES:
        position, game, rng = gf.game("openspiel", name=name).position(), pyspiel.load_game(name), random.Random(1)
        works = {
            "ours": lambda position=position: playouts(position, GAMES_A_CALL).plies,
            "theirs": lambda game=game, rng=rng: their_random_game(game, rng),
        }
        report(f"random plies/s, {name}", works)
    report("simulations/s, connect_four", searches())


if __name__ == "__main__":
    main()

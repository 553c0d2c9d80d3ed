"""A database of self-made games: games imported per second, bytes per game, milliseconds per position.

    python benchmarks/games_db.py --game othello --games 1000000

Games are random; those of people share more of their first moves, which makes the index smaller. The records are made
as they are imported, as a reader of files does; the time for that is printed apart. Positions are asked for by the
number of plies from the start, each of another game, with and without symmetries. Times are processor times of one
process on one core, median and worst; the databases stand in the folder for temporary files.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from machine import pin

import gameforge as gf
from gameforge.interfaces import GameRecord, Outcome
from gameforge.kernel import U0, CompiledRules, IntegerArray, WordArray, at, below, kernel

BATCH = 10_000
MOST_PLIES = 120
PLIES = (0, 1, 2, 4, 6, 8, 12, 20, 40)


@kernel
def random_games(
    rules: CompiledRules, start: WordArray, rng: WordArray, moves: WordArray, plies: IntegerArray, codes: IntegerArray
) -> None:
    """Play random games: MOST_PLIES places of `moves` for each."""
    states = np.zeros(2 * rules.words, np.uint64)
    legal = np.zeros(rules.max_moves, np.uint64)
    data = at(rules.data, U0)
    for g in range(len(plies)):
        here, there = U0, rules.words
        for i in range(rules.words):
            states[i] = start[i]
        plies[g] = codes[g] = 0
        while plies[g] < MOST_PLIES:
            n = rules.gen(data, at(states, here), at(legal, U0))
            codes[g] = rules.outcome(data, at(states, here), n)
            if codes[g] != 0:
                break
            m = legal[below(at(rng, U0), n)]
            moves[g * MOST_PLIES + plies[g]] = m
            rules.play(data, at(states, here), m, at(states, there))
            here, there = there, here
            plies[g] += 1


def records(game: gf.Game, count: int, seed: int, spent: list[float]) -> Iterator[GameRecord]:
    """Yield random games; adds the processor time that making them took to spent[0]."""
    start, reasons = game.rules.initial(), game.rules.reasons
    rng = np.array([seed], np.uint64)
    for first in range(0, count, BATCH):
        began = time.process_time()
        moves = np.zeros(BATCH * MOST_PLIES, np.uint64)
        plies, codes = np.zeros(BATCH, np.int64), np.zeros(BATCH, np.int64)
        random_games(game.compiled, np.array(start, np.uint64), rng, moves, plies, codes)
        made = []
        for i in range(min(BATCH, count - first)):
            code = int(codes[i])
            mover = int(plies[i]) % 2
            winner = {1: mover, 2: 1 - mover}.get(code & 3)
            reason = reasons[code >> 2] if code else "ply cap"
            line = tuple(moves[i * MOST_PLIES : i * MOST_PLIES + int(plies[i])].tolist())
            number = first + i
            players = f"Player {number % 997}", f"Player {number % 1009}"
            made.append(GameRecord(players=players, start=start, moves=line, outcome=Outcome(winner, reason)))
        spent[0] += time.process_time() - began
        yield from made


def milliseconds(ask: Callable[[gf.Position], object], positions: list[gf.Position]) -> str:
    """Median and worst processor time of a question, in milliseconds."""
    times = []
    for position in positions:
        began = time.process_time()
        ask(position)
        times.append(1000 * (time.process_time() - began))
    return f"{statistics.median(times):8.2f} {max(times):8.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="othello")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(pin())
    game, spent = gf.game(given.game), [0.0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        with gf.games_db(Path(folder) / "warm.db", game) as db:  # compiled before the clock starts
            db.add(records(game, 2000, 7, [0.0]))
            db.tree()
        with gf.games_db(path, game) as db:
            began, busy = time.perf_counter(), time.process_time()
            db.add(records(game, given.games, given.seed, spent))
            seconds = time.perf_counter() - began
            processor = time.process_time() - busy
            games = len(db)
        size = path.stat().st_size
        print(f"import: {games:,} games in {seconds:.1f} s ({processor:.1f} s of processor time), of which", end=" ")
        print(f"{spent[0]:.1f} s made the records: {games / (processor - spent[0]):,.0f} games a second")
        print(f"size:   {size / 1e6:,.1f} MB, {size / games:.0f} bytes a game")
        with gf.games_db(path) as db:
            db.tree()
            print("plies      games   tree, ms: median, worst   with symmetries: median, worst   first game, ms")
            for plies in PLIES:
                positions = []
                for number in range(1, games, max(1, games // 20)):
                    record = db.game_number(number)
                    here = gf.Position(game, record.start)
                    for move in record.codes[:plies]:
                        here = here.after(move)
                    positions.append(here)
                tree = milliseconds(db.tree, positions)
                images = milliseconds(lambda one: db.tree(one, symmetries=True), positions)
                found = milliseconds(lambda one: next(db.find(position=one)), positions)
                print(f"{plies:5} {db.tree(positions[0]).games:10,} {tree:>25} {images:>31} {found:>23}")


if __name__ == "__main__":
    main()

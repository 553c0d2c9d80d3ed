"""Play one match of a player against itself and record every search; a piece of work for executors."""

import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Site
from gameforge.interfaces.outcome import outcome_of
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import check, game_workspace
from gameforge.kernel.compile.launch import interruptible
from gameforge.kernel.context import NODES, PLIES
from gameforge_examples.recording import MORE, begin_at, play_recording
from gameforge_examples.rows import Rows, joined, row_type
from gameforge_examples.writing import Recorded

_ROWS = 4096
"""Minimum number of rows that the kernel's block has room for."""
_MOST_VISITS = (1 << 32) - 1


def play_match(
    site: Site, weights: "NDArray[np.float32] | None", start: State, seed: np.random.SeedSequence, number: int
) -> Recorded:
    """Play match `number` of the pipeline's player against itself; the sides share no search memory.

    Raises GameforgeError if the search is stopped.
    """
    parts = site.parts
    rules = parts.game.rules
    game = game_workspace(parts.game.compiled, rules.draws)
    first = parts.compiled_player(game, weights)
    second = parts.compiled_player(game, weights)
    # One stop flag serves both sides.
    second = second._replace(context=second.context._replace(control=first.context.control))
    first.context.rng[0], second.context.rng[0] = seed.generate_state(2, np.uint64)
    begin_at(game, np.array(start, np.uint64))
    check(game.rules)
    beginner = rules.side_to_move(start)
    found = []
    words, most = parts.game.functions.words, max(_ROWS, 2 * parts.game.functions.max_moves)
    block, filled = np.zeros(most * (words + MORE), np.uint64), np.zeros(1, np.int64)
    kernel, control, code = play_recording, first.context.control, 0
    while not code:
        plies = int(game.counters[PLIES])
        code = int(
            interruptible(control, kernel, game, first, second, np.uint64(most), block, filled, check=site.check)
        )
        found.append(_rows(block.reshape(-1, words + MORE)[: filled[0]], words, beginner, number))
        if not code and game.counters[PLIES] == plies:
            raise GameforgeError(f"examples: the search of match {number + 1} was stopped")
    plies = int(game.counters[PLIES])
    outcome = outcome_of(rules, code, (beginner + plies) % 2)
    assert outcome is not None
    rows = joined(found, words)
    rows["result"] = 0 if outcome.winner is None else np.where(rows["mover"] == outcome.winner, 1, -1)
    return Recorded(rows, {"plies": plies, "simulations": int(first.context.control[NODES])})


def _rows(found: NDArray[np.uint64], words: int, beginner: int, match: int) -> Rows:
    rows = np.zeros(len(found), row_type(words))
    visits, values, plies = (np.ascontiguousarray(found[:, words + i]) for i in range(MORE))
    rows["state"] = found[:, :words]
    rows["visits"] = np.minimum(visits, _MOST_VISITS)
    rows["utility"] = values.view(np.float64)
    rows["ply"], rows["match"] = plies, match
    rows["mover"] = (plies + np.uint64(beginner)) % np.uint64(2)
    return rows

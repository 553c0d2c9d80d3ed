"""Games from positions of a database, played to their ends inside the kernel."""

from collections.abc import Iterable

import numpy as np
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook.indexing import set_up
from gameforge_egdb_chinook.slices import slices, tables
from numpy.typing import NDArray

from gameforge.interfaces import LOSS, WIN
from gameforge.kernel import slots
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.gameplay import play_game
from gameforge.kernel.types import Word, WordArray
from gameforge.play.game import Game
from gameforge.play.parts import Parts


@kernel
def _write_state(t: WordArray, number: Word, index: Word, state: WordArray) -> None:
    set_up(at(t, np.uint64(0)), number, index, at(state, np.uint64(0)))


def state_at(pieces: int, index: int) -> NDArray[np.uint64]:
    """The state of a position, Black to move."""
    starts = [s.start for s in slices(pieces)]
    number = int(np.searchsorted(starts, index, side="right")) - 1
    state = np.zeros(3, np.uint64)
    _write_state(tables(pieces), np.uint64(number), np.uint64(index), state)
    return state


def results(
    rules: Draughts,
    one: Parts,
    other: Parts,
    starts: Iterable[NDArray[np.uint64]],
    weights: NDArray[np.float32] | None = None,
) -> list[tuple[int, int]]:
    """Play a game from each position, `one` to move, with these weights; returns (winner, plies) of each.

    The winner is 0 for `one`, 1 for `other`, -1 for a draw.
    """
    workspace = game_workspace(Game(rules).compiled, rules.draws)
    players = [one.compiled_player(workspace, weights), other.compiled_player(workspace, None)]
    found = []
    for start in starts:
        code = int(play_game(workspace, *players, start, start[:0]))
        played = int(workspace.counters[slots.PLIES])
        to_move = played % 2
        found.append(({WIN: to_move, LOSS: 1 - to_move}.get(code & 3, -1), played))
    return found

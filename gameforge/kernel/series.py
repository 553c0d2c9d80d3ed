"""Series of games between two players inside a kernel, optionally with random moves."""

from typing import Any, NamedTuple

import numpy as np

from gameforge.kernel.abi import RUNNING
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import bare_kernel, inline
from gameforge.kernel.context import PLIES, STOP, CompiledPlayer, Integers, Words
from gameforge.kernel.game import ILLEGAL, GameWorkspace, advance, begin, choose, is_legal, legal, seat
from gameforge.kernel.keys import finish, mix
from gameforge.kernel.random import below, next_word
from gameforge.kernel.seeds import APART

_0 = np.uint64(0)
_APART = np.uint64(APART)


class Series(NamedTuple):
    """The games to play, and room for their results."""

    start: Words
    """The state in which each game begins."""
    parities: Integers
    """For each game 0 if the first player moves at even plies, 1 if at odd ones."""
    fresh: tuple[Words, Words]
    """The searchers' memory at the beginning of each game."""
    stream: np.uint64
    """First random word of the first game's first player; that of the second player is APART further on, and so on."""
    random: np.uint64
    """A move is drawn at random if a random word is below this."""
    codes: Integers
    """Code of each game's last state (game.py)."""
    plies: Integers
    """Number of plies of each game."""
    keys: Words
    """A hash of who begins and of the moves, for each game."""


@bare_kernel
def play_series(game: GameWorkspace, first: CompiledPlayer, second: CompiledPlayer, series: Series) -> int:
    """Play games, each of which depends only on its players and their random words.

    A searcher that answers with an illegal move loses. Returns the number of finished games, which is smaller than the
    number of games in `series` if a STOP flag was set.
    """
    for g in range(len(series.parities)):
        seat(first, series.fresh[0], series.stream + np.uint64(2 * g) * _APART)
        seat(second, series.fresh[1], series.stream + np.uint64(2 * g + 1) * _APART)
        begin(game, at(series.start, _0))
        key = mix(_0, np.uint64(series.parities[g]))
        while True:
            n, code = legal(game)
            if code != RUNNING:
                break
            # Not choose(game, first if ... else second, n): copying a player costs as much as a short search.
            if (game.counters[PLIES] & 1) == series.parities[g]:
                m = _move(game, first, n, series.random)
            else:
                m = _move(game, second, n, series.random)
            if first.context.control[STOP] | second.context.control[STOP]:
                return g
            if not is_legal(game, n, m):
                code = ILLEGAL
                break
            key = mix(key, m)
            advance(game, m)
        series.codes[g], series.plies[g], series.keys[g] = code, game.counters[PLIES], finish(key)
    return len(series.parities)


@inline
def _move(game: GameWorkspace, player: CompiledPlayer, n_moves: Any, random: Any) -> Any:
    """Return the player's move or, with the probability of the series, a random one."""
    if random != _0 and next_word(at(player.context.rng, _0)) < random:
        return game.moves[below(at(player.context.rng, _0), n_moves)]
    return choose(game, player, n_moves)

"""Long series of games between two players, played by one thread."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

from gameforge.interfaces.outcome import DRAW, WIN
from gameforge.kernel.seeds import words_of_game
from gameforge.play.player import Player

if TYPE_CHECKING:
    from gameforge.kernel.context import CompiledPlayer, Integers

_BATCH_SECONDS = 0.2
"""The kernel returns with finished games about this often; results do not depend on it."""


@attrs.frozen(eq=False)
class SeriesResult:
    """Results of a series as arrays, in the order of the games."""

    winners: "Integers"
    """0: the first player won, 1: the second, -1: a draw."""
    plies: "Integers"
    """Number of plies of each game."""
    distinct: int
    """Number of different games (who began, and the moves)."""


class GameSeries:
    """Workspace of one thread for games between two players, all from the initial position.

    Every game begins with fresh searcher memory and with random numbers of its own, so it depends only on the players,
    the stream and its number. A searcher that answers with an illegal move loses.
    """

    def __init__(self, first: Player, second: Player, random_moves: float = 0.0) -> None:
        """Prepare the games; a move of either player is random with the probability `random_moves`."""
        import numpy as np

        from gameforge.kernel.assembly import game_workspace
        from gameforge.kernel.context import CONTROLS
        from gameforge.kernel.random import threshold

        rules = first.game.rules
        self._game = game_workspace(first.game.compiled, rules.draws)
        self._control = np.zeros(CONTROLS, np.int64)
        self._players = self._seated(first), self._seated(second)
        self._fresh = self._players[0].context.memory.copy(), self._players[1].context.memory.copy()
        self._start = np.array(rules.initial(), np.uint64)
        self._second_begins = first.game.side_to_move(rules.initial())
        self._random = threshold(random_moves)

    def _seated(self, player: Player) -> "CompiledPlayer":
        """Compile a player for these games; both players share one STOP flag."""
        compiled = player.parts.compiled_player(self._game, player.weights)
        return compiled._replace(context=compiled.context._replace(control=self._control))

    def play(
        self, swapped: Sequence[bool], stream: int, number: int = 0, check: Callable[[], None] = lambda: None
    ) -> SeriesResult:
        """Play one game for each entry of `swapped`, which says whether the second player has the first side.

        stream: first random word (kernel.seeds). number: number of games of the stream that precede these. check:
        called regularly; if it raises, the games end. Raises what a player or the rules raise.
        """
        import numpy as np

        from gameforge.kernel.compile.launch import interruptible
        from gameforge.kernel.series import Series, play_series

        parities = np.array(swapped, np.int64) ^ self._second_begins
        codes, plies = np.zeros(len(parities), np.int64), np.zeros(len(parities), np.int64)
        keys = np.zeros(len(parities), np.uint64)
        done, batch = 0, 1
        while done < len(parities):
            here = slice(done, done + batch)
            series = Series(
                start=self._start,
                parities=parities[here],
                fresh=self._fresh,
                stream=np.uint64(words_of_game(stream, number + done)[0]),
                random=self._random,
                codes=codes[here],
                plies=plies[here],
                keys=keys[here],
            )
            began = time.perf_counter()
            interruptible(self._control, play_series, self._game, *self._players, series, check=check)
            done += batch
            seconds = (time.perf_counter() - began) / batch
            batch = max(1, min(len(parities) - done, round(_BATCH_SECONDS / max(seconds, 1e-9))))
        result, to_move = codes & 3, plies % 2 ^ parities
        winners = np.where(result == DRAW, -1, np.where(result == WIN, to_move, 1 - to_move))
        return SeriesResult(winners, plies, len(np.unique(keys)))

"""Perft and random playouts, the first tests of new rules.

Perft is the number of move sequences of n plies. A pass is a ply. A finished game contributes nothing at greater depth.
Playouts are random games; their results and lengths also characterize a game.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Self

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.display import Tabular, html_table
from gameforge.play.game import Move, Position


class PerftResult(int, Tabular):
    """A perft: a number, whose table has the count for each first move."""

    position: Position
    """The position from which it was counted."""
    depth: int
    """Its depth, in plies."""

    def __new__(cls, leaves: int, position: Position, depth: int) -> Self:
        result = super().__new__(cls, leaves)
        result.position, result.depth = position, depth
        return result

    def __reduce__(self) -> tuple[type[Self], tuple[int, Position, int]]:
        """Pickle what it was counted from."""
        return type(self), (int(self), self.position, self.depth)

    @functools.cached_property
    def by_move(self) -> tuple[tuple[Move, int], ...]:
        """The first moves, each with the number of sequences that begin with it, counted when first asked for; empty at
        depth 0."""
        return tuple(divide(self.position, self.depth)) if self.depth else ()

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each first move."""
        return [{"move": str(move), "leaves": leaves} for move, leaves in self.by_move]

    def _repr_html_(self) -> str:
        return html_table(self.rows(), f"perft of depth {self.depth}: {self:,}")


def perft(position: Position, depth: int) -> PerftResult:
    """Count the sequences of exactly `depth` plies (0 or more) from a position."""
    from gameforge.kernel.playout import leaves

    if depth < 0:
        raise GameforgeError(f"depth = {depth}: must be 0 or more")
    return PerftResult(leaves(position.game.compiled, position.state, depth), position, depth)


def divide(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """Yield the perft of each first move; `depth` is 1 or more and includes that move."""
    from gameforge.kernel.playout import leaves

    game = position.game
    if game.code(position.state, len(position.codes)):
        return
    for move in position.legal_moves:
        yield move, leaves(game.compiled, game.play(position.state, move.code), depth - 1)


@attrs.frozen
class Playouts:
    """Results of random games, for the side to move in the position from which they began."""

    wins: int
    """Games won."""
    draws: int
    """Games drawn."""
    losses: int
    """Games lost."""
    plies: int
    """Plies of all games together."""
    last: State
    """The state in which the last game ended."""


def playouts(position: Position, games: int, *, seed: int = 0, plies: int | None = None) -> Playouts:
    """Play one random game or more; games that reach the ply cap of the rules, or else `plies`, are draws.

    All legal moves are equally likely. The same seed gives the same games.
    """
    import numpy as np

    from gameforge.kernel.compile.launch import interruptible
    from gameforge.kernel.playout import playouts as play

    if games < 1:
        raise GameforgeError(f"games = {games}: must be 1 or more")
    rules, most = position.game.compiled, position.game.rules.draws.max_plies if plies is None else plies
    start, random, control = np.array(position.state, np.uint64), np.array([seed], np.uint64), np.zeros(2, np.int64)
    states, moves = np.zeros(2 * int(rules.words), np.uint64), np.zeros(int(rules.max_moves), np.uint64)
    counts = np.zeros(4, np.int64)
    # The last game is played by itself: its number of plies says in which half of `states` it ended.
    for number in (games - 1, 1) if games > 1 else (1,):
        found = interruptible(control, play, rules, start, number, np.uint64(most), random, states, moves, control)
        counts += found
    last = states.reshape(2, -1)[found[3] % 2]
    wins, draws, losses, total = counts.tolist()
    return Playouts(wins, draws, losses, total, tuple(last.tolist()))

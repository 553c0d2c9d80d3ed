"""Perft: how many sequences of n plies there are; the first test of any rules.

A pass is a ply, and a finished game contributes nothing deeper.
"""

from collections.abc import Iterator

from gameforge.play.game import Move, Position


def perft(position: Position, depth: int) -> int:
    """Number of sequences of exactly `depth` plies from a position."""
    from gameforge.kernel.perft import leaves

    return leaves(position.game.compiled, position.state, depth)


def divide(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """The same by first moves; depth 1 or more."""
    if position.game.code(position.state, len(position.codes)):
        return
    for move in position.legal_moves:
        yield move, perft(position.after(move.code), depth - 1)

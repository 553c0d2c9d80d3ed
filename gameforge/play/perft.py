"""Perft: the number of move sequences of n plies, which is the first test of any rules.

A pass is a ply. A finished game contributes nothing at greater depth.
"""

from collections.abc import Iterator

from gameforge.play.game import Move, Position


def perft(position: Position, depth: int) -> int:
    """Count the sequences of exactly `depth` plies (0 or more) from a position."""
    from gameforge.kernel.perft import leaves

    return leaves(position.game.compiled, position.state, depth)


def divide(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """Yield the perft of each first move; `depth` is 1 or more and includes that move."""
    if position.game.code(position.state, len(position.codes)):
        return
    for move in position.legal_moves:
        yield move, perft(position.after(move.code), depth - 1)

"""Random playouts, which characterize a game and are a quick test of new rules."""

import attrs

from gameforge.play.game import Position


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


def playouts(position: Position, games: int, *, seed: int = 0) -> Playouts:
    """Play random games to their end; games that reach the ply cap of the rules are draws.

    All legal moves are equally likely. The same seed gives the same games.
    """
    import numpy as np

    from gameforge.kernel.compile.launch import interruptible
    from gameforge.kernel.playout import playouts as play

    rules, draws = position.game.compiled, position.game.rules.draws
    control = np.zeros(2, np.int64)
    counts = interruptible(
        control,
        play,
        rules,
        np.array(position.state, np.uint64),
        games,
        np.uint64(draws.max_plies),
        np.array([seed], np.uint64),
        np.zeros(2 * int(rules.words), np.uint64),
        np.zeros(int(rules.max_moves), np.uint64),
        control,
    )
    return Playouts(*(int(count) for count in counts))

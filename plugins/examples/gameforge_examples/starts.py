"""Random states near the start, from which matches begin ([Rezende2017], section 3.1)."""

import math

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game

_IN_VAIN = 20_000
"""Number of consecutive known states after which `random_states` gives up."""


def random_states(game: Game, wanted: int, moves: float, rng: np.random.Generator) -> list[State]:
    """Find `wanted` distinct unfinished states by random games, those nearest to the start first.

    Plays ceil(wanted / moves) + 1 games at once, where `moves` is the mean length of a game, and takes one state of
    each in turn; repeats this until there are enough. Raises GameforgeError if the game has too few states.
    """
    found: dict[State, None] = {}
    games = math.ceil(wanted / max(moves, 1.0)) + 1
    in_vain = 0
    while len(found) < wanted and in_vain < _IN_VAIN:
        states = [game.rules.initial()] * games
        plies = 0
        while states and plies < game.rules.draws.max_plies - 1 and len(found) < wanted and in_vain < _IN_VAIN:
            plies += 1
            states = [after for state in states if (after := _random_move(game, state, rng)) is not None]
            for state in states:
                in_vain = in_vain + 1 if state in found else 0
                if len(found) < wanted:
                    found[state] = None
        in_vain += 1  # games that end at once yield no states at all
    if len(found) < wanted:
        raise GameforgeError(
            f"examples: random games of {game.rules.name} reach only {len(found)} different states, not {wanted}; "
            "choose a smaller number of states"
        )
    return list(found)


def _random_move(game: Game, state: State, rng: np.random.Generator) -> State | None:
    """The state after a random move; None if the move ends the game."""
    legal = game.legal(state)
    after = game.play(state, legal[int(rng.integers(len(legal)))])
    return None if game.code(after, len(game.legal(after))) else after

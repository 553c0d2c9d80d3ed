"""Random states near the start, from which matches begin ([Rezende2017], section 3.1)."""

import math

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game

_IN_VAIN = 20_000
"""States of random games, none of them new, after which nobody looks for more."""


def random_states(game: Game, wanted: int, moves: float, rng: np.random.Generator) -> list[State]:
    """`wanted` different states of random games, none of them finished, those nearest to the start first.

    ceil(wanted / moves) + 1 games at once, one state of each in turn; as many again as long as there are too few
    (`moves`: how many a game has on average). Raises GameforgeError if the game has not so many states.
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
        in_vain += 1  # games that end at once bring no state at all
    if len(found) < wanted:
        raise GameforgeError(
            f"examples: random games of {game.rules.name} bring only {len(found)} different states, not {wanted}; "
            "ask for fewer"
        )
    return list(found)


def _random_move(game: Game, state: State, rng: np.random.Generator) -> State | None:
    """A state in which the game goes on; None if the random move ends it."""
    legal = game.legal(state)
    after = game.play(state, legal[int(rng.integers(len(legal)))])
    return None if game.code(after, len(game.legal(after))) else after

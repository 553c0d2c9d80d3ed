"""Whether the random plies of a training leave games to play: found out before the first of them."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from gameforge_examples.selfplay import GameSettings

from gameforge.errors import GameforgeError
from gameforge.play.arena.openings import random_game
from gameforge.play.parts import Parts
from gameforge_learn_regress.settings import SelfplaySettings

_GAMES, _LEAST = 100, 3
"""Number of random games that are tried, and number of them that must last long enough. That is enough for a training,
whose games draw up to 1,000 openings each."""


def require_openings(settings: SelfplaySettings, parts: Parts) -> None:
    """Raise GameforgeError, which names the parameter, if random games are too short for the random plies.

    That is checked for the games of each stage and for the matches. It is also an error if all moves of a stage are
    random.
    """
    for name, play in _plays(settings):
        if play.random_moves == 1:
            raise GameforgeError(f"{name}.random_moves = 1: no move would be searched; choose less than 1")
    choice = 1 if parts.oracles.size else 2  # positions with one move are kept only if an oracle knows them
    for name, play in _plays(settings):  # the initial position is not kept
        _require(f"{name}.random_plies", play.random_plies, parts, max(play.random_plies, 1), choice)
    _require("learner.opening_plies", settings.opening_plies, parts, settings.opening_plies, 1)


def _plays(settings: SelfplaySettings) -> Iterator[tuple[str, GameSettings]]:
    """How the games of each stage go, by the name of the parameter."""
    for stage, where in zip(settings.stages, ("learner", "learner.last"), strict=False):
        yield f"{where}.play", stage.play
        if stage.further is not None:
            yield f"{where}.further.play", stage.further.play


def _require(name: str, plies: int, parts: Parts, first: int, moves: int) -> None:
    """Raise GameforgeError for the parameter `name` unless enough random games last, as `_lasts` defines it."""
    rng = np.random.default_rng(0)
    lasting = 0
    for _ in range(_GAMES):
        lasting += _lasts(parts, first, moves, rng)
        if lasting == _LEAST:
            return
    what = "last longer than" if moves == 1 else "offer a choice of moves after"
    raise GameforgeError(
        f"{name} = {plies}: of {_GAMES} random games of {parts.game.rules.name}, fewer than {_LEAST} {what} {plies} "
        "plies; choose fewer plies"
    )


def _lasts(parts: Parts, first: int, moves: int, rng: np.random.Generator) -> bool:
    """Whether a random game reaches a position with at least `moves` legal moves after `first` plies or later."""
    positions = islice(random_game(parts.game, rng), first, parts.game.rules.draws.max_plies)
    return any(len(legal) >= moves for _, legal in positions)

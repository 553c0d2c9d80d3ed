"""Named openings of Othello; the files of this folder are read on first use.

Each file begins with its sources. All lines begin at the initial position with f5, to which the symmetries of the board
map every first move.
"""

import functools
from collections.abc import Iterator
from importlib import resources

import attrs

from gameforge.errors import GameforgeError, near
from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import Rules
from gameforge.play.game import Game
from gameforge_othello.board import START
from gameforge_othello.transcript import played

SET_NAMES = ("named", "edax")


@attrs.frozen
class OthelloOpenings:
    """The sets, for the capability `openings` of the rules."""

    rules: Rules

    names = SET_NAMES

    @functools.cache  # noqa: B019  rules are few
    def get(self, name: str) -> tuple[Opening, ...]:
        """Return the openings of a set, in the order of its file; GameforgeError if there is no such set."""
        if name not in SET_NAMES:
            raise GameforgeError(f"no openings {name!r}{near(name, SET_NAMES)}; sets: {', '.join(SET_NAMES)}")
        game = Game(self.rules)
        return tuple(Opening(line, START, tuple(played(game, moves).moves)) for line, moves in _lines(f"{name}.txt"))


def _lines(name: str) -> Iterator[tuple[str, str]]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            opening, _, moves = line.rpartition(": ")
            yield opening, moves

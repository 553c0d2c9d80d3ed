"""Named openings of Othello, and the book `book`, whose lines a player follows.

The files of this folder are read on first use; each begins with its sources. All lines begin at the initial position
with f5, to which the symmetries of the board map every first move.

The book has the rule of [KimCho2007], section 3.3, for Othello: one of the lines that begin like the game is drawn, all
equally likely, and its next move is played. The probability of a branch is thus in proportion to its number of lines.
Each line is turned four ways, by the symmetries of the initial position.
"""

import functools
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import attrs

from gameforge import Game, GameforgeError, games_db
from gameforge.interfaces import BookLines, Opening, Rules, kinds, near
from gameforge_othello.cells import OF_THE_START, SYMMETRIES
from gameforge_othello.movegen import START
from gameforge_othello.notation import played

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


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `named` (77 lines), `edax` (577)."""

    lines: str = attrs.field(default="named", validator=kinds.joined(SET_NAMES))
    """Sets of opening lines, joined by `+`."""
    db: Path | None = None
    """Database of games, whose first moves are the lines instead of the sets, drawn as often as they were played."""

    def opening_lines(self, rules: Rules) -> BookLines:
        if self.db is not None:
            with games_db(self.db, Game(rules), must_exist=True) as database:
                return BookLines(lines=tuple(database.book()), by_lines=True)
        openings = getattr(rules, "openings", None)
        if not isinstance(openings, OthelloOpenings):
            raise GameforgeError(f"the book needs the board of othello, not of {rules.name}")
        lines = [opening for name in self.lines.split("+") for opening in openings.get(name)]
        turned = tuple(
            Opening(line.name, START, tuple(SYMMETRIES.move_image(START, move, i) for move in line.moves))
            for line in lines
            for i in OF_THE_START
        )
        return BookLines(lines=turned, by_lines=True)

"""Openings of English draughts by name, and the book `book`, whose lines a player follows.

The files of this folder are read on first use; each begins with its sources. All lines begin at the initial position
except those of the eleven-man ballot, in which both sides lack a man.

The book has the rule of [KimCho2007], section 3.2: while lines begin with all moves of the game so far, the next move
is drawn from the different moves with which they continue, all equally likely. After that the player searches. The
seven first moves are therefore equally likely.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path

import attrs

from gameforge import Game, GameforgeError, games_db
from gameforge.interfaces import BookLines, Opening, Rules, State, kinds, near
from gameforge_draughts.movegen import BIT_OF, START
from gameforge_draughts.notation import parse_move

_Line = tuple[str, State, list[str]]
"""Name, initial state, and moves as text."""


def _table(name: str) -> Iterator[str]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return (line for line in text.splitlines() if not line.startswith("#"))


def _three_move() -> Iterator[_Line]:
    """Yield the 156 of the 174 ballots that are not barred."""
    for row in _table("three_move.txt"):
        number, deck, *rest = row.split()
        if deck != "b":
            name = " ".join(rest[3:])
            yield f"{number} {' '.join(rest[:3])}{name and f' ({name})'}", START, rest[:3]


def _two_move() -> Iterator[_Line]:
    for row in _table("two_move.txt"):
        yield row, START, row.split()[1:]


def _eleven_man() -> Iterator[_Line]:
    for row in _table("eleven_man.txt"):
        number, black, white, *moves = row.split()
        own, opp = START[0] & ~(1 << BIT_OF[int(black) - 1]), START[1] & ~(1 << BIT_OF[int(white) - 1])
        yield f"{number} without {black} and {white} {' '.join(moves)}", (own, opp, START[2]), moves


def _named(table: str) -> Iterator[_Line]:
    for row in _table(table):
        name, _, moves = row.partition(": ")
        yield name, START, moves.split()


SETS: dict[str, Callable[[], Iterator[_Line]]] = {
    "3move": _three_move,
    "2move": _two_move,
    "11man": _eleven_man,
    "named": functools.partial(_named, "named.txt"),
    "kim-cho": functools.partial(_named, "kim_cho.txt"),
}


@attrs.frozen
class DraughtsOpenings:
    """The sets, for the capability `openings` of the rules."""

    rules: Rules

    names = tuple(SETS)

    @functools.cache  # noqa: B019  rules are few
    def get(self, name: str) -> Sequence[Opening]:
        """Return the openings of a set, in the order of its file; GameforgeError if there is no such set."""
        if name not in SETS:
            raise GameforgeError(f"no openings {name!r}{near(name, SETS)}; sets: {', '.join(SETS)}")
        game = Game(self.rules)
        return tuple(_opening(game, *line) for line in SETS[name]())


def _opening(game: Game, name: str, start: State, texts: Sequence[str]) -> Opening:
    state, moves = start, []
    for text in texts:
        moves.append(parse_move(state, text, game.legal(state)))
        state = game.play(state, moves[-1])
    return Opening(name, start, tuple(moves))


_SETS = ("kim-cho", "named", "3move", "2move")


@attrs.frozen(kw_only=True)
class Book:
    """Sets of openings, joined by `+`: `kim-cho` (the 25 lines in the paper), `named`, `3move`, `2move`."""

    lines: str = attrs.field(default="kim-cho+3move", validator=kinds.joined(_SETS))
    """Sets of opening lines, joined by `+`."""
    db: Path | None = None
    """Database of games, whose first moves are the lines instead of the sets, drawn as often as they were played."""

    def opening_lines(self, rules: Rules) -> BookLines:
        if self.db is not None:
            with games_db(self.db, Game(rules), must_exist=True) as database:
                return BookLines(lines=tuple(database.book()), by_lines=True)
        openings = getattr(rules, "openings", None)
        if not isinstance(openings, DraughtsOpenings):
            raise GameforgeError(f"book: its lines are for draughts, not for {rules.name}")
        return BookLines(lines=tuple(opening for name in self.lines.split("+") for opening in openings.get(name)))

"""The drawing tables of the federations for draughts on 64 squares, as sets of openings.

The files of this folder begin with their sources. An entry has the number of its row and, in Roman numerals, of its
column. A set holds either the lines of moves or the flying positions of a table.
"""

import functools
from collections.abc import Iterator, Sequence
from importlib import resources

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import Opening, Rules, State, near
from gameforge_draughts_family.board import BLACK, WHITE, Squares, Variant, squares_of, state_of
from gameforge_draughts_family.captures import ends

SETS = {"fmjd": ("fmjd64.txt", False), "fmjd-flying": ("fmjd64.txt", True), "idf": ("idf64.txt", False)}
"""Name of the set -> file, and whether the set holds its flying positions instead of its lines."""
_NOT_BRAZILIAN = ("1-IX", "4-XV", "5-IX", "5-XI", "19-V", "25-XIII", "30-XVI", "40-XIV", "41-XIII", "42-XIV", "43-II")
_WITHOUT = {"brazilian": frozenset(_NOT_BRAZILIAN)}
"""Game -> entries of the FMJD's table that are not drawn in it."""
_FREE, _UNMOVED = "free", "---"


def _roman(number: int) -> str:
    """Return a number below 40 as a Roman numeral."""
    units = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return "X" * (number // 10) + units[number % 10]


def _entries(file: str) -> Iterator[tuple[str, str]]:
    """Yield code and text of the entries of a file."""
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            row, _, entries = line.partition(": ")
            for column, entry in enumerate(entries.split(", "), 1):
                yield f"{row}-{_roman(column)}", entry


@attrs.frozen
class FamilyOpenings:
    """The capability `openings` of the rules of Russian and Brazilian draughts."""

    rules: Rules
    variant: Variant

    names = tuple(SETS)

    @functools.cache  # noqa: B019  rules are few
    def get(self, name: str) -> Sequence[Opening]:
        """Return the openings of a set, in the order of its file; GameforgeError if there is no such set."""
        if name not in SETS:
            raise GameforgeError(f"no openings {name!r}{near(name, SETS)}; sets: {', '.join(SETS)}")
        file, flying = SETS[name]
        left_out = _WITHOUT.get(self.rules.name, frozenset()) if file.startswith("fmjd") else frozenset()
        return tuple(
            self._flying(code, entry) if flying else self._line(code, entry)
            for code, entry in _entries(file)
            if ("-" in entry) == flying and code not in left_out
        )

    def _flying(self, code: str, entry: str) -> Opening:
        squares = squares_of(self.variant)
        placed = squares.board.start()
        flown = {}
        for colour, text in zip((WHITE, BLACK), entry.split(), strict=True):
            if text != _UNMOVED:
                start, end = (squares.by_name[name] for name in text.split("-"))
                if placed.pop(start, None) != (colour, False):
                    raise ValueError(f"{code} {entry}: no such man")
                flown[end] = colour, False
        if flown.keys() & placed.keys():  # a man may fly to where one of the other side came from
            raise ValueError(f"{code} {entry}: the square is occupied")
        placed |= flown
        return Opening(f"{code} {entry}", state_of(squares.board, placed, WHITE), ())

    def _line(self, code: str, entry: str) -> Opening:
        game, squares = Game(self.rules), squares_of(self.variant)
        start = state = self.rules.initial()
        moves: list[int] = []
        for text in () if entry == _FREE else entry.split():
            moves.append(_meant(game, squares, state, text))
            state = game.play(state, moves[-1])
        return Opening(f"{code} {entry}", start, tuple(moves))


def _meant(game: Game, squares: Squares, state: State, text: str) -> int:
    """Return the only legal move that leaves this column and reaches this square, such as `cd4`."""
    found = []
    for move in game.legal(state):
        first, last = (squares.board.places[square] for square in ends(squares.board, move))
        if text == f"{chr(ord('a') + first[1])}{chr(ord('a') + last[1])}{squares.board.size - last[0]}":
            found.append(move)
    if len(found) != 1:
        raise ValueError(f"{text}: {len(found)} legal moves in {game.position_text(state)}")
    return found[0]

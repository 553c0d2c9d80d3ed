"""How people write moves and positions of draughts, whatever the kind: the squares of a move, and a FEN taken apart.

A move is squares joined by a dash or by a sign for a capture. Text that was pasted from a page has typographic dashes,
and programs write blanks, leading zeros or capitals: `32-28`, `1- 6`, `07-12`, `28x 17`, `C3:E5`, `c3d4`. Nothing need
stand between squares with letters.

A FEN is `TURN:COLOUR list:COLOUR list`, and the counters of some programs may follow. Those of the site lidraughts are
checked for their form and ignored: `H` counts plies and `F` moves, and `+0+0` counts moves of kings in Frisian draughts
(source: the comments on FEN in its library scaladraughts).
"""

import re
from typing import NoReturn

import attrs

from gameforge import GameforgeError

DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
"""The hyphen, and what typesetters and web pages put in its place."""
_JOIN = rf"\s*[{DASHES}xX:\u00d7\u0445\u0425]\s*"
"""A dash, or a sign for a capture: x in Latin or Cyrillic letters, a multiplication sign, or a colon."""
_AT = "(?:[1-9][0-9]{0,2}|0[0-9]{1,2})"
NUMBERED = rf"{_AT}(?:(?:[-x:]|{_JOIN}){_AT})+"
LETTERED = rf"[a-lA-L][0-9]{{1,2}}(?:(?:{_JOIN})?[a-lA-L][0-9]{{1,2}})+"
"""Moves between squares with numbers, and between squares with letters. 0 is part of results, and no square."""
BROKEN = rf"[0-9]{{1,3}}(?:\s*[{DASHES}xX:])?\s*$"
"""The first half of a move at the end of a line."""
_MOVE = re.compile(rf"{NUMBERED}|{LETTERED}")
_SQUARE = re.compile(r"([a-l]?)0*([0-9]+)")


def squares_of_move(text: str) -> tuple[str, ...]:
    """Return the squares that a move names, in lower case and without leading zeros; () if the text is no move."""
    text = text.strip()
    return tuple(map("".join, _SQUARE.findall(text.lower()))) if _MOVE.fullmatch(text) else ()


_TAG = re.compile(r'\[\s*FEN\s*"(.*)"\s*\]', re.IGNORECASE | re.DOTALL)
_NAME = r"[a-l][0-9]{1,2}|[0-9]{1,4}"
_ENTRY = re.compile(rf"(K?)\s*({_NAME})(?:\s*[{DASHES}]\s*({_NAME}))?", re.IGNORECASE)
_FOREIGN = re.compile(r"[HF][0-9]{1,5}|\+[0-9]{1,2}\+[0-9]{1,2}", re.IGNORECASE)
_SIDES = {"W": "White", "B": "Black"}


@attrs.frozen
class Entry:
    """Pieces of a FEN on a square, or on all squares from one to another."""

    text: str
    is_king: bool
    first: str
    last: str
    """Names of squares, in lower case and without leading zeros."""


@attrs.frozen
class Fen:
    """The parts of a FEN."""

    text: str
    turn: str
    """W or B."""
    pieces: dict[str, list[Entry]]
    """Entries of W and of B."""
    counters: list[str]
    """What follows the lists, but for the counters that are ignored."""

    def refuse(self, reason: str) -> NoReturn:
        """Raise the error that a FEN is refused with."""
        raise GameforgeError(f"FEN {self.text!r}: {reason}")


def read_fen(text: str, example: str, counters: "re.Pattern[str] | None" = None) -> Fen:
    """Take a FEN apart; GameforgeError, with an example, if the text is not one.

    Accepted are either order of the colours, ranges (`B1-12`), blanks, small letters, a final dot, quotes, and a whole
    tag. counters: the form of the counters that the game knows.
    """
    fen = Fen(text.strip(), "", {}, [])
    tag = _TAG.fullmatch(fen.text)
    bare = (tag[1] if tag else fen.text).strip().strip('"').strip().removesuffix(".")
    example = f"a FEN looks like {example}"
    if not bare:
        fen.refuse(f"it is empty; {example}")
    turn, *parts = (part.strip() for part in bare.split(":"))
    if turn.upper() not in _SIDES:
        fen.refuse(f"it must begin with the side to move, W: or B:, not with {turn!r} ({example})")
    for part in parts:
        colour = part[:1].upper()
        if counters is not None and counters.fullmatch(part):
            fen.counters.append(part)
        elif _FOREIGN.fullmatch(part):
            continue
        elif colour not in _SIDES:
            fen.refuse(f"a list of pieces must begin with its colour, W or B, not with {part[:1]!r} ({example})")
        elif colour in fen.pieces:
            fen.refuse(f"{_SIDES[colour]}'s pieces are listed twice")
        else:
            listed = part[1:].split(",") if part[1:].strip() else []
            fen.pieces[colour] = [_entry(fen, colour, entry.strip()) for entry in listed]
    for colour, name in _SIDES.items():
        if colour not in fen.pieces:
            fen.refuse(f"{name}'s pieces are not listed ({example})")
    return attrs.evolve(fen, turn=turn.upper())


def _entry(fen: Fen, colour: str, text: str) -> Entry:
    match = _ENTRY.fullmatch(text)
    if match is None:
        fen.refuse(f"{text!r} in {_SIDES[colour]}'s list is not a square such as 12 or K12, or a range such as 1-12")
    first, last = ("".join(*_SQUARE.findall(name.lower())) for name in (match[2], match[3] or match[2]))
    return Entry(text, bool(match[1]), first, last)

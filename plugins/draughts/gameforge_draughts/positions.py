"""Positions as text: the FEN of PDN 3.0, `B:W21,22,K30:B1,2,K5`.

Positions are written as PDN 3.0 requires: no spaces, no dot at the end, White's pieces first as in its examples, a K
before each king, and squares in ascending order. The reader also accepts the other order of the colours, ranges
(`B1-12`), spaces, small letters, a final dot, quotes, and a complete FEN tag. A side without pieces has an empty list
(`B:W:B12`).
"""

import re
from typing import NoReturn

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge_draughts.board import BLACK, MEN, SIDES, SQUARES, WHITE, pieces, state_of, to_move

_LETTERS = {"B": BLACK, "W": WHITE}
_TAG = re.compile(r'\[\s*FEN\s*"(.*)"\s*\]', re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(r"(K?)\s*([0-9]{1,4})(?:\s*-\s*([0-9]{1,4}))?", re.IGNORECASE)
_EXAMPLE = "a FEN looks like B:W21,22,K30:B1,2,K5"
_KING_ROW = {BLACK: range(29, 33), WHITE: range(1, 5)}


def position_text(state: State) -> str:
    """Return a position as text that `parse_position` reads."""
    lists: dict[int, list[str]] = {WHITE: [], BLACK: []}
    for square, (side, is_king) in pieces(state).items():
        lists[side].append(f"K{square}" if is_king else str(square))
    side_to_move = SIDES[to_move(state)][0]
    return f"{side_to_move}:W{','.join(lists[WHITE])}:B{','.join(lists[BLACK])}"


def parse_position(text: str) -> State:
    """Parse a FEN; GameforgeError if the text is not one, or not a possible position."""

    def refuse(reason: str) -> NoReturn:
        raise GameforgeError(f"FEN {text.strip()!r}: {reason}")

    def squares(entry: str, colour: int) -> tuple[range, bool]:
        match = _ENTRY.fullmatch(entry)
        if match is None:
            refuse(f"{entry!r} in {SIDES[colour]}'s list is not a square such as 12, K12 or 1-12")
        first, last = int(match[2]), int(match[3] or match[2])
        for square in (first, last):
            if not 1 <= square <= SQUARES:
                refuse(f"there is no square {square}; squares: 1 to {SQUARES}")
        if last < first:
            refuse(f"the range {entry} runs backwards")
        return range(first, last + 1), bool(match[1])

    tag = _TAG.fullmatch(text.strip())
    bare = (tag[1] if tag else text).strip().strip('"').strip().removesuffix(".")
    if not bare:
        refuse(f"it is empty; {_EXAMPLE}")
    turn, *lists = (part.strip() for part in bare.split(":"))
    if turn.upper() not in _LETTERS:
        refuse(f"it must begin with the side to move, B: or W:, not with {turn!r} ({_EXAMPLE})")
    placed: dict[int, tuple[int, bool]] = {}
    listed = set()
    for part in lists:
        if part[:1].upper() not in _LETTERS:
            refuse(f"a list of pieces must begin with its colour, B or W, not with {part[:1]!r} ({_EXAMPLE})")
        colour = _LETTERS[part[0].upper()]
        if colour in listed:
            refuse(f"{SIDES[colour]}'s pieces are listed twice")
        listed.add(colour)
        entries = [entry.strip() for entry in part[1:].split(",")] if part[1:].strip() else []
        for entry in entries:
            where, is_king = squares(entry, colour)
            for square in where:
                if square in placed:
                    refuse(f"square {square} holds two pieces")
                if not is_king and square in _KING_ROW[colour]:
                    refuse(f"a {SIDES[colour].lower()} man cannot be on square {square}, where it would be a king")
                placed[square] = colour, is_king
    for colour, side in enumerate(SIDES):
        if colour not in listed:
            refuse(f"{side}'s pieces are not listed ({_EXAMPLE})")
        count = sum(owner == colour for owner, _ in placed.values())
        if count > MEN:
            refuse(f"{side} has {count} pieces; a side has at most {MEN}")
    if not placed:
        refuse("there are no pieces on the board")
    return state_of(_LETTERS[turn.upper()], placed)

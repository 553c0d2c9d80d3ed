"""The settings that tell one kind of draughts from another, and the federations' limits for endings with few pieces.

A limit counts moves since the last capture or promotion, while both sides have a king. The first ending of a table that
fits applies. The Turkish text draws a game as soon as each side has one piece, "even if one of the two is a king"
(damaakademisi.com/page/178, 19b).
"""

from collections.abc import Callable

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import kinds


@attrs.frozen
class Ending:
    """A material balance in which the game is drawn after some moves."""

    least: int
    """Minimum number of pieces on the board."""
    most: int
    """Maximum number of pieces on the board."""
    moves: int
    """Number of moves of each side after which the game is drawn; 0: at once, when each side has one piece."""
    lone_king: bool = False
    """Whether one side must have a single king and nothing else."""
    kings: int = 1
    """Minimum number of kings of the side with more of them."""

    def words(self) -> tuple[int, ...]:
        """Return the ending as settings for the kernel, with the limit in plies."""
        return self.least, self.most, int(self.lone_king), self.kings, 2 * self.moves


ENDINGS: dict[str, tuple[Ending, ...]] = {
    "international": (Ending(2, 3, 5, lone_king=True), Ending(4, 4, 16, lone_king=True)),
    "russian": (Ending(4, 13, 15, lone_king=True, kings=3), Ending(2, 3, 5), Ending(4, 5, 30), Ending(6, 7, 60)),
    "brazilian": (Ending(2, 3, 5, lone_king=True), Ending(4, 4, 16, lone_king=True)),
    "frisian": (Ending(2, 2, 2, lone_king=True), Ending(3, 3, 7, lone_king=True, kings=2)),
    "pool": (Ending(2, 2, 1, lone_king=True), Ending(4, 4, 13, lone_king=True, kings=3)),
    "spanish": (Ending(2, 2, 1, lone_king=True), Ending(4, 4, 12, lone_king=True, kings=3)),
    "turkish": (Ending(2, 2, 0, kings=0),),
}
"""Federation -> its endings. One without moves stands first."""
NO_ENDINGS: tuple[Ending, ...] = ()


_MOST_KING_MOVES = 3


def _one_of(*allowed: str) -> Callable[[object, "attrs.Attribute[str]", str], None]:
    def check(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
        if value not in allowed:
            raise GameforgeError(f"'{attribute.name}' must be one of {', '.join(allowed)} (got {value!r})")

    return check


def _choice(default: str, *others: str) -> str:
    return attrs.field(default=default, validator=_one_of(default, *others))


def _switch(default: bool) -> bool:
    return attrs.field(default=default, validator=attrs.validators.instance_of(bool))


@attrs.frozen(kw_only=True, slots=False)
class Variant:
    """A kind of draughts. The defaults are international draughts.

    The rules that are made of these settings have a board and a notation as well, so the fields `layout` and
    `lettering` are written `board` and `notation` where they are set.

    Raises GameforgeError if two settings contradict each other.
    """

    layout: str = attrs.field(default="10x10", validator=_one_of("10x10", "8x8", "8x8-orthogonal"), alias="board")
    """`8x8` and `10x10`: the dark squares, along diagonals. `8x8-orthogonal`: all squares, along rows and columns."""
    corner: str = _choice("left", "right")
    """Which lower corner of each player is a dark square."""
    kings: str = _choice("flying", "short", "halting")
    """How far a king moves: any number of free squares (`flying`), or one (`short`). A `halting` king flies, but stands
    right behind each piece that it captures."""
    men_capture: str = _choice("backwards", "forwards")
    """Whether men capture in all directions or only in those in which they move."""
    lines: str = _choice("move", "all")
    """Lines of captures: those of moves, or rows and columns as well."""
    men_take_kings: bool = _switch(True)
    """Whether men can capture kings."""
    majority: str = _choice("number", "free", "value")
    """Which captures may be played: those of most pieces, any, or those of the greatest value, where n kings are worth
    more than 2n - 1 men and less than 2n."""
    by_king: bool = _switch(False)
    """Of such captures, those by kings must be played."""
    most_kings: bool = _switch(False)
    """Of the captures that remain, those of most kings must be played."""
    king_first: bool = _switch(False)
    """Of the captures that remain, those that meet a king first must be played."""
    promotion: str = _choice("pass", "stop", "continue")
    """A man that reaches the last row in a capture: continues as a man and is crowned only if it ends there (`pass`),
    ends its capture there (`stop`), or continues as a king (`continue`)."""
    removal: str = _choice("after", "at-once")
    """When captured pieces leave the board: after the whole capture, or at once. A captured piece is never jumped
    twice; one that is still on the board is in the way."""
    first: str = _choice("white", "black")
    """Who moves first."""
    goal: str = _choice("block", "lose", "king")
    """Who wins: the player whose opponent cannot move (`block`), who cannot move (`lose`), or who first has a king."""
    king_moves: int = attrs.field(
        default=0, validator=kinds.whole(f"a whole number from 0 (off) to {_MOST_KING_MOVES}", 0, _MOST_KING_MOVES)
    )
    """How often in a row a side that has men may move the same king without capturing."""
    endings: str = _choice("none", *ENDINGS)
    """Whose limits for endings with few pieces apply."""
    lettering: str = attrs.field(default="numeric", validator=_one_of("numeric", "algebraic"), alias="notation")
    """How squares are written: with numbers, or with the letter of the column and the number of the row."""
    origin: str = _choice("top-left", "bottom-right")
    """Where square 1 is, with White at the bottom."""

    def __attrs_post_init__(self) -> None:
        for reason in self._contradictions():
            raise GameforgeError(reason)

    def _contradictions(self) -> list[str]:
        orthogonal, race = self.layout == "8x8-orthogonal", self.goal == "king"
        found = {
            "lines=all needs dark squares: on board=8x8-orthogonal, all lines are rows and columns": (
                orthogonal and self.lines == "all"
            ),
            "corner=right needs dark squares: board=8x8-orthogonal uses all squares": (
                orthogonal and self.corner == "right"
            ),
            "origin=bottom-right needs notation=numeric: squares such as a1 are not counted": (
                self.lettering == "algebraic" and self.origin != "top-left"
            ),
            f"goal=king ends the game with the first king, so king_moves={self.king_moves} never applies": (
                race and self.king_moves > 0
            ),
            f"goal=king ends the game with the first king, so endings={self.endings} never applies": (
                race and self.endings != "none"
            ),
        }
        return [reason for reason, applies in found.items() if applies]

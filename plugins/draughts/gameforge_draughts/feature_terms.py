"""The 15 features of NeuroDraughts and LS-Draughts: names, bits, the papers' sets, and the value of each in a kernel.

| no. | feature           | bits | value                                                                 |
|-----|-------------------|------|-----------------------------------------------------------------------|
| F1  | PieceAdvantage    | 4    | own minus opponent's material, man 2, king 3                          |
| F2  | PieceDisadvantage | 4    | opponent's minus own material                                         |
| F3  | PieceThreat       | 3    | own pieces that the opponent could capture now                        |
| F4  | PieceTake         | 3    | opponent's pieces that the own side could capture if it were its move |
| F5  | Advancement       | 3    | own men on rows 5 and 6 minus own men on rows 3 and 4                 |
| F6  | DoubleDiagonal    | 4    | own pieces on the diagonals that end in the double corners            |
| F7  | BackRowBridge     | 1    | own men on 1 and 3, and the opponent has no king                      |
| F8  | CentreControl     | 3    | own men on centre squares                                             |
| F9  | XCentreControl    | 3    | centre squares that an opponent's piece holds or can step to          |
| F10 | TotalMobility     | 4    | empty squares that the opponent can step to                           |
| F11 | Exposure          | 3    | own pieces between two empty squares on a diagonal                    |
| F12 | KingCentreControl | 3    | own kings on centre squares                                           |
| F13 | DiagonalMoment    | 3    | own pieces by their distance from the double diagonals (3, 2, 1, 0)   |
| F14 | Threat            | 3    | squares that the opponent can step to and then capture from           |
| F15 | Taken             | 3    | squares that an own piece could step to and then capture from         |

NeuroDraughts has F1 to F12 (38 inputs; the paper's 37 is a slip), LS-Draughts all 15 (47 inputs). Sources: [Lynch1997],
Appendix A; [Neto2009], table 1; [Samuel1959], Appendix C, for the terms that those two only name. If the sources are
vague or disagree, the docstring says which reading is taken.

Each term is the value of a feature as an int64, before `features` clips and codes it. The board is never turned: Black
goes up and White down, and only what depends on the direction (men's steps and jumps, rows, the bridge) depends on the
viewer's colour.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import near
from gameforge.kernel import U0, U4, Word, Words, inline, popcount
from gameforge_draughts.movegen import BOARD, BOTTOM_ROW, TOP_ROW, WHITE_TO_MOVE, mask

_5, _8, _10 = np.uint64(5), np.uint64(8), np.uint64(10)


class Feature(NamedTuple):
    """A feature of [Neto2009], table 1; kernels read `flag` and `bits`."""

    name: str
    flag: np.uint64
    """1 << (n - 1) for feature Fn."""
    bits: np.uint64
    """Number of inputs."""


_BITS = {
    "PieceAdvantage": 4,
    "PieceDisadvantage": 4,
    "PieceThreat": 3,
    "PieceTake": 3,
    "Advancement": 3,
    "DoubleDiagonal": 4,
    "BackRowBridge": 1,
    "CentreControl": 3,
    "XCentreControl": 3,
    "TotalMobility": 4,
    "Exposure": 3,
    "KingCentreControl": 3,
    "DiagonalMoment": 3,
    "Threat": 3,
    "Taken": 3,
}
FEATURES = tuple(Feature(name, np.uint64(1 << i), np.uint64(bits)) for i, (name, bits) in enumerate(_BITS.items()))
"""F1 to F15, which is the order of the inputs, whatever the order of their names in settings."""
PIECE_ADVANTAGE, PIECE_DISADVANTAGE, PIECE_THREAT, PIECE_TAKE, ADVANCEMENT = FEATURES[:5]
DOUBLE_DIAGONAL, BACK_ROW_BRIDGE, CENTRE_CONTROL, X_CENTRE_CONTROL, TOTAL_MOBILITY = FEATURES[5:10]
EXPOSURE, KING_CENTRE_CONTROL, DIAGONAL_MOMENT, THREAT, TAKEN = FEATURES[10:]
NAMES = tuple(feature.name for feature in FEATURES)

SETS = {"ls": NAMES, "neurodraughts": NAMES[:12]}
"""[Neto2009], table 1; [Lynch1997], Appendix A."""

MISPRINTS = {"piecedisadvatange": "piecedisadvantage"}
"""Spellings in the papers. They also vary in capitals (BackrowBridge, Centrecontrol), so case is ignored."""


def canonical(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in their standard spelling, in the order F1 to F15.

    Raises GameforgeError if there are no names, or if a name is unknown or occurs twice.
    """
    by_key = {name.lower(): name for name in NAMES}
    chosen: list[str] = []
    for text in names:
        key = str(text).lower()
        name = by_key.get(MISPRINTS.get(key, key))
        if name is None:
            raise GameforgeError(f"unknown feature {text!r}{near(str(text), NAMES)}; known: {', '.join(NAMES)}")
        if name in chosen:
            raise GameforgeError(f"feature {name} is named twice; name each one once")
        chosen.append(name)
    if not chosen:
        raise GameforgeError(f"the list of features is empty; name at least one of {', '.join(NAMES)}")
    return tuple(sorted(chosen, key=NAMES.index))


_ALL_BITS = ~np.uint64(0)

CENTRE = mask(10, 11, 14, 15, 18, 19, 22, 23)
DOUBLE_DIAGONALS = mask(1, 5, 6, 9, 10, 14, 15, 18, 19, 23, 24, 27, 28, 32)
ONE_REMOVED = mask(2, 7, 11, 16, 20, 13, 17, 22, 26, 31)
TWO_REMOVED = mask(3, 8, 12, 21, 25, 30)
ROWS_3_4, ROWS_5_6 = mask(*range(9, 17)), mask(*range(17, 25))
"""Rows as Black counts them; for White they are exchanged. The three masks above are the same for both."""
BLACK_BRIDGE, WHITE_BRIDGE = mask(1, 3), mask(32, 30)


class View(NamedTuple):
    """The board as seen by the side that has just moved; words over the bits of `board`."""

    own: Word
    """Pieces of the side that has just moved (Samuel's passive side)."""
    opponent: Word
    """Pieces of the side to move (active)."""
    own_kings: Word
    opponent_kings: Word
    empty: Word
    black: Word
    """All bits if the viewer is Black, else none."""
    own_up: Word
    """Own pieces that may go up: all of Black's, or White's kings."""
    own_down: Word
    opponent_up: Word
    opponent_down: Word
    own_steps: Word
    """Empty squares that an own piece can reach in one step."""
    opponent_steps: Word


@inline
def _step_targets(up: Word, down: Word, empty: Word) -> Word:
    return ((up << U4) | (up << _5) | (down >> U4) | (down >> _5)) & empty


@inline
def look(s: Words) -> View:
    """Return the view of a state."""
    opponent, own, kings = s[0], s[1], s[2]
    black = _ALL_BITS if kings & WHITE_TO_MOVE else U0
    empty = BOARD & ~(own | opponent)
    own_up, own_down = own & (kings | black), own & (kings | ~black)
    opponent_up, opponent_down = opponent & (kings | ~black), opponent & (kings | black)
    return View(
        own,
        opponent,
        own & kings,
        opponent & kings,
        empty,
        black,
        own_up,
        own_down,
        opponent_up,
        opponent_down,
        _step_targets(own_up, own_down, empty),
        _step_targets(opponent_up, opponent_down, empty),
    )


@inline
def _count(word: Word) -> np.int64:
    return np.int64(popcount(word))


@inline
def material_balance(v: View) -> np.int64:
    """F1 and, negated, F2: own minus opponent's material; a man counts 2 and a king 3."""
    return 2 * (_count(v.own) - _count(v.opponent)) + _count(v.own_kings) - _count(v.opponent_kings)


@inline
def _victims(up: Word, down: Word, prey: Word, empty: Word) -> Word:
    """Return the pieces of `prey` that a piece of `up` or `down` can jump."""
    from_below = ((up << U4) & (empty >> U4)) | ((up << _5) & (empty >> _5))
    from_above = ((down >> U4) & (empty << U4)) | ((down >> _5) & (empty << _5))
    return prey & (from_below | from_above)


@inline
def piece_threat(v: View) -> np.int64:
    """F3: own pieces that the opponent could capture on its next move.

    Distinct victims of first jumps; later victims of a multiple jump do not count. (The programs counted 1 or 2 for
    each capturing piece, by the number of its directions.)
    """
    return _count(_victims(v.opponent_up, v.opponent_down, v.own, v.empty))


@inline
def piece_take(v: View) -> np.int64:
    """F4: opponent's pieces that the own side could capture if it could move again; counted like F3."""
    return _count(_victims(v.own_up, v.own_down, v.opponent, v.empty))


@inline
def advancement(v: View, kings: Word) -> np.int64:
    """F5: own men on rows 5 and 6 minus own men on rows 3 and 4. kings: all bits if kings count as well, else none.

    The value may be negative (-4 at the start), which the range "0 to 7" of [Lynch1997] codes as 0.
    """
    pieces = v.own & (~v.own_kings | kings)
    difference = _count(pieces & ROWS_5_6) - _count(pieces & ROWS_3_4)
    return difference if v.black else -difference


@inline
def double_diagonal(v: View) -> np.int64:
    """F6: own pieces, men or kings, on the 14 squares of the two long double diagonals."""
    return _count(v.own & DOUBLE_DIAGONALS)


@inline
def back_row_bridge(v: View) -> np.int64:
    """F7: 1 if own men are on squares 1 and 3 and the opponent has no king.

    [Lynch1997] omits the condition on kings; [Samuel1959] and the programs have it. In [Samuel1959] any own pieces make
    the bridge, in the programs only men, as here.
    """
    bridge = BLACK_BRIDGE if v.black else WHITE_BRIDGE
    men = v.own & ~v.own_kings
    return np.int64((men & bridge) == bridge and v.opponent_kings == U0)


@inline
def centre_control(v: View, kings: Word) -> np.int64:
    """F8: own men on the eight centre squares (kings: F12). (The programs subtracted 1.)

    kings: all bits if kings count as well, else none.
    """
    return _count(v.own & (~v.own_kings | kings) & CENTRE)


@inline
def x_centre_control(v: View) -> np.int64:
    """F9: centre squares that hold an opponent's piece, or are empty and can be reached by one in one step.

    All pieces count, as in [Lynch1997]; in the programs only men counted as occupants. Steps ignore captures.
    """
    return _count((v.opponent | v.opponent_steps) & CENTRE)


@inline
def total_mobility(v: View) -> np.int64:
    """F10: empty squares that the opponent can step to with one or more pieces.

    Jumps do not count, and the rule that captures are compulsory is ignored.
    """
    return _count(v.opponent_steps)


@inline
def exposure(v: View) -> np.int64:
    """F11: own pieces with empty squares on both sides along at least one diagonal.

    A piece on an edge has no such diagonal.
    """
    e = v.empty
    return _count(v.own & (((e >> U4) & (e << U4)) | ((e >> _5) & (e << _5))))


@inline
def king_centre_control(v: View) -> np.int64:
    """F12: own kings on centre squares. (The programs subtracted 1.)"""
    return _count(v.own_kings & CENTRE)


@inline
def diagonal_moment(v: View) -> np.int64:
    """F13: sum over own pieces: 3 on a double diagonal, 2 if one removed, 1 if two removed, else 0.

    These are the values 3/2, 1, 1/2, 0 of [Samuel1959], doubled. A quarter of the sum is coded, rounded half up,
    because the sum itself does not fit into three bits.
    """
    return _count(v.own & (DOUBLE_DIAGONALS | TWO_REMOVED)) + 2 * _count(v.own & (DOUBLE_DIAGONALS | ONE_REMOVED))


@inline
def _threatening(steps: Word, kings: Word, up: Word, prey: Word, empty: Word) -> Word:
    """Return the squares of `steps` from which the piece that has stepped there can jump a piece of `prey`.

    up: all bits if the men of this side go up, else none. The square that the step vacates does not matter: it is one
    step away, but a jump lands two steps away. A man that reaches the far row is promoted by the step, and can jump
    back from there as a king.
    """
    jump_up = ((prey >> U4) & (empty >> _8)) | ((prey >> _5) & (empty >> _10))
    jump_down = ((prey << U4) & (empty << _8)) | ((prey << _5) & (empty << _10))
    king_steps = _step_targets(kings, kings, empty)
    may_jump_up = king_steps | (steps & (up | BOTTOM_ROW))
    may_jump_down = king_steps | (steps & (~up | TOP_ROW))
    return (may_jump_up & jump_up) | (may_jump_down & jump_down)


@inline
def threat(v: View) -> np.int64:
    """F14: empty squares to which an opponent's piece may step and then has a jump available.

    The term THRET of [Samuel1959], with each square counted once. Steps ignore that captures are compulsory, as in F10.
    The jump is any that is possible after the step, new or not. A step to the far row promotes. (NeuroDraughts has an
    unused function of the same name with another meaning.)
    """
    return _count(_threatening(v.opponent_steps, v.opponent_kings, ~v.black, v.own, v.empty))


@inline
def taken(v: View) -> np.int64:
    """F15: like F14 for the own side: squares to which an own piece may step and then has a jump available.

    Only LS-Draughts has this term; [Samuel1959] does not.
    """
    return _count(_threatening(v.own_steps, v.own_kings, v.black, v.opponent, v.empty))

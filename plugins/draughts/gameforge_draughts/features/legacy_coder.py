"""Code feature values as bits the way the descendants of NeuroDraughts do (docs/readings.md, "Features as bits").

The values themselves are those of `terms`; only their coding differs from the default of netfeaturemap. The least
significant bit comes first, and values below 1 have all bits off. Values that do not fit:

* PieceAdvantage, PieceDisadvantage, DoubleDiagonal, DiagonalMoment and the three features of the centre are taken
  modulo 2^bits;
* PieceThreat, PieceTake, TotalMobility, Exposure, Threat and Taken are taken modulo 2^bits, with the first bit on.

Mistakes of that code: PieceDisadvantage has its first bit on for the value 1 only. Advancement stores 8 more than its
value, with the first bit on only if the sum is 1. The three features of the centre are 1 too small. DiagonalMoment is
not divided by 4. (Taken is not in that code; it is coded like Threat.)
"""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge_draughts.features import catalogue, terms

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def _modulo(word: Any, n: Any, value: Any, bits: Any) -> Any:
    """Put the low bits of a positive value into the bits n to n + bits - 1 of the word."""
    code = np.uint64(max(value, 0)) & ((_1 << bits) - _1)
    return word | (code << n), n + bits


@inline
def _first_bit_full(word: Any, n: Any, value: Any, bits: Any) -> Any:
    """Do the same as _modulo, with the first bit on if the value does not fit."""
    full = np.uint64(value >= np.int64(_1 << bits))
    return _modulo(word | (full << n), n, value, bits)


@inline
def _first_bit_of_1(word: Any, n: Any, value: Any, bits: Any) -> Any:
    """Do the same as _modulo, with the first bit on for the value 1 only."""
    return _modulo(word, n, value if value == 1 else value - (value & 1), bits)


def features(fd: Any, s: Any, x: Any) -> None:
    """Write the inputs; blocks as for netfeaturemap.features."""
    chosen = fd[0]
    view = terms.look(s)
    word, n = _0, _0
    if chosen & catalogue.PIECE_ADVANTAGE.flag:
        word, n = _modulo(word, n, terms.material_balance(view), catalogue.PIECE_ADVANTAGE.bits)
    if chosen & catalogue.PIECE_DISADVANTAGE.flag:
        word, n = _first_bit_of_1(word, n, -terms.material_balance(view), catalogue.PIECE_DISADVANTAGE.bits)
    if chosen & catalogue.PIECE_THREAT.flag:
        word, n = _first_bit_full(word, n, terms.piece_threat(view), catalogue.PIECE_THREAT.bits)
    if chosen & catalogue.PIECE_TAKE.flag:
        word, n = _first_bit_full(word, n, terms.piece_take(view), catalogue.PIECE_TAKE.bits)
    if chosen & catalogue.ADVANCEMENT.flag:
        word, n = _first_bit_of_1(word, n, terms.advancement(view) + 8, catalogue.ADVANCEMENT.bits)
    if chosen & catalogue.DOUBLE_DIAGONAL.flag:
        word, n = _modulo(word, n, terms.double_diagonal(view), catalogue.DOUBLE_DIAGONAL.bits)
    if chosen & catalogue.BACK_ROW_BRIDGE.flag:
        word, n = _modulo(word, n, terms.back_row_bridge(view), catalogue.BACK_ROW_BRIDGE.bits)
    if chosen & catalogue.CENTRE_CONTROL.flag:
        word, n = _modulo(word, n, terms.centre_control(view) - 1, catalogue.CENTRE_CONTROL.bits)
    if chosen & catalogue.X_CENTRE_CONTROL.flag:
        word, n = _modulo(word, n, terms.x_centre_control(view) - 1, catalogue.X_CENTRE_CONTROL.bits)
    if chosen & catalogue.TOTAL_MOBILITY.flag:
        word, n = _first_bit_full(word, n, terms.total_mobility(view), catalogue.TOTAL_MOBILITY.bits)
    if chosen & catalogue.EXPOSURE.flag:
        word, n = _first_bit_full(word, n, terms.exposure(view), catalogue.EXPOSURE.bits)
    if chosen & catalogue.KING_CENTRE_CONTROL.flag:
        word, n = _modulo(word, n, terms.king_centre_control(view) - 1, catalogue.KING_CENTRE_CONTROL.bits)
    if chosen & catalogue.DIAGONAL_MOMENT.flag:
        word, n = _modulo(word, n, terms.diagonal_moment(view), catalogue.DIAGONAL_MOMENT.bits)
    if chosen & catalogue.THREAT.flag:
        word, n = _first_bit_full(word, n, terms.threat(view), catalogue.THREAT.bits)
    if chosen & catalogue.TAKEN.flag:
        word, n = _first_bit_full(word, n, terms.taken(view), catalogue.TAKEN.bits)
    for i in range(np.int64(n)):
        x[i] = np.float32(np.int32((word >> np.uint64(i)) & _1))

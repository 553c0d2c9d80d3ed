"""The features by name, with their numbers and bits, and the sets of the papers."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gameforge.errors import GameforgeError, near


class Feature(NamedTuple):
    """A feature of [Neto2009], table 1; kernels read `flag` and `bits`."""

    name: str
    flag: np.uint64
    """1 << (n - 1) for feature Fn."""
    bits: np.uint64
    """Number of inputs."""


def _feature(number: int, name: str, bits: int) -> Feature:
    return Feature(name, np.uint64(1 << (number - 1)), np.uint64(bits))


PIECE_ADVANTAGE = _feature(1, "PieceAdvantage", 4)
PIECE_DISADVANTAGE = _feature(2, "PieceDisadvantage", 4)
PIECE_THREAT = _feature(3, "PieceThreat", 3)
PIECE_TAKE = _feature(4, "PieceTake", 3)
ADVANCEMENT = _feature(5, "Advancement", 3)
DOUBLE_DIAGONAL = _feature(6, "DoubleDiagonal", 4)
BACK_ROW_BRIDGE = _feature(7, "BackRowBridge", 1)
CENTRE_CONTROL = _feature(8, "CentreControl", 3)
X_CENTRE_CONTROL = _feature(9, "XCentreControl", 3)
TOTAL_MOBILITY = _feature(10, "TotalMobility", 4)
EXPOSURE = _feature(11, "Exposure", 3)
KING_CENTRE_CONTROL = _feature(12, "KingCentreControl", 3)
DIAGONAL_MOMENT = _feature(13, "DiagonalMoment", 3)
THREAT = _feature(14, "Threat", 3)
TAKEN = _feature(15, "Taken", 3)

FEATURES = (
    PIECE_ADVANTAGE,
    PIECE_DISADVANTAGE,
    PIECE_THREAT,
    PIECE_TAKE,
    ADVANCEMENT,
    DOUBLE_DIAGONAL,
    BACK_ROW_BRIDGE,
    CENTRE_CONTROL,
    X_CENTRE_CONTROL,
    TOTAL_MOBILITY,
    EXPOSURE,
    KING_CENTRE_CONTROL,
    DIAGONAL_MOMENT,
    THREAT,
    TAKEN,
)
"""F1 to F15, which is the order of the inputs, whatever the order of their names in settings."""
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

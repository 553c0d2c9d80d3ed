"""NeuroDraughts' two maps without features: the 32 squares themselves (Lynch 1997, section 3.3).

Both see the board as the package says: square 1 of the viewer comes first, for White that is
square 32. Codes of a square: 0 empty, 1 own man, 2 opponent's man, 3 own king, 4 opponent's king.
"""

from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge.kernel.compile.jit import inline
from gameforge_draughts.board import SQUARES, WHITE_TO_MOVE
from gameforge_draughts.features.game import require_draughts

_0, _1, _3, _31 = (np.uint64(n) for n in (0, 1, 3, 31))


@inline
def _bit_seen(white: Any, i: Any) -> Any:
    """Bit of the viewer's square i + 1: the board of White is turned (31 - i is i ^ 31)."""
    square = np.uint64(i) ^ (_31 if white else _0)
    return square + (square >> _3)


def binary(fd: Any, s: Any, x: Any) -> None:
    """Three inputs a square: the code in binary as printed, 001 own man, most significant first.

    fd[0]: bits of the float64 that stands for 0; 1 stands for 1.
    """
    off = np.float32(np.uint64(fd[0]).view(np.float64))
    opponent, own, kings = s[0], s[1], s[2]
    white = (kings & WHITE_TO_MOVE) == _0
    for i in range(SQUARES):
        bit = _bit_seen(white, i)
        own_here, opponent_here, king_here = (own >> bit) & _1, (opponent >> bit) & _1, (kings >> bit) & _1
        x[3 * i] = np.float32(1) if opponent_here & king_here else off
        x[3 * i + 1] = np.float32(1) if own_here & king_here | opponent_here & ~king_here else off
        x[3 * i + 2] = np.float32(1) if own_here else off


def direct(fd: Any, s: Any, x: Any) -> None:
    """One input a square: a quarter of the code."""
    opponent, own, kings = s[0], s[1], s[2]
    white = (kings & WHITE_TO_MOVE) == _0
    for i in range(SQUARES):
        bit = _bit_seen(white, i)
        code = ((own >> bit) & _1) + (((opponent >> bit) & _1) << _1) + (((kings >> bit) & _1) << _1)
        x[i] = np.float32(0.25) * np.float32(code)


def _check_off_value(instance: Any, attribute: Any, value: float) -> None:
    if not isinstance(value, (int, float)) or not -1 <= value < 1:
        raise GameforgeError(f"'off_value' must lie in [-1, 1), where 1 means on: {value!r}")


@attrs.frozen(kw_only=True)
class BinaryMap:
    """NET_BINARYMAP: 96 inputs, three binary digits a square.

    `off_value` stands for the digit 0. The thesis says 1 and -1 in section 3.3, ON and OFF in
    appendix B, and the surviving code has OFF = 0: the default is 0.
    """

    off_value: float = attrs.field(default=0.0, validator=_check_off_value)

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of draughts."""
        require_draughts(rules, "binarymap")
        return FeatureFunctions(
            inputs=3 * SQUARES,
            viewpoint="just moved",
            features=binary,
            data=np.array([self.off_value], np.float64).view(np.uint64),
            names=tuple(f"{square + 1}.{bit}" for square in range(SQUARES) for bit in (2, 1, 0)),
        )


@attrs.frozen(kw_only=True)
class DirectMap:
    """NET_DIRECTMAP: 32 inputs, one a square: 0, own man 0.25, opponent's man 0.5, own king 0.75, his king 1."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of draughts."""
        require_draughts(rules, "directmap")
        return FeatureFunctions(
            inputs=SQUARES,
            viewpoint="just moved",
            features=direct,
            names=tuple(str(square + 1) for square in range(SQUARES)),
        )

"""NeuroDraughts' two maps without features: the 32 squares themselves ([Lynch1997], section 3.3).

The viewpoint is that of the package: the viewer's square 1 comes first, which is square 32 for White. Codes of a
square: 0 empty, 1 own man, 2 opponent's man, 3 own king, 4 opponent's king.
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
    """Return the bit of the viewer's square i + 1; for White the board is turned (31 - i is i ^ 31)."""
    square = np.uint64(i) ^ (_31 if white else _0)
    return square + (square >> _3)


def binary(fd: Any, s: Any, x: Any) -> None:
    """Write three inputs per square: the code in binary, most significant bit first, such as 001 for an own man.

    fd[0]: the input for a binary 0, as the bits of a float64; the input for 1 is 1.
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
    """Write one input per square: a quarter of the code."""
    opponent, own, kings = s[0], s[1], s[2]
    white = (kings & WHITE_TO_MOVE) == _0
    for i in range(SQUARES):
        bit = _bit_seen(white, i)
        code = ((own >> bit) & _1) + (((opponent >> bit) & _1) << _1) + (((kings >> bit) & _1) << _1)
        x[i] = np.float32(0.25) * np.float32(code)


def _check_off_value(instance: Any, attribute: Any, value: float) -> None:
    if not isinstance(value, (int, float)) or not -1 <= value < 1:
        raise GameforgeError(f"'off_value' must be from -1 to below 1 (got {value!r})")


@attrs.frozen(kw_only=True)
class BinaryMap:
    """NET_BINARYMAP: 96 inputs, three binary digits per square.

    off_value: the input for the digit 0. [Lynch1997] has 1 and -1 in section 3.3, and ON and OFF in appendix B; the
    surviving code has OFF = 0, which is the default.
    """

    off_value: float = attrs.field(default=0.0, validator=_check_off_value)
    """Value of an input that is off; one that is on is 1."""

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
    """NET_DIRECTMAP: 32 inputs, one per square: 0 empty, 1/4 own man, 1/2 opponent's, 3/4 own king, 1 opponent's."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of draughts."""
        require_draughts(rules, "directmap")
        return FeatureFunctions(
            inputs=SQUARES,
            viewpoint="just moved",
            features=direct,
            names=tuple(str(square + 1) for square in range(SQUARES)),
        )

"""The evaluator `subboard`: Anaconda's net ([Chellapilla2001]), and that of [Chellapilla1999].

32 squares (+1 an own man, +K an own king, the opponent's pieces negative) -> 91 windows -> 40 -> 10 -> 1, all tanh,
seen from the side to move. K is an entry of the weights that learners change in steps of 0.1 between 1 and 3.
"""

from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import EvaluatorFunctions, SteppedWeight, WeightVector
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge_eval_subboard import net
from gameforge_eval_subboard.layout import SECOND, THIRD_LANES, Layout, layout, windows

LEAST_KING, MOST_KING, KING_STEP = 1.0, 3.0, 0.1
SPREAD = {"uniform": 0.2, "normal": 0.05}
"""Defaults of `spread`."""


@attrs.frozen(kw_only=True)
class Subboard:
    """The kind of net, and how its weights are drawn."""

    windows: bool = True
    """False: the net of 1999, 32-40-10-1."""
    piece_diff: bool = True
    """A link from the sum of the inputs to the output, with weight 1 in the net with windows, learned in that of
    1999."""
    initial: Literal["uniform", "normal"] = "uniform"
    """Distribution of the initial weights, around 0."""
    spread: float | None = attrs.field(
        default=None, validator=attrs.validators.optional([attrs.validators.ge(0), attrs.validators.le(100)])
    )
    """Half the width of the uniform distribution (None: 0.2), or the standard deviation of the normal one (None:
    0.05)."""
    king: float = attrs.field(default=2.0, validator=[attrs.validators.ge(LEAST_KING), attrs.validators.le(MOST_KING)])
    """Initial value of K."""

    @property
    def _layout(self) -> Layout:
        return layout(self.windows, self.piece_diff)

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """The compiled functions and weights of the net; raises GameforgeError if the game is not draughts."""
        if rules.name != "draughts":
            raise GameforgeError(f"evaluator subboard reads draughts positions; the game is {rules.name!r}")
        places = self._layout
        king = SteppedWeight(place=places.free, low=LEAST_KING, high=MOST_KING, step=KING_STEP)
        return EvaluatorFunctions(
            evaluate=net.evaluate,
            gradient=net.gradient,
            data=np.array([places.lanes, len(windows()) if self.windows else 0], np.uint64),
            vector=WeightVector(places.length, places.unpack, (king,), unpack_backward=places.unpack_backward),
            scratch=net.UNITS + places.lanes + SECOND + THIRD_LANES,
            costly=True,
        )

    def initial_weights(self, net: Any, rng: np.random.Generator) -> NDArray[np.float32]:
        """Weights drawn from the same distribution, in the order of the vector; then K."""
        spread, free = SPREAD[self.initial] if self.spread is None else self.spread, self._layout.free
        drawn = rng.uniform(-spread, spread, free) if self.initial == "uniform" else rng.normal(0.0, spread, free)
        return np.append(drawn, self.king).astype(np.float32)

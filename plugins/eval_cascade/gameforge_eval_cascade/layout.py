"""Layout of the vector with a cascade's structure and weights (net.py), and validation of such vectors."""

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.kernel.simd import LANES
from gameforge_eval_cascade.activations import ACTIVATIONS

Floats = NDArray[np.float32]


@attrs.frozen
class Layout:
    """Layout of nets with `inputs` inputs and room for `room` hidden units."""

    inputs: int
    room: int

    @property
    def stride(self) -> int:
        """Columns of the matrix: the output and `room` units, padded to whole lanes."""
        return -(-(self.room + 1) // LANES) * LANES

    @property
    def matrix(self) -> int:
        """Index of the matrix, after the number of units and their activation functions."""
        return 1 + self.room

    @property
    def rows(self) -> int:
        """Number of sources: inputs, bias, units."""
        return self.inputs + 1 + self.room

    @property
    def length(self) -> int:
        return self.matrix + self.rows * self.stride

    def weights(self, vector: Floats) -> Floats:
        """The matrix: a view, rows are sources, columns are targets."""
        return vector[self.matrix :].reshape(self.rows, self.stride)

    def units(self, vector: Floats) -> int:
        """Hidden units of the net."""
        return int(vector[0])

    def check(self, vector: Floats) -> None:
        """Raise GameforgeError if the vector is not a valid cascade."""
        n = float(vector[0])
        if not (n.is_integer() and 0 <= n <= self.room):
            raise GameforgeError(
                f"the net has {n:g} hidden units; the number must be a whole number from 0 to {self.room}"
            )
        units = int(n)
        codes = vector[1 : 1 + self.room]
        for unit, code in enumerate(codes[:units].tolist(), start=1):
            if not (code.is_integer() and 0 <= code < len(ACTIVATIONS)):
                raise GameforgeError(
                    f"hidden unit {unit} of the net has the activation function {code:g}, "
                    f"which must be 0 to {len(ACTIVATIONS) - 1}"
                )
        matrix = self.weights(vector)
        if not np.isfinite(matrix).all():
            raise GameforgeError("the net has weights that are not finite")
        hidden = matrix[self.inputs + 1 :, 1 : 1 + self.room]
        wrong = np.argwhere(np.tril(hidden[:units, :units]) != 0)
        if len(wrong):
            source, target = (int(i) + 1 for i in wrong[0])
            raise GameforgeError(
                f"hidden unit {target} of the net has a weight from unit {source}; only earlier units are allowed"
            )
        beyond = hidden[units:].any() or matrix[:, 1 + units :].any() or matrix[self.inputs + 1 + units :].any()
        if beyond or codes[units:].any():
            raise GameforgeError(f"the net has {units} hidden units, but also nonzero weights of absent units")

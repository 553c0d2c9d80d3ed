"""The formula of `conv` in float64, from the README: nothing of the plugin's arithmetic is used."""

from typing import Any

import attrs
import numpy as np
from gameforge_eval_mlp.conv import Conv
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def around(board: Numbers, kernel: Numbers, numbers: Any = np) -> Numbers:
    """A convolution: [rows, columns, before] and [3, 3, before, after]; numbers: numpy, or jax.numpy."""
    rows, columns, _ = board.shape
    wide = numbers.pad(board, ((1, 1), (1, 1), (0, 0)))
    return sum(wide[r : r + rows, c : c + columns] @ kernel[r, c] for r in range(3) for c in range(3))


@attrs.frozen(eq=False)
class Layers:
    """The weights of a net by layers."""

    codes: Any
    """[codes, 3, 3, channels]"""
    numbers: Any
    """[numbers, channels]"""
    first: Any
    tower: Any
    """Kernels [3, 3, before, after] and biases of the convolutions."""
    heads: Any
    dense: Any
    value: Any
    policy: Any
    """[rows, places * 8]"""
    constants: Any

    @classmethod
    def of(cls, net: Conv, w: Any, board: Any, codes: int, numbers: int, rows: int) -> "Layers":
        """board: an array with its rows and columns first."""
        at, c, places = 0, net.channels, board.shape[0] * board.shape[1]

        def take(*shape: int) -> Any:
            nonlocal at
            size = int(np.prod(shape))
            at += size
            return w[at - size : at].reshape(shape)

        found = cls(
            codes=take(codes, 3, 3, c),
            numbers=take(numbers, c),
            first=take(c),
            tower=[
                (take(c // 16, 3, 3, c, 16).transpose(1, 2, 3, 0, 4).reshape(3, 3, c, c), take(c))
                for _ in range(2 * net.blocks)
            ],
            heads=(take(c, 16), take(16)),
            dense=(take(places * 8, 32), take(32)),
            value=(take(32), take(1)),
            policy=take(rows, places * 8),
            constants=take(rows),
        )
        assert at == len(w)
        return found

    def scores(self, bits: Any, numbers: Any, np: Any = np) -> tuple[Any, Any]:
        """Value and logits of all rows, of bits[codes, rows, columns] and of the numbers; np: numpy or jax.numpy."""

        def relu(x: Any) -> Any:
            return np.maximum(x, 0)

        kernel = self.codes.transpose(1, 2, 0, 3)
        h = relu(around(bits.transpose(1, 2, 0), kernel, np) + numbers / 16 @ self.numbers + self.first)
        for (one, c), (two, d) in zip(self.tower[::2], self.tower[1::2], strict=True):
            h = relu(around(relu(around(h, one, np) + c), two, np) + d + h)
        planes = relu(h @ self.heads[0] + self.heads[1])
        p, v = planes[..., :8].reshape(-1), planes[..., 8:].reshape(-1)
        u = relu(v @ self.dense[0] + self.dense[1])
        return np.tanh(u @ self.value[0] + self.value[1][0]), self.policy @ p + self.constants

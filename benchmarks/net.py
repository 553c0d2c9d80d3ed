"""Nanoseconds per evaluation of the mlp, and of the same net as plain loops that numba vectorises itself.

python benchmarks/net.py
"""

import statistics
import time
from typing import Any

import numpy as np
from gameforge_eval_mlp import mlp
from machine import pin

from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.simd import tanh

CALLS, RUNS = 1_000_000, 7
_0, _1, _31 = np.uint64(0), np.uint64(1), np.uint64(31)


def plain_forward(nd: Any, w: Any, x: Any) -> Any:
    """The formula of mlp.py without its SIMD layer or direct links."""
    inputs, stride = nd[0], nd[1]
    second = (inputs + _1) * stride
    for i in range(stride):
        x[inputs + i] = w[inputs * stride + i]
    for j in range(inputs):
        for i in range(stride):
            x[inputs + i] += x[j] * w[j * stride + i]
    total = w[second + stride]
    for i in range(stride):
        total += w[second + i] * tanh(x[inputs + i])
    return np.float64(tanh(total))


@kernel
def evaluations(forward: Any, nd: Any, w: Any, x: Any, n: int) -> float:
    """Sum of n values; one input changes each time."""
    total = 0.0
    for i in range(n):
        x[np.uint64(i) & _31] = np.float32(1) - x[np.uint64(i) & _31]
        total += forward(at(nd, _0), at(w, _0), at(x, _0))
    return total


def nanoseconds(forward: Any, inputs: int, hidden: int, direct: bool) -> float:
    """Median of one evaluation."""
    stride = -(-hidden // 8) * 8
    rng = np.random.default_rng(1)
    nd = np.array([inputs, stride, direct], np.uint64)
    w = rng.uniform(-0.2, 0.2, (inputs + 1) * stride + stride + 1 + inputs).astype(np.float32)
    x = np.zeros(inputs + stride + 1, np.float32)
    x[:inputs] = rng.random(inputs) < 0.4
    evaluations(forward, nd, w, x, 10)
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        evaluations(forward, nd, w, x, CALLS)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds) / CALLS * 1e9


def main() -> None:
    print(pin())
    ours, plain = compiled_function("forward", mlp.forward), compiled_function("forward", plain_forward)
    for inputs, hidden in ((38, 20), (47, 20), (96, 40)):
        a, b = nanoseconds(ours, inputs, hidden, False), nanoseconds(ours, inputs, hidden, True)
        c = nanoseconds(plain, inputs, hidden, False)
        print(f"{inputs}-{hidden}-1: {a:6.1f} ns, with direct links {b:6.1f} ns; plain loops {c:6.1f} ns")


if __name__ == "__main__":
    main()

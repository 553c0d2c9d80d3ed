"""Training of the output's weights, with all hidden units frozen ([Rezende2017], section 3.2; [Nissen2007])."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel import FloatArray, Word, kernel, simd
from gameforge_eval_cascade.descent import CHUNK, Crew, Irprop, Limits, Patience, Rows, Steps, chunks_of, weighted_sum

OutputError = Literal["tanh", "linear"]
CandidateError = Literal["difference", "output"]
_0, _1, _CHUNK = np.uint64(0), np.uint64(1), np.uint64(CHUNK)
_HALF, _ONE = np.float32(0.5), np.float32(1)
_NEARLY_WRONG, _MOST_ERROR = 0.9999999, 17.0
_SATURATED = np.float32(0.98)
"""FANN takes the slope of an output that is nearer to 1 or -1 at this value."""


class Sums(NamedTuple):
    """Results of the threads."""

    slopes: FloatArray
    """[chunks, weights]: slopes of half the squared error."""
    squares: NDArray[np.float64]
    """float64[chunks]: sums of ((target - output) / 2)^2."""
    outputs: FloatArray
    """The net's output for each example."""

    def mse(self) -> float:
        """The MSE as FANN defines it: the mean of ((target - output) / 2)^2, a quarter of the usual one."""
        return float(self.squares.sum()) / len(self.outputs)


def sums_of(examples: Rows, weights: int) -> Sums:
    chunks = chunks_of(examples)
    return Sums(
        np.zeros((chunks, weights), np.float32),
        np.zeros(chunks, np.float64),
        np.zeros(len(examples.targets), np.float32),
    )


@kernel
def pass_through(
    examples: Rows, units: np.uint64, w: FloatArray, sums: Sums, sloped: bool, tanh_error: bool, first: Word, end: Word
) -> None:
    """Compute outputs and errors of the chunks [first, end), and the slopes if `sloped`.

    tanh_error: a difference d of target and output counts as ln((1 + d/2) / (1 - d/2)), the error function of
    [Nissen2007].
    """
    number, inputs = np.uint64(len(examples.targets)), examples.inputs
    for chunk in range(first, end):
        squares = 0.0
        if sloped:
            sums.slopes[chunk, :] = np.float32(0)
        for example in range(chunk * _CHUNK, min((chunk + _1) * _CHUNK, number)):
            output = simd.tanh(weighted_sum(examples, example, units, w))
            sums.outputs[example] = output
            half = (examples.targets[example] - output) * _HALF
            squares += np.float64(half) * np.float64(half)
            if sloped:
                error = float(half)
                if tanh_error and abs(error) < _NEARLY_WRONG:
                    error = math.log((1.0 + error) / (1.0 - error))
                elif tanh_error:
                    error = math.copysign(_MOST_ERROR, error)
                down = np.float32(error) * (_ONE - output * output)
                for k in range(examples.starts[example], examples.starts[example + _1]):
                    sums.slopes[chunk, examples.places[k]] -= down * examples.values[k]
                sums.slopes[chunk, inputs] -= down
                for unit in range(units):
                    sums.slopes[chunk, inputs + _1 + unit] -= down * examples.given[example, unit]
        sums.squares[chunk] = squares


def train_outputs(
    crew: Crew, examples: Rows, units: int, weights: FloatArray, kind: OutputError, steps: Steps, limits: Limits
) -> tuple[FloatArray, float, int]:
    """Train these weights (of inputs, bias, units) in place.

    Returns (outputs, MSE, epochs); outputs and MSE belong to the final weights.
    """
    sums, rule, patience = sums_of(examples, len(weights)), Irprop(steps, weights.shape), Patience(limits)
    start = math.inf
    while True:
        crew.go_through(examples, pass_through, np.uint64(units), weights, sums, True, kind == "tanh")
        error = sums.mse()
        start = min(start, error) if patience.epochs == 0 else start  # gains count from the first epoch
        if patience.ends(start - error):
            return sums.outputs, error, patience.epochs
        # Chunks are added in float64 and in their order, whatever thread made them.
        rule.move(weights, sums.slopes.sum(0, dtype=np.float64).astype(np.float32), error)


def errors_for_candidates(
    targets: FloatArray, outputs: FloatArray, kind: CandidateError, output_error: OutputError
) -> FloatArray:
    """Return the errors on which candidates are trained.

    difference: (target - output) / 2. output: the error of the output's own training, f'(net) ln((1+d)/(1-d)) with d
    half the difference (or d itself, if the output's error is linear), as in FANN.
    """
    half = (targets - outputs) * _HALF
    if kind == "difference":
        return half
    if output_error == "tanh":
        inside = np.clip(half, -_NEARLY_WRONG, _NEARLY_WRONG).astype(np.float64)
        counted = np.where(
            np.abs(half) < _NEARLY_WRONG, np.log((1 + inside) / (1 - inside)), np.copysign(_MOST_ERROR, half)
        ).astype(np.float32)
    else:
        counted = half
    found: FloatArray = counted * (_ONE - np.clip(outputs, -_SATURATED, _SATURATED) ** 2)
    return found


def passed(crew: Crew, examples: Rows, units: int, weights: FloatArray) -> Sums:
    """Compute outputs and errors without slopes."""
    sums = sums_of(examples, 0)
    crew.go_through(examples, pass_through, np.uint64(units), weights, sums, False, False)
    return sums

"""The pool of candidates for the next hidden unit, trained together on the net's errors ([Nissen2007])."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.kernel import FloatArray, Floats, Whole, Word, at, inline, kernel, simd
from gameforge_eval_cascade.cascade import ACTIVATIONS, activate, slope
from gameforge_eval_cascade.descent import CHUNK, Crew, Irprop, Limits, Patience, Rows, Steps, chunks_of

Algorithm = Literal["cascade2", "correlation"]
_0, _1, _8, _16, _CHUNK = (np.uint64(n) for n in (0, 1, 8, 16, CHUNK))
_PAIR = 2 * simd.LANES


@attrs.frozen
class Unit:
    """The candidate chosen as the next hidden unit."""

    weights: FloatArray
    """Weights of inputs, bias and the earlier units."""
    code: int
    """Its activation function."""
    output: float
    """Weight of its value in the sum of the output."""
    score: float
    epochs: int


class Pool(NamedTuple):
    """Candidates in lanes: eight with one activation function form a block, and two blocks are processed together."""

    codes: NDArray[np.int64]
    """Activation function of each block."""
    steepness: FloatArray
    real: NDArray[np.bool_]
    """False for the padding of the blocks."""

    @property
    def size(self) -> int:
        return len(self.steepness)


class Sums(NamedTuple):
    """Results of the threads, chunk after chunk, in flat arrays."""

    slopes: FloatArray
    """sources + 1 times candidates: of what is maximised, by weights; last by the weight to the output."""
    scores: FloatArray
    """Of the candidates: sums of squares that remain (cascade2), or covariances, with their signs."""
    scratch: FloatArray
    """16 each."""


def sums_of(examples: Rows, pool: Pool, sources: int) -> Sums:
    chunks = chunks_of(examples)
    sizes = (sources + 1) * pool.size, pool.size, _PAIR
    return Sums(*(np.zeros(chunks * size, np.float32) for size in sizes))


def total(sums: FloatArray, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Sum over the chunks, in their order."""
    found: NDArray[np.float64] = sums.reshape(-1, *shape).sum(0, dtype=np.float64)
    return found


def pool(activations: Sequence[str], steepnesses: Sequence[float], groups: int) -> Pool:
    """`groups` candidates of each activation function and steepness."""
    each = np.repeat(np.array(steepnesses, np.float32), groups)
    blocks = -(-len(each) // simd.LANES)
    codes = np.repeat([ACTIVATIONS.index(name) for name in activations], blocks)
    filled = np.zeros((len(activations), blocks * simd.LANES), np.float32)
    filled[:, : len(each)] = each
    steepness = filled.reshape(-1)
    if len(codes) % 2:
        codes = np.append(codes, codes[-1])
        steepness = np.append(steepness, np.zeros(simd.LANES, np.float32))
    return Pool(codes.astype(np.int64), steepness, steepness > 0)


def drawn(pool: Pool, inputs: int, units: int, rng: np.random.Generator) -> FloatArray:
    """Initial weights [sources + 1, candidates], drawn as in FANN: the bias within +-s, the others in [0, s)."""
    scale = min(max(2 * (0.7 * units) ** (1 / inputs), 0.5), 8.0)
    weights = np.zeros((inputs + 1 + units + 1, pool.size), np.float32)
    weights[:, pool.real] = rng.uniform(0, scale, (len(weights), int(pool.real.sum())))
    weights[inputs, pool.real] = rng.uniform(-scale, scale, int(pool.real.sum()))
    return weights


@inline
def _sums(examples: Rows, example: Whole, units: Word, w: Floats, width: Word, block: Whole, scratch: Floats) -> None:
    """Weighted sums of 16 candidates, starting at `block`."""
    row = examples.inputs * width + block
    a, b = simd.load(w, row), simd.load(w, row + _8)
    c = d = simd.splat(np.float32(0))
    for k in range(examples.starts[example], examples.starts[example + _1]):
        v, place = simd.splat(examples.values[k]), np.uint64(examples.places[k]) * width + block
        a = simd.fma(v, simd.load(w, place), a)
        b = simd.fma(v, simd.load(w, place + _8), b)
    for unit in range(units):
        row += width
        v = simd.splat(examples.given[example, unit])
        c = simd.fma(v, simd.load(w, row), c)
        d = simd.fma(v, simd.load(w, row + _8), d)
    simd.store(scratch, _0, simd.add(a, c))
    simd.store(scratch, _8, simd.add(b, d))


@inline
def _add_slopes(
    examples: Rows, example: Whole, units: Word, g: Floats, width: Word, block: Whole, scratch: Floats
) -> None:
    """Add to the slopes of the 16 candidates' weights."""
    a, b = simd.load(scratch, _0), simd.load(scratch, _8)
    row = examples.inputs * width + block
    simd.store(g, row, simd.add(simd.load(g, row), a))
    simd.store(g, row + _8, simd.add(simd.load(g, row + _8), b))
    for k in range(examples.starts[example], examples.starts[example + _1]):
        v, place = simd.splat(examples.values[k]), np.uint64(examples.places[k]) * width + block
        simd.store(g, place, simd.fma(v, a, simd.load(g, place)))
        simd.store(g, place + _8, simd.fma(v, b, simd.load(g, place + _8)))
    for unit in range(units):
        row += width
        v = simd.splat(examples.given[example, unit])
        simd.store(g, row, simd.fma(v, a, simd.load(g, row)))
        simd.store(g, row + _8, simd.fma(v, b, simd.load(g, row + _8)))


@kernel
def pass_through(
    examples: Rows, units: Word, weights: FloatArray, pool: Pool, errors: FloatArray, by_covariance: bool, sums: Sums,
    first: Word, end: Word,
) -> None:  # fmt: skip
    """Compute scores and slopes over the chunks [first, end); `weights` is flat."""
    number, width = np.uint64(len(examples.targets)), np.uint64(len(pool.steepness))
    sources = examples.inputs + _1 + units
    size = (sources + _1) * width
    w, steep = at(weights, _0), at(pool.steepness, _0)
    for chunk in range(first, end):
        g, scores = at(sums.slopes, chunk * size), at(sums.scores, chunk * width)
        scratch = at(sums.scratch, chunk * _16)
        for i in range(size):
            g[i] = np.float32(0)
        for i in range(width):
            scores[i] = np.float32(0)
        out = sources * width
        for block in range(_0, width, _16):
            # The examples are the inner loop, so that the weights of these 16 candidates stay in the cache.
            for example in range(chunk * _CHUNK, min((chunk + _1) * _CHUNK, number)):
                _sums(examples, example, units, w, width, block, scratch)
                error = simd.splat(errors[example])
                for half in range(_0, _16, _8):
                    lane = block + half
                    code, s = pool.codes[lane // _8], simd.load(steep, lane)
                    x = simd.mul(simd.load(scratch, half), s)
                    y = activate(code, x)
                    through = simd.mul(slope(code, x, y), s)
                    if by_covariance:
                        simd.store(scratch, half, simd.mul(error, through))
                        simd.store(scores, lane, simd.fma(error, y, simd.load(scores, lane)))
                    else:
                        weight = simd.load(w, out + lane)
                        rest = simd.sub(error, simd.mul(y, weight))
                        simd.store(scratch, half, simd.mul(simd.mul(rest, weight), through))
                        simd.store(scores, lane, simd.fma(rest, rest, simd.load(scores, lane)))
                        simd.store(g, out + lane, simd.fma(rest, y, simd.load(g, out + lane)))
                _add_slopes(examples, example, units, g, width, block, scratch)


def train_candidates(
    crew: Crew,
    examples: Rows,
    units: int,
    errors: FloatArray,
    pool: Pool,
    algorithm: Algorithm,
    steps: Steps,
    limits: Limits,
    rng: np.random.Generator,
) -> Unit:
    """Train the pool for a net with `units` units and these errors (target - output); returns the best candidate.

    Scores are shares of the sum of squared errors: the reduction by the candidate with its weight to the output
    (cascade2), or the absolute value of its covariance with the errors (correlation).
    """
    inputs, by_covariance = int(examples.inputs), algorithm == "correlation"
    # Step 1. A covariance is that of deviations from the mean. Only the errors need to be centred: the sum of
    # (error - mean) * value is the same for value and for its deviation.
    if by_covariance:
        errors = errors - np.float32(errors.mean(dtype=np.float64))
    # Step 2. The pool, and what a score is a share of; without any error every share is 0.
    whole = float(np.square(errors, dtype=np.float64).sum()) or 1.0
    weights = drawn(pool, inputs, units, rng)
    sums = sums_of(examples, pool, len(weights) - 1)
    rule, patience = Irprop(steps, weights.shape), Patience(limits)
    blocks = np.uint64(units), weights.reshape(-1), pool, errors, by_covariance, sums
    while True:
        # Step 3. One epoch: scores and slopes of all candidates in one pass over the examples.
        crew.go_through(examples, pass_through, *blocks)
        found = total(sums.scores, (pool.size,)) / whole
        scores = np.where(pool.real, np.abs(found) if by_covariance else 1.0 - found, -np.inf)
        best = int(np.argmax(scores))
        # Step 4. The training ends when the best candidate stagnates, whichever it is in this epoch.
        if patience.ends(float(scores[best])):
            break
        uphill = total(sums.slopes, weights.shape).astype(np.float32)
        # Step 5. A covariance counts by its size, so a negative one is to become more negative.
        if by_covariance:
            uphill *= np.sign(found).astype(np.float32)
        rule.move(weights, -uphill, -scores)
    # Step 6. The steepness becomes part of the weights. Where hardly any error is left, a covariance is large beside
    # it, hence the limit.
    output = np.clip(found[best], -1.0, 1.0) if by_covariance else weights[-1, best]
    return Unit(
        weights=weights[:-1, best] * pool.steepness[best],
        code=int(pool.codes[best // simd.LANES]),
        output=float(output),
        score=float(scores[best]),
        epochs=patience.epochs,
    )

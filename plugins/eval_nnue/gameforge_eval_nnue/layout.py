"""Where each weight of a net stands, and how both sides see the board.

The vector holds float32, and the kernel's block the same weights as integers, in STEPs and in the same order: first the
wide ones, int16, then the narrow ones, int8, which are those of the second layer.

| weights | number |
|---|---|
| first layer: a row of units for each code and cell, and one of biases | (codes * cells + 1) * units |
| for each phase: biases and outputs of the second layer | 2 * second |
| behind them: the factors of the numbers, a constant | numbers + 1 |
| for each phase: second layer, a row of weights for each of its units | second * 2 * units |

A game's cells show the board to the side to move. The other side's eyes are derived from random games: a turn of the
board and an exchange of codes with which a move changes the fewest cells.
"""

import hashlib
import itertools
import json
import math

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game
from gameforge.interfaces import Cells, Rules, State
from gameforge.kernel import FloatArray, WordArray, assembly, bound, compiled_function

STEP = 2.0**-7
"""The kernel's weights are multiples of this; a unit that is fully active is 127 of them."""
MOST = 127
_MOST_WIDE = 2**15 - 1
(
    UNITS, SECOND, CODES, CELLS, NUMBERS, BIAS, TAILS, TAIL, NARROW, OWN, OTHER, WORDS, INPUTS, DATA, PHASE_OF, ONES,
) = range(16)  # fmt: skip
TURNED = ONES + 4
"""The block `ed`. Sizes: units of one side's half and of the second layer, codes, cells, numbers; with TAIL, the wide
weights of a phase after the first layer, and with WORDS, an accumulator. Places in the block `w`: BIAS and TAILS, in
int16, and NARROW, in bytes. Places in the accumulator, in words: OWN and OTHER, the planes as both sides see them.
INPUTS: the number of active inputs that initial weights expect. Places in `ed`: the game's data, and the phase for each
number of pieces. ONES: four words, which are sixteen int16, all 1. From TURNED on, for each input, the same as the
other side sees it."""
_GAMES, _PLIES = 8, 200
"""Random games, and their moves at most, from which `views_of` sees how the board turns."""


@attrs.frozen
class Views:
    """How the other side sees the board, and how many pieces a game has."""

    turn: tuple[int, ...]
    """The cell that the other side sees in the place of each cell."""
    swap: tuple[int, ...]
    """The code that the other side sees in the place of each code."""
    pieces: int
    """The most pieces that were on the board."""


def views_of(rules: Rules, cells: Cells) -> Views:
    """Derive both sides' views from random games.

    The turn is none, or one of half a turn, a flip and a mirror image: that with which most cells keep their codes.
    """
    turns, codes, n = cells.turns, len(cells.codes), len(cells.places)
    read = bound(compiled_function("cells", cells.cells), assembly.block(cells.data))
    bits = np.arange(n, dtype=np.uint64)

    def seen(state: State) -> NDArray[np.bool_]:
        """[codes, cells]: where the codes are, as the side to move sees it."""
        planes = np.zeros(codes + len(cells.numbers), np.uint64)
        read(np.array(state, np.uint64), planes)
        return (planes[:codes, None] >> bits & np.uint64(1)).astype(bool)

    rng, game, pieces = np.random.default_rng(0), Game(rules), 1
    kept = np.zeros((len(turns), codes, codes), np.int64)
    for _ in range(_GAMES):
        moves: list[int] = []
        for moves, _ in itertools.islice(game.random_game(rng), _PLIES):  # noqa: B007  the list grows
            pass
        boards = [*map(seen, itertools.accumulate(moves, game.play, initial=rules.initial()))]
        pieces = max(pieces, *(int(board.sum()) for board in boards))
        for before, after in itertools.pairwise(boards):
            for counts, turn in zip(kept, turns, strict=True):
                counts += before.astype(np.int64) @ after[:, turn].T
    exchanges = [_exchange(counts) for counts in kept]
    agreeing = [
        sum(int(counts[i, swap[i]]) for i in range(codes)) for counts, swap in zip(kept, exchanges, strict=True)
    ]
    best = agreeing.index(max(agreeing))
    return Views(turns[best], exchanges[best], pieces)


def _exchange(counts: NDArray[np.int64]) -> tuple[int, ...]:
    """Pair each code before a move with one after it, beginning with the pair that occurs most often."""
    swap: dict[int, int] = {}
    for place in np.argsort(-counts, axis=None, kind="stable"):
        before, after = divmod(int(place), len(counts))
        if before not in swap and after not in swap.values():
            swap[before] = after
    return tuple(swap[code] for code in range(len(counts)))


@attrs.frozen(kw_only=True)
class Layout:
    """A net for the cells of a game."""

    cells: Cells
    views: Views
    units: int
    second: int
    phases: int

    @property
    def inputs(self) -> int:
        """Number of pairs of a code and a cell."""
        return len(self.cells.codes) * len(self.cells.places)

    @property
    def tail(self) -> int:
        """Number of wide weights of a phase."""
        return 2 * self.second + len(self.cells.numbers) + 1

    @property
    def first(self) -> int:
        """Number of weights of the first layer."""
        return (self.inputs + 1) * self.units

    @property
    def wide(self) -> int:
        """Number of wide weights."""
        return self.first + self.phases * self.tail

    @property
    def length(self) -> int:
        """Length of the vector."""
        return self.wide + self.phases * self.second * 2 * self.units

    @property
    def planes(self) -> int:
        """Words that the function `cells` writes."""
        return len(self.cells.codes) + len(self.cells.numbers)

    @property
    def words(self) -> int:
        """Length of an accumulator: both halves, the mover's planes and numbers, the other side's planes."""
        return self.units // 2 + self.planes + len(self.cells.codes)

    @property
    def scratch(self) -> int:
        """Length of the workspace, in float32.

        An accumulator, the active units, the sums of the second layer, the score; for a gradient, strengths and slopes.
        """
        return 2 * self.words + self.units // 2 + self.second + 8 + 4 * self.units

    @property
    def identity(self) -> str:
        """The net in words, with a digest of all that gives its weights their meaning."""
        cells, views = self.cells, self.views
        meaning = [cells.codes, cells.places, cells.numbers, views.turn, views.swap, self._phase_of]
        digest = hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:8]
        return (
            f"nnue {digest} (cells: {len(cells.places)}, codes: {len(cells.codes)}, units: 2 x {self.units}, "
            f"second: {self.second}, phases: {self.phases})"
        )

    @property
    def _phase_of(self) -> list[int]:
        """The phase for each number of pieces; phases hold equally many numbers, as far as they can."""
        most = self.views.pieces
        return [min(count, most) * self.phases // (most + 1) for count in range(len(self.cells.places) + 1)]

    @property
    def limits(self) -> NDArray[np.float32]:
        """[length]: the largest integer that stands for each weight. No sum of the first layer leaves int16."""
        sizes = self.first, self.wide - self.first, self.length - self.wide
        return np.repeat(np.array(self._most, np.float32), sizes)

    @property
    def _most(self) -> tuple[int, int, int]:
        """The largest integers of the first layer, of the other wide weights, and of the narrow ones."""
        return _MOST_WIDE // (len(self.cells.places) + 1), _MOST_WIDE, MOST

    def unpack(self, weights: FloatArray) -> FloatArray:
        """Return the block `w`: the weights as integers, and as much room as a gradient needs."""
        limits = self.limits
        steps = np.rint(weights / np.float32(STEP)).clip(-limits, limits)
        block = np.zeros(self.length, np.float32)
        places = block.view(np.int16)
        places[: self.wide] = steps[: self.wide]
        block.view(np.int8)[2 * self.wide : 2 * self.wide + self.length - self.wide] = steps[self.wide :]
        return block

    def unpack_data(self) -> WordArray:
        """Return the block `ud` of `unpack_one`: where wide and narrow weights begin, and the largest integers."""
        return np.array([self.first, self.wide, *self._most], np.uint64)

    def data(self) -> WordArray:
        """Return the block `ed`."""
        cells, views, codes = self.cells, self.views, len(self.cells.codes)
        own_data = assembly.block(cells.data)
        phase_of = int(TURNED) + self.inputs
        turned = [views.swap[code] * len(cells.places) + cell for code in range(codes) for cell in views.turn]
        head = {
            UNITS: self.units, SECOND: self.second, CODES: codes, CELLS: len(cells.places),
            NUMBERS: len(cells.numbers), BIAS: self.inputs * self.units, TAILS: self.first, TAIL: self.tail,
            NARROW: 2 * self.wide, OWN: self.units // 2, OTHER: self.units // 2 + self.planes, WORDS: self.words,
            INPUTS: views.pieces, DATA: phase_of + len(cells.places) + 1, PHASE_OF: phase_of,
        }  # fmt: skip
        words = [*(head[place] for place in range(ONES)), *[0x1_0001_0001_0001] * (TURNED - ONES)]
        return np.concatenate([np.array([*words, *turned, *self._phase_of], np.uint64), own_data])


def initial(data: WordArray, rng: np.random.Generator) -> FloatArray:
    """Draw weights with which about half of the units are active, and none at its limit; all phases begin alike.

    data: the block `ed` of the net.
    """
    units, second, codes, cells, _, bias, tails, tail, narrow, *_ = (int(word) for word in data[: NARROW + 1])
    wide, phases, limit = narrow // 2, (narrow // 2 - tails) // tail, 0.3 * math.sqrt(3 / int(data[INPUTS]))
    first = rng.uniform(-limit, limit, codes * cells * units)
    of_phase, rows = np.zeros(tail), rng.uniform(-1, 1, second * 2 * units) * min(0.9, math.sqrt(5 / (2 * units)))
    of_phase[:second] = 0.25
    of_phase[second : 2 * second] = rng.uniform(-1, 1, second) / math.sqrt(second)
    parts = first, np.full(units, 0.25), np.tile(of_phase, phases), np.tile(rows, phases)
    weights: FloatArray = np.concatenate(parts).astype(np.float32)
    assert len(first) == bias
    assert len(weights) == wide + phases * len(rows)
    return weights

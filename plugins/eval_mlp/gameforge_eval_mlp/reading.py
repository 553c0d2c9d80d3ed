"""What a net with two heads reads from a game: the inputs of a position, and the rows of its moves.

Inputs: a bit for each code of each cell, and the numbers that a game adds to its cells; of a game without cells, the
bits of its state.

A move has one row of the policy, that of its index (MoveIndices). If the game numbers no moves, its rows are the cells
that it empties and those that it fills, so a move from one cell to another has two.

The block `ed` of such a net begins with the entries named here; those of the net follow from OWN on. `evaluate` leaves
the bits of the state at the beginning of the workspace, as words.
"""

import itertools
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gameforge import Game, GameforgeError
from gameforge.interfaces import Cells, MoveIndices, Rules, State, capability
from gameforge.kernel import (
    U0,
    U1,
    Word,
    WordArray,
    Words,
    assembly,
    at,
    bound,
    compiled_function,
    inline,
    specialised,
)

MASKS, BITS, NUMBERS, READ, MOVES, TURN, CHILD, AFTER, FOUND, OWN = (np.uint64(i) for i in range(10))
"""Sizes: words of bits, bits of each of them, numbers after them. Places in `ed`: the data of `read_inputs`, those of
`index` or `play`, and where each cell lies after a move, if cells are rows. Places in the workspace, in words: a
child's state, its bits, the rows of a move."""
STEP = np.float32(1 / 16)
"""Factor of the numbers beside the cells, which are small integers."""
MOST_ROWS = 1 << 14
"""Maximum number of rows of the policy, that is, of move indices."""


@inline
def read_inputs(data: Words, s: Words, planes: Words) -> None:
    """Replaced by the function `cells` of the game, or by `state_bits`."""
    planes[0] = U0


def state_bits(data: Words, s: Words, planes: Words) -> None:
    """The inputs of a game without cells; data[0] is the number of words of a state."""
    for i in range(data[0]):
        planes[i] = s[i]


@inline
def index(data: Words, s: Words, m: Word) -> Word:
    """Replaced by the game's own function."""
    return U0


@inline
def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    """Replaced by the game's own function."""
    child[0] = U0


def index_row(ed: Words, s: Words, m: Word, words: Words) -> Word:
    """Write the row of a move, its index; returns 1."""
    words[ed[FOUND]] = index(at(ed, ed[MOVES]), s, m)
    return U1


def changed_rows(ed: Words, s: Words, m: Word, words: Words) -> Word:
    """Write the rows of a move, the cells that it empties and fills; returns their number.

    The words hold the bits of the state, as `evaluate` left them. After the move the board is seen by the other side.
    """
    child, after, found = at(words, ed[CHILD]), at(words, ed[AFTER]), U0
    play(at(ed, ed[MOVES]), s, m, child)
    read_inputs(at(ed, ed[READ]), child, after)
    here, there = U0, U0
    for i in range(ed[MASKS]):
        here |= words[i]
        there |= after[i]
    for cell in range(ed[BITS]):
        was, is_ = here >> cell & U1, there >> ed[ed[TURN] + cell] & U1
        if was != is_:
            words[ed[FOUND] + found] = cell if was != U0 else ed[BITS] + cell
            found += U1
    return found


@inline
def rows_of(ed: Words, s: Words, m: Word, words: Words) -> Word:
    """Replaced by `index_row` or `changed_rows`."""
    return U0


@attrs.frozen(kw_only=True, eq=False)
class Reading:
    """How nets read one game."""

    cells: Cells | None
    masks: int
    """Words of bits."""
    bits: int
    """Bits of each word."""
    numbers: int
    """Numbers after the bits."""
    rows: int
    """Rows of the policy."""
    state_words: int
    _read: Callable[..., object]
    _rows_of: Callable[..., object]
    _tables: tuple[WordArray, WordArray, WordArray]
    """The data of `_read`, those of `_rows_of`, and where cells lie after a move."""

    @classmethod
    def of(cls, rules: Rules, who: str) -> "Reading":
        """Raises GameforgeError, which names the evaluator `who`, for a game whose moves cannot be numbered."""
        of_rules = rules.functions()
        turn: tuple[int, ...] = ()
        of_game: Cells | None = capability(rules, "cells")
        moves: MoveIndices | None = capability(rules, "moves")
        if of_game is None:
            read: Callable[..., object] = state_bits
            masks, bits, numbers, read_data = of_rules.words, 64, 0, np.array([of_rules.words], np.uint64)
        else:
            read, read_data = of_game.cells, assembly.block(of_game.data)
            masks, bits, numbers = len(of_game.codes), len(of_game.places), len(of_game.numbers)
        if moves is not None:
            rows, move_data = moves.size, assembly.block(moves.data)
            rows_function = specialised(index_row, index.__name__, moves.index)
        elif of_game is None or of_rules.calls or not of_rules.compiles("play"):
            raise GameforgeError(
                f"evaluator {who}: the moves of {rules.name} cannot be numbered: the game offers neither `moves` nor "
                "`cells` with rules that compile"
            )
        else:
            rows, move_data, turn = 2 * bits, assembly.block(of_rules.data), turn_of(rules, of_game)
            rows_function = specialised(changed_rows, play.__name__, of_rules.play)
            rows_function = specialised(rows_function, read_inputs.__name__, read)
        if rows > MOST_ROWS:
            raise GameforgeError(
                f"evaluator {who}: {rules.name} numbers its moves from 0 to {rows - 1:,}; at most {MOST_ROWS:,} "
                "numbers are allowed"
            )
        return cls(
            cells=of_game,
            masks=masks,
            bits=bits,
            numbers=numbers,
            rows=rows,
            state_words=of_rules.words,
            read=read,
            rows_of=rows_function,
            tables=(read_data, move_data, np.array(turn, np.uint64)),
        )

    @property
    def workspace(self) -> int:
        """Words of the workspace that `ed` names; the net's own words and numbers follow."""
        return 2 * (self.masks + self.numbers) + self.state_words + 2 * self.bits

    def block(self, own: Sequence[int]) -> WordArray:
        """Return the block `ed`, with the net's own entries from OWN on."""
        first, places = int(OWN) + len(own), []
        for table in self._tables:
            places.append(first)
            first += len(table)
        child = self.masks + self.numbers
        after = child + self.state_words
        found = after + self.masks + self.numbers
        entries = [self.masks, self.bits, self.numbers, *places, child, after, found, *own]
        return np.concatenate([np.array(entries, np.uint64), *self._tables])

    def with_inputs(self, function: Callable[..., object]) -> Callable[..., object]:
        """Return the function with the game's own `read_inputs`."""
        return specialised(function, read_inputs.__name__, self._read)

    def with_rows(self, function: Callable[..., object]) -> Callable[..., object]:
        """Return the function with the game's own `rows_of`."""
        return specialised(function, rows_of.__name__, self._rows_of)


_GAMES, _PLIES = 4, 64
"""Random games, and their moves at most, from which `turn_of` sees how the board turns."""


def turn_of(rules: Rules, of_game: Cells) -> tuple[int, ...]:
    """Return where each cell of a position lies after a move, when the other side sees the board.

    It is the same place if the board never turns, or one of a flip, a mirror image and half a turn: that with which the
    moves of random games change the fewest cells.
    """
    turns = of_game.turns
    read = bound(compiled_function("cells", of_game.cells), assembly.block(of_game.data))

    def occupied(state: State) -> int:
        planes = np.zeros(len(of_game.codes) + len(of_game.numbers), np.uint64)
        read(np.array(state, np.uint64), planes)
        return int(np.bitwise_or.reduce(planes[: len(of_game.codes)]))

    rng, game, changes = np.random.default_rng(0), Game(rules), [0] * len(turns)
    for _ in range(_GAMES):
        *_, (moves, _) = itertools.islice(game.random_game(rng), _PLIES)
        states = itertools.accumulate(moves, game.play, initial=rules.initial())
        for before, now in itertools.pairwise(map(occupied, states)):
            for i, turn in enumerate(turns):
                changes[i] += sum((before >> cell & 1) != (now >> turn[cell] & 1) for cell in range(len(turn)))
    return turns[changes.index(min(changes))]

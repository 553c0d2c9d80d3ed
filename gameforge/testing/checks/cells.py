"""The contract of the capability `cells` (gameforge.interfaces.cells)."""

import functools
from typing import Any

from gameforge.interfaces.cells import Cells
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import block as data_block
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.testing.contract import Check, Skipped, expect
from gameforge.testing.plain import plain
from gameforge.testing.sampling import Sample, block, intact, same_words

_OTHER = 0x5AFE5AFE5AFE5AFE
_FEW = 30


class _Read:
    """Reads the cells of states as words: planes, then numbers."""

    def __init__(self, sample: Sample) -> None:
        if sample.game.cells is None:
            raise Skipped("the rules offer no cells")
        self.sample, self.cells = sample, sample.game.cells
        self.size = len(self.cells.codes) + len(self.cells.numbers)
        self._compiled = compiled_function("cells", self.cells.cells)

    def __call__(self, state: State, pattern: int = 0, function: Any = None) -> tuple[int, ...]:
        words, planes = block(state), block([pattern] * self.size)
        call(self._compiled if function is None else function, data_block(self.cells.data), words, planes)
        where = self.sample.text(state)
        expect(same_words(words, state), f"cells changed the {where}")
        expect(intact(planes, self.size), f"cells wrote more than {self.size} words in {where}")
        return tuple(planes[: self.size].tolist())


def cells_hold_one_code_each(sample: Sample) -> int:
    """Check that each existing cell has at most one code, whatever the block held before."""
    read = _Read(sample)
    n, codes = len(read.cells.places), len(read.cells.codes)
    for state in sample.states:
        words, where = read(state), sample.text(state)
        seen = 0
        for plane in words[:codes]:
            expect(plane >> n == 0, f"cells wrote bits above the {n} cells in {where}")
            expect(seen & plane == 0, f"cells gave a cell two codes in {where}")
            seen |= plane
        same = read(state, _OTHER) == words
        expect(same, f"cells does not write every word, or not the same words each time, in {where}")
    return len(sample.states)


def cells_follow_the_symmetries(sample: Sample) -> int:
    """Check that each symmetry of the game acts on the cells as an image or not at all, and keeps the numbers."""
    read, symmetries = _Read(sample), sample.game.symmetries
    if symmetries is None:
        raise Skipped("the rules offer no symmetries")
    identity = tuple(range(len(read.cells.places)))
    images = {identity, *read.cells.images}
    together = {tuple(one[cell] for cell in other) for one in images for other in images}
    expect(together == images, "the composition of two images is not an image: images must form a group")
    states = sample.states[:_FEW]
    for i in range(symmetries.count):
        left = images
        for state in states:
            words, turned = read(state), read(symmetries.state_image(state, i))
            left = {image for image in left if _moved(read.cells, words, image) == turned}
        expect(bool(left), f"symmetry {i} of the game does not act on the cells as any image, or changes the numbers")
    return symmetries.count * len(states)


@functools.lru_cache(maxsize=10_000)
def _moved_plane(plane: int, image: tuple[int, ...]) -> int:
    return sum(1 << image[cell] for cell in range(len(image)) if plane >> cell & 1)


def _moved(cells: Cells, words: tuple[int, ...], image: tuple[int, ...]) -> tuple[int, ...]:
    """Return the words after the cells have moved."""
    codes = len(cells.codes)
    return (*(_moved_plane(plane, image) for plane in words[:codes]), *words[codes:])


def compiled_and_plain_cells_agree(sample: Sample) -> int:
    read = _Read(sample)
    function = plain(read.cells.cells, compiled=True)
    for state in sample.states[:_FEW]:
        same = read(state) == read(state, function=function)
        expect(same, f"cells as plain Python differs in {sample.text(state)}")
    return len(sample.states[:_FEW])


CHECKS: tuple[Any, ...] = tuple(
    map(Check.of, (cells_hold_one_code_each, cells_follow_the_symmetries, compiled_and_plain_cells_agree))
)

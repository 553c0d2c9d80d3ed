"""Examples in memory, and as the rows in which they are stored."""

from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureFunctions, Viewpoint

if TYPE_CHECKING:
    from collections.abc import Iterable

Rows = NDArray[np.void]
"""A structured array of `row_type`."""


def row_type(words: int) -> np.dtype[np.void]:
    """A stored example of a game whose states have so many words.

    state: after a move. utility: for the side that made the move. visits: how many results it is the mean of.
    match, ply: from which game of the folder it comes, and plies of that game before the move. mover: 0 or 1.
    result: 1 if the mover won that game, -1 if it lost. test: whether it is kept from training.
    """
    return np.dtype(
        [
            ("state", "<u8", (words,)),
            ("utility", "<f4"),
            ("visits", "<u4"),
            ("match", "<u4"),
            ("ply", "<u2"),
            ("mover", "u1"),
            ("result", "i1"),
            ("test", "?"),
        ]
    )


@attrs.frozen(eq=False, kw_only=True)
class Examples:
    """States and their utilities. Raises GameforgeError if the arrays differ in length."""

    states: NDArray[np.uint64]
    """[N, words]: states after a move; to move there is the opponent of the side that made it."""
    utilities: NDArray[np.float32]
    """[N], -1 to 1, for the side that has just moved."""
    visits: NDArray[np.uint32]
    """[N]: how many results each utility is the mean of."""
    test: NDArray[np.bool_]
    """[N]: which are kept from training."""
    where: str = "examples"
    """Where they come from, for messages."""

    def __attrs_post_init__(self) -> None:
        if not len(self.states) == len(self.utilities) == len(self.visits) == len(self.test):
            raise GameforgeError(f"{self.where}: states, utilities, visits and test must be equally many")

    @classmethod
    def of(cls, rows: Rows, where: str) -> "Examples":
        """What the rows of a folder hold."""
        return cls(
            states=np.ascontiguousarray(rows["state"]),
            utilities=np.ascontiguousarray(rows["utility"]),
            visits=np.ascontiguousarray(rows["visits"]),
            test=np.ascontiguousarray(rows["test"]),
            where=where,
        )

    def __len__(self) -> int:
        return len(self.states)

    def chosen(self, which: NDArray[Any]) -> "Examples":
        """Those at some places, or where a mask is set."""
        columns = {name: getattr(self, name)[which] for name in ("states", "utilities", "visits", "test")}
        return Examples(**columns, where=self.where)

    def split(self) -> "tuple[Examples, Examples]":
        """(those to train with, those to test with); GameforgeError if there are none of either."""
        tests = int(np.count_nonzero(self.test))
        if tests == 0:
            raise GameforgeError(
                f"{self.where}: none of its {len(self)} examples is kept for tests; "
                "`gameforge examples filter` chooses some"
            )
        if tests == len(self):
            raise GameforgeError(f"{self.where}: all {tests} examples are kept for tests, none is left to train with")
        return self.chosen(~self.test), self.chosen(self.test)

    def inputs(self, features: FeatureFunctions) -> NDArray[np.float32]:
        """[N, inputs]: what a feature map of the game makes of the states."""
        from gameforge.kernel.assembly import block, check
        from gameforge.kernel.compile.functions import compiled_function
        from gameforge_examples.recording import input_rows

        function = compiled_function("features", features.features, compiled=features.compiled)
        x = np.zeros((len(self), features.inputs), np.float32)
        words = np.uint64(self.states.shape[1])
        states = np.ascontiguousarray(self.states, np.uint64).reshape(-1)
        input_rows(function, block(features.data), words, states, np.uint64(features.inputs), x.reshape(-1))
        check((function,))
        return x

    def targets(self, viewpoint: Viewpoint) -> NDArray[np.float32]:
        """[N]: the utilities through the eyes of a feature map."""
        return self.utilities if viewpoint == "just moved" else -self.utilities


def joined(parts: "Iterable[Rows]", words: int) -> Rows:
    """The rows of several arrays in one."""
    return np.concatenate([np.zeros(0, row_type(words)), *parts])

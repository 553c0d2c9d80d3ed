"""Examples in memory, and as rows of an array, as they are stored."""

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


def row_type(words: int, *, exact: bool = False) -> np.dtype[np.void]:
    """The type of a stored example of a game whose states have this number of words.

    state: the state after a move. utility: for the side that made the move. visits: the number of results of which the
    utility is the mean. match: the number of the match in the folder. ply: the plies of the match before the move.
    mover: 0 or 1. result: 1 if the mover won the match, -1 if it lost, 0 for a draw. test: whether the example is set
    aside for testing. exact, if asked for: whether an oracle knew the utility.
    """
    columns: list[Any] = [
        ("state", "<u8", (words,)),
        ("utility", "<f4"),
        ("visits", "<u4"),
        ("match", "<u4"),
        ("ply", "<u2"),
        ("mover", "u1"),
        ("result", "i1"),
        ("test", "?"),
    ]
    return np.dtype(columns + [("exact", "?")] * exact)


@attrs.frozen(eq=False, kw_only=True)
class Examples:
    """Examples as arrays of the same length N. Raises GameforgeError if the lengths differ."""

    states: NDArray[np.uint64]
    """[N, words]: the states after a move."""
    utilities: NDArray[np.float32]
    """[N], -1 to 1, for the side that has just moved."""
    visits: NDArray[np.uint32]
    """[N]: the number of results of which each utility is the mean."""
    test: NDArray[np.bool_]
    """[N]: whether an example is set aside for testing."""
    where: str = "examples"
    """Origin of the examples, for error messages."""

    def __attrs_post_init__(self) -> None:
        if not len(self.states) == len(self.utilities) == len(self.visits) == len(self.test):
            raise GameforgeError(f"{self.where}: states, utilities, visits and test must have the same length")

    @classmethod
    def of(cls, rows: Rows, where: str) -> "Examples":
        """The examples in the rows of a folder."""
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
        """Select examples by indices or by a mask."""
        columns = {name: getattr(self, name)[which] for name in ("states", "utilities", "visits", "test")}
        return Examples(**columns, where=self.where)

    def split(self) -> "tuple[Examples, Examples]":
        """Split into (training examples, test examples). Raises GameforgeError if either is empty."""
        tests = int(np.count_nonzero(self.test))
        if tests == 0:
            raise GameforgeError(
                f"{self.where}: none of the {len(self)} examples is set aside for testing; "
                "`gameforge examples filter` sets some aside"
            )
        if tests == len(self):
            raise GameforgeError(
                f"{self.where}: all {tests} examples are set aside for testing, which leaves none to train with"
            )
        return self.chosen(~self.test), self.chosen(self.test)

    def inputs(self, features: FeatureFunctions) -> NDArray[np.float32]:
        """[N, inputs]: the features of the states."""
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
        """[N]: the utilities from the viewpoint of a feature map."""
        return self.utilities if viewpoint == "just moved" else -self.utilities


def joined(parts: "Iterable[Rows]", words: int, *, exact: bool = False) -> Rows:
    """Concatenate arrays of rows."""
    return np.concatenate([np.zeros(0, row_type(words, exact=exact)), *parts])

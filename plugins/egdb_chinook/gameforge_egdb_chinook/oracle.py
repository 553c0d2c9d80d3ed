"""The oracle component `chinook`: win, loss or draw of draughts positions with few pieces."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
from gameforge_draughts.board import BOARD, BOTTOM_ROW, TOP_ROW
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.oracle import Announce, OracleKernel, silent
from gameforge.rules import Rules, State
from gameforge_egdb_chinook import chinook_files, solver, store
from gameforge_egdb_chinook.probe import probe, probe_block
from gameforge_egdb_chinook.slices import positions

MAX_PIECES = 5
"""Most pieces of files whose values are all held in memory."""
SOLVED_PIECES = 4
"""Largest database that is solved on the spot; it takes a few seconds."""


def _check_pieces(instance: "Chinook", attribute: Any, value: int | None) -> None:
    """A number that this way of getting the values allows; messages as attrs words its own."""
    if instance.path is None:
        most, why = SOLVED_PIECES, "are solved on the spot; larger databases come from files: path=DIR"
    else:
        most, why = MAX_PIECES, "are read from files, since all values are held in memory"
    if value is not None and (type(value) is not int or not 2 <= value <= most):
        raise GameforgeError(f"'pieces' must be an integer from 2 to {most}: up to {most} pieces {why} (got {value!r})")


@attrs.frozen(kw_only=True)
class Chinook:
    """Exact values of all positions with up to `pieces` pieces, with captures resolved."""

    path: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.instance_of(str)))
    """Folder with a Chinook database, or its index file; None: solve on first use."""
    pieces: int | None = attrs.field(default=None, validator=_check_pieces)
    """None: 4 if solved here, else all that the files hold, up to 5."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleKernel:
        """Load from the cache folder, or read and complete the files, or solve.

        Raises GameforgeError if the rules are not those of draughts or the files are not usable.
        """
        if rules.name != "draughts":
            raise GameforgeError(f"the oracle chinook knows draughts, not {rules.name}")
        if self.path is None:
            pieces, packed = self._solved(announce, workers)
        else:
            pieces, packed = self._from_files(Path(self.path).expanduser(), announce, workers)

        def why_not(state: State) -> str:
            return _why_not(state, pieces)

        return OracleKernel(
            probe=probe,
            data=probe_block(pieces, packed),
            covers=f"positions with up to {pieces} pieces",
            why_not=why_not,
        )

    def _solved(self, announce: Announce, workers: int) -> tuple[int, NDArray[np.uint64]]:
        pieces = SOLVED_PIECES if self.pieces is None else self.pieces

        def build() -> NDArray[np.uint8]:
            return solver.solve(pieces, workers, announce)

        path = store.folder() / f"solved-{pieces}.egdb"
        return pieces, store.kept(path, store.SOLVED, pieces, positions(pieces), build)

    def _from_files(self, path: Path, announce: Announce, workers: int) -> tuple[int, NDArray[np.uint64]]:
        files = chinook_files.read(path)
        pieces = min(files.pieces, MAX_PIECES) if self.pieces is None else self.pieces
        if pieces > files.pieces:
            raise GameforgeError(f"{files.index_path} covers up to {files.pieces} pieces, not {pieces}")

        def build() -> NDArray[np.uint8]:
            values = files.values(pieces)
            solver.resolve_captures(values, pieces, workers, announce)
            contradiction = solver.first_contradiction(values, pieces, workers, announce)
            if contradiction is not None:
                where, index = contradiction
                raise GameforgeError(
                    f"{files.data_path}: altered, the value of position {index} of the slice BASE{where.name} "
                    "does not follow from those of its successors"
                )
            return values

        name = f"{files.data_path.name.lower()}-{files.digest.hex()[:16]}-{pieces}.egdb"
        return pieces, store.kept(store.folder() / name, files.digest, pieces, positions(pieces), build)


def _why_not(state: State, pieces: int) -> str:
    own, opp, kings = state[0], state[1], state[2]
    count = (own | opp).bit_count()
    if count > pieces:
        return f"{count} pieces; this database covers up to {pieces}"
    if own and not opp:
        return "the side that has just moved has no pieces; such a position cannot arise"
    top, bottom = (BOTTOM_ROW, TOP_ROW) if kings >> 63 else (TOP_ROW, BOTTOM_ROW)
    if ((own & int(top)) | (opp & int(bottom))) & ~kings & int(BOARD):
        return "a man stands on its crowning row"
    return "the position is covered"

"""Whether Chinook's files are what was once written: what is known to be damaged is never probed.

* A manifest beside a file (FORMAT.md): its checksums must hold.
* An index that is one of those published: the data must be the published data.
* Other files: each quiet position's value must follow from those of its successors. All positions with up to
  5 pieces are checked, of larger slices SAMPLE positions each, which finds files that are damaged throughout but
  hardly a single altered code (`egdb verify` checks every value). A database that passes is remembered by its
  checksum in the cache folder, so this is done once.
"""

import contextlib
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.board import BOARD, STATE_WORDS
from numpy.typing import NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge_egdb_chinook import manifest, official, store
from gameforge_egdb_chinook.captures import SPACE, exact_value, mover_can_capture, other_could_capture
from gameforge_egdb_chinook.chinook_files import DataFile
from gameforge_egdb_chinook.file_block import quiet_value
from gameforge_egdb_chinook.indexing import set_up
from gameforge_egdb_chinook.slices import Slice

CHECKED_WHOLLY = 5
"""Slices with more pieces are sampled."""
SAMPLE = 4096
_CHUNK = 1 << 15
"""Positions of one call."""

_0, _63 = np.uint64(0), np.uint64(63)
_STATE_WORDS, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_SPACE_AT = np.uint64(2 * STATE_WORDS + movegen.MAX_MOVES)
_gen, _play = inline(movegen.gen), inline(movegen.play)

Words = NDArray[np.uint64]


def check(files: Sequence[DataFile], block: Words, covered: Sequence[Slice], workers: int, tell: Announce) -> None:
    """Raise GameforgeError that names the file which is damaged. `block`: see file_block.py."""
    unknown = [file for file in files if not _has_checksum(file)]
    if not unknown:
        return
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.index_path.read_bytes()).digest())
        digest.update(hashlib.sha256(file.data[: file.size].data).digest())
    digest.update(str(max(s.pieces for s in covered)).encode())
    passed = store.folder() / f"{digest.hexdigest()[:32]}.checked"
    if passed.exists():
        return
    _check_values(files, block, covered, workers, tell)
    with contextlib.suppress(OSError):  # a folder that cannot be written costs time only
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()


def _has_checksum(file: DataFile) -> bool:
    """True if there is a checksum for the file, and it holds."""
    path = file.data_path.with_name(file.data_path.name + ".json")
    if path.is_file() and manifest.is_manifest(path):
        found = manifest.read(path)
        if [kept.name for kept in found.files] != [file.data_path.name, file.index_path.name]:
            raise GameforgeError(f"{path}: the manifest of other files, not of {file.data_path.name}")
        manifest.check(found)
        return True
    return is_published(file)


def is_published(file: DataFile) -> bool:
    """Whether it is a published file; GameforgeError if it has the index of one, but other data."""
    published = official.of_index(hashlib.sha256(file.index_path.read_bytes()).hexdigest())
    if published is None:
        return False
    if hashlib.sha256(file.data[: published.size].data).hexdigest() != published.data:
        raise GameforgeError(
            f"{file.data_path}: altered, {file.index_path.name} is the index of {published.title}, "
            "but the data is not what was published"
        )
    return True


def _check_values(
    files: Sequence[DataFile], block: Words, covered: Sequence[Slice], workers: int, tell: Announce
) -> None:
    owners = {record.name: file for file in files for record in file.records}
    parts = []
    for number, s in enumerate(covered):
        step = 1 if s.pieces <= CHECKED_WHOLLY else max(1, s.size // SAMPLE)
        end = s.start + s.size
        parts += [
            (number, first, min(first + step * _CHUNK, end), step) for first in range(s.start, end, step * _CHUNK)
        ]

    def contradiction(part: tuple[int, int, int, int]) -> int:
        return int(_first_contradiction(block, *map(np.uint64, part)))

    what = f"checking the values of {files[0].index_path.name} (once)"
    if any(s.pieces > CHECKED_WHOLLY for s in covered):
        tell(
            f"{files[0].index_path}: no checksum is known; of slices with more than {CHECKED_WHOLLY} pieces only "
            f"{SAMPLE:,} values each are checked now (gameforge egdb verify checks all)",
            0,
            0,
        )
    with ThreadPoolExecutor(workers) as pool:
        for done, (part, index) in enumerate(zip(parts, pool.map(contradiction, parts), strict=True), 1):
            if index != part[2]:
                s = covered[part[0]]
                raise GameforgeError(
                    f"{owners[s.name].data_path}: altered, the value of position {index - s.start} of the slice "
                    f"BASE{s.name} does not follow from those of its successors"
                )
            if done % 64 == 0 or done == len(parts):
                tell(what, done, len(parts))


@kernel
def _first_contradiction(block: Any, number: Any, first: Any, end: Any, step: Any) -> Any:
    """First index, every `step`, of a quiet position whose value does not follow from its successors', or `end`."""
    od = at(block, _0)
    words = np.empty(_SPACE_AT + SPACE, np.uint64)
    s, child, moves, space = at(words, _0), at(words, _STATE_WORDS), at(words, _MOVES), at(words, _SPACE_AT)
    index = first
    while index < end:
        set_up(od, number, index, s)
        if not mover_can_capture(s) and not other_could_capture(s):
            n = _gen(s, s, moves)
            lost = True
            won = unknown = False
            for i in range(n):
                _play(s, s, moves[i], child)
                value = exact_value(od, child, space, np.uint64(SPACE))
                if value == LOSS:
                    won = True
                    break
                unknown |= value == UNKNOWN
                lost &= value == WIN
            expected = WIN if won else LOSS if lost else DRAW
            if quiet_value(od, s[0], s[1], s[2] & BOARD, s[2] >> _63) != expected and (won or not unknown):
                return index
        index += step
    return end

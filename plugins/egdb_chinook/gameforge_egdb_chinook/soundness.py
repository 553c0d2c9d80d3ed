"""Check Chinook's files before they are probed, so that damaged files are refused.

* Files with a manifest (FORMAT.md) must have the checksums in it.
* If the index is a published one, the data must be the published data.
* In other files, the value of each quiet position must follow from those of its successors. All positions with up to
  5 pieces are checked, and SAMPLE positions of each larger slice. The sample finds damage that affects a whole slice,
  but hardly a single altered code (`egdb verify` checks every value). The cache folder remembers the checksum of a
  database that has passed, so this is done once.
"""

import contextlib
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.board import BOARD, STATE_WORDS
from gameforge_retrograde.manifest import cache_folder

from gameforge import GameforgeError
from gameforge.interfaces import DRAW, LOSS, WIN, Announce
from gameforge.kernel import U0, UNKNOWN, Word, WordArray, at, inline, kernel
from gameforge_egdb_chinook import manifest
from gameforge_egdb_chinook.chinook_files import DataFile
from gameforge_egdb_chinook.file_block import quiet_value
from gameforge_egdb_chinook.indexing import set_up
from gameforge_egdb_chinook.probe import SPACE, exact_value, mover_can_capture, other_could_capture
from gameforge_egdb_chinook.slices import Slice

CHECKED_WHOLLY = 5
"""Maximum number of pieces of slices of which every position is checked; larger slices are sampled."""
SAMPLE = 4096
"""Number of positions that are checked in a slice that is sampled."""
_CHUNK = 1 << 15
"""Number of positions that one call of the kernel checks."""

_63 = np.uint64(63)
_STATE_WORDS, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_SPACE_AT = np.uint64(2 * STATE_WORDS + movegen.MAX_MOVES)
_gen, _play = inline(movegen.gen), inline(movegen.play)


def check(
    files: Sequence[DataFile], block: WordArray, covered: Sequence[Slice], workers: int, announce: Announce
) -> None:
    """Check the files from which a block (file_block.py) was made. Raises GameforgeError that names a damaged file."""
    unknown = [file for file in files if not _has_checksum(file)]
    if not unknown:
        return
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.index_path.read_bytes()).digest())
        digest.update(hashlib.sha256(file.data[: file.size].data).digest())
    digest.update(str(max(s.pieces for s in covered)).encode())
    passed = cache_folder() / f"{digest.hexdigest()[:32]}.checked"
    if passed.exists():
        return
    _check_values(files, block, covered, workers, announce)
    with contextlib.suppress(OSError):  # if the folder cannot be written, the next start checks again
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()


def _has_checksum(file: DataFile) -> bool:
    """Whether a checksum of the file is known. Raises GameforgeError if the file does not match it."""
    path = file.data_path.with_name(file.data_path.name + ".json")
    if path.is_file() and manifest.is_manifest(path):
        found = manifest.read(path)
        if [kept.name for kept in found.files] != [file.data_path.name, file.index_path.name]:
            raise GameforgeError(f"{path}: the manifest of other files, not of {file.data_path.name}")
        manifest.check(found)
        return True
    return is_published(file)


def is_published(file: DataFile) -> bool:
    """Whether it is a published file. Raises GameforgeError if the index is a published one but the data is not."""
    published = manifest.official_of_index(hashlib.sha256(file.index_path.read_bytes()).hexdigest())
    if published is None:
        return False
    if hashlib.sha256(file.data[: published.size].data).hexdigest() != published.data:
        raise GameforgeError(
            f"{file.data_path}: altered, {file.index_path.name} is the index of {published.title}, "
            "but the data is not the published data"
        )
    return True


def _check_values(
    files: Sequence[DataFile], block: WordArray, covered: Sequence[Slice], workers: int, announce: Announce
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
        announce(
            f"{files[0].index_path}: no checksum is known; in each slice with more than {CHECKED_WHOLLY} pieces, only "
            f"{SAMPLE:,} values are checked now (gameforge egdb verify checks all)",
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
                announce(what, done, len(parts))


@kernel
def _first_contradiction(block: WordArray, number: Word, first: Word, end: Word, step: Word) -> Word:
    """First index of a quiet position whose value does not follow from those of its successors, else `end`.

    Checks every `step`-th position of slice `number` from `first` on. Values that depend on uncovered positions pass.
    """
    od = at(block, U0)
    words = np.empty(_SPACE_AT + SPACE, np.uint64)
    s, child, moves, space = at(words, U0), at(words, _STATE_WORDS), at(words, _MOVES), at(words, _SPACE_AT)
    index = first
    while index < end:
        set_up(od, number, index, s)
        # Other positions have no value of their own in the files.
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

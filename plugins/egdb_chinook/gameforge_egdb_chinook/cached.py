"""The databases that the oracle builds itself, in the cache folder, if no path is given.

Up to 4 pieces, the values of all positions are solved in a second or two and stored with two bits each, so a probe is
a single lookup. With 5 or 6 pieces, Chinook's files are built in the cache folder, and so are databases of distances.
The cost is announced first, and an interrupted build is resumed.

The file of solved values has a header of 88 bytes, little-endian: magic, version, pieces, number of positions, origin
(SHA-256 of the files from which the values come, zeros if GameForge solved them), and the SHA-256 of the preceding
header fields and the rest of the file. It is followed by 64-bit words of 32 positions; position 0 is in the lowest two
bits of word 0. The values are WIN, LOSS and DRAW of gameforge.interfaces.
"""

import hashlib
import struct
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gameforge_retrograde import kernels
from gameforge_retrograde.indexer import ByteArray
from gameforge_retrograde.manifest import cache_folder

from gameforge import GameforgeError
from gameforge.interfaces import Announce
from gameforge.kernel import WordArray
from gameforge.storage import files, locked
from gameforge_egdb_chinook import solving
from gameforge_egdb_chinook.build import Build, BuildInProgress, BuildProgress
from gameforge_egdb_chinook.slices import positions
from gameforge_egdb_chinook.target import Target, cost, target

MAGIC = b"GFEGDB\r\n"
VERSION = 1
"""Version of this format and of the numbering of positions (slices.py)."""
_SOLVED_HERE = bytes(32)
"""Origin of values that GameForge has solved."""
_FIELDS = struct.Struct("<8sIIQ32s")
_HEADER = _FIELDS.size + hashlib.sha256().digest_size
POSITIONS_PER_WORD = 32


class CacheWarning(UserWarning):
    """A cache file cannot be read or written. The values are correct nevertheless; they are only computed again."""


def pack(values: ByteArray) -> WordArray:
    """Pack values, one byte each, into the words of the file."""
    packed = np.zeros(-(-len(values) // POSITIONS_PER_WORD) * 8, np.uint8)
    kernels.pack(values, packed, 0)
    return packed.view("<u8").astype(np.uint64)


def load_or_build(path: Path, pieces: int, positions: int, build: Callable[[], ByteArray]) -> WordArray:
    """Packed values from the cache file at `path`, or from `build`, whose values are then saved there.

    A truncated, altered or foreign file causes a CacheWarning and is replaced. Several processes may do this at once:
    each writes a temporary file in its turn and renames it. What a killed process left of such a file is removed.
    """
    fields = _FIELDS.pack(MAGIC, VERSION, pieces, positions, _SOLVED_HERE)
    try:
        return _load(path, fields, positions)
    except FileNotFoundError:
        pass
    except _Unusable as error:
        _warn(f"{path}: {error}; it will be built again")
    except OSError as error:
        _warn(f"{path}: cannot be read ({error.strerror}); it will be built again")
    words = pack(build())
    try:
        _save(path, fields, words)
    except (OSError, GameforgeError) as error:
        _warn(f"{path}: cannot be written ({error}); the next start will build it again")
    return words


def _warn(message: str) -> None:
    warnings.warn(message, CacheWarning, stacklevel=3)


class _Unusable(Exception):
    """Raised with the reason why a file is not the expected cache file."""


def _load(path: Path, fields: bytes, positions: int) -> WordArray:
    content = path.read_bytes()
    if content[: len(MAGIC)] != MAGIC:
        raise _Unusable("not a cache file of solved values")
    if content[: len(fields)] != fields:
        raise _Unusable("made from other files or by another version")
    size = _HEADER + -(-positions // POSITIONS_PER_WORD) * 8
    if len(content) != size:
        raise _Unusable(f"it has {len(content):,} bytes instead of {size:,}")
    payload = content[_HEADER:]
    if content[len(fields) : _HEADER] != hashlib.sha256(fields + payload).digest():
        raise _Unusable("damaged, its checksum does not match")
    return np.frombuffer(payload, "<u8").astype(np.uint64)


def _save(path: Path, fields: bytes, words: WordArray) -> None:
    payload = words.astype("<u8").tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.parent, wait=True):
        files.remove_temporaries_of([path])
        files.write_atomically(path, fields + hashlib.sha256(fields + payload).digest() + payload)


SOLVED_PIECES = 4
"""Maximum number of pieces for which all values are solved in memory."""
BUILT_PIECES = 6
"""Maximum number of pieces for which Chinook's files are built."""
_PATIENCE = 0.5
"""Seconds between two checks whether another process has finished its build."""


def solved(pieces: int, announce: Announce, workers: int) -> WordArray:
    """Packed values of all positions with up to `pieces` pieces, from the cache or solved now.

    If several processes start at once, each of them solves, and one result is kept.
    """
    path = cache_folder() / f"solved-{pieces}.egdb"
    return load_or_build(path, pieces, positions(pieces), lambda: solving.solve(pieces, workers, announce))


def missing(format: str, pieces: int, workers: int = 1) -> str:
    """What `built` has to build, and what that costs; "" if the database is in the cache folder."""
    wanted = target(format, pieces, None, cache_folder())
    if wanted.manifest_path.exists():
        return ""
    needs = cost(wanted, workers, wanted.slices())
    memory, disk = files.size_text(needs.memory), files.size_text(needs.disk)
    costs = f"{max(1, round(needs.seconds / 60))} min, {memory} of memory, {disk}"
    kind = "" if format == "chinook" else f", with distances ({format})"
    return f"all positions with up to {pieces} pieces{kind}, once: about {costs} of disk in {wanted.folder}"


def built(format: str, pieces: int, announce: Announce, workers: int) -> Target:
    """The database in the cache folder, built first if it is missing. Other processes wait while one builds."""
    wanted = target(format, pieces, None, cache_folder())
    what = missing(format, pieces, workers)
    if what:
        announce(f"building {what}", 0, 0)
    while True:
        try:
            Build(wanted, workers, None, announce).run()
        except BuildInProgress:
            there = BuildProgress.read(wanted.build_folder)
            if there is None:
                announce(f"waiting for another process that is building {wanted.name}", 0, 0)
            else:
                announce(f"waiting for process {there.pid}, which builds {wanted.name}", there.done, there.total)
            time.sleep(_PATIENCE)
        else:
            return wanted

"""The oracle component `chinook`: exact values of draughts positions with few pieces.

If no path is given, the oracle builds its databases itself, in the cache folder. Up to 4 pieces, the values of all
positions are solved in a second or two and stored with two bits each, so a probe is a single lookup. With 5 or 6
pieces, Chinook's files are built there, and so are databases of distances. The cost is announced first, and an
interrupted build is resumed.

The file of solved values has a header of 88 bytes, little-endian: magic, version, pieces, number of positions, origin
(SHA-256 of the files from which the values come, zeros if GameForge solved them), and the SHA-256 of the preceding
header fields and the rest of the file. It is followed by 64-bit words of 32 positions; position 0 is in the lowest two
bits of word 0. The values are WIN, LOSS and DRAW of gameforge.interfaces.
"""

import functools
import hashlib
import struct
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
from gameforge_draughts.movegen import BOARD, BOTTOM_ROW, TOP_ROW
from gameforge_retrograde import kernels
from gameforge_retrograde.database_files import cache_folder
from gameforge_retrograde.indexer import ByteArray

from gameforge import GameforgeError
from gameforge.interfaces import Announce, OracleFunctions, Rules, State, silent
from gameforge.kernel import WordArray
from gameforge.storage import files, locked
from gameforge_egdb_chinook import chinook_files, distances, solving, soundness
from gameforge_egdb_chinook.build import Build, BuildInProgress, BuildProgress
from gameforge_egdb_chinook.chinook_files import coverage_text, covered_slices
from gameforge_egdb_chinook.file_block import file_block
from gameforge_egdb_chinook.probe import SPACE, Probe, probe, probe_block, probe_files, probe_quiet, probe_raw
from gameforge_egdb_chinook.slices import MAX_PIECES, positions
from gameforge_egdb_chinook.target import MOST_PIECES, Target, cost, target

_PIECES = {"dtw": 5, "mtc": 5}
"""Databases of distances that are built on first use, and their numbers of pieces if none is given."""


def _check_pieces(instance: "Chinook", attribute: object, value: int | None) -> None:
    """Raise GameforgeError if the number is not allowed; the limit depends on where the values come from.

    The message begins with the quoted name, as those of attrs do.
    """
    if instance.path is None:
        most = BUILT_PIECES if instance.format is None else MOST_PIECES[instance.format]
        why = "can be built on first use; larger databases come from files: path=DIR"
    else:
        most, why = MAX_PIECES, "can be read from files"
    if value is not None and (type(value) is not int or not 2 <= value <= most):
        raise GameforgeError(f"'pieces' must be an integer from 2 to {most}: up to {most} pieces {why} (got {value!r})")


def _check_format(instance: "Chinook", attribute: object, value: str | None) -> None:
    if value is not None and value not in _PIECES:
        raise GameforgeError(f"'format' must be {' or '.join(_PIECES)} (got {value!r})")
    if value is not None and instance.path is not None:
        raise GameforgeError("'format' is for databases that are built on first use; files have their own")


def _check_bool(instance: "Chinook", attribute: "attrs.Attribute[bool]", value: bool) -> None:
    if type(value) is not bool:
        raise GameforgeError(f"'{attribute.name}' must be true or false (got {value!r})")


def _check_expand(instance: "Chinook", attribute: object, value: bool) -> None:
    if value and instance.path is None and (instance.pieces or 0) <= SOLVED_PIECES:
        raise GameforgeError("'expand' needs files: path=DIR, or pieces=5 or 6; smaller databases are always expanded")


def _check_quiet(instance: "Chinook", attribute: object, value: bool) -> None:
    if value and instance.format is not None:
        raise GameforgeError("'quiet' is for databases without distances; leave out 'format'")


def _check_cache(instance: "Chinook", attribute: object, value: int) -> None:
    if type(value) is not int or not 1 <= value <= 4096:
        raise GameforgeError(f"'cache' must be an integer from 1 to 4096, in MiB (got {value!r})")


@attrs.frozen(kw_only=True)
class Chinook:
    """The oracle: exact values of positions with few pieces, including those with pending captures."""

    path: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.instance_of(str)))
    """Folder with a database, or one of its index files or manifests. None: build one on first use (py)."""
    format: str | None = attrs.field(default=None, validator=_check_format)
    """Without a path: `dtw` or `mtc`, distances that are built on first use. None: values without distances."""
    pieces: int | None = attrs.field(default=None, validator=_check_pieces)
    """Maximum number of pieces. None: without a path 4, or 5 with distances; else all that the files hold."""
    expand: bool = attrs.field(default=False, validator=[_check_bool, _check_expand])
    """Decode Chinook's files into memory, two bits per position."""
    cache: int = attrs.field(default=16, validator=_check_cache)
    """Maximum size of the cache of marks into compressed blocks (file_block.py), in MiB, rounded down to a power of 2.
    4 MiB are enough for all of DB6."""
    quiet: bool = attrs.field(default=False, validator=[_check_bool, _check_quiet])
    """Know only positions in which neither side could capture, as [Neto2009] does, and resolve no captures."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Open the database; without a path, build it first if it is missing in the cache folder.

        Raises GameforgeError if the rules are not those of draughts or the files are damaged or missing.
        """
        if rules.name != "draughts":
            raise GameforgeError(f"the oracle chinook knows draughts, not {rules.name}")
        if self.path is None:
            return self._embedded(announce, workers)
        path = Path(self.path).expanduser()
        manifest = _distances_at(path)
        return self._from_files(path, announce, workers) if manifest is None else self._distances(manifest)

    def missing(self, rules: Rules) -> str:
        """Return which database of the cache folder opening has to build first, with its cost; "" if none."""
        if self.path is not None:
            return ""
        if self.format is not None:
            return missing(self.format, self.pieces or _PIECES[self.format])
        pieces = SOLVED_PIECES if self.pieces is None else self.pieces
        return missing("chinook", pieces) if pieces > SOLVED_PIECES else ""  # solved in a second or two

    def _embedded(self, announce: Announce, workers: int) -> OracleFunctions:
        if self.format is not None:
            wanted = built(self.format, self.pieces or _PIECES[self.format], announce, workers)
            return self._distances(wanted.manifest_path)
        pieces = SOLVED_PIECES if self.pieces is None else self.pieces
        if pieces > SOLVED_PIECES:
            return self._from_files(built("chinook", pieces, announce, workers).index_path, announce, workers)
        block = probe_block(pieces, solved(pieces, announce, workers))
        function = probe_quiet if self.quiet else probe
        return _functions(function, block, self._covers(f"positions with up to {pieces} pieces"), pieces)

    def _from_files(self, path: Path, announce: Announce, workers: int) -> OracleFunctions:
        files = chinook_files.read(path)
        covered = covered_slices(files, self.pieces)
        block = file_block(files, covered, self.cache << 20, self.expand, workers, announce)
        soundness.check(files, block, covered, workers, announce)
        function, covers = probe_raw if self.quiet else probe_files, self._covers(coverage_text(covered))
        return _functions(function, block, covers, max(s.pieces for s in covered), scratch=SPACE)

    def _covers(self, positions: str) -> str:
        return f"{positions} in which neither side could capture" if self.quiet else positions

    def _distances(self, manifest: Path) -> OracleFunctions:
        if self.quiet:
            raise GameforgeError(f"{manifest}: 'quiet' is for databases without distances")
        if self.expand:
            raise GameforgeError(f"{manifest}: 'expand' is for Chinook's files only; distances are not compressed")
        file = distances.read(manifest)
        pieces = file.pieces if self.pieces is None else self.pieces
        if pieces > file.pieces:
            raise GameforgeError(f"{file.path} covers up to {file.pieces} pieces, not {pieces}")
        function, what = {
            "dtw": (distances.probe_dtw, "plies to the end"),
            "mtc": (distances.probe_mtc, "plies to the next capture or man's move"),
        }[file.manifest.metric]
        covers = f"positions with up to {pieces} pieces, with {what}"
        return _functions(function, distances.distance_block(file, pieces), covers, pieces)


def _distances_at(path: Path) -> Path | None:
    """The manifest of the database of distances at `path`; None if the path is left to the reader of Chinook's files.

    Raises GameforgeError if a manifest is missing or the folder holds several databases.
    """
    if path.suffix.lower() == ".json" and path.is_file():
        return path
    if path.suffix.lower() == ".egdb" and path.is_file():
        manifest = path.with_suffix(".json")
        if not manifest.is_file():
            raise GameforgeError(f"{path}: its manifest {manifest.name} is missing")
        return manifest
    if not path.is_dir():
        return None
    found = sorted(file for file in path.glob("*.json") if file.with_suffix(".egdb").is_file())
    indexes = sorted(file for file in path.iterdir() if file.suffix.lower() == ".idx")
    indexes = [index for index in indexes if index.with_suffix("").is_file()]
    orphans = sorted(file for file in path.glob("*.egdb") if not file.with_suffix(".json").is_file())
    if orphans and not found and not indexes:
        raise GameforgeError(f"{orphans[0]}: its manifest {orphans[0].stem}.json is missing")
    if len(found) + bool(indexes) > 1:
        names = ", ".join(file.name for file in [*indexes, *found])
        raise GameforgeError(f"{path}: holds several databases ({names}); name one of these files")
    return found[0] if found else None


def _functions(function: Probe, block: WordArray, covers: str, pieces: int, scratch: int = 0) -> OracleFunctions:
    why_not = functools.partial(_why_not, pieces=pieces, covers=covers)
    return OracleFunctions(probe=function, data=block, covers=covers, why_not=why_not, scratch=scratch)


def _why_not(state: State, pieces: int, covers: str) -> str:
    own, opp, kings = state[0], state[1], state[2]
    count = (own | opp).bit_count()
    if count > pieces:
        return f"{count} pieces; this database covers up to {pieces}"
    if own and not opp:
        return "the side that has just moved has no pieces; such a position cannot arise"
    top, bottom = (BOTTOM_ROW, TOP_ROW) if kings >> 63 else (TOP_ROW, BOTTOM_ROW)
    if ((own & int(top)) | (opp & int(bottom))) & ~kings & int(BOARD):
        return "a man is on its crowning row; such a position cannot arise"
    return (
        f"{own.bit_count()} pieces against {opp.bit_count()}, or a capture that leads out of the database; "
        f"it covers {covers}"
    )


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

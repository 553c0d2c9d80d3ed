"""Build a database: solve unit by unit into a build folder, then write the files. A killed build can be resumed.

The build folder holds the values of solved units (`values`, four per byte, mapped into memory), the unfinished file
of distances (`data`), the codes of the slices in the order in which they were finished (`codes`), the journal of
finished units, and how far the build is (`progress`, which waiting processes read). The data, the index and, last, the
manifest are written under their final names; then the build folder is removed.
"""

import contextlib
import functools
import hashlib
import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import BinaryIO

import attrs
import numpy as np
from gameforge_draughts.notation import position_text
from gameforge_retrograde import kernels
from gameforge_retrograde.database_files import FORMAT, VERSION, Journal, KeptFile
from gameforge_retrograde.indexer import ByteArray, Unit
from gameforge_retrograde.solver import Solver, packed_places

from gameforge import GameforgeError
from gameforge.interfaces import LOSS, WIN, Announce, silent
from gameforge.storage import files, locked, stored
from gameforge_egdb_chinook import solving
from gameforge_egdb_chinook.chinook_files import Place, index_record, layout, slice_codes, tally
from gameforge_egdb_chinook.codes import mapped
from gameforge_egdb_chinook.distances import HEADER_BYTES, header, longest_distance, to_mtc
from gameforge_egdb_chinook.slices import Slice
from gameforge_egdb_chinook.target import Target, require_room
from gameforge_egdb_chinook.units import DraughtsUnits


def _is_span(
    instance: object, attribute: "attrs.Attribute[tuple[int, int] | None]", value: tuple[int, int] | None
) -> None:
    if value is not None and not 0 <= value[0] <= value[1]:
        raise ValueError(f"'{attribute.name}' must be two places in a file, in order: {value}")


@attrs.frozen(kw_only=True)
class SolvedSlice:
    """A slice of a finished unit. The fields are those of the manifest (FORMAT.md), and where its codes are kept."""

    name: str
    first: int
    positions: int
    win: int
    loss: int
    draw: int
    longest_win: int | None = None
    longest_loss: int | None = None
    example: str | None = None
    default: int | None = None
    """Default value of Chinook's format; None for distances."""
    size: int | None = None
    """Number of bytes of its codes; None if it has none."""
    codes: tuple[int, int] | None = attrs.field(default=None, validator=_is_span)
    """First and end byte of its codes."""

    def record(self) -> dict[str, object]:
        """Return its record in the manifest, which the place of its data completes."""
        return attrs.asdict(self, filter=attrs.filters.exclude("default", "size", "codes"))


@attrs.frozen(kw_only=True)
class SolvedUnit:
    """A finished unit, as the journal keeps it."""

    unit: Unit
    sha256: str
    """Checksum of its values, distances and codes."""
    slices: tuple[SolvedSlice, ...]


def log_line(solved: SolvedSlice, seconds: float) -> str:
    """Describe a solved slice in one line; seconds: the time that it took."""
    line = (
        f"BASE{solved.name} {solved.positions:,} positions: {solved.win:,} won, {solved.loss:,} lost, "
        f"{solved.draw:,} drawn"
    )
    if solved.longest_win is not None:
        line += f", longest win {solved.longest_win} plies"
    return f"{line}, {seconds:.2f} s"


_VERSION = 2


_BEAT = 1.0
"""Smallest time between two records of the progress, in seconds."""


class BuildInProgress(GameforgeError):
    """Raised if another process is building the same database."""


@attrs.frozen
class BuildProgress:
    """How far a build is, as the process that builds records it in the build folder, for those that wait."""

    pid: int
    done: int
    """Number of solved positions."""
    total: int

    @classmethod
    def read(cls, folder: Path) -> "BuildProgress | None":
        """Read the record of a build folder; None without one."""
        try:
            return stored.read_as(cls, stored.parse_json((folder / "progress").read_bytes()))
        except (OSError, ValueError, GameforgeError):
            return None

    @classmethod
    def text(cls, folder: Path) -> str:
        """Return the record of a build folder as a text; "" without one."""
        found = cls.read(folder)
        return "" if found is None else f"{found.done:,} of {found.total:,} positions"

    def write(self, folder: Path) -> None:
        """Replace the record; it may be read incomplete, which does no harm, and need not survive a power cut."""
        (folder / "progress").write_text(json.dumps(attrs.asdict(self)))


class Build:
    """A build of one database, in the build folder of its target, by one process."""

    def __init__(
        self,
        wanted: Target,
        workers: int = 1,
        capacity: int | None = None,
        announce: Announce = silent,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Prepare the build.

        `capacity` is the maximum number of positions solved at the same time, None for no limit. `log` gets one line
        per slice, from any thread.
        """
        self._target, self._workers, self._capacity = wanted, workers, capacity
        self._announce, self._log = announce, log
        self._slices = wanted.slices()
        self._units = DraughtsUnits(self._slices)
        self._places = packed_places(self._units.sizes)
        self._defaults = {place.name: place.default for place in layout(wanted.pieces)}
        self._lock = threading.Lock()

    def run(self) -> Path:
        """Build what is missing and return the path of the manifest.

        Raises GameforgeError if a file cannot be written, or exists but does not belong to this build, and
        BuildInProgress if another process is building.
        """
        target = self._target
        folder = target.build_folder
        if target.manifest_path.exists():
            shutil.rmtree(folder, ignore_errors=True)  # exists if a build was killed after writing the manifest
            return target.manifest_path
        require_room(target, self._workers, self._capacity)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as stack:
                try:
                    stack.enter_context(locked(folder, progress=lambda: BuildProgress.text(folder)))
                except GameforgeError as error:
                    raise BuildInProgress(str(error)) from None
                except FileNotFoundError:  # a build that has just ended removed it
                    raise BuildInProgress(f"{folder}: another process has just built there") from None
                if not target.manifest_path.exists():  # another process may have finished in the meantime
                    files.remove_temporaries_of((target.index_path, target.manifest_path))
                    self._check_owner(folder)
                    self._solve(folder)
                    self._finish(folder)
        except OSError as error:
            raise GameforgeError(f"{error.filename or folder}: cannot be written ({error.strerror})") from error
        shutil.rmtree(folder, ignore_errors=True)
        return target.manifest_path

    def _check_owner(self, folder: Path) -> None:
        """Raise GameforgeError if files with the final names exist although nothing was built in this folder."""
        if not (folder / "journal").exists():
            for path in (self._target.data_path, self._target.index_path):
                if path.exists():
                    shutil.rmtree(folder, ignore_errors=True)
                    raise GameforgeError(f"{path} exists and was not built here; choose another folder")

    def _solve(self, folder: Path) -> None:
        target = self._target
        self._data: ByteArray | None = None
        if target.format != "chinook":
            if target.data_path.exists():  # killed before the manifest was written
                target.data_path.replace(folder / "data")
            self._data = mapped(folder / "data", HEADER_BYTES + -(-self._total // 8) * 8)
            head = header(target.pieces, self._total, target.metric)
            self._data[: len(head)] = np.frombuffer(head, np.uint8)
        if target.format == "dtw":
            assert self._data is not None
            self._solver = Solver(self._units, self._data[HEADER_BYTES:], self._units.starts)
        else:
            store = mapped(folder / "values", self._places[-1] // 4)
            self._solver = Solver(self._units, store, self._places)
        self._codes_path = folder / "codes"
        self._codes_path.touch()
        self._game = self._units.game_block(self._places)
        self._journal = Journal(folder / "journal", {"version": _VERSION, "name": target.name}, SolvedUnit)
        done = self._verified()
        self._solved = {part.name: part for entry in done.values() for part in entry.slices}
        self._codes_end = max((part.codes[1] for part in self._solved.values() if part.codes), default=0)
        progress = solving.running_total(self._recorded(folder), f"building {target.name}", self._total)
        progress(0)
        self._solver.run(self._solve_unit, self._workers, progress, set(done), self._capacity)

    def _recorded(self, folder: Path) -> Announce:
        """Return the announcement of progress, which also records it now and then."""
        due = 0.0

        def announce(what: str, done: int, total: int) -> None:
            nonlocal due
            if time.monotonic() >= due:
                due = time.monotonic() + _BEAT
                BuildProgress(os.getpid(), done, total).write(folder)
            self._announce(what, done, total)

        return announce

    @property
    def _total(self) -> int:
        return sum(self._units.sizes)

    def _verified(self) -> dict[Unit, SolvedUnit]:
        """The journal's entries whose results still have the checksum recorded with them, by unit."""
        found = {}
        units = {unit for level in self._units.levels for unit in level}
        with self._codes_path.open("rb") as codes:
            for entry in self._journal.entries:
                kept = b""
                for first, end in (part.codes for part in entry.slices if part.codes):
                    codes.seek(first)
                    kept += codes.read(end - first)
                if entry.unit in units and entry.sha256 == self._digest(entry.unit, kept):
                    found[entry.unit] = entry
        return found

    def _digest(self, unit: Unit, codes: bytes) -> str:
        digest = hashlib.sha256(codes)
        for number in unit:
            size = self._units.sizes[number]
            if self._target.format != "dtw":
                place = self._places[number] >> 2
                digest.update(self._solver.store[place : place + -(-size // 4)].data)
            if self._data is not None:
                start = HEADER_BYTES + self._units.starts[number]
                digest.update(self._data[start : start + size].data)
        return digest.hexdigest()

    def _solve_unit(self, unit: Unit) -> None:
        """Solve a unit, store the results and record them in the journal."""
        began = time.perf_counter()
        plies: ByteArray | None = None
        if self._target.format == "dtw":
            plies = self._solver.dtw(unit)
            values = kernels.values_of(plies, np.empty_like(plies))
        else:
            values = self._solver.outcomes(unit)
            self._solver.keep(unit, values)
            if self._target.format == "mtc":
                plies = self._solver.mtc(unit, values)
        if plies is not None:
            solved, codes = self._distances(unit, values, plies), b""
        else:
            solved, codes = self._coded(unit, values)
        self._solved |= {part.name: part for part in solved}
        self._journal.append(SolvedUnit(unit=unit, sha256=self._digest(unit, codes), slices=tuple(solved)))
        seconds = time.perf_counter() - began
        for part in solved:
            self._log(log_line(part, seconds / len(solved)))

    def _coded(self, unit: Unit, values: ByteArray) -> tuple[list[SolvedSlice], bytes]:
        """Append the codes of a unit's slices to the file of codes; return the slices, and the codes of all of them."""
        counted = [self._counted(s, part) for s, part in self._units.parts(unit, values)]
        solving.forget_captures(self._game, self._units.unit_block(unit), values)
        coded = [slice_codes(part, self._defaults[s.name]) for s, part in self._units.parts(unit, values)]
        whole = b"".join(codes.tobytes() for _, codes in coded if codes is not None)
        with self._lock:
            end = self._codes_end
            with self._codes_path.open("r+b") as file:
                file.seek(end)
                file.write(whole)
            self._codes_end += len(whole)
        solved = []
        for one, (default, codes) in zip(counted, coded, strict=True):
            if codes is None:
                solved.append(attrs.evolve(one, default=default))
                continue
            first, end = end, end + len(codes)
            solved.append(attrs.evolve(one, default=default, size=len(codes), codes=(first, end)))
        return solved, whole

    def _distances(self, unit: Unit, values: ByteArray, plies: ByteArray) -> list[SolvedSlice]:
        """Store the distances of a unit, given as 0 for a draw, else 1 + plies; return its slices."""
        assert self._data is not None
        solved = []
        block = self._units.unit_block(unit)
        first = 0
        for (s, part), (_, near) in zip(self._units.parts(unit, values), self._units.parts(unit, plies), strict=True):
            most_won, example = longest_distance(near, part, WIN)
            most_lost, _ = longest_distance(near, part, LOSS)
            state = np.zeros(3, np.uint64)
            if example >= 0:
                solving.write_state(self._game, block, np.uint64(first + example), state)
            solved.append(
                attrs.evolve(
                    self._counted(s, part),
                    longest_win=most_won if most_won >= 0 else None,
                    longest_loss=most_lost if most_lost >= 0 else None,
                    example=position_text(tuple(state.tolist())) if example >= 0 else None,
                )
            )
            kept = self._data[HEADER_BYTES + s.start : HEADER_BYTES + s.start + s.size]
            kept[:] = near
            if self._target.format == "mtc":
                to_mtc(kept, part)
            first += s.size
        return solved

    def _counted(self, s: Slice, values: ByteArray) -> SolvedSlice:
        """Return a slice with the numbers of its positions by value, and without distances and codes."""
        _, win, loss, draw = tally(values).tolist()
        return SolvedSlice(name=s.name, first=s.start, positions=s.size, win=win, loss=loss, draw=draw)

    def _finish(self, folder: Path) -> None:
        target = self._target
        if target.format == "chinook":
            present = {s.material for s in self._slices}
            places = [p for p in layout(target.pieces) if target.material is None or p.material in present]
            records, kept = write_chinook(target, places, self._solved, self._codes_path)
        else:
            assert self._data is not None
            records = []
            for s in self._slices:
                first, end = HEADER_BYTES + s.start, HEADER_BYTES + s.start + s.size
                checksum = hashlib.sha256(self._data[first:end].data).hexdigest()
                records.append({**self._solved[s.name].record(), "bytes": [first, end], "sha256": checksum})
            whole = hashlib.sha256(self._data.data).hexdigest()
            kept = [KeptFile(target.data_path.name, len(self._data), whole)]
            (folder / "data").replace(target.data_path)
        write_manifest(target, self._total, origin(), kept, records)


@functools.cache  # reading the metadata takes a while
def origin() -> str:
    """The `origin` of a manifest: this version of GameForge."""
    try:
        return f"gameforge {version('gameforge')}"
    except PackageNotFoundError:
        return "gameforge"


Records = list[dict[str, object]]


def write_chinook(
    target: Target, places: Iterable[Place], solved: Mapping[str, SolvedSlice], codes_path: Path
) -> tuple[Records, list[KeptFile]]:
    """Write the data and index files. Returns the manifest's records of the slices, and the files.

    solved: the slices by name; their codes are in the file at `codes_path`.
    """
    index = []
    found = []
    data = hashlib.sha256()
    end = 0
    temporary = codes_path.with_name("data")
    with codes_path.open("rb") as codes_file, temporary.open("wb") as file:
        for place in places:
            one = solved.get(place.name)
            if one is None:  # an empty slice: its men do not fit on their rows
                index.append(index_record(place.name, place.default, None, end))
                continue
            assert one.default is not None, "Chinook's format has one for each slice"
            codes = _codes_at(codes_file, one.codes)
            words = None if codes is None else np.frombuffer(codes, np.uint8)
            index.append(index_record(place.name, one.default, words, end))
            codes = codes or b""
            file.write(codes)
            data.update(codes)
            checksum = hashlib.sha256(codes).hexdigest()
            found.append({**one.record(), "bytes": [end, end + len(codes)], "sha256": checksum})
            end += len(codes)
    lines = "".join(index).encode("ascii")
    files.write_atomically(target.index_path, lines)
    temporary.replace(target.data_path)
    return found, [
        KeptFile(target.data_path.name, end, data.hexdigest()),
        KeptFile(target.index_path.name, len(lines), hashlib.sha256(lines).hexdigest()),
    ]


def _codes_at(file: BinaryIO, span: tuple[int, int] | None) -> bytes | None:
    if span is None:
        return None
    file.seek(span[0])
    return file.read(span[1] - span[0])


def write_manifest(target: Target, positions: int, origin: str, kept: list[KeptFile], slices: Records) -> None:
    """Write the manifest (FORMAT.md), which marks the database as complete."""
    for file in kept:  # the data must be on disk before a manifest vouches for it
        with (target.folder / file.name).open("rb") as written:
            os.fsync(written.fileno())
    head = {
        "format": FORMAT,
        "version": VERSION,
        "game": "draughts",
        "metric": target.metric,
        "pieces": target.pieces,
        "positions": positions,
        "origin": origin,
        "files": [attrs.asdict(file) for file in kept],
    }
    lines = [json.dumps(head, indent=1)[:-2] + ',\n "slices": [']
    lines.append(",\n".join("  " + json.dumps(record) for record in slices))
    files.write_atomically(target.manifest_path, "\n".join([*lines, " ]\n}\n"]).encode())

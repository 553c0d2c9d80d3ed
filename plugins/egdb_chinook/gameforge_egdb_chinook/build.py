"""Build a database: solve unit by unit into a build folder, then write the files. A killed build can be resumed.

The build folder holds the values of solved units (`values`, four per byte, mapped into memory), the unfinished file
of distances (`data`), the codes of the slices in the order in which they were finished (`codes`), and the journal of
finished units. The manifest is written last; then the build folder is removed.
"""

import contextlib
import hashlib
import shutil
import struct
import threading
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import attrs
import numpy as np
from gameforge_draughts.positions import position_text

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.kernel.abi import LOSS, WIN
from gameforge.retrograde import distances
from gameforge.retrograde.indexer import Unit
from gameforge.retrograde.journal import Journal
from gameforge.retrograde.solver import Bytes, Solver, packed_places
from gameforge.storage.atomic import remove_temporaries_of
from gameforge.storage.folder_lock import FolderInUse, locked
from gameforge_egdb_chinook import recurrence, solver
from gameforge_egdb_chinook.assembly import write_chinook, write_manifest
from gameforge_egdb_chinook.distance_bytes import longest, to_mtc
from gameforge_egdb_chinook.encoder import slice_codes, tally
from gameforge_egdb_chinook.layout import layout
from gameforge_egdb_chinook.memory import mapped
from gameforge_egdb_chinook.slices import Slice
from gameforge_egdb_chinook.solved import SolvedSlice, SolvedUnit, log_line
from gameforge_egdb_chinook.target import Target, require_room
from gameforge_egdb_chinook.units import DraughtsUnits

HEADER = 4096
_FIELDS = struct.Struct("<8sIIQ8s16s")
_VERSION = 2


class BuildInProgress(GameforgeError):
    """Raised if another process is building the same database."""


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
                    stack.enter_context(locked(folder))
                except (FolderInUse, FileNotFoundError):  # without the folder, a build that has just ended removed it
                    raise BuildInProgress(f"{folder}: another process is building there") from None
                if not target.manifest_path.exists():  # another process may have finished in the meantime
                    remove_temporaries_of((target.index_path, target.manifest_path))
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
        self._data: Bytes | None = None
        if target.format != "chinook":
            if target.data_path.exists():  # killed before the manifest was written
                target.data_path.replace(folder / "data")
            self._data = mapped(folder / "data", HEADER + -(-self._total // 8) * 8)
            fields = b"GFEGDIST", 1, target.pieces, self._total, target.metric.encode(), b"draughts"
            self._data[: _FIELDS.size] = np.frombuffer(_FIELDS.pack(*fields), np.uint8)
        if target.format == "dtw":
            assert self._data is not None
            self._solver = Solver(self._units, self._data[HEADER:], self._units.starts)
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
        progress = solver.counted(self._announce, f"building {target.name}", self._total)
        self._solver.run(self._solve_unit, self._workers, progress, set(done), self._capacity)

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
                start = HEADER + self._units.starts[number]
                digest.update(self._data[start : start + size].data)
        return digest.hexdigest()

    def _solve_unit(self, unit: Unit) -> None:
        """Solve a unit, store the results and record them in the journal."""
        began = time.perf_counter()
        plies: Bytes | None = None
        if self._target.format == "dtw":
            plies = self._solver.dtw(unit)
            values = distances.values_of(plies, np.empty_like(plies))
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

    def _coded(self, unit: Unit, values: Bytes) -> tuple[list[SolvedSlice], bytes]:
        """Append the codes of a unit's slices to the file of codes; return the slices, and the codes of all of them."""
        counted = [self._counted(s, part) for s, part in self._units.parts(unit, values)]
        recurrence.forget_captures(self._game, self._units.unit_block(unit), values)
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

    def _distances(self, unit: Unit, values: Bytes, plies: Bytes) -> list[SolvedSlice]:
        """Store the distances of a unit, given as 0 for a draw, else 1 + plies; return its slices."""
        assert self._data is not None
        solved = []
        block = self._units.unit_block(unit)
        first = 0
        for (s, part), (_, near) in zip(self._units.parts(unit, values), self._units.parts(unit, plies), strict=True):
            most_won, example = longest(near, part, WIN)
            most_lost, _ = longest(near, part, LOSS)
            state = np.zeros(3, np.uint64)
            if example >= 0:
                recurrence.set_up(self._game, block, np.uint64(first + example), state)
            solved.append(
                attrs.evolve(
                    self._counted(s, part),
                    longest_win=most_won if most_won >= 0 else None,
                    longest_loss=most_lost if most_lost >= 0 else None,
                    example=position_text(tuple(state.tolist())) if example >= 0 else None,
                )
            )
            kept = self._data[HEADER + s.start : HEADER + s.start + s.size]
            kept[:] = near
            if self._target.format == "mtc":
                to_mtc(kept, part)
            first += s.size
        return solved

    def _counted(self, s: Slice, values: Bytes) -> SolvedSlice:
        """Return a slice with the numbers of its positions by value, and without distances and codes."""
        _, win, loss, draw = tally(values).tolist()
        return SolvedSlice(name=s.name, first=s.start, positions=s.size, win=win, loss=loss, draw=draw)

    def _finish(self, folder: Path) -> None:
        target = self._target
        if target.format == "chinook":
            present = {s.material for s in self._slices}
            places = [p for p in layout(target.pieces) if target.material is None or p.material in present]
            records, files = write_chinook(target, places, self._solved, self._codes_path)
        else:
            assert self._data is not None
            records = []
            for s in self._slices:
                first, end = HEADER + s.start, HEADER + s.start + s.size
                checksum = hashlib.sha256(self._data[first:end].data).hexdigest()
                records.append({**self._solved[s.name].record(), "bytes": [first, end], "sha256": checksum})
            whole = hashlib.sha256(self._data.data).hexdigest()
            files = [{"name": target.data_path.name, "bytes": len(self._data), "sha256": whole}]
            (folder / "data").replace(target.data_path)
        write_manifest(target, self._total, origin(), files, records)


def origin() -> str:
    """The `origin` of a manifest: this version of GameForge."""
    try:
        return f"gameforge {version('gameforge')}"
    except PackageNotFoundError:
        return "gameforge"

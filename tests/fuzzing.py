"""A mutation fuzzer: every reader gets damaged files, which it must read or refuse with a GameforgeError."""

import contextlib
import random
import resource
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs
import pytest
from mutations import mutated_file

from gameforge.errors import GameforgeError

Seal = Callable[[Path], None]
_ROOM = 8 << 30
"""Bytes of address space that the readers may take, so that a size from a damaged file is a MemoryError, and the kernel
need not kill the process, or another one, when the computer has no memory left."""


def unsealed(folder: Path) -> None:
    """Leave the files as they are: they have no checksums."""


@attrs.frozen(kw_only=True)
class Reader:
    """A reader of files, with an example of what it reads."""

    name: str
    make: Callable[[Path], object]
    """Writes valid files into a folder."""
    read: Callable[[Path], object]
    """Reads that folder; it may write to it."""
    seal: Seal = unsealed
    """Writes correct checksums, so that the damage behind them is reached."""
    share: float = 1.0
    """Share of the cases, relative to that of other readers: less for those that are slow."""


@attrs.frozen
class Finding(Exception):
    """A reader failed in another way than by a GameforgeError."""

    reader: str
    case: int

    def __str__(self) -> str:
        return f"{self.reader}, case {self.case}"


def fuzz(reader: Reader, cases: Iterable[int]) -> None:
    """Let a reader read its files with damage, drawn from the number of the case; raises Finding for the first that
    it does not refuse properly."""
    with tempfile.TemporaryDirectory() as scratch, _limited_memory():
        original, folder = Path(scratch) / "original", Path(scratch) / "damaged"
        original.mkdir()
        reader.make(original)
        content = {path.relative_to(original): path.read_bytes() for path in original.rglob("*") if path.is_file()}
        reader.read(_copy(content, folder))
        for case in cases:
            rng = random.Random(f"{reader.name} {case}")
            name = rng.choice(sorted(content))
            _copy({**content, name: mutated_file(name.name, content[name], rng)}, folder)
            if rng.random() < 0.8:
                with contextlib.suppress(Exception):  # what cannot be sealed keeps its checksum
                    reader.seal(folder)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    reader.read(folder)
            except GameforgeError:
                pass
            except Exception as error:
                raise Finding(reader.name, case) from error


@contextlib.contextmanager
def _limited_memory() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + _ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _copy(content: dict[Path, bytes], folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def cases_of(readers: list[Reader], total: int) -> list[object]:
    """Parameters of a test: the readers with their shares of all cases."""
    shares = sum(reader.share for reader in readers)
    return [pytest.param(reader, range(round(total * reader.share / shares)), id=reader.name) for reader in readers]

"""What the commands `build` and `verify` of all databases with distances to the end of the game have in common."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from gameforge.cli import Console, compilation_notice
from gameforge.interfaces import Announce


class Counted(Protocol):
    """The figures of a part of a database."""

    @property
    def positions(self) -> int:
        """Number of its positions."""
        ...


class Database(Protocol):
    """A database that was read."""

    @property
    def path(self) -> Path:
        """Path of the manifest."""
        ...

    @property
    def counts(self) -> Iterable[Counted]:
        """The figures of each part."""
        ...


Read = TypeVar("Read", bound=Database)


def build(manifest: Path, read: Callable[[Path], object], solve: Callable[[Announce], Path]) -> None:
    """Build a database with `solve`, which returns its manifest. If `manifest` exists, only check it with `read`."""
    console = Console(stderr=True, highlight=False)
    if manifest.exists():
        read(manifest)
        console.print(f"{manifest} exists already; nothing to build", soft_wrap=True)
        return
    began = time.perf_counter()
    with compilation_notice(console), console.preparation() as preparation:
        path = solve(preparation)
    console.print(f"{path.with_suffix('.egdb')}: built in {time.perf_counter() - began:.1f} s", soft_wrap=True)


def verify(database: Read, check: Callable[[Read, Announce], None]) -> None:
    """Check all values of a database with `check`, which raises GameforgeError, and print how many there are."""
    console = Console(stderr=True, highlight=False)
    began = time.perf_counter()
    with compilation_notice(console), console.preparation() as preparation:
        check(database, preparation)
    print(f"{database.path}: {sound(database)} ({time.perf_counter() - began:.1f} s)")


def sound(database: Database) -> str:
    """Say how many values a database has, all of which have been checked."""
    positions = sum(counts.positions for counts in database.counts)
    return f"{positions:,} values follow from those of their successors"

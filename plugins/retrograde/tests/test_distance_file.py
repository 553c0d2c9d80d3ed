"""A file of distances, from the solver to a look-up: of the game in which two players take one or two matches in turn.

Who cannot take a match has lost. Of 3k matches, the side to move loses in 2k plies; of all other numbers, it wins.
"""

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
import pytest
from gameforge_retrograde import database_commands, database_files
from gameforge_retrograde.database_files import KeptFile, read_content
from gameforge_retrograde.indexer import EXTERNAL_BITS, Unit

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.interfaces.rules import LOSS, WIN
from gameforge.kernel import slots
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.types import Word, WordArray, Words

POSITIONS = 31
TABLES = np.array([2026, 0, POSITIONS, 4], np.uint64)
"""A number that names the game, a word of the game's own, the number of positions and that of these words."""
BYTES = [1 + 2 * (n // 3) + (n % 3 > 0) for n in range(POSITIONS)]


def expand(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    return np.int64(min(i, np.uint64(2))) << EXTERNAL_BITS


def predecessors(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    n = 0
    for taken in range(1, 3):
        before = i + np.uint64(taken)
        if before < game[0]:
            out[n] = before
            n += 1
    return np.int64(n)


class Matches:
    """All positions are one unit."""

    sizes = (POSITIONS,)
    levels: Sequence[Sequence[Unit]] = [[(0,)]]
    expand = staticmethod(expand)
    predecessors = staticmethod(predecessors)

    def game_block(self, places: Sequence[int]) -> WordArray:
        return np.array([POSITIONS], np.uint64)

    def unit_block(self, unit: Unit, conversions: bool = False) -> WordArray:
        return np.zeros(1, np.uint64)


def solve() -> WordArray:
    return database_files.solve(Matches(), TABLES, silent, "solving")


def write(folder: Path) -> Path:
    return database_files.write(folder, "matches", solve(), {"game": "matches"}, {"counts": []})


def read(manifest: Path, tables: WordArray = TABLES) -> WordArray:
    file = KeptFile(**read_content(manifest)["file"])
    return database_files.read(manifest, file, tables, "30 matches", "matches")


@kernel
def look_up(block: WordArray, number: Word, out: WordArray) -> np.int64:
    return database_files.value_at(block, number, out)


def test_distances_are_solved_written_and_read(tmp_path: Path) -> None:
    content = read(write(tmp_path))
    assert content.tolist() == solve().tolist()
    assert database_files.distances_of(content)[:POSITIONS].tolist() == BYTES


def test_each_position_is_found() -> None:
    content, out = solve(), np.zeros(slots.PROBE_DISTANCE + 1, np.uint64)
    for number in range(POSITIONS):
        assert look_up(content, np.uint64(number), out) == (WIN if number % 3 else LOSS)
        assert out[slots.PROBE_DISTANCE] == BYTES[number]


@pytest.mark.parametrize(
    ("word", "reason"), [(0, "not a file of matches of this version"), (1, "its tables are not those of 30 matches")]
)
def test_other_tables_are_refused(word: int, reason: str, tmp_path: Path) -> None:
    tables = TABLES.copy()
    tables[word] += np.uint64(1)
    with pytest.raises(GameforgeError, match=reason):
        read(write(tmp_path), tables)


def test_damage_is_noticed(tmp_path: Path) -> None:
    manifest = write(tmp_path)
    data = manifest.with_suffix(".egdb")
    content = data.read_bytes()
    data.write_bytes(content[:-1] + b"\x07")
    with pytest.raises(GameforgeError, match="damaged, its checksum"):
        read(manifest)
    data.write_bytes(content[:-8])
    with pytest.raises(GameforgeError, match=r"matches\.json says"):
        read(manifest)


@attrs.frozen
class Counts:
    positions: int


@attrs.frozen
class Database:
    path: Path
    counts: tuple[Counts, ...]


def test_a_database_is_built_once_and_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tmp_path / "matches.json"
    database_commands.build(manifest, read, lambda announce: write(tmp_path))
    assert "matches.egdb: built in" in " ".join(capsys.readouterr().err.split())
    database_commands.build(manifest, read, lambda announce: pytest.fail("it exists"))
    assert "nothing to build" in " ".join(capsys.readouterr().err.split())

    checked: list[Database] = []

    def check(database: Database, announce: Announce) -> None:
        checked.append(database)

    database_commands.verify(Database(manifest, (Counts(30), Counts(1))), check)
    assert "31 values follow from those of their successors" in capsys.readouterr().out
    assert len(checked) == 1

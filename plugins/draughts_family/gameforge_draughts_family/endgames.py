"""A database of distances, built, read, verified and probed: one file, which is the block that kernels read.

`russian4.egdb`: the tables of the indexer, then one byte for each position, by number: 1 + plies to the end of the
game, or 0 for a draw. The side to move wins in an odd number of plies, so even bytes are wins and odd ones losses.
`russian4.json`: the game, its deciding settings, the counts of each slice, and the checksum of the file.

Verification: every distance must follow from those of its successors by the rules' own functions.

The oracle component at the end opens a database, or builds it on first use.
"""

import hashlib
import json
from pathlib import Path

import attrs
import numpy as np
from gameforge_retrograde import database_files
from gameforge_retrograde.database_files import value_at
from gameforge_retrograde.indexer import ByteArray
from gameforge_retrograde.kernels import LOST, better, tally

from gameforge import GameforgeError
from gameforge.interfaces import LOSS, Announce, OracleFunctions, Rules, Spec, State, kinds, silent
from gameforge.kernel import U0, U1, UNKNOWN, Word, WordArray, Words, at, inline, kernel, popcount, slots
from gameforge_draughts_family import indexer, movegen
from gameforge_draughts_family.block import max_moves
from gameforge_draughts_family.board import STATE_WORDS, Variant, board_of
from gameforge_draughts_family.notation import FamilyPositions
from gameforge_draughts_family.rules import FamilyRules


@attrs.frozen
class Counts:
    """Numbers of positions in a slice by value, for the side to move."""

    name: str
    """The pieces of the side to move, then the opponent's, such as KK-KM."""
    pieces: int
    positions: int
    win: int
    loss: int
    draw: int
    longest_win: int
    """In plies; 0 if no position is won."""
    example: str
    """A position with the longest win, with White to move; empty if no position is won."""


def _check_pieces(instance: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if not indexer.LEAST_PIECES <= value <= indexer.MOST_PIECES:
        raise ValueError(f"pieces = {value}: must be from {indexer.LEAST_PIECES} to {indexer.MOST_PIECES}")


@attrs.frozen
class _Manifest:
    pieces: int = attrs.field(validator=_check_pieces)
    file: database_files.KeptFile
    slices: tuple[Counts, ...]


@attrs.frozen
class Database:
    """A database that was read: `words` is the file, mapped into memory."""

    path: Path
    """Path of the manifest."""
    variant: Variant
    """The deciding settings."""
    pieces: int
    words: WordArray
    counts: tuple[Counts, ...]
    sha256: str

    @property
    def units(self) -> indexer.FamilyUnits:
        """The slices, in their order."""
        return indexer.FamilyUnits(self.variant, self.pieces)

    @property
    def distances(self) -> ByteArray:
        """The bytes of all positions, by number."""
        return database_files.distances_of(self.words)


def stem(rules: FamilyRules, pieces: int) -> str:
    """Return the name of a database's files without their endings."""
    settings = json.dumps(_settings(indexer.deciding(rules.settings())), sort_keys=True)
    own = hashlib.sha256(settings.encode()).hexdigest()[:8]
    return f"{rules.name}{f'-{own}-' if rules.name == 'draughts-variant' else ''}{pieces}"


def build(rules: FamilyRules, pieces: int, out: Path, announce: Announce = silent, workers: int = 1) -> Path:
    """Solve all positions with up to `pieces` pieces and write the files; return the path of the manifest.

    Existing files are replaced, and temporary files that killed builds left are removed. The files do not depend on
    the number of workers, which are threads. Raises GameforgeError if the endings of these rules cannot be solved, and
    if the files cannot be written.
    """
    indexer.require_endings(rules)
    name = stem(rules, pieces)
    units = indexer.FamilyUnits(rules.settings(), pieces)
    total = units.starts[-1]
    database_files.make_folder(out, total, 3 * total, f"building {name}")
    words = database_files.solve(units, indexer.tables(units.variant, pieces), announce, f"solving {name}", workers)
    distances = database_files.distances_of(words)
    counts = [
        attrs.asdict(_counted(rules, s, distances[start : start + s.size], words))
        for s, start in zip(units.slices, units.starts, strict=False)
    ]
    about = {"game": rules.name, "settings": _settings(units.variant), "pieces": pieces, "positions": total}
    return database_files.write(out, name, words, about, {"slices": counts})


def spec_of(manifest: Path) -> Spec:
    """Return the game that a manifest names, with the settings that decide; GameforgeError if it is damaged."""
    content = database_files.read_content(manifest)
    name, settings = str(content.get("game")), content.get("settings")
    return Spec(name, settings if name == "draughts-variant" and isinstance(settings, dict) else {})


def read(path: Path, rules: FamilyRules) -> Database:
    """Read the database of a folder or manifest for a game.

    Raises GameforgeError if there is none, if it is of another game, and if a file is damaged.
    """
    indexer.require_endings(rules)
    variant = indexer.deciding(rules.settings())
    found = (file for file in path.glob("*.json") if file.with_suffix(".egdb").exists())
    manifest = database_files.only_manifest(path, found, "no .egdb file with a manifest")
    content = database_files.read_content(manifest)
    _require_game(manifest, content.get("game"), content.get("settings"), rules.name, variant)
    about = database_files.read_entries(manifest, content, _Manifest)
    wanted = indexer.tables(variant, about.pieces)
    words = database_files.read(manifest, about.file, wanted, f"{about.pieces} pieces", "draughts endings")
    return Database(manifest, variant, about.pieces, words, about.slices, about.file.sha256)


def _require_game(manifest: Path, game: object, found: object, name: str, variant: Variant) -> None:
    """Raise GameforgeError if a database has other settings than the rules; the name of the game does not matter."""
    wanted = _settings(variant)
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise GameforgeError(f"{manifest}: the database is of {game!r}, not of {name}")
    others = [f"{key}={found[key]} instead of {wanted[key]}" for key in wanted if found[key] != wanted[key]]
    if others:
        raise GameforgeError(f"{manifest}: the database is of {game!r}, not of {name}: it has {', '.join(others)}")


def _settings(variant: Variant) -> dict[str, object]:
    """Return the deciding settings, by the names under which a user sets them."""
    return {field.alias or field.name: getattr(variant, field.name) for field in attrs.fields(Variant)}


@kernel
def _set_up(t: Words, number: Word, material: Word, s: Words) -> None:
    indexer.set_up(t, number, material, s)


def state_at(words: WordArray, s: indexer.Slice, number: int) -> tuple[int, ...]:
    """Return the state with this number in a slice, with White to move. words: the tables."""
    state = np.zeros(STATE_WORDS, np.uint64)
    _set_up(words, np.uint64(number), np.uint64(indexer.code(s.material)), state)
    return tuple(int(word) for word in state)


def _counted(rules: FamilyRules, s: indexer.Slice, distances: ByteArray, words: WordArray) -> Counts:
    win, loss, draw, plies, longest = tally(distances)
    example = FamilyPositions(rules.settings()).position_text(state_at(words, s, longest)) if win else ""
    return Counts(s.name, s.pieces, s.size, win, loss, draw, plies, example)


_CHILD, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_BLACK = U1
_CHUNK = 1 << 20
_gen, _play = inline(movegen.gen), inline(movegen.play)


@inline
def _distance(t: Words, distances: ByteArray, space: Words) -> np.int64:
    """Compute the distance byte of the state in space[0:4] from those of its successors."""
    rules, s, child, moves = at(t, indexer.RULES), at(space, U0), at(space, _CHILD), at(space, _MOVES)
    n = _gen(rules, s, moves)
    best = np.int64(LOST)
    for i in range(n):
        _play(rules, s, moves[i], child)
        byte = np.int64(LOST)
        # A side without pieces has lost at once, which is the same byte as having no move.
        if child[0] != U0:
            byte = np.int64(distances[indexer.number(t, child[0], child[1], child[2], _BLACK)])
        best = better(best, byte)
    return best


@kernel
def contradiction(
    t: Words, distances: ByteArray, material: Word, start: int, first: int, end: int, space: Words
) -> int:
    """Return the first position whose byte does not follow from those of its successors, or `end`.

    first, end: the range of positions, numbered within the slice. start: number of the slice's first position. space:
    room for two states and all moves.
    """
    for i in range(first, end):
        indexer.set_up(t, np.uint64(i), material, space)
        if distances[start + i] != _distance(t, distances, space):
            return i
    return end


def check(database: Database, rules: FamilyRules, announce: Announce = silent) -> None:
    """Raise GameforgeError, with the position, if a distance does not follow from those of its successors."""
    units, distances = database.units, database.distances
    space = np.zeros(2 * STATE_WORDS + max_moves(board_of(database.variant)), np.uint64)
    for s, start in zip(units.slices, units.starts, strict=False):
        for first in range(0, s.size, _CHUNK):
            end = min(first + _CHUNK, s.size)
            material = np.uint64(indexer.code(s.material))
            i = int(contradiction(database.words, distances, material, start, first, end, space))
            if i < end:
                text = FamilyPositions(rules.settings()).position_text(state_at(database.words, s, i))
                raise GameforgeError(
                    f"{database.path}: the value of {text}, {distances[start + i]}, "
                    "does not follow from the values after its moves"
                )
            announce(f"checking {database.path.name}", start + end, units.starts[-1])


_USUAL_PIECES = {"8x8": 4, "10x10": 3}


def probe(od: Words, s: Words, out: Words) -> np.int64:
    """Return the value for the side to move; write the distance to the end of the game. od: the file."""
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = U0
    own, opp = s[0], s[1]
    if opp == U0 or popcount(own | opp) > od[indexer.PIECES]:
        return np.int64(UNKNOWN)
    if own == U0:
        out[slots.PROBE_DISTANCE] = U1
        return np.int64(LOSS)
    return value_at(od, indexer.number(od, own, opp, s[2], s[3] & _BLACK), out)


def _without_path(instance: "DraughtsEndings", attribute: "attrs.Attribute[int]", value: int) -> None:
    if instance.path is not None:
        raise GameforgeError("'pieces' is for databases that are built on first use; a file has its own")


@attrs.frozen(kw_only=True)
class DraughtsEndings:
    """Exact values of positions with few pieces, with plies to the end; all rules of draws are ignored."""

    path: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.instance_of(str)))
    """Folder of a database, or its manifest; None: the database is solved on first use and kept in the cache folder."""
    pieces: int | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(
            [
                kinds.whole(
                    f"an integer from {indexer.LEAST_PIECES} to {indexer.MOST_PIECES}",
                    indexer.LEAST_PIECES,
                    indexer.MOST_PIECES,
                ),
                _without_path,
            ]
        ),
    )
    """Maximum number of pieces without a path; None: 4 on 8x8, 3 on 10x10."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Open or build the database.

        Raises GameforgeError if the endings of these rules cannot be solved, if the database is of another game, and
        if the files cannot be used.
        """
        family = indexer.require_endings(rules)
        if self.path is not None:
            database = read(Path(self.path).expanduser(), family)
        else:
            database = _own(family, self.pieces or _USUAL_PIECES[family.settings().layout], announce, workers)
        return OracleFunctions(
            probe=probe,
            data=database.words,
            covers=f"positions with up to {database.pieces} pieces, with plies to the end",
            why_not=lambda state: _why_not(state, database.pieces),
        )


def _own(rules: FamilyRules, pieces: int, announce: Announce, workers: int) -> Database:
    """Read the database of the cache folder, building it first if it is missing or damaged."""
    try:
        return read(database_files.cache_folder() / f"{stem(rules, pieces)}.json", rules)
    except GameforgeError:
        return read(build(rules, pieces, database_files.cache_folder(), announce, workers), rules)


def _why_not(state: State, pieces: int) -> str:
    if state[1] == 0:
        return "the side that has just moved has no pieces; such a position cannot arise"
    return f"it has {(state[0] | state[1]).bit_count()} pieces; this database covers up to {pieces}"

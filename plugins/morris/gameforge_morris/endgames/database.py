"""A database of distances, built, read, verified and probed: one file, which is the block that kernels read.

`morris4.egdb`: the tables of the indexer, then one byte per position, by number: 1 + plies to the end of the game, or
0 for a draw. The side to move wins in an odd number of plies, so even bytes are wins and odd ones losses.
`morris4.json`: positions, wins, losses, draws and longest win of each subspace, and the checksum of the file.

Verification: every distance must follow from those of its successors by the rules' own functions.

The oracle component at the end opens a database, or builds it on first use.
"""

from pathlib import Path

import attrs
import numpy as np
from gameforge_retrograde import distance_file
from gameforge_retrograde.distance_file import value_at
from gameforge_retrograde.indexer import ByteArray
from gameforge_retrograde.kernels import LOST, better, tally
from gameforge_retrograde.manifest import KeptFile, cache_folder, only_manifest, read_content, read_entries

from gameforge import GameforgeError
from gameforge.interfaces import LOSS, Announce, OracleFunctions, Rules, State, kinds, silent
from gameforge.kernel import U0, U1, UNKNOWN, Word, WordArray, Words, at, inline, kernel, popcount, slots
from gameforge_morris import movegen
from gameforge_morris.board import LEAST_MEN, STATE_WORDS, WHITE, state_of
from gameforge_morris.endgames import indexer
from gameforge_morris.evaluation import require_morris
from gameforge_morris.notation import position_text
from gameforge_morris.rules import Morris

GAME = "morris"


@attrs.frozen
class Counts:
    """Numbers of positions in a subspace by value, for the side to move."""

    name: str
    """Numbers of own men and of the opponent's, such as 3-4."""
    positions: int
    win: int
    loss: int
    draw: int
    longest_win: int
    """In plies."""
    example: str
    """A position with the longest win, with White to move."""


@attrs.frozen
class _Manifest:
    men: int = attrs.field(validator=attrs.validators.in_((LEAST_MEN, indexer.MOST_MEN)))
    file: KeptFile
    subspaces: tuple[Counts, ...]


@attrs.frozen
class Database:
    """A database that was read: `words` is the file, mapped into memory."""

    path: Path
    """Path of the manifest."""
    men: int
    words: WordArray
    counts: tuple[Counts, ...]

    @property
    def distances(self) -> ByteArray:
        """The bytes of all positions, by number."""
        return distance_file.distances_of(self.words)


def build(men: int, out: Path, announce: Announce = silent) -> Path:
    """Solve all subspaces with up to `men` men of each side and write the files; return the path of the manifest.

    Existing files are replaced, and temporary files that killed builds left are removed. Raises GameforgeError if the
    files cannot be written.
    """
    units = indexer.MorrisUnits(men)
    name, total = f"morris{men}", units.starts[-1]
    distance_file.make_folder(out, total, 2 * total, f"building {name}")
    title = f"solving morris endings {', '.join(subspace.name for subspace in units.subspaces)}"
    words = distance_file.solve(units, indexer.tables(men, units.starts), announce, title)
    distances = distance_file.distances_of(words)
    counts = [
        attrs.asdict(_counted(s, distances[start : start + s.size], words))
        for s, start in zip(units.subspaces, units.starts, strict=False)
    ]
    return distance_file.write(out, name, words, {"game": GAME, "men": men, "positions": total}, {"subspaces": counts})


def read(path: Path) -> Database:
    """Read the database of a folder or manifest; GameforgeError if there is none, or if a file is damaged."""
    manifest = only_manifest(path, path.glob("morris*.json"), "no morris*.json")
    content = read_content(manifest)
    if content.get("game") != GAME:
        raise GameforgeError(f"{manifest}: the database is of {content.get('game')!r}, not of {GAME}")
    about = read_entries(manifest, content, _Manifest)
    wanted = indexer.tables(about.men, indexer.MorrisUnits(about.men).starts)
    words = distance_file.read(manifest, about.file, wanted, f"{about.men} men", "morris endings")
    return Database(manifest, about.men, words, about.subspaces)


@kernel
def _men_of(t: Words, number: Word, a: Word, b: Word) -> tuple[Word, Word]:
    return indexer.men_of(t, number, a, b)


def _counted(subspace: indexer.Subspace, distances: ByteArray, t: WordArray) -> Counts:
    win, loss, draw, plies, longest = tally(distances)
    own, opp = _men_of(t, np.uint64(longest), np.uint64(subspace.own), np.uint64(subspace.opp))
    example = position_text(state_of(int(own), int(opp), 0, WHITE))
    return Counts(subspace.name, subspace.size, win, loss, draw, plies, example)


_CHILD, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_LEAST_MEN = np.uint64(LEAST_MEN)
_CHUNK = 1 << 20
_gen, _play = inline(movegen.gen), inline(movegen.play)


@inline
def _distance(t: Words, distances: ByteArray, space: Words) -> np.int64:
    """Compute the distance byte of the state in space[0:3] from those of its successors."""
    s, child, moves = at(space, U0), at(space, _CHILD), at(space, _MOVES)
    rules = at(t, indexer.RULES)
    n = _gen(rules, s, moves)
    best = np.int64(LOST)
    for i in range(n):
        _play(rules, s, moves[i], child)
        byte = np.int64(LOST)
        # Two men have lost at once, which is the same byte as having no move.
        if popcount(child[0]) >= _LEAST_MEN:
            byte = np.int64(distances[indexer.number(t, child[0], child[1])])
        best = better(best, byte)
    return best


@kernel
def contradiction(
    t: Words, distances: ByteArray, a: Word, b: Word, start: int, first: int, end: int, space: Words
) -> int:
    """Return the first position whose byte does not follow from those of its successors, or `end`.

    first, end: the range of positions, numbered within the subspace a-b. start: number of the subspace's first
    position. space: room for two states and all moves.
    """
    for i in range(first, end):
        space[0], space[1] = indexer.men_of(t, np.uint64(i), a, b)
        space[2] = U0
        if distances[start + i] != _distance(t, distances, space):
            return i
    return end


def check(database: Database, announce: Announce = silent) -> None:
    """Raise GameforgeError, with the position, if a distance does not follow from those of its successors."""
    distances = database.distances
    space = np.zeros(2 * STATE_WORDS + movegen.MAX_MOVES, np.uint64)
    first_numbers = indexer.starts(database.men)
    for subspace, start in zip(indexer.subspaces(database.men), first_numbers, strict=False):
        a, b = np.uint64(subspace.own), np.uint64(subspace.opp)
        for first in range(0, subspace.size, _CHUNK):
            end = min(first + _CHUNK, subspace.size)
            i = int(contradiction(database.words, distances, a, b, start, first, end, space))
            if i < end:
                text = position_text(state_of(int(space[0]), int(space[1]), 0, WHITE))
                raise GameforgeError(
                    f"{database.path}: the value of {text}, {distances[start + i]}, "
                    "does not follow from the values after its moves"
                )
            announce(f"checking {database.path.name}", start + end, first_numbers[-1])


def probe(od: Words, s: Words, out: Words) -> np.int64:
    """Return the value for the side to move; write the distance to the end of the game. od: the file."""
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = U0
    own, opp = popcount(s[0]), popcount(s[1])
    if s[2] > U1 or own > od[indexer.MEN] or opp > od[indexer.MEN] or opp < _LEAST_MEN:
        return np.int64(UNKNOWN)
    if own < _LEAST_MEN:
        out[slots.PROBE_DISTANCE] = U1
        return np.int64(LOSS)
    return value_at(od, indexer.number(od, s[0], s[1]), out)


@attrs.frozen(kw_only=True)
class Endings:
    """Exact values, with flying; draws by repetition and by the length of the game are not considered."""

    path: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.instance_of(str)))
    """Folder of a database, or its manifest; None: the database is solved on first use and kept in the cache folder."""
    men: int = attrs.field(
        default=indexer.MOST_MEN,
        validator=kinds.whole(f"{LEAST_MEN} or {indexer.MOST_MEN}", LEAST_MEN, indexer.MOST_MEN),
    )
    """Maximum number of men of each side, if there is no path."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Open or build the database.

        Raises GameforgeError if the rules are not those of morris with flying, or if the files cannot be used.
        """
        require_morris(rules, "the oracle endings")
        if isinstance(rules, Morris) and not (rules.flying and not rules.diagonals):
            raise GameforgeError("the oracle endings has values for morris with flying=true and diagonals=false only")
        database = read(Path(self.path).expanduser()) if self.path is not None else _own(self.men, announce)
        men = database.men
        covers = f"positions of the moving phase with up to {men} men of each side, with plies to the end"
        return OracleFunctions(
            probe=probe, data=database.words, covers=covers, why_not=lambda state: _why_not(state, men)
        )


def _own(men: int, announce: Announce) -> Database:
    """Read the database of the cache folder, building it first if it is missing or damaged."""
    try:
        return read(cache_folder() / f"morris{men}.json")
    except GameforgeError:
        return read(build(men, cache_folder(), announce))


def _why_not(state: State, men: int) -> str:
    own, opp = state[0].bit_count(), state[1].bit_count()
    if state[2] > 1:
        return f"men are still being placed; this database covers the moving phase with up to {men} men of each side"
    if opp < LEAST_MEN:
        return "the side that has just moved has fewer than three men; such a position cannot arise"
    return f"{own} men against {opp}; this database covers up to {men} of each side"

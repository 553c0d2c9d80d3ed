"""Databases of endings in the moving phase: distances to the end of the game, computed by `gameforge_retrograde`.

The indexer numbers positions. Colours do not matter, only whose turn it is: the subspace a-b holds the positions in
which the side to move has a men and the other side b. Within it a position has the number

    rank(own men) * C(24 - a, b) + rank(opponent's men among the points without own men),

where rank is the index of a set among the sets of the same size, in colexicographic order. Subspaces are numbered in
the order in which they are solved, by the number of men of both sides together.

The tables (`tables`, in words): MAGIC, MEN, POSITIONS, WORDS (their length), RULES (the rules' data block), the first
number of each subspace at STARTS + 8 * a + b, C(n, k) at CHOICES + 8 * n + k, and the ranks of sets in two parts: sets
of the points 0 to 11 at RANKS, then, for each number of points among these, what the points 12 to 23 add.

A move without a removal leads from a-b to b-a, so these two form a unit. A removal leads to b-1 - a, which is solved
earlier, or wins at once if b-1 is 2. The block of a unit holds the number of subspaces (1 or 2), for each of them its
first number in the unit, a and b, and from _STATE on a state of the rules.

A database is built, read, verified and probed as one file, which is the block that kernels read:

* `morris4.egdb`: the tables, then one byte per position, by number: 1 + plies to the end of the game, or 0 for a draw.
  The side to move wins in an odd number of plies, so even bytes are wins and odd ones losses.
* `morris4.json`: positions, wins, losses, draws and longest win of each subspace, and the checksum of the file.

Verification: every distance must follow from those of its successors by the rules' own functions. The oracle component
at the end opens a database, or builds it on first use.
"""

import functools
from collections.abc import Sequence
from math import comb
from pathlib import Path

import attrs
import numpy as np
from gameforge_retrograde import database_files
from gameforge_retrograde.database_files import POSITIONS, WORDS, value_at
from gameforge_retrograde.indexer import EXTERNAL_BITS, STORED, ByteArray, Unit, binomial, binomials, set_of
from gameforge_retrograde.kernels import LOST, better, tally

from gameforge import GameforgeError
from gameforge.interfaces import LOSS, Announce, OracleFunctions, Rules, State, kinds, silent
from gameforge.kernel import (
    U0,
    U1,
    U2,
    U3,
    U4,
    UNKNOWN,
    Word,
    WordArray,
    Words,
    at,
    bits,
    inline,
    kernel,
    popcount,
    slots,
)
from gameforge_morris import movegen
from gameforge_morris.evaluation import require_morris
from gameforge_morris.movegen import LEAST_MEN, clockwise, completes, counterclockwise, inwards, outwards, state_of
from gameforge_morris.notation import position_text
from gameforge_morris.rules import Morris

_5, _6, _63 = (np.uint64(n) for n in (5, 6, 63))

MOST_MEN = 4
"""Maximum number of men of each side."""
MAGIC = int.from_bytes(b"GFMORR1\n", "little")
"""First word; the 1 is the version of tables and numbers."""
_HALF = 12
_SETS = 1 << _HALF

MEN, RULES, STARTS, CHOICES, RANKS = (np.uint64(n) for n in (1, 4, 8, 96, 512))
_ADDED = np.uint64(int(RANKS) + _SETS)
_POINTS, _LAST_POINT = np.uint64(movegen.POINTS), np.uint64(movegen.POINTS - 1)
_HALF_SHIFT, _LOW = np.uint64(_HALF), np.uint64(_SETS - 1)


@attrs.frozen
class Subspace:
    """Positions in which the side to move has `own` men and the other side `opp`."""

    own: int
    opp: int

    @property
    def name(self) -> str:
        return f"{self.own}-{self.opp}"

    @property
    def size(self) -> int:
        return comb(movegen.POINTS, self.own) * comb(movegen.POINTS - self.own, self.opp)


def subspaces(men: int) -> tuple[Subspace, ...]:
    """Return the subspaces with 3 to `men` men of each side, in solving order; twins (3-4 and 4-3) are adjacent."""
    counts = range(LEAST_MEN, men + 1)
    pairs = [(a, b) for a in counts for b in counts]
    return tuple(Subspace(a, b) for a, b in sorted(pairs, key=lambda pair: (sum(pair), abs(pair[0] - pair[1]), pair)))


def starts(men: int) -> list[int]:
    """Return the first number of each subspace, and at the end the number of positions."""
    first = [0]
    for subspace in subspaces(men):
        first.append(first[-1] + subspace.size)
    return first


def tables(men: int, places: Sequence[int]) -> WordArray:
    """Make the tables that the functions below read; places[n] is the first number of subspace n."""
    words = np.zeros(table_words(men), np.uint64)
    words[0], words[MEN], words[POSITIONS], words[WORDS], words[RULES] = MAGIC, men, starts(men)[-1], len(words), 1
    for subspace, place in zip(subspaces(men), places, strict=False):
        words[int(STARTS) + 8 * subspace.own + subspace.opp] = place
    coefficients = binomials(movegen.POINTS)
    words[int(CHOICES) :][: len(coefficients)] = coefficients
    words[int(RANKS) : int(_ADDED)] = _ranks(0, 0)
    for below in range(men + 1):
        first = int(_ADDED) + _SETS * below
        words[first : first + _SETS] = _ranks(_HALF, below)
    return words


@functools.cache  # each database that is opened has the same
def _ranks(lowest: int, below: int) -> tuple[int, ...]:
    """Return what each set of the 12 points from `lowest` on adds to a rank, if the set has `below` lower points."""
    members = ([lowest + i for i in range(_HALF) if points >> i & 1] for points in range(_SETS))
    return tuple(sum(comb(point, below + i) for i, point in enumerate(found, 1)) for found in members)


def table_words(men: int) -> int:
    """Return the length of the tables, in words; they fill whole pages of 4,096 bytes."""
    return -(-(int(RANKS) + _SETS * (men + 2)) // 512) * 512


@inline
def _rank(t: Words, points: Word) -> Word:
    low = points & _LOW
    return t[RANKS + low] + t[_ADDED + (popcount(low) << _HALF_SHIFT) + (points >> _HALF_SHIFT)]


@inline
def _without(points: Word, gaps: Word) -> Word:
    """Return `points` renumbered as if those of `gaps` did not exist; the two sets must be disjoint."""
    # From the highest gap down: closing one does not renumber the points of the others.
    while gaps:
        gap = _63 - bits.clz(gaps)
        gaps ^= U1 << gap
        below = (U1 << gap) - U1
        points = (points & below) | ((points >> U1) & ~below)
    return points


@inline
def number_in_subspace(t: Words, own: Word, opp: Word) -> Word:
    return _rank(t, own) * binomial(t, CHOICES, _POINTS - popcount(own), popcount(opp)) + _rank(t, _without(opp, own))


@inline
def number(t: Words, own: Word, opp: Word) -> Word:
    """Return the number of a position of any subspace."""
    return t[STARTS + (popcount(own) << U3) + popcount(opp)] + number_in_subspace(t, own, opp)


@inline
def men_of(t: Words, number: Word, a: Word, b: Word) -> tuple[Word, Word]:
    """Return (own men, opponent's men) of a position, given by its number within the subspace a-b."""
    others = binomial(t, CHOICES, _POINTS - a, b)
    own = set_of(t, CHOICES, _LAST_POINT, number // others, a, U0)
    return own, set_of(t, CHOICES, _LAST_POINT, number % others, b, own)


_LEAST_MEN = np.uint64(LEAST_MEN)
_STORED, _LOSS = np.uint64(STORED), np.uint64(LOSS)
_STATE = np.uint64(8)
_gen, _play = inline(movegen.gen), inline(movegen.play)


@inline
def _set_up(game: Words, unit: Words, i: Word) -> tuple[Word, Word]:
    """Return (own men, opponent's men) of position i of a unit."""
    second = unit[U0] == U2 and i >= unit[U4]
    if second:
        return men_of(game, i - unit[U4], unit[_5], unit[_6])
    return men_of(game, i - unit[U1], unit[U2], unit[U3])


def expand(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    own, opp = _set_up(game, unit, i)
    state = at(unit, _STATE)
    state[U0], state[U1], state[U2] = own, opp, U0
    n = _gen(at(game, RULES), state, out)
    external, inside = U0, np.int64(0)
    for j in range(n):
        move = out[j]
        # A move without a removal leads to a position of this unit, whose predecessors include this one.
        if move >= movegen.NONE_REMOVED:
            inside += 1
            continue
        start, to = (move >> movegen.FROM_SHIFT) & movegen.POINT_MASK, move & movegen.POINT_MASK
        left = opp ^ (U1 << (move >> movegen.REMOVED_SHIFT))
        # Subspaces with two men are not stored: the side to move has lost.
        if popcount(left) < _LEAST_MEN:
            out[external] = _LOSS
        else:
            out[external] = _STORED + number(game, left, own ^ (U1 << start) ^ (U1 << to))
        external += U1
    return np.int64(external) + (inside << EXTERNAL_BITS)


def predecessors(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    """Write the positions before a move without a removal: the man that has moved is not in a mill."""
    own, opp = _set_up(game, unit, i)
    free = movegen.BOARD & ~(own | opp)
    # The other side has moved. With three men it could fly, so its man may come from any free point.
    flown = popcount(opp) == _LEAST_MEN
    # The sides take turns: the predecessors of a-b are in its twin b-a, or in itself if a is b.
    first = unit[U4] if unit[U0] == U2 and i < unit[U4] else unit[U1]
    # A man that has closed a mill has removed one, so its move leads here from another unit.
    moved = opp & ~completes(opp, movegen.MIDDLES)
    n = U0
    while moved:
        to = moved & (U0 - moved)
        moved ^= to
        origins = free
        if not flown:
            origins &= (
                clockwise(to) | counterclockwise(to) | inwards(to, movegen.MIDDLES) | outwards(to, movegen.MIDDLES)
            )
        while origins:
            start = origins & (U0 - origins)
            origins ^= start
            out[n] = first + number_in_subspace(game, (opp ^ to) | start, own)
            n += U1
    return np.int64(n)


class MorrisUnits:
    """All subspaces with 3 to `men` men of each side, as a gameforge_retrograde.indexer.Indexer."""

    def __init__(self, men: int) -> None:
        self.men = men
        self.expand, self.predecessors = expand, predecessors
        self.subspaces = subspaces(men)
        self.sizes = [subspace.size for subspace in self.subspaces]
        self.starts = starts(men)
        numbers = {(s.own, s.opp): n for n, s in enumerate(self.subspaces)}
        units: dict[int, list[Unit]] = {}
        for (own, opp), n in numbers.items():
            if own <= opp:
                unit = (n,) if own == opp else (n, numbers[opp, own])
                units.setdefault(own + opp, []).append(unit)
        self.levels = [units[total] for total in sorted(units)]

    def game_block(self, places: Sequence[int]) -> WordArray:
        return tables(self.men, places)

    def unit_block(self, unit: Unit, conversions: bool = False) -> WordArray:
        """Make the block of a unit; `conversions` has no effect, as irreversible moves leave the unit anyway."""
        block = np.zeros(int(_STATE) + 3, np.uint64)
        block[0] = len(unit)
        first = 0
        for place, n in enumerate(unit):
            subspace = self.subspaces[n]
            block[1 + 3 * place : 4 + 3 * place] = first, subspace.own, subspace.opp
            first += subspace.size
        return block


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
    men: int = attrs.field(validator=attrs.validators.in_((LEAST_MEN, MOST_MEN)))
    file: database_files.KeptFile
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
        return database_files.distances_of(self.words)


def build(men: int, out: Path, announce: Announce = silent) -> Path:
    """Solve all subspaces with up to `men` men of each side and write the files; return the path of the manifest.

    Existing files are replaced, and temporary files that killed builds left are removed. Raises GameforgeError if the
    files cannot be written.
    """
    units = MorrisUnits(men)
    name, total = f"morris{men}", units.starts[-1]
    database_files.make_folder(out, total, 2 * total, f"building {name}")
    title = f"solving morris endings {', '.join(subspace.name for subspace in units.subspaces)}"
    words = database_files.solve(units, tables(men, units.starts), announce, title)
    distances = database_files.distances_of(words)
    counts = [
        attrs.asdict(_counted(s, distances[start : start + s.size], words))
        for s, start in zip(units.subspaces, units.starts, strict=False)
    ]
    return database_files.write(out, name, words, {"game": GAME, "men": men, "positions": total}, {"subspaces": counts})


def read(path: Path) -> Database:
    """Read the database of a folder or manifest; GameforgeError if there is none, or if a file is damaged."""
    manifest = database_files.only_manifest(path, path.glob("morris*.json"), "no morris*.json")
    content = database_files.read_content(manifest)
    if content.get("game") != GAME:
        raise GameforgeError(f"{manifest}: the database is of {content.get('game')!r}, not of {GAME}")
    about = database_files.read_entries(manifest, content, _Manifest)
    wanted = tables(about.men, MorrisUnits(about.men).starts)
    words = database_files.read(manifest, about.file, wanted, f"{about.men} men", "morris endings")
    return Database(manifest, about.men, words, about.subspaces)


@kernel
def _men_of(t: Words, number: Word, a: Word, b: Word) -> tuple[Word, Word]:
    return men_of(t, number, a, b)


def _counted(subspace: Subspace, distances: ByteArray, t: WordArray) -> Counts:
    win, loss, draw, plies, longest = tally(distances)
    own, opp = _men_of(t, np.uint64(longest), np.uint64(subspace.own), np.uint64(subspace.opp))
    example = position_text(state_of(int(own), int(opp), 0, movegen.WHITE))
    return Counts(subspace.name, subspace.size, win, loss, draw, plies, example)


_CHILD, _MOVES = np.uint64(movegen.STATE_WORDS), np.uint64(2 * movegen.STATE_WORDS)
_CHUNK = 1 << 20


@inline
def _distance(t: Words, distances: ByteArray, space: Words) -> np.int64:
    """Compute the distance byte of the state in space[0:3] from those of its successors."""
    s, child, moves = at(space, U0), at(space, _CHILD), at(space, _MOVES)
    rules = at(t, RULES)
    n = _gen(rules, s, moves)
    best = np.int64(LOST)
    for i in range(n):
        _play(rules, s, moves[i], child)
        byte = np.int64(LOST)
        # Two men have lost at once, which is the same byte as having no move.
        if popcount(child[0]) >= _LEAST_MEN:
            byte = np.int64(distances[number(t, child[0], child[1])])
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
        space[0], space[1] = men_of(t, np.uint64(i), a, b)
        space[2] = U0
        if distances[start + i] != _distance(t, distances, space):
            return i
    return end


def check(database: Database, announce: Announce = silent) -> None:
    """Raise GameforgeError, with the position, if a distance does not follow from those of its successors."""
    distances = database.distances
    space = np.zeros(2 * movegen.STATE_WORDS + movegen.MAX_MOVES, np.uint64)
    first_numbers = starts(database.men)
    for subspace, start in zip(subspaces(database.men), first_numbers, strict=False):
        a, b = np.uint64(subspace.own), np.uint64(subspace.opp)
        for first in range(0, subspace.size, _CHUNK):
            end = min(first + _CHUNK, subspace.size)
            i = int(contradiction(database.words, distances, a, b, start, first, end, space))
            if i < end:
                text = position_text(state_of(int(space[0]), int(space[1]), 0, movegen.WHITE))
                raise GameforgeError(
                    f"{database.path}: the value of {text}, {distances[start + i]}, "
                    "does not follow from the values after its moves"
                )
            announce(f"checking {database.path.name}", start + end, first_numbers[-1])


def probe(od: Words, s: Words, out: Words) -> np.int64:
    """Return the value for the side to move; write the distance to the end of the game. od: the file."""
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = U0
    own, opp = popcount(s[0]), popcount(s[1])
    if s[2] > U1 or own > od[MEN] or opp > od[MEN] or opp < _LEAST_MEN:
        return np.int64(UNKNOWN)
    if own < _LEAST_MEN:
        out[slots.PROBE_DISTANCE] = U1
        return np.int64(LOSS)
    return value_at(od, number(od, s[0], s[1]), out)


@attrs.frozen(kw_only=True)
class Endings:
    """Exact values, with flying; draws by repetition and by the length of the game are not considered."""

    path: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.instance_of(str)))
    """Folder of a database, or its manifest; None: the database is solved on first use and kept in the cache folder."""
    men: int = attrs.field(
        default=MOST_MEN,
        validator=kinds.whole(f"{LEAST_MEN} or {MOST_MEN}", LEAST_MEN, MOST_MEN),
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
        return read(database_files.cache_folder() / f"morris{men}.json")
    except GameforgeError:
        return read(build(men, database_files.cache_folder(), announce))


def _why_not(state: State, men: int) -> str:
    own, opp = state[0].bit_count(), state[1].bit_count()
    if state[2] > 1:
        return f"men are still being placed; this database covers the moving phase with up to {men} men of each side"
    if opp < LEAST_MEN:
        return "the side that has just moved has fewer than three men; such a position cannot arise"
    return f"{own} men against {opp}; this database covers up to {men} of each side"

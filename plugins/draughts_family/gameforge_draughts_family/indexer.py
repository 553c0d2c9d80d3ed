"""The indexer of endings: slices by material, numbers of positions, and the units that `gameforge_retrograde` solves.

The side to move is seen as White, whose men move up: if Black is to move, the board is turned and the colours are
exchanged. A slice holds all positions of one material. A quiet move that crowns no man leads to the slice with both
sides exchanged, so such twins are solved together. All other moves lead to slices with fewer pieces or fewer men.

Squares are numbered in reading order, as the side to move sees them. Within its slice, a position has the number

    (men * C(free, k) + own kings) * C(free - k, l) + opponent's kings

where `men` numbers the arrangement of all men, `free` is the number of squares without men, k and l are the numbers of
own and opponent's kings, and each set of pieces counts by its colexicographic rank on the squares that remain. The
tables (`tables`, in words) begin with the words named below.

A unit is a slice and its twin, or a slice that is its own twin. Its block holds the number of slices, then for each of
them its first number in the unit, its size and the code of its material, and from _STATE on workspace.
"""

import functools
import itertools
from collections.abc import Sequence
from math import comb

import attrs
import numpy as np
from gameforge_retrograde.database_files import POSITIONS, WORDS
from gameforge_retrograde.indexer import EXTERNAL_BITS, STORED, Unit, binomial, binomials, rank_of, set_of

from gameforge import GameforgeError
from gameforge.interfaces import LOSS, Rules
from gameforge.kernel import U0, U1, U2, U3, Word, WordArray, Words, at, ctz, inline, popcount
from gameforge_draughts_family import movegen
from gameforge_draughts_family.block import FLYING, MEN_STEPS, SQUARES, max_moves, settings
from gameforge_draughts_family.board import STATE_WORDS, Board, Variant, board_of
from gameforge_draughts_family.captures import TAKEN_SHIFT, step
from gameforge_draughts_family.evaluation import require_family
from gameforge_draughts_family.rules import FamilyRules

_7 = np.uint64(7)
LEAST_PIECES, MOST_PIECES = 2, 4
"""Number of pieces of a database, both sides together."""

Material = tuple[int, int, int, int]
"""Own men and kings, and the opponent's men and kings."""


@attrs.frozen
class Slice:
    """All positions of one material."""

    material: Material
    size: int
    """Number of positions."""

    @property
    def name(self) -> str:
        """The pieces of the side to move, then the opponent's: `KKM-K`."""
        own_men, own_kings, opp_men, opp_kings = self.material
        return f"{'K' * own_kings}{'M' * own_men}-{'K' * opp_kings}{'M' * opp_men}"

    @property
    def pieces(self) -> int:
        return sum(self.material)

    @property
    def men(self) -> int:
        return self.material[0] + self.material[2]


def twin(material: Material) -> Material:
    """Return the material with both sides exchanged."""
    return material[2], material[3], material[0], material[1]


def require_endings(rules: Rules) -> FamilyRules:
    """Return the rules; raise GameforgeError if their endings cannot be solved."""
    family = require_family(rules, "the oracle draughts-endings")
    variant = family.settings()
    for reason, applies in {
        "its board is orthogonal": variant.layout == "8x8-orthogonal",
        "its board has more than 64 squares": board_of(variant).words > 1,
        f"goal={variant.goal} instead of block": variant.goal != "block",
        f"king_moves={variant.king_moves}, so a position alone does not say which kings may move": (
            variant.king_moves > 0
        ),
    }.items():
        if applies:
            raise GameforgeError(f"endings of {rules.name} are not solved: {reason}")
    return family


def deciding(variant: Variant) -> Variant:
    """Return the variant without the settings on which values do not depend: notation, first mover, limits of draws."""
    return attrs.evolve(variant, first="white", endings="none", notation="numeric", origin="top-left")


def squares_of_men(board: Board) -> int:
    """Number of squares on which men of one colour may be: all but those of the last row."""
    return len(board.places) * (board.size - 1) // board.size


@functools.cache
def men_bases(squares: int, men_squares: int, own: int, opp: int) -> tuple[int, ...]:
    """Return the number of the first arrangement of men for each set of own men, and at the end their total.

    squares, men_squares: number of squares of the board, and of those open to men of one colour. The sets of own men
    are in colexicographic order; the opponent's men have fewer squares to choose from if own men stand there.
    """
    behind = squares - men_squares
    bases = [0]
    for chosen in sorted(itertools.combinations(range(men_squares), own), key=lambda chosen: chosen[::-1]):
        taken = sum(square + behind < men_squares for square in chosen)
        bases.append(bases[-1] + comb(men_squares - taken, opp))
    return tuple(bases)


@functools.cache
def slices(variant: Variant, pieces: int) -> tuple[Slice, ...]:
    """Return all slices with 2 to `pieces` pieces, in solving order; twins are adjacent."""
    board = board_of(variant)
    squares, men_squares = len(board.places), squares_of_men(board)
    found = []
    for own_men, own_kings, opp_men, opp_kings in itertools.product(range(pieces), repeat=4):
        material = own_men, own_kings, opp_men, opp_kings
        if own_men + own_kings == 0 or opp_men + opp_kings == 0 or sum(material) > pieces:
            continue
        men = men_bases(squares, men_squares, own_men, opp_men)[-1]
        free = squares - own_men - opp_men
        found.append(Slice(material, men * comb(free, own_kings) * comb(free - own_kings, opp_kings)))
    return tuple(sorted(found, key=lambda s: (s.pieces, s.men, max(s.material, twin(s.material)), s.material)))


def starts(variant: Variant, pieces: int) -> list[int]:
    """Return the first number of each slice, and at the end the number of positions."""
    return [0, *(int(end) for end in np.cumsum([s.size for s in slices(variant, pieces)]))]


MAGIC = int.from_bytes(b"GFDRAU1\n", "little")
"""First word; the 1 is the version of tables and numbers."""
PIECES, ALL_SQUARES, MEN_SQUARES = (np.uint64(n) for n in (1, 4, 5))
"""Maximum number of pieces, squares of the board, and those open to men."""
SQUARE_OF_BIT, BIT_OF_SQUARE = np.uint64(8), np.uint64(72)
CHOICES = np.uint64(136)
"""C(n, k) at CHOICES + 8 * n + k."""
SLICES = np.uint64(656)
"""The first number of each slice, at the code of its material (`code`)."""
BASES = np.uint64(4752)
"""Where the bases of men (`men_bases`) are, at BASES + 8 * own men + opponent's men."""
RULES = np.uint64(4816)
"""The settings of the rules."""
_PAGE = 512
_CODE_SHIFTS = tuple(np.uint64(n) for n in (9, 6, 3))


def tables(variant: Variant, pieces: int, places: Sequence[int] | None = None) -> WordArray:
    """Make the tables; places[n] is the first number of slice n, by default that among all positions."""
    board = board_of(variant)
    squares, men_squares = len(board.places), squares_of_men(board)
    every, firsts = slices(variant, pieces), starts(variant, pieces)
    rules = settings(variant, "once")
    head = np.zeros(int(RULES) + len(rules), np.uint64)
    head[0] = MAGIC
    head[[PIECES, POSITIONS, ALL_SQUARES, MEN_SQUARES]] = pieces, firsts[-1], squares, men_squares
    for square, bit in enumerate(board.bits):
        head[int(SQUARE_OF_BIT) + bit], head[int(BIT_OF_SQUARE) + square] = square, bit
    coefficients = binomials(squares)
    head[int(CHOICES) :][: len(coefficients)] = coefficients
    for s, place in zip(every, firsts if places is None else places, strict=False):
        head[int(SLICES) + code(s.material)] = place
    head[int(RULES) :] = rules
    parts, length = [head], len(head)
    for own_men, opp_men in sorted({(s.material[0], s.material[2]) for s in every}):
        head[int(BASES) + 8 * own_men + opp_men] = length
        parts.append(np.array(men_bases(squares, men_squares, own_men, opp_men), np.uint64))
        length += len(parts[-1])
    parts.append(np.zeros(-length % _PAGE, np.uint64))
    found = np.concatenate(parts)
    found[WORDS] = len(found)
    return found


def code(material: Material) -> int:
    """Return the code of a material, as `code_of` computes it for a position."""
    own_men, own_kings, opp_men, opp_kings = material
    return 512 * own_men + 64 * own_kings + 8 * opp_men + opp_kings


@inline
def _choices(t: Words, n: Word, k: Word) -> Word:
    return binomial(t, CHOICES, n, k)


@inline
def _squares(t: Words, word: Word, black: Word) -> Word:
    """Return the squares of these bits as a set, turned if Black is to move."""
    found = U0
    while word:
        square = t[SQUARE_OF_BIT + ctz(word)]
        word &= word - U1
        found |= U1 << (t[ALL_SQUARES] - U1 - square if black else square)
    return found


@inline
def _bits(t: Words, squares: Word) -> Word:
    """Return the bits of these squares."""
    found = U0
    while squares:
        found |= U1 << t[BIT_OF_SQUARE + ctz(squares)]
        squares &= squares - U1
    return found


@inline
def number_in_slice(t: Words, own: Word, opp: Word, kings: Word, black: Word) -> Word:
    """Return the number of a position within its slice; black: not 0 if Black is to move."""
    own_men, opp_men = _squares(t, own & ~kings, black), _squares(t, opp & ~kings, black)
    own_kings, opp_kings = _squares(t, own & kings, black), _squares(t, opp & kings, black)
    # Own men cannot be on the last row, which has the lowest squares, so their ranks begin after it.
    behind = t[ALL_SQUARES] - t[MEN_SQUARES]
    bases = t[BASES + (popcount(own_men) << U3) + popcount(opp_men)]
    number = t[bases + rank_of(t, CHOICES, own_men >> behind, U0)] + rank_of(t, CHOICES, opp_men, own_men)
    men = own_men | opp_men
    free, k = t[ALL_SQUARES] - popcount(men), popcount(own_kings)
    number = number * _choices(t, free, k) + rank_of(t, CHOICES, own_kings, men)
    return number * _choices(t, free - k, popcount(opp_kings)) + rank_of(t, CHOICES, opp_kings, men | own_kings)


@inline
def code_of(own: Word, opp: Word, kings: Word) -> Word:
    """Return the material of a position in one word, three bits for each kind of piece."""
    code = popcount(own & ~kings) << _CODE_SHIFTS[0]
    code |= popcount(own & kings) << _CODE_SHIFTS[1]
    return code | (popcount(opp & ~kings) << _CODE_SHIFTS[2]) | popcount(opp & kings)


@inline
def number(t: Words, own: Word, opp: Word, kings: Word, black: Word) -> Word:
    """Return the number of a position of any slice; both sides must have pieces, and no more than the tables cover."""
    return t[SLICES + code_of(own, opp, kings)] + number_in_slice(t, own, opp, kings, black)


@inline
def set_up(t: Words, number: Word, code: Word, s: Words) -> None:
    """Write the state with this number in the slice of this material, with White to move."""
    om, ok = code >> _CODE_SHIFTS[0], (code >> _CODE_SHIFTS[1]) & _7
    pm, pk = (code >> _CODE_SHIFTS[2]) & _7, code & _7
    free = t[ALL_SQUARES] - om - pm
    sets = _choices(t, free - ok, pk)
    last = number % sets
    number //= sets
    sets = _choices(t, free, ok)
    own_kings_rank = number % sets
    men = number // sets
    # Binary search for the last set of own men whose base is not above `men`.
    bases = t[BASES + (om << U3) + pm]
    low, high = U0, _choices(t, t[MEN_SQUARES], om)
    while high - low > U1:
        middle = (low + high) >> U1
        if t[bases + middle] <= men:
            low = middle
        else:
            high = middle
    last_square = t[ALL_SQUARES] - U1
    own_men = set_of(t, CHOICES, last_square, low, om, U0) << (t[ALL_SQUARES] - t[MEN_SQUARES])
    opp_men = set_of(t, CHOICES, last_square, men - t[bases + low], pm, own_men)
    own_kings = set_of(t, CHOICES, last_square, own_kings_rank, ok, own_men | opp_men)
    opp_kings = set_of(t, CHOICES, last_square, last, pk, own_men | opp_men | own_kings)
    s[0] = _bits(t, own_men | own_kings)
    s[1] = _bits(t, opp_men | opp_kings)
    s[2] = _bits(t, own_kings | opp_kings)
    s[3] = U0


_FIRST, _SIZE, _CODE = (np.uint64(n) for n in (1, 2, 3))
_ROW = np.uint64(3)
_STATE, _CHILD, _MOVES = (np.uint64(n) for n in (8, 8 + STATE_WORDS, 8 + 2 * STATE_WORDS))
_STORED, _LOSS = np.uint64(STORED), np.uint64(LOSS)
_BLACK = U1
_gen, _play = inline(movegen.gen), inline(movegen.play)


@inline
def _set_up(game: Words, unit: Words, i: Word) -> Word:
    """Write position i of a unit to its workspace; return the row of its slice in the block."""
    row = _ROW if i >= unit[_SIZE] else U0
    set_up(game, i - unit[_FIRST + row], unit[_CODE + row], at(unit, _STATE))
    return row


def expand(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    _set_up(game, unit, i)
    rules, s, child, moves = at(game, RULES), at(unit, _STATE), at(unit, _CHILD), at(unit, _MOVES)
    n = _gen(rules, s, moves)
    external, inside = U0, np.int64(0)
    for j in range(n):
        move = moves[j]
        _play(rules, s, move, child)
        # A quiet move that crowns no man stays in the unit.
        if move >> TAKEN_SHIFT == U0 and popcount(child[2]) == popcount(s[2]):
            inside += 1
            continue
        # Without pieces the other side has lost; such positions have no slice.
        if child[0] == U0:
            out[external] = _LOSS
        else:
            out[external] = _STORED + number(game, child[0], child[1], child[2], _BLACK)
        external += U1
    return np.int64(external) + (inside << EXTERNAL_BITS)


def predecessors(game: Words, unit: Words, i: Word, out: Words) -> np.int64:
    """Write the positions before a quiet move that crowned no man.

    Some of them have a capture, so that the move would have been illegal; their values are known beforehand, since all
    captures leave the unit.
    """
    # The other side has moved; seen by the side to move, it is Black, and the positions before are those of the twin.
    row = _set_up(game, unit, i)
    rules, s = at(game, RULES), at(unit, _STATE)
    own, opp, kings = s[0], s[1], s[2]
    empty = rules[SQUARES] & ~(own | opp)
    first = unit[_FIRST + _ROW] if unit[U0] == U2 and row == U0 else U0
    n = U0
    moved = opp
    while moved:
        piece = moved & (U0 - moved)
        moved ^= piece
        is_king = kings & piece
        directions = np.uint64(15) if is_king else rules[MEN_STEPS + _BLACK]
        direction = U0
        while directions >> direction:
            if (directions >> direction) & U1:
                # Back along the direction of the move. A flying king may come from any square up to the next piece.
                origin = step(rules, piece, direction ^ U1) & empty
                while origin:
                    crowned = kings ^ (piece | origin) if is_king else kings
                    out[n] = first + number_in_slice(game, (opp ^ piece) | origin, own, crowned, _BLACK)
                    n += U1
                    if is_king == U0 or rules[FLYING] == U0:
                        break
                    origin = step(rules, origin, direction ^ U1) & empty
            direction += U1
    return np.int64(n)


class FamilyUnits:
    """All slices of a variant with up to `pieces` pieces, as a gameforge_retrograde.indexer.Indexer."""

    def __init__(self, variant: Variant, pieces: int) -> None:
        self.variant, self.pieces = deciding(variant), pieces
        self.expand, self.predecessors = expand, predecessors
        self.slices = slices(self.variant, pieces)
        self.sizes = [s.size for s in self.slices]
        self.starts = starts(self.variant, pieces)
        numbers = {s.material: n for n, s in enumerate(self.slices)}
        levels: dict[tuple[int, int], list[Unit]] = {}
        for n, s in enumerate(self.slices):
            other = numbers[twin(s.material)]
            if n <= other:
                levels.setdefault((s.pieces, s.men), []).append((n,) if n == other else (n, other))
        self.levels = [levels[key] for key in sorted(levels)]

    def game_block(self, places: Sequence[int]) -> WordArray:
        return tables(self.variant, self.pieces, places)

    def unit_block(self, unit: Unit, conversions: bool = False) -> WordArray:
        """Make the block of a unit; raises ValueError for conversions, which these databases do not count."""
        if conversions:
            raise ValueError("endings of the draughts family have distances to the end only")
        block = np.zeros(int(_MOVES) + max_moves(board_of(self.variant)), np.uint64)
        block[0] = len(unit)
        first = 0
        for place, n in enumerate(unit):
            size = self.slices[n].size
            block[1 + 3 * place : 4 + 3 * place] = first, size, code(self.slices[n].material)
            first += size
        return block

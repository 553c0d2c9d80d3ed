"""The division of all endings into slices by material, and the settings on which their values depend.

The side to move is seen as White, whose men move up: if Black is to move, the board is turned and the colours are
exchanged. A slice holds all positions of one material. A quiet move that crowns no man leads to the slice with both
sides exchanged, so such twins are solved together. All other moves lead to slices with fewer pieces or fewer men.
"""

import functools
import itertools
from math import comb

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules
from gameforge_draughts_family.board import Board, board_of
from gameforge_draughts_family.features import require_family
from gameforge_draughts_family.rules import FamilyRules
from gameforge_draughts_family.variant import Variant

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

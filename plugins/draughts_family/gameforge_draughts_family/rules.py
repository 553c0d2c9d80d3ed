"""The games of the family as rules components: a variant each, with draws as settings.

Where the federations count moves of each side, these settings count plies.
"""

from typing import Any

import attrs
from gameforge_draughts.drawing import DraughtsDrawing
from gameforge_draughts.files import PdnFiles
from gameforge_draughts.pdn import PdnGame

from gameforge import interfaces
from gameforge.interfaces import Cells, Defaults, DrawRules, PieceOdds, RulesFunctions, State, kinds
from gameforge_draughts_family import movegen, wide
from gameforge_draughts_family.block import max_moves, settings
from gameforge_draughts_family.board import (
    BLACK,
    COLOURS,
    STATE_WORDS,
    WHITE,
    Variant,
    board_of,
    pieces,
    squares_of,
    state_of,
    to_move,
)
from gameforge_draughts_family.cells import FamilySymmetries, cells_of
from gameforge_draughts_family.drawing import board_view, drawing_of, side_of
from gameforge_draughts_family.notation import FamilyDialects, FamilyNotation, FamilyPositions
from gameforge_draughts_family.openings import FamilyOpenings

GAME_TYPES = {
    "international": "20,W,10,10,N2,0",
    "italian": "22,W,8,8,N2,1",
    "pool": "23,B,8,8,N1,0",
    "spanish": "24,W,8,8,N1,1",
    "russian": "25,W,8,8,A0,0",
    "brazilian": "26,W,8,8,A0,0",
    "canadian": "27,W,12,12,N2,0",
    "turkish": "30,W,8,8,A0,0",
    "frisian": "40,W,10,10,N2,0",
    "breakthrough-draughts": "42,W,10,10,N2,0",
    "antidraughts": "43,W,10,10,N2,0",
    "draughts-variant": "49",
}
"""Game -> the tag GameType of PDN, which `draughts` reads and writes: number, first mover, board, how squares are
written and where they begin, whether the dark corner is on the right. Source: PDN 3.0, section "GameType tag". It
leaves 42 to 49 to further kinds of draughts, of which 42, 43 and 49 are ours; 50 is Othello."""
OTHER_NUMBERS = {
    "spanish": {"28": ""},
    "international": {"99": ""},
    "breakthrough-draughts": {"96": ""},
    "frisian": {"97": "W:W46-50:B1-5"},
    "antidraughts": {"98": ""},
}
"""Numbers that the site lidraughts writes in that tag, each with the FEN with which such games begin, or "". 97 is its
game Frysk!, Frisian draughts with five men a side; 99 is international draughts from a set-up position. Source: the
variants of its library scaladraughts. 28 is Portuguese draughts, which has the rules and the board of 24; the rules of
the Portuguese federation are named "Portuguese Draughts (Spanish Draughts)"."""
EITHER_FIRST = ("pool",)
"""Games whose number PDN 3.0 shares with kinds of the same game in which White begins and squares have letters."""
_FORWARDS = Variant(board="8x8", men_capture="forwards", promotion="stop", majority="free")
NATIONAL = {
    "29": attrs.evolve(_FORWARDS, by_king=True, notation="algebraic"),
    "31": attrs.evolve(_FORWARDS, kings="halting", first="black"),
}
"""Numbers of kinds of draughts that are settings of `draughts-variant`: Czech (29,W,8,8,A0,0) and Thai (31,B,8,8,N2,0).
Endings are left out, for which no text of a federation was found."""
_THAI, _THAI_MEN = "31", ":W25-32:B1-8"
"""Thai games begin with eight men a side, and sources do not agree on who begins; PDN says Black."""


_MOST_PLIES = 1023
_KING_WORTH = {"flying": 3.0, "halting": 3.0, "short": 1.5}


def _no_progress(plies: int) -> int:
    field: int = attrs.field(default=plies, validator=kinds.count_or_off())
    return field


@attrs.frozen(kw_only=True, slots=False)
class FamilyRules:
    """What all games of the family have in common.

    * `repetition`: a draw when a position with the same side to move occurs for the n-th time.
    * `no_progress`: a draw after n plies without a capture or a move of a man.
    * `max_plies`: a draw after n plies.
    * `routes`: whether captures that differ only in their route count `once` or `apart`.

    0 switches a rule off, except `max_plies`, so that every game ends.
    """

    repetition: int = attrs.field(default=3, validator=kinds.count_or_off(2))
    no_progress: int = _no_progress(50)
    max_plies: int = attrs.field(default=400, validator=kinds.count(1, _MOST_PLIES))
    routes: str = attrs.field(default="once", validator=attrs.validators.in_(("once", "apart")))

    name = ""
    variant = Variant()
    """The kind of draughts that this game is."""
    defaults = Defaults(player="alphabeta:depth=6 + material", yardstick="material", named_only=True)
    man_log_odds = 0.0
    """Log-odds of winning of a side that is a man ahead, as measured: README, "Scores in men"; 0: not measured."""

    def settings(self) -> Variant:
        """Return the kind of draughts that is played."""
        return self.variant

    @property
    def sides(self) -> tuple[str, str]:
        return COLOURS[self._first], COLOURS[1 - self._first]

    @property
    def reasons(self) -> tuple[str, ...]:
        second = {"king": ("a king",), "block": ("limit of the ending",), "lose": ("limit of the ending",)}
        variant = self.settings()
        limited = variant.goal == "king" or variant.endings != "none"
        return ("no legal move", *(second[variant.goal] if limited else ()))

    @property
    def draws(self) -> DrawRules:
        return DrawRules(
            repetition=self.repetition,
            no_progress=self.no_progress,
            max_plies=self.max_plies,
            loops=("repetition",),
        )

    @property
    def notation(self) -> FamilyNotation:
        return FamilyNotation(self.settings())

    @property
    def positions(self) -> FamilyPositions:
        return FamilyPositions(self.settings())

    @property
    def drawing(self) -> DraughtsDrawing:
        return drawing_of(self.settings())

    @property
    def pdn(self) -> PdnGame:
        """How PDN files hold these games."""
        return self._pdn(GAME_TYPES[self.name], either_first=self.name in EITHER_FIRST)

    def _pdn(self, game_type: str, *, either_first: bool = False, begin: str = "") -> PdnGame:
        squares = squares_of(self.settings())
        return PdnGame(
            self,
            game_type,
            self.notation.readings,
            {name: squares.board.bits[square] for name, square in squares.by_name.items()},
            letters=True,
            either_first=either_first,
            aliases=OTHER_NUMBERS.get(self.name, {}),
            begin=begin,
            plain=self.settings().goal == "block" and self.name != "draughts-variant",
            square_bits=squares.board.move.square,
        )

    @property
    def files(self) -> PdnFiles:
        return PdnFiles(self.pdn)

    @property
    def dialects(self) -> FamilyDialects:
        return FamilyDialects(self.name, self.settings())

    @property
    def symmetries(self) -> FamilySymmetries:
        return FamilySymmetries(self.settings())

    @property
    def cells(self) -> Cells | None:
        """None on 12x12, whose squares do not fit in a word."""
        return cells_of(self.settings()) if self._in_words else None

    @property
    def moves(self) -> interfaces.MoveIndices | None:
        """None on 12x12, as `cells`."""
        return movegen.move_indices(self.settings()) if self._in_words else None

    @property
    def board(self) -> interfaces.Board:
        return board_view(self.settings())

    def functions(self) -> RulesFunctions:
        variant = self.settings()
        if not self._in_words:
            return RulesFunctions(
                words=wide.STATE_WORDS,
                max_moves=wide.MAX_MOVES,
                gen=wide.gen,
                play=wide.play,
                outcome=wide.outcome,
                irreversible=wide.irreversible,
                retracts=wide.retracts,
                noisy=wide.noisy,
                data=wide.settings(variant, self.routes),
            )
        return RulesFunctions(
            words=STATE_WORDS,
            max_moves=max_moves(board_of(variant)),
            gen=movegen.gen,
            play=movegen.play,
            outcome=movegen.outcome,
            irreversible=movegen.irreversible,
            retracts=movegen.retracts,
            noisy=movegen.noisy,
            data=settings(variant, self.routes),
        )

    def initial(self) -> State:
        board = board_of(self.settings())
        return state_of(board, board.start(), self._first)

    def side_to_move(self, state: State) -> int:
        return side_of(self.settings(), to_move(state))

    def material(self, state: State) -> tuple[float, float]:
        """Return the material of both sides in men; a flying king is worth three, a short one one and a half."""
        worth = [0.0, 0.0]
        for colour, is_king in pieces(board_of(self.settings()), state).values():
            worth[side_of(self.settings(), colour)] += _KING_WORTH[self.settings().kings] if is_king else 1
        return worth[0], worth[1]

    def piece_odds(self, state: State) -> PieceOdds | None:
        """Return the odds of a man, which are the same in all positions; None where nobody has measured them."""
        return PieceOdds(one="man", many="men", log_odds=self.man_log_odds) if self.man_log_odds else None

    @property
    def _in_words(self) -> bool:
        """Whether each set of pieces is one word."""
        return board_of(self.settings()).words == 1

    @property
    def _first(self) -> int:
        return WHITE if self.settings().first == "white" else BLACK


_TRAINED = attrs.evolve(FamilyRules.defaults, player="strong")
"""Defaults of the games for which the plugin brings a trained player."""
_RUSSIAN = Variant(board="8x8", majority="free", promotion="continue", endings="russian", notation="algebraic")


@attrs.frozen(kw_only=True, slots=False)
class International(FamilyRules):
    """International draughts, 10x10 (FMJD)."""

    name = "international"
    defaults = _TRAINED
    man_log_odds = 0.57
    variant = Variant(endings="international")


@attrs.frozen(kw_only=True, slots=False)
class Frisian(FamilyRules):
    """Frisian draughts, 10x10: captures along rows and columns as well."""

    name = "frisian"
    variant = Variant(lines="all", majority="value", by_king=True, king_moves=3, endings="frisian")


@attrs.frozen(kw_only=True, slots=False)
class Russian(FamilyRules):
    """Russian draughts, 8x8: any capture, and a man that reaches the last row continues as a king."""

    no_progress: int = _no_progress(30)
    name = "russian"
    defaults = _TRAINED
    man_log_odds = 0.66
    variant = _RUSSIAN

    @property
    def openings(self) -> FamilyOpenings:
        return FamilyOpenings(self, self.variant)


@attrs.frozen(kw_only=True, slots=False)
class Brazilian(FamilyRules):
    """Brazilian draughts: the rules of international draughts on 8x8."""

    no_progress: int = _no_progress(40)
    name = "brazilian"
    variant = Variant(board="8x8", endings="brazilian", notation="algebraic")

    @property
    def openings(self) -> FamilyOpenings:
        return FamilyOpenings(self, self.variant)


@attrs.frozen(kw_only=True, slots=False)
class Pool(FamilyRules):
    """American pool checkers, 8x8: any capture, and Black begins."""

    no_progress: int = _no_progress(0)
    name = "pool"
    variant = Variant(board="8x8", majority="free", first="black", endings="pool")


@attrs.frozen(kw_only=True, slots=False)
class Italian(FamilyRules):
    """Italian draughts, 8x8 with the dark corner on the right: short kings, which are safe from men."""

    no_progress: int = _no_progress(80)
    name = "italian"
    variant = Variant(
        board="8x8",
        corner="right",
        kings="short",
        men_capture="forwards",
        men_take_kings=False,
        by_king=True,
        most_kings=True,
        king_first=True,
        promotion="stop",
    )


@attrs.frozen(kw_only=True, slots=False)
class Spanish(FamilyRules):
    """Spanish draughts, 8x8 with the dark corner on the right: flying kings, and captures of most kings."""

    no_progress: int = _no_progress(40)
    name = "spanish"
    variant = Variant(
        board="8x8",
        corner="right",
        men_capture="forwards",
        most_kings=True,
        promotion="stop",
        endings="spanish",
        origin="bottom-right",
    )


@attrs.frozen(kw_only=True, slots=False)
class Turkish(FamilyRules):
    """Turkish draughts, on all squares of 8x8: along rows and columns, and captured pieces are removed at once."""

    no_progress: int = _no_progress(80)
    name = "turkish"
    variant = Variant(
        board="8x8-orthogonal",
        men_capture="forwards",
        removal="at-once",
        endings="turkish",
        notation="algebraic",
    )


@attrs.frozen(kw_only=True, slots=False)
class BreakthroughDraughts(FamilyRules):
    """International draughts in which the first king wins."""

    name = "breakthrough-draughts"
    variant = Variant(goal="king")


@attrs.frozen(kw_only=True, slots=False)
class Antidraughts(FamilyRules):
    """International draughts in which a side wins when it cannot move."""

    name = "antidraughts"
    variant = Variant(goal="lose")


@attrs.frozen(kw_only=True, slots=False)
class Canadian(FamilyRules):
    """Canadian draughts: the rules of international draughts on 12x12, with thirty men a side."""

    name = "canadian"
    variant = Variant(board="12x12")


@attrs.frozen(kw_only=True, slots=False)
class DraughtsVariant(FamilyRules, Variant):
    """Draughts with rules of your own: any combination of the settings that does not contradict itself."""

    name = "draughts-variant"

    def settings(self) -> Variant:
        return Variant(**_named(self))

    @property
    def pdn(self) -> PdnGame:
        """How PDN files hold these games: with a number of their own if PDN has one."""
        own = self.settings()
        first, squares = own.first[0].upper(), "A0" if own.lettering == "algebraic" else "N2"
        mine = _named(own)
        for number, kind in NATIONAL.items():
            thai = number == _THAI
            chosen = {"notation", "endings", "first"} if thai else {"notation", "endings"}
            if all(mine[name] == value for name, value in _named(kind).items() if name not in chosen):
                begin = first + _THAI_MEN if thai else ""
                return self._pdn(f"{number},{first},8,8,{squares},0", either_first=thai, begin=begin)
        return super().pdn

    @property
    def pdn_kinds(self) -> tuple[PdnGame, ...]:
        """The games whose settings PDN has a number for; the number 49 of all others does not tell their settings."""
        return tuple(DraughtsVariant(**_named(kind)).pdn for kind in NATIONAL.values())


def _named(variant: Variant) -> dict[str, Any]:
    """Return the settings by the names under which they are set."""
    return {field.alias or field.name: getattr(variant, field.name) for field in attrs.fields(Variant)}

"""Feature maps of draughts, the inputs of the nets of NeuroDraughts and LS-Draughts; and the evaluator `material`.

* `binarymap` and `directmap`: the 32 squares themselves ([Lynch1997], section 3.3). The viewer's square 1 comes first,
  which is square 32 for White. Codes of a square: 0 empty, 1 own man, 2 opponent's man, 3 own king, 4 opponent's king.
* `netfeaturemap`: a subset of the 15 features of `feature_terms`, each value in binary.

Viewpoint of all maps: the side that has just moved (Samuel's passive side) is "own" and sees the board as Black does,
moving up; the side to move (active) is "opponent". For White the board is turned by 180 degrees (square s becomes
33 - s) and the colours are exchanged.

The default coder clips each feature's value to [0, 2^bits - 1] and writes it as bits, least significant first, with 1
for on and 0 for off. A negative value thus has all bits off, and one that is too large has all bits on. DiagonalMoment,
24 at the start, is first divided by 4, rounding half up.

The legacy coder writes the same values the way the descendants of NeuroDraughts do (docs/readings.md, "Features as
bits"). The least significant bit comes first, and values below 1 have all bits off. Values that do not fit:

* PieceAdvantage, PieceDisadvantage, DoubleDiagonal, DiagonalMoment and the three features of the centre are taken
  modulo 2^bits;
* PieceThreat, PieceTake, TotalMobility, Exposure, Threat and Taken are taken modulo 2^bits, with the first bit on.

Mistakes of that code: PieceDisadvantage has its first bit on for the value 1 only. Advancement stores 8 more than its
value, with the first bit on only if the sum is 1. The three features of the centre are 1 too small. DiagonalMoment is
not divided by 4. (Taken is not in that code; it is coded like Threat.)
"""

from collections.abc import Collection, Iterable
from typing import Literal

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import EvaluatorFunctions, FeatureFunctions, Rules, Unit, near
from gameforge.kernel import U0, U1, U3, Floats, Score, Word, Words, inline, popcount, simd
from gameforge_draughts import feature_terms as terms
from gameforge_draughts.movegen import MEN, SQUARES, WHITE_TO_MOVE

_31 = np.uint64(31)

_KINGS = np.uint64(len(terms.FEATURES))
"""Bit of the flags above those of the features: Advancement and CentreControl count kings as well."""
_NOTHING = np.int64(0)
_LANES = np.uint64(simd.LANES)


def require_draughts(rules: Rules, component: str) -> None:
    """Raise GameforgeError unless these are the rules of draughts."""
    if rules.name != "draughts":
        raise GameforgeError(f"features {component!r} read draughts positions; the game is {rules.name!r}")


@inline
def _bit_seen(white: bool, i: int) -> Word:
    """Return the bit of the viewer's square i + 1; for White the board is turned (31 - i is i ^ 31)."""
    square = np.uint64(i) ^ (_31 if white else U0)
    return square + (square >> U3)


def binary(fd: Words, s: Words, x: Floats) -> None:
    """Write three inputs per square: the code in binary, most significant bit first, such as 001 for an own man.

    fd[0]: the input for a binary 0, as the bits of a float64; the input for 1 is 1.
    """
    off = np.float32(np.uint64(fd[0]).view(np.float64))
    opponent, own, kings = s[0], s[1], s[2]
    white = (kings & WHITE_TO_MOVE) == U0
    for i in range(SQUARES):
        bit = _bit_seen(white, i)
        own_here, opponent_here, king_here = (own >> bit) & U1, (opponent >> bit) & U1, (kings >> bit) & U1
        x[3 * i] = np.float32(1) if opponent_here & king_here else off
        x[3 * i + 1] = np.float32(1) if own_here & king_here | opponent_here & ~king_here else off
        x[3 * i + 2] = np.float32(1) if own_here else off


def direct(fd: Words, s: Words, x: Floats) -> None:
    """Write one input per square: a quarter of the code."""
    opponent, own, kings = s[0], s[1], s[2]
    white = (kings & WHITE_TO_MOVE) == U0
    for i in range(SQUARES):
        bit = _bit_seen(white, i)
        code = ((own >> bit) & U1) + (((opponent >> bit) & U1) << U1) + (((kings >> bit) & U1) << U1)
        x[i] = np.float32(0.25) * np.float32(code)


def _check_off_value(instance: object, attribute: "attrs.Attribute[float]", value: float) -> None:
    if not isinstance(value, (int, float)) or not -1 <= value < 1:
        raise GameforgeError(f"'off_value' must be from -1 to below 1 (got {value!r})")


@attrs.frozen(kw_only=True)
class BinaryMap:
    """NET_BINARYMAP: 96 inputs, three binary digits per square.

    off_value: the input for the digit 0. [Lynch1997] has 1 and -1 in section 3.3, and ON and OFF in appendix B; the
    surviving code has OFF = 0, which is the default.
    """

    off_value: float = attrs.field(default=0.0, validator=_check_off_value)
    """Value of an input that is off; one that is on is 1."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of draughts."""
        require_draughts(rules, "binarymap")
        return FeatureFunctions(
            inputs=3 * SQUARES,
            viewpoint="just moved",
            features=binary,
            data=np.array([self.off_value], np.float64).view(np.uint64),
            names=tuple(f"{square + 1}.{bit}" for square in range(SQUARES) for bit in (2, 1, 0)),
        )


@attrs.frozen(kw_only=True)
class DirectMap:
    """NET_DIRECTMAP: 32 inputs, one per square: 0 empty, 1/4 own man, 1/2 opponent's, 3/4 own king, 1 opponent's."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Raises GameforgeError if the rules are not those of draughts."""
        require_draughts(rules, "directmap")
        return FeatureFunctions(
            inputs=SQUARES,
            viewpoint="just moved",
            features=direct,
            names=tuple(str(square + 1) for square in range(SQUARES)),
        )


_ALL = np.uint64(sum(int(feature.flag) for feature in terms.FEATURES))
CLEAN, LEGACY = np.int64(0), np.int64(1)
"""The coders. Kernels get them as constants, so that each is compiled without the steps of the other."""
_PLAIN, _WHEN_FULL, _WHEN_ONE = np.int64(0), np.int64(1), np.int64(2)
"""When the legacy coder has a feature's first bit on: if the value is odd; also if it does not fit; only if it is 1."""


@inline
def _clipped(value: np.int64, bits: Word) -> Word:
    """Return a value, clipped to [0, 2^bits - 1]."""
    highest = np.int64((U1 << bits) - U1)
    return np.uint64(min(max(value, _NOTHING), highest))


@inline
def _overflowing(value: np.int64, bits: Word, first: np.int64) -> Word:
    """Return the low bits of a positive value, with the first bit as the legacy coder sets it."""
    if first == _WHEN_ONE and value != 1:
        value -= value & 1
    code = np.uint64(max(value, _NOTHING)) & ((U1 << bits) - U1)
    return code | U1 if first == _WHEN_FULL and value >= np.int64(U1 << bits) else code


@inline
def _append(word: Word, n: Word, value: np.int64, bits: Word, coder: np.int64, first: np.int64) -> tuple[Word, Word]:
    """Put a value into the bits n to n + bits - 1 of the word; return the word and the next free bit."""
    code = _clipped(value, bits) if coder == CLEAN else _overflowing(value, bits, first)
    return word | (code << n), n + bits


@inline
def _write(chosen: Word, s: Words, x: Floats, coder: np.int64) -> None:
    """Write the inputs, in the order F1 to F15. A term times `coder` is a mistake of the legacy coder."""
    with_kings = U0 - (chosen >> _KINGS & U1)  # all bits, or none
    view = terms.look(s)
    word, n = U0, U0
    if chosen & terms.PIECE_ADVANTAGE.flag:
        word, n = _append(word, n, terms.material_balance(view), terms.PIECE_ADVANTAGE.bits, coder, _PLAIN)
    if chosen & terms.PIECE_DISADVANTAGE.flag:
        word, n = _append(word, n, -terms.material_balance(view), terms.PIECE_DISADVANTAGE.bits, coder, _WHEN_ONE)
    if chosen & terms.PIECE_THREAT.flag:
        word, n = _append(word, n, terms.piece_threat(view), terms.PIECE_THREAT.bits, coder, _WHEN_FULL)
    if chosen & terms.PIECE_TAKE.flag:
        word, n = _append(word, n, terms.piece_take(view), terms.PIECE_TAKE.bits, coder, _WHEN_FULL)
    if chosen & terms.ADVANCEMENT.flag:
        word, n = _append(
            word, n, terms.advancement(view, with_kings) + 8 * coder, terms.ADVANCEMENT.bits, coder, _WHEN_ONE
        )
    if chosen & terms.DOUBLE_DIAGONAL.flag:
        word, n = _append(word, n, terms.double_diagonal(view), terms.DOUBLE_DIAGONAL.bits, coder, _PLAIN)
    if chosen & terms.BACK_ROW_BRIDGE.flag:
        word, n = _append(word, n, terms.back_row_bridge(view), terms.BACK_ROW_BRIDGE.bits, coder, _PLAIN)
    if chosen & terms.CENTRE_CONTROL.flag:
        word, n = _append(
            word, n, terms.centre_control(view, with_kings) - coder, terms.CENTRE_CONTROL.bits, coder, _PLAIN
        )
    if chosen & terms.X_CENTRE_CONTROL.flag:
        word, n = _append(word, n, terms.x_centre_control(view) - coder, terms.X_CENTRE_CONTROL.bits, coder, _PLAIN)
    if chosen & terms.TOTAL_MOBILITY.flag:
        word, n = _append(word, n, terms.total_mobility(view), terms.TOTAL_MOBILITY.bits, coder, _WHEN_FULL)
    if chosen & terms.EXPOSURE.flag:
        word, n = _append(word, n, terms.exposure(view), terms.EXPOSURE.bits, coder, _WHEN_FULL)
    if chosen & terms.KING_CENTRE_CONTROL.flag:
        kings = terms.king_centre_control(view) - coder
        word, n = _append(word, n, kings, terms.KING_CENTRE_CONTROL.bits, coder, _PLAIN)
    if chosen & terms.DIAGONAL_MOMENT.flag:
        moment = terms.diagonal_moment(view)
        if coder == CLEAN:
            moment = (moment + 2) >> 2  # a quarter, rounded half up
        word, n = _append(word, n, moment, terms.DIAGONAL_MOMENT.bits, coder, _PLAIN)
    if chosen & terms.THREAT.flag:
        word, n = _append(word, n, terms.threat(view), terms.THREAT.bits, coder, _WHEN_FULL)
    if chosen & terms.TAKEN.flag:
        word, n = _append(word, n, terms.taken(view), terms.TAKEN.bits, coder, _WHEN_FULL)
    if n < _LANES:
        for i in range(np.int64(n)):
            x[i] = np.float32(np.int32((word >> np.uint64(i)) & U1))
        return
    # Whole vectors, the last of which ends with the last input: a net that reads them in the same way need not wait
    # until several stores have reached the memory.
    first = U0
    while first + _LANES <= n:
        simd.store(x, first, simd.from_bits(word >> first))
        first += _LANES
    simd.store(x, n - _LANES, simd.from_bits(word >> (n - _LANES)))


def clean_features(fd: Words, s: Words, x: Floats) -> None:
    """Write the inputs. fd[0]: flags of the chosen features, the others are not computed; and the flag _KINGS."""
    _write(fd[0], s, x, CLEAN)


def all_clean_features(fd: Words, s: Words, x: Floats) -> None:
    """Write all 15 features as clean_features does; the places of their bits are constants."""
    _write(_ALL, s, x, CLEAN)


def legacy_features(fd: Words, s: Words, x: Floats) -> None:
    """Write the inputs with the mistakes of the legacy coder; blocks as for clean_features."""
    _write(fd[0], s, x, LEGACY)


def _canonical(names: Iterable[str] | None) -> tuple[str, ...] | None:
    if isinstance(names, str):
        raise GameforgeError(f"features must be a list of names, not the string {names!r}")
    return None if names is None else terms.canonical(names)


_CODERS = {"clean": clean_features, "legacy": legacy_features}


def _check_coder(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if value not in _CODERS:
        raise GameforgeError(
            f"'coder' must be {' or '.join(map(repr, _CODERS))}{near(str(value), _CODERS)} (got {value!r})"
        )


@attrs.frozen(kw_only=True)
class NetFeatureMap:
    """The features of the papers as inputs of a net: a `set`, or `features`, a list of names.

    The inputs are in the order F1 to F15 of the table in `feature_terms`, whatever the order of the list; the case of
    names is ignored. Give at most one of the two parameters; without either the set is "ls". Raises GameforgeError if
    both are given, or if a name is unknown. coder: `clean` clips values to their bits, `legacy` has the overflows and
    slips of NeuroDraughts' surviving code (see the top of this module).
    """

    features: tuple[str, ...] | None = attrs.field(default=None, converter=_canonical)
    """Names of the features, in the order of the inputs; None: those of `set`."""
    set: Literal["ls", "neurodraughts"] | None = attrs.field()
    """A published set: the 15 features of LS-Draughts, or the 12 of NeuroDraughts."""

    coder: Literal["clean", "legacy"] = attrs.field(default="clean", validator=_check_coder)
    """How numbers become bits: `clean`, or `legacy` as in a descendant of NeuroDraughts."""
    kings: bool = False
    """Count kings as well in Advancement and CentreControl, as the words of [Lynch1997], appendix A, say. The programs
    count men."""

    @set.default
    def _set_if_no_features(self) -> Literal["ls"] | None:
        return "ls" if self.features is None else None

    @set.validator
    def _one_of_two(self, attribute: "attrs.Attribute[str | None]", value: str | None) -> None:
        if (value is None) == (self.features is None):
            raise GameforgeError("give exactly one of set and features")
        if value is not None and value not in terms.SETS:
            allowed = " or ".join(map(repr, terms.SETS))
            raise GameforgeError(f"'set' must be {allowed}{near(str(value), terms.SETS)} (got {value!r})")

    @property
    def chosen(self) -> tuple[terms.Feature, ...]:
        """The features that are inputs, in the order F1 to F15."""
        names = terms.SETS[self.set] if self.set is not None else self.features
        assert names is not None
        return tuple(feature for feature in terms.FEATURES if feature.name in names)

    @property
    def selectable(self) -> tuple[str, ...]:
        """Names of the features that are inputs, in the order F1 to F15."""
        return tuple(feature.name for feature in self.chosen)

    def selected(self, names: Collection[str]) -> "NetFeatureMap":
        """Return the same map with only these features; GameforgeError if there are none."""
        return NetFeatureMap(features=tuple(names), set=None, coder=self.coder, kings=self.kings)

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Make the functions; the inputs are named `PieceAdvantage.0` (least significant bit), `PieceAdvantage.1`, ...

        Raises GameforgeError if the rules are not those of draughts.
        """
        require_draughts(rules, "netfeaturemap")
        names = tuple(f"{feature.name}.{bit}" for feature in self.chosen for bit in range(int(feature.bits)))
        flags = np.array([sum(int(feature.flag) for feature in self.chosen) | self.kings << int(_KINGS)], np.uint64)
        features = all_clean_features if flags[0] == _ALL and self.coder == "clean" else _CODERS[self.coder]
        return FeatureFunctions(inputs=len(names), viewpoint="just moved", features=features, data=flags, names=names)


def _weight(instance: object, attribute: "attrs.Attribute[float]", value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.001 <= value <= 1000:
        raise GameforgeError(f"'{attribute.name}' must be a number from 0.001 to 1000 (got {value!r})")


def evaluate_material(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score material with w = [value of a man, value of a king, twice the maximum for a side]."""
    own, opp, kings = s[0], s[1], s[2]
    own_kings, opp_kings = np.int64(popcount(own & kings)), np.int64(popcount(opp & kings))
    own_men, opp_men = np.int64(popcount(own)) - own_kings, np.int64(popcount(opp)) - opp_kings
    balance = np.float64(w[0]) * (own_men - opp_men) + np.float64(w[1]) * (own_kings - opp_kings)
    return balance / np.float64(w[2])


@attrs.frozen(kw_only=True)
class Material:
    """The difference of pieces, with weights for men and kings; only the ratio of the weights matters.

    score = (man * (own men - opponent's men) + king * (own kings - opponent's kings)) / (24 * larger weight)

    for the side to move. A side has at most 12 pieces, so |score| <= 1/2. The sums are exact in float64 for weights
    such as 1 and 1.5, so that scores, and therefore the node counts of searches, are the same on all machines.
    """

    man: float = attrs.field(default=1.0, validator=_weight)
    """Worth of a man."""
    king: float = attrs.field(default=1.5, validator=_weight)
    """Worth of a king."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(
            evaluate=evaluate_material, weights=np.array([self.man, self.king, self._bound], np.float32)
        )

    def unit(self, rules: Rules) -> Unit:
        """One man."""
        return Unit(one="man", many="men", worth=self.man / self._bound)

    @property
    def _bound(self) -> float:
        """Twice the greatest material of a side."""
        return 2 * MEN * max(self.man, self.king)

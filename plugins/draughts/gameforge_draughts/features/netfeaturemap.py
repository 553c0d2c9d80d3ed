"""NET_FEATUREMAP: a subset of the 15 features, each value in binary."""

from collections.abc import Collection, Iterable
from typing import Any, Literal

import attrs
import numpy as np

from gameforge.errors import GameforgeError, near
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge.kernel.compile.jit import inline
from gameforge_draughts.features import catalogue, legacy_coder, terms
from gameforge_draughts.features.game import require_draughts

_0, _1 = np.uint64(0), np.uint64(1)


@inline
def _append(word: Any, n: Any, value: Any, bits: Any) -> Any:
    """Put the value, clipped to [0, 2^bits - 1], into the bits n to n + bits - 1 of the word."""
    highest = np.int64((_1 << bits) - _1)
    return word | (np.uint64(min(max(value, 0), highest)) << n), n + bits


def features(fd: Any, s: Any, x: Any) -> None:
    """Write the inputs. fd[0]: flags of the chosen features; the others are not computed."""
    chosen = fd[0]
    view = terms.look(s)
    word, n = _0, _0
    if chosen & catalogue.PIECE_ADVANTAGE.flag:
        word, n = _append(word, n, terms.material_balance(view), catalogue.PIECE_ADVANTAGE.bits)
    if chosen & catalogue.PIECE_DISADVANTAGE.flag:
        word, n = _append(word, n, -terms.material_balance(view), catalogue.PIECE_DISADVANTAGE.bits)
    if chosen & catalogue.PIECE_THREAT.flag:
        word, n = _append(word, n, terms.piece_threat(view), catalogue.PIECE_THREAT.bits)
    if chosen & catalogue.PIECE_TAKE.flag:
        word, n = _append(word, n, terms.piece_take(view), catalogue.PIECE_TAKE.bits)
    if chosen & catalogue.ADVANCEMENT.flag:
        word, n = _append(word, n, terms.advancement(view), catalogue.ADVANCEMENT.bits)
    if chosen & catalogue.DOUBLE_DIAGONAL.flag:
        word, n = _append(word, n, terms.double_diagonal(view), catalogue.DOUBLE_DIAGONAL.bits)
    if chosen & catalogue.BACK_ROW_BRIDGE.flag:
        word, n = _append(word, n, terms.back_row_bridge(view), catalogue.BACK_ROW_BRIDGE.bits)
    if chosen & catalogue.CENTRE_CONTROL.flag:
        word, n = _append(word, n, terms.centre_control(view), catalogue.CENTRE_CONTROL.bits)
    if chosen & catalogue.X_CENTRE_CONTROL.flag:
        word, n = _append(word, n, terms.x_centre_control(view), catalogue.X_CENTRE_CONTROL.bits)
    if chosen & catalogue.TOTAL_MOBILITY.flag:
        word, n = _append(word, n, terms.total_mobility(view), catalogue.TOTAL_MOBILITY.bits)
    if chosen & catalogue.EXPOSURE.flag:
        word, n = _append(word, n, terms.exposure(view), catalogue.EXPOSURE.bits)
    if chosen & catalogue.KING_CENTRE_CONTROL.flag:
        word, n = _append(word, n, terms.king_centre_control(view), catalogue.KING_CENTRE_CONTROL.bits)
    if chosen & catalogue.DIAGONAL_MOMENT.flag:
        quarter = (terms.diagonal_moment(view) + 2) >> 2  # rounded half up
        word, n = _append(word, n, quarter, catalogue.DIAGONAL_MOMENT.bits)
    if chosen & catalogue.THREAT.flag:
        word, n = _append(word, n, terms.threat(view), catalogue.THREAT.bits)
    if chosen & catalogue.TAKEN.flag:
        word, n = _append(word, n, terms.taken(view), catalogue.TAKEN.bits)
    for i in range(np.int64(n)):
        x[i] = np.float32(np.int32((word >> np.uint64(i)) & _1))


def _canonical(names: Iterable[str] | None) -> tuple[str, ...] | None:
    if isinstance(names, str):
        raise GameforgeError(f"features must be a list of names, not the string {names!r}")
    return None if names is None else catalogue.canonical(names)


_CODERS = {"clean": features, "legacy": legacy_coder.features}


def _check_coder(instance: Any, attribute: Any, value: str) -> None:
    if value not in _CODERS:
        raise GameforgeError(
            f"'coder' must be {' or '.join(map(repr, _CODERS))}{near(str(value), _CODERS)} (got {value!r})"
        )


@attrs.frozen(kw_only=True)
class NetFeatureMap:
    """The features of the papers as inputs of a net: a `set`, or `features`, a list of names.

    The inputs are in the order F1 to F15 of the package's table, whatever the order of the list; the case of names is
    ignored. Give at most one of the two parameters; without either the set is "ls". Raises GameforgeError if both are
    given, or if a name is unknown. coder: `clean` codes values as in the package's table, `legacy` with the overflows
    and slips of NeuroDraughts' surviving code (`legacy_coder`).
    """

    features: tuple[str, ...] | None = attrs.field(default=None, converter=_canonical)
    """Names of the features, in the order of the inputs; None: those of `set`."""
    set: Literal["ls", "neurodraughts"] | None = attrs.field()
    """A published set: the 15 features of LS-Draughts, or the 12 of NeuroDraughts."""

    coder: Literal["clean", "legacy"] = attrs.field(default="clean", validator=_check_coder)
    """How numbers become bits: `clean`, or `legacy` as in a descendant of NeuroDraughts."""

    @set.default
    def _set_if_no_features(self) -> Literal["ls"] | None:
        return "ls" if self.features is None else None

    @set.validator
    def _one_of_two(self, attribute: "attrs.Attribute[str | None]", value: str | None) -> None:
        if (value is None) == (self.features is None):
            raise GameforgeError("give exactly one of set and features")
        if value is not None and value not in catalogue.SETS:
            allowed = " or ".join(map(repr, catalogue.SETS))
            raise GameforgeError(f"'set' must be {allowed}{near(str(value), catalogue.SETS)} (got {value!r})")

    @property
    def chosen(self) -> tuple[catalogue.Feature, ...]:
        """The features that are inputs, in the order F1 to F15."""
        names = catalogue.SETS[self.set] if self.set is not None else self.features
        assert names is not None
        return tuple(feature for feature in catalogue.FEATURES if feature.name in names)

    @property
    def selectable(self) -> tuple[str, ...]:
        """Names of the features that are inputs, in the order F1 to F15."""
        return tuple(feature.name for feature in self.chosen)

    def selected(self, names: Collection[str]) -> "NetFeatureMap":
        """Return the same map with only these features; GameforgeError if there are none."""
        return NetFeatureMap(features=tuple(names), set=None, coder=self.coder)

    def functions(self, rules: Rules) -> FeatureFunctions:
        """Make the functions; the inputs are named `PieceAdvantage.0` (least significant bit), `PieceAdvantage.1`, ...

        Raises GameforgeError if the rules are not those of draughts.
        """
        require_draughts(rules, "netfeaturemap")
        names = tuple(f"{feature.name}.{bit}" for feature in self.chosen for bit in range(int(feature.bits)))
        flags = np.array([sum(int(feature.flag) for feature in self.chosen)], np.uint64)
        return FeatureFunctions(
            inputs=len(names), viewpoint="just moved", features=_CODERS[self.coder], data=flags, names=names
        )

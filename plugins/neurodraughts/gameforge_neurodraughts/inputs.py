"""The feature map for a given number of inputs.

[Lynch1997] contradicts itself. In its creation file, -1 means the binary map and 0 the direct map; a sentence below
it says 0 and 1, and that any higher number counts features. Its example has 37 inputs, but the features of its
appendix A have 38 bits. In the surviving code -1 and 0 are the maps of squares, and any higher number means a feature
map. So here the features determine the inputs, and another number is a warning (docs/readings.md, "Number of inputs").
"""

import warnings
from collections.abc import Sequence
from typing import Any

from gameforge_draughts.board import SQUARES
from gameforge_draughts.features.catalogue import FEATURES, SETS

from gameforge.errors import GameforgeError

BINARY_MAP, DIRECT_MAP = -1, 0
_THESIS = SETS["neurodraughts"]
_WITHOUT_BRIDGE = tuple(name for name in _THESIS if name != "BackRowBridge")


class InputsWarning(UserWarning):
    """Warns of a number of inputs that differs from that of the features."""


def _bits(names: Sequence[str]) -> int:
    return sum(int(feature.bits) for feature in FEATURES if feature.name in names)


def features_settings(names: Sequence[str]) -> dict[str, Any]:
    """Settings of the feature map with these features."""
    for name, members in SETS.items():
        if tuple(members) == tuple(names):
            return {"use": "netfeaturemap", "set": name}
    return {"use": "netfeaturemap", "features": list(names)}


def features_to_create(inputs: int, names: Sequence[str] | None, where: str) -> dict[str, Any]:
    """The feature map for NumInputs of a creation file; `names`: the features of a feature file, if there is one.

    Warns if the number of inputs is neither the number of the features' bits nor the number of features.
    """
    if inputs in (BINARY_MAP, DIRECT_MAP):
        if names is not None:
            raise GameforgeError(f"{where}: NumInputs {inputs} means a map of the squares, which takes no feature file")
        return {"use": "binarymap" if inputs == BINARY_MAP else "directmap"}
    chosen = _THESIS if names is None else names
    if inputs not in (_bits(chosen), len(chosen)):
        warnings.warn(
            f"{where}: NumInputs is {inputs}, but its {len(chosen)} features have {_bits(chosen)} bits; "
            f"the network gets {_bits(chosen)} inputs",
            InputsWarning,
            stacklevel=2,
        )
    return features_settings(chosen)


def features_of_network(inputs: int, where: str) -> dict[str, Any]:
    """The feature map of a network with this number of inputs; GameforgeError if none is known.

    37 inputs are taken, with a warning, as the thesis' features without BackRowBridge, the only one with a single bit.
    """
    known = {
        _bits(_THESIS): features_settings(_THESIS),
        _bits(SETS["ls"]): features_settings(SETS["ls"]),
        3 * SQUARES: {"use": "binarymap"},
        SQUARES: {"use": "directmap"},
        _bits(_WITHOUT_BRIDGE): features_settings(_WITHOUT_BRIDGE),
    }
    if inputs not in known:
        raise GameforgeError(
            f"{where} has {inputs} inputs; without `features`, the number must be one of "
            f"{', '.join(map(str, sorted(known)))}"
        )
    if inputs == _bits(_WITHOUT_BRIDGE):
        warnings.warn(
            f"{where} has {inputs} inputs, but the features of the thesis have {_bits(_THESIS)} bits; "
            "assuming these without BackRowBridge (use `features` to name others)",
            InputsWarning,
            stacklevel=2,
        )
    return known[inputs]

"""Which feature map a number of inputs means.

[Lynch1997] contradicts itself. Its creation file says -1 binary map, 0 direct map; a sentence below it
says 0 and 1, and any higher number a number of features; its example is 37 inputs, but the features of
its appendix A have 38 bits. The surviving code has -1 and 0, and anything above is a feature map. So the
inputs follow from the features, and another number is a warning (docs/readings.md, "Number of inputs").
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
    """A number of inputs that does not fit, where something else can be meant."""


def _bits(names: Sequence[str]) -> int:
    return sum(int(feature.bits) for feature in FEATURES if feature.name in names)


def features_settings(names: Sequence[str]) -> dict[str, Any]:
    """The feature map of these features."""
    for name, members in SETS.items():
        if tuple(members) == tuple(names):
            return {"use": "netfeaturemap", "set": name}
    return {"use": "netfeaturemap", "features": list(names)}


def features_to_create(inputs: int, names: Sequence[str] | None, where: str) -> dict[str, Any]:
    """The feature map for NumInputs of a creation file; `names`: those of a feature file, if there is one.

    Warns where the inputs are another number than the features have bits, or are features.
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
    """The feature map that a finished network of so many inputs was made for; GameforgeError if none is known.

    37 can be the thesis' features without BackRowBridge, the only one of a single bit; that is a guess, and warned of.
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
            f"{where} has {inputs} inputs, and no feature map is known for so many; "
            f"name one by features (known: {', '.join(map(str, sorted(known)))} inputs)"
        )
    if inputs == _bits(_WITHOUT_BRIDGE):
        warnings.warn(
            f"{where} has {inputs} inputs, but the features of the thesis have {_bits(_THESIS)} bits; "
            "they are taken without BackRowBridge (features names others)",
            InputsWarning,
            stacklevel=2,
        )
    return known[inputs]

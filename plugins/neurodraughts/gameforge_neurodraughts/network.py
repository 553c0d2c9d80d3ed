"""The evaluator `neurodraughts`, the net of a network file, and the feature map for its number of inputs.

[Lynch1997] contradicts itself. In its creation file, -1 means the binary map and 0 the direct map; a sentence below
it says 0 and 1, and that any higher number counts features. Its example has 37 inputs, but the features of its
appendix A have 38 bits. In the surviving code -1 and 0 are the maps of squares, and any higher number means a feature
map. So here the features determine the inputs, and another number is a warning (docs/readings.md, "Number of inputs").
"""

import warnings
from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from gameforge_draughts.board import SQUARES
from gameforge_draughts.feature_terms import FEATURES, SETS
from gameforge_eval_mlp.mlp import Mlp
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import FeatureFunctions, NetFunctions, Rules, Spec, config, kinds
from gameforge_neurodraughts.network_file import read_network, to_vector


@attrs.frozen(kw_only=True)
class NetworkFile:
    """A net of the evaluator `mlp` whose initial weights are those of a file.

    Sizes and feature map default to those of the file. They are saved with a player, so a player that was trained from
    the file does not need it.
    """

    file: Path
    """Network file of NeuroDraughts."""
    inputs: int = attrs.field(validator=kinds.at_least(1))
    """Number of inputs."""
    hidden: int = attrs.field(validator=kinds.at_least(1))
    """Number of hidden units."""
    direct: bool = attrs.field()
    """Links from the inputs to the output."""
    features: Spec = attrs.field()
    """Feature map of the inputs."""
    legacy_trace: bool = False
    """As in `mlp`."""

    @inputs.default
    def _inputs_of_file(self) -> int:
        return read_network(self.file).inputs

    @hidden.default
    def _hidden_of_file(self) -> int:
        return read_network(self.file).hidden

    @direct.default
    def _direct_of_file(self) -> bool:
        return read_network(self.file).direct is not None

    @features.default
    def _features_of_file(self) -> Spec:
        return config.spec_from_settings(features_of_network(self.inputs, f"network file {self.file}"), "features")

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        """The net's functions; raises GameforgeError if the feature map has another number of inputs than the net."""
        if features is not None and features.inputs != self.inputs:
            raise GameforgeError(
                f"network file {self.file} has {self.inputs} inputs, but the feature map {self.features} "
                f"gives {features.inputs}"
            )
        return Mlp(hidden=self.hidden, direct=self.direct, legacy_trace=self.legacy_trace).functions(rules, features)

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> NDArray[np.float32]:
        """The file's weights; GameforgeError if its sizes differ from those of the net."""
        network = read_network(self.file)
        sizes = network.inputs, network.hidden, network.direct is not None
        if sizes != (self.inputs, self.hidden, self.direct):
            raise GameforgeError(
                f"network file {self.file} holds a net of {_sizes(*sizes)}, "
                f"not of {_sizes(self.inputs, self.hidden, self.direct)}"
            )
        return to_vector(network, net)


def _sizes(inputs: int, hidden: int, direct: bool) -> str:
    return f"{inputs} inputs and {hidden} hidden units {'with' if direct else 'without'} direct links"


BINARY_MAP, DIRECT_MAP = -1, 0
_THESIS = SETS["neurodraughts"]
_WITHOUT_BRIDGE = tuple(name for name in _THESIS if name != "BackRowBridge")


class InputsWarning(UserWarning):
    """Warns of a number of inputs that differs from that of the features."""


def _bits(names: Sequence[str]) -> int:
    return sum(int(feature.bits) for feature in FEATURES if feature.name in names)


def features_settings(names: Sequence[str]) -> dict[str, object]:
    """Settings of the feature map with these features."""
    for name, members in SETS.items():
        if tuple(members) == tuple(names):
            return {"use": "netfeaturemap", "set": name}
    return {"use": "netfeaturemap", "features": list(names)}


def features_to_create(inputs: int, names: Sequence[str] | None, where: str) -> dict[str, object]:
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


def features_of_network(inputs: int, where: str) -> dict[str, object]:
    """The feature map of a network with this number of inputs; GameforgeError if none is known.

    37 inputs are taken, with a warning, as the thesis' features without BackRowBridge, the only one with a single bit.
    """
    known: dict[int, dict[str, object]] = {
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

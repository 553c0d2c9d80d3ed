"""The evaluator `neurodraughts`, the net of a network file; such files; and the feature map for a number of inputs.

A pre-created network is a file that holds a whole net ([Lynch1997], section 9.1):

    SuperFeatureNetwork
    38 12 1
    ...

The file holds the name; the sizes: inputs, hidden units, direct links (0 or 1); a row of weights to the hidden units
for each input and one for the bias; hidden + 1 weights to the output, the last from the bias; and with direct links
inputs + 1 weights from the inputs to the output, the last again from the bias. The README of eval_mlp describes the
vector that the evaluator `mlp` has in its place.

[Lynch1997] contradicts itself. In its creation file, -1 means the binary map and 0 the direct map; a sentence below
it says 0 and 1, and that any higher number counts features. Its example has 37 inputs, but the features of its
appendix A have 38 bits. In the surviving code -1 and 0 are the maps of squares, and any higher number means a feature
map. So here the features determine the inputs, and another number is a warning (docs/readings.md, "Number of inputs").
"""

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from gameforge_draughts.feature_terms import FEATURES, SETS
from gameforge_draughts.files import read_text
from gameforge_draughts.movegen import SQUARES
from gameforge_eval_mlp.mlp import Mlp
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import FeatureFunctions, NetFunctions, Rules, Spec, kinds
from gameforge.kernel import FloatArray

_MOST_INPUTS, _MOST_HIDDEN = 100_000, 1024
_LARGEST = float(np.finfo(np.float32).max) / 2
"""Largest absolute value of a weight: half of what a float32 holds, because the two output biases are added."""


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
        return Spec.from_settings(features_of_network(self.inputs, f"network file {self.file}"), "features")

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


@attrs.frozen(eq=False, kw_only=True)
class Network:
    """The net of a file. The two biases of its output, which belong to the same sum, are merged."""

    name: str
    first: FloatArray
    """[inputs + 1, hidden]; the last row is the biases."""
    second: FloatArray
    """[hidden + 1]; the last weight is the output's bias."""
    direct: FloatArray | None
    """[inputs], or None without direct links."""

    @property
    def inputs(self) -> int:
        return len(self.first) - 1

    @property
    def hidden(self) -> int:
        return len(self.second) - 1


def read_network(path: Path) -> Network:
    """Read a network; raises GameforgeError for a malformed file or a number of weights that does not match the
    sizes."""
    where = f"network file {path}"
    lines = read_text(path, "network file").split("\n", 2)
    inputs, hidden, links = _read_sizes(lines[1] if len(lines) > 1 else "", where)
    tokens = lines[2].split() if len(lines) > 2 else []
    first, second = (inputs + 1) * hidden, hidden + 1
    needed = first + second + links * (inputs + 1)
    if len(tokens) != needed:
        ending = "with direct links" if links else "without direct links"
        raise GameforgeError(
            f"{where}: {inputs} inputs and {hidden} hidden units {ending} have {needed} weights, "
            f"but the file holds {len(tokens)}"
        )
    weights = _numbers(tokens, where)
    output, direct = weights[first : first + second], weights[first + second :]
    if links:
        output[-1] += direct[-1]
    return Network(
        name=lines[0].strip(),
        first=weights[:first].reshape(inputs + 1, hidden).astype(np.float32),
        second=output.astype(np.float32),
        direct=direct[:-1].astype(np.float32) if links else None,
    )


def network_text(network: Network) -> str:
    """The text of a network file. Reading it gives the same float32 weights. The second output bias is 0."""
    rows = [*network.first, network.second]
    if network.direct is not None:
        rows.append(np.append(network.direct, np.float32(0)))
    sizes = f"{network.inputs} {network.hidden} {int(network.direct is not None)}"
    return "\n".join([network.name, sizes, *(" ".join(map(str, row)) for row in rows)]) + "\n"


def _read_sizes(line: str, where: str) -> tuple[int, int, int]:
    words = line.split()
    if len(words) != 3 or not all(re.fullmatch("[0-9]{1,9}", word) for word in words):
        raise GameforgeError(
            f"{where}: line 2 is {line.strip()[:60]!r}; it must have three numbers: inputs, hidden units, direct links"
        )
    sizes = inputs, hidden, links = int(words[0]), int(words[1]), int(words[2])
    if not (1 <= inputs <= _MOST_INPUTS and 1 <= hidden <= _MOST_HIDDEN and links <= 1):
        raise GameforgeError(
            f"{where}: sizes {line.strip()[:60]!r} are out of range: inputs 1 to {_MOST_INPUTS}, "
            f"hidden units 1 to {_MOST_HIDDEN}, direct links 0 or 1"
        )
    return sizes


def _numbers(tokens: list[str], where: str) -> NDArray[np.float64]:
    """The weights; GameforgeError for one that is not a finite number."""
    found = np.zeros(len(tokens), np.float64)
    for i, token in enumerate(tokens):
        try:
            found[i] = float(token)
        except ValueError:
            found[i] = np.nan
        if not abs(found[i]) < _LARGEST:
            raise GameforgeError(
                f"{where}: weight {i + 1} of {len(tokens)} is {token[:40]!r}; it must be a finite number"
            )
    return found


def to_vector(network: Network, net: NetFunctions) -> FloatArray:
    """The weights for a net of the network's sizes."""
    second, output = net.groups[1].start, net.groups[1].stop - 1
    weights = np.zeros(net.weights, np.float32)
    weights[:second].reshape(len(network.first), -1)[:, : network.hidden] = network.first
    weights[second : second + network.hidden] = network.second[:-1]
    weights[output] = network.second[-1]
    if network.direct is not None:
        weights[output + 1 :] = network.direct
    return weights


def of_vector(weights: FloatArray, net: NetFunctions, *, hidden: int, direct: bool, name: str) -> Network:
    """The network with these weights."""
    second, output = net.groups[1].start, net.groups[1].stop - 1
    return Network(
        name=name,
        first=weights[:second].reshape(net.features.inputs + 1, -1)[:, :hidden],
        second=np.append(weights[second : second + hidden], weights[output]),
        direct=weights[output + 1 :] if direct else None,
    )

"""The evaluator `neurodraughts`: the net of a NeuroDraughts network file."""

from pathlib import Path

import attrs
import numpy as np
from gameforge_eval_mlp.mlp import Mlp
from numpy.typing import NDArray

from gameforge.config import Spec, spec_from_settings
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NetFunctions
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge_neurodraughts.inputs import features_of_network
from gameforge_neurodraughts.network_file import read_network
from gameforge_neurodraughts.vector import to_vector


@attrs.frozen(kw_only=True)
class NetworkFile:
    """A net of the evaluator `mlp` whose initial weights are those of a file.

    Sizes and feature map default to those of the file. They are saved with a player, so a player that was trained from
    the file does not need it.
    """

    file: Path
    """Network file of NeuroDraughts."""
    inputs: int = attrs.field(validator=attrs.validators.ge(1))
    """Number of inputs."""
    hidden: int = attrs.field(validator=attrs.validators.ge(1))
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
        return spec_from_settings(features_of_network(self.inputs, f"network file {self.file}"), "features")

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

"""A network's weights as the one vector of the evaluator `mlp`, and back (layout: README of eval_mlp)."""

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces.evaluator import NetFunctions
from gameforge_neurodraughts.network_file import Network

Floats = NDArray[np.float32]


def to_vector(network: Network, net: NetFunctions) -> Floats:
    """The weights for a net of the network's sizes."""
    second, output = net.groups[1].start, net.groups[1].stop - 1
    weights = np.zeros(net.weights, np.float32)
    weights[:second].reshape(len(network.first), -1)[:, : network.hidden] = network.first
    weights[second : second + network.hidden] = network.second[:-1]
    weights[output] = network.second[-1]
    if network.direct is not None:
        weights[output + 1 :] = network.direct
    return weights


def of_vector(weights: Floats, net: NetFunctions, *, hidden: int, direct: bool, name: str) -> Network:
    """The network with these weights."""
    second, output = net.groups[1].start, net.groups[1].stop - 1
    return Network(
        name=name,
        first=weights[:second].reshape(net.features.inputs + 1, -1)[:, :hidden],
        second=np.append(weights[second : second + hidden], weights[output]),
        direct=weights[output + 1 :] if direct else None,
    )

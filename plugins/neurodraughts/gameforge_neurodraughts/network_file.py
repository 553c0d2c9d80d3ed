"""Pre-created networks: files that hold a whole net ([Lynch1997], section 9.1), and their weights as a vector of `mlp`.

    SuperFeatureNetwork
    38 12 1
    ...

The file holds the name; the sizes: inputs, hidden units, direct links (0 or 1); a row of weights to the hidden units
for each input and one for the bias; hidden + 1 weights to the output, the last from the bias; and with direct links
inputs + 1 weights from the inputs to the output, the last again from the bias.

The README of eval_mlp describes the vector.
"""

from pathlib import Path

import attrs
import numpy as np
from gameforge_draughts.files import read_text
from numpy.typing import NDArray

from gameforge import GameforgeError
from gameforge.interfaces import NetFunctions
from gameforge.kernel import FloatArray

_MOST_INPUTS, _MOST_HIDDEN = 100_000, 1024
_LARGEST = float(np.finfo(np.float32).max) / 2
"""Largest absolute value of a weight: half of what a float32 holds, because the two output biases are added."""


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
    inputs, hidden, links = _sizes(lines[1] if len(lines) > 1 else "", where)
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


def _sizes(line: str, where: str) -> tuple[int, int, int]:
    words = line.split()
    if len(words) != 3 or not all(word.isdecimal() for word in words):
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

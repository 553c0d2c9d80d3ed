"""Network files, and the evaluator that begins with one."""

import math
from pathlib import Path

import numpy as np
import pytest
from gameforge_draughts.files import codes_for
from gameforge_neurodraughts.network import Network, NetworkFile, network_text, of_vector, read_network, to_vector
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from neurodraughts_examples import network_of, write

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NetFunctions

_WEIGHTS = st.floats(-100, 100, width=32)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    inputs, hidden = draw(st.integers(1, 5)), draw(st.integers(1, 10))
    return Network(
        name="a net",
        first=draw(arrays(np.float32, (inputs + 1, hidden), elements=_WEIGHTS)),
        second=draw(arrays(np.float32, hidden + 1, elements=_WEIGHTS)),
        direct=draw(st.none() | arrays(np.float32, inputs, elements=_WEIGHTS)),
    )


def same(a: Network, b: Network) -> bool:
    """Bit for bit; -0.0 is 0.0."""
    pairs = ((a.first, b.first), (a.second, b.second), (a.direct, b.direct))
    return a.name == b.name and all(np.array_equal(x, y) if x is not None else y is None for x, y in pairs)


@given(networks())
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    file = write(tmp_path_factory.mktemp("net"), "a.net", network_text(network))
    assert same(read_network(file), network)


def test_layout_and_the_two_biases(tmp_path: Path) -> None:
    """Two inputs, one hidden unit, direct links: rows of inputs, of the bias, to the output, direct, its bias."""
    network = read_network(write(tmp_path, "a.net", "My Net\r\n2 1 1\n.1\n.2\n.3\n.4 .5\n.6 .7 .125\n"))
    assert network.name == "My Net"
    assert network.first.tolist() == np.float32([[0.1], [0.2], [0.3]]).tolist()
    assert network.second.tolist() == np.float32([0.4, 0.625]).tolist()
    assert network.direct is not None
    assert network.direct.tolist() == np.float32([0.6, 0.7]).tolist()
    assert network_text(network).splitlines()[1:] == ["2 1 1", "0.1", "0.2", "0.3", "0.4 0.625", "0.6 0.7 0.0"]


@pytest.mark.parametrize("direct", [False, True])
def test_the_evaluator_computes_what_the_file_says(direct: bool, tmp_path: Path) -> None:
    """The formula of [Lynch1997], section 2.2, over the file's own numbers, with both biases of the output."""
    inputs, hidden = 32, 5
    file = write(tmp_path, "squares.net", network_of(inputs, hidden, direct=direct))
    numbers = iter([float(word) for line in file.read_text().splitlines()[2:] for word in line.split()])
    first = [[next(numbers) for _ in range(hidden)] for _ in range(inputs + 1)]
    second = [next(numbers) for _ in range(hidden + 1)]
    third = [next(numbers) for _ in range(inputs + 1)] if direct else [0.0] * (inputs + 1)
    assert next(numbers, None) is None
    player = gf.player("draughts", searcher="minimax:depth=1", evaluator=f"neurodraughts:file='{file}'")
    position = gf.game("draughts").position()
    for move in ("11-15", "23-19", "8-11", "22-17"):
        position = position.play(move)
        x = [int(code) / 4 for code in codes_for(position.state)] + [1.0]
        units = [math.tanh(sum(x[j] * first[j][i] for j in range(inputs + 1))) for i in range(hidden)] + [1.0]
        total = sum(map(float.__mul__, units, second)) + sum(map(float.__mul__, x, third))
        (value,) = player.values(np.array([position.state], np.uint64))
        assert value == pytest.approx(-math.tanh(total), abs=1e-6)  # the map looks from the side that has just moved


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("hidden", [1, 8, 12])
def test_vector_and_network(direct: bool, hidden: int, tmp_path: Path) -> None:
    file = write(tmp_path, "a.net", network_of(38, hidden, direct=direct))
    player = gf.player("draughts", searcher="minimax:depth=1", evaluator=f"neurodraughts:file='{file}'")
    net = player.parts.net
    assert isinstance(net, NetFunctions)
    assert player.weights is not None
    network = read_network(file)
    assert player.weights.tobytes() == to_vector(network, net).tobytes()
    assert same(of_vector(player.weights, net, hidden=hidden, direct=direct, name="SuperNetwork"), network)
    count = 39 * hidden + hidden + 1 + 38 * direct
    assert np.count_nonzero(player.weights) == count  # padding stays 0, and the file has no zeros


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 2 is ''; it must have three numbers: inputs, hidden units, direct links"),
        ("name\n38 12\n", "line 2 is '38 12'"),
        ("name\n38 -12 1\n", "line 2 is '38 -12 1'"),
        ("name\n0 12 1\n", "sizes '0 12 1' are out of range"),
        ("name\n38 12 2\n", "sizes '38 12 2' are out of range"),
        (
            "name\n1 1 0\n1 2 3\n",
            "1 inputs and 1 hidden units without direct links have 4 weights, but the file holds 3",
        ),
        ("name\n1 1 1\n1 2 3 4 5\n", "with direct links have 6 weights, but the file holds 5"),
        ("name\n1 1 0\n1 2 x 4\n", "weight 3 of 4 is 'x'; it must be a finite number"),
        ("name\n1 1 0\n1 2 nan 4\n", "weight 3 of 4 is 'nan'"),
        ("name\n1 1 0\n1 2 1e39 4\n", "weight 3 of 4 is '1e39'"),
    ],
)
def test_damage(text: str, sentence: str, tmp_path: Path) -> None:
    file = write(tmp_path, "a.net", text)
    with pytest.raises(GameforgeError) as error:
        read_network(file)
    assert str(error.value).startswith(f"network file {file}: {sentence}") or sentence in str(error.value)


class TestSizes:
    def test_a_feature_map_with_other_inputs(self, tmp_path: Path) -> None:
        file = write(tmp_path, "a.net", network_of(38, 12))
        evaluator = f"neurodraughts:file='{file}'"
        with pytest.raises(GameforgeError) as error:
            gf.player("draughts", searcher="minimax:depth=1", evaluator=evaluator, features="netfeaturemap")
        assert str(error.value) == f"network file {file} has 38 inputs, but the feature map netfeaturemap gives 47"

    def test_a_file_that_has_changed(self, tmp_path: Path) -> None:
        file = write(tmp_path, "a.net", network_of(38, 12))
        with pytest.raises(
            GameforgeError, match=r"holds a net of 38 inputs and 12 .* with direct links, not of .* 10 hid"
        ):
            gf.player("draughts", searcher="minimax:depth=1", evaluator=f"neurodraughts:hidden=10,file='{file}'")

    def test_sizes_and_map_are_the_files(self, tmp_path: Path) -> None:
        component = NetworkFile(file=write(tmp_path, "a.net", network_of(96, 7, direct=False)))
        assert (component.inputs, component.hidden, component.direct) == (96, 7, False)
        assert component.features.settings() == {"use": "binarymap"}

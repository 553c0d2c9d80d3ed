"""Creation, parameter and feature files, and what a number of inputs means."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gameforge_neurodraughts.network import InputsWarning, features_of_network, features_to_create
from gameforge_neurodraughts.settings_files import (
    Creation,
    is_creation_file,
    read_creation,
    read_features,
    read_parameters,
)
from neurodraughts_examples import CREATION, PARAMETERS, network_of, write

from gameforge.errors import GameforgeError


def test_the_creation_file_of_the_thesis(tmp_path: Path) -> None:
    file = write(tmp_path, "create.txt", CREATION)
    assert is_creation_file(file)
    assert read_creation(file) == Creation(
        inputs=37, hidden=12, direct=True, seed=210476, low=-0.2, high=0.2, name="FeatureNetwork"
    )
    assert not is_creation_file(write(tmp_path, "NewNet.net", network_of(2, 2)))


def test_labels_are_ignored_and_lines_do_not_matter(tmp_path: Path) -> None:
    words = [line.split("\t")[:2] for line in CREATION.splitlines()]
    expected = read_creation(write(tmp_path, "create.txt", CREATION))
    together = " ".join(word for pair in words for word in pair)
    assert read_creation(write(tmp_path, "one_line.txt", together)) == expected
    renamed = "\n".join(f"Label{i} {value}" for i, (_, value) in enumerate(words))
    assert read_creation(write(tmp_path, "renamed.txt", renamed)) == expected


def test_the_parameter_file_of_the_thesis(tmp_path: Path) -> None:
    file = write(tmp_path, "params.txt", PARAMETERS)
    assert read_parameters(file) == {"rate1": 0.0, "rate2": 0.0, "momentum": 0.9, "gamma": 0.98, "lambda": 0.1}


def test_a_feature_file_names_the_features_that_have_bits(tmp_path: Path) -> None:
    file = write(tmp_path, "opp1.ftr", "Exposure 3\nPieceTake 0\n\nPieceAdvantage 4\nbackrowbridge 1\n")
    assert read_features(file) == ("PieceAdvantage", "BackRowBridge", "Exposure")


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (read_creation, CREATION.replace("\t12\t", "\t0\t"), "creation file F, line 2: NumHidden is '0'; it must be a"),
        (read_creation, CREATION.replace("\t37\t", "\t-2\t"), "line 1: NumInputs is '-2'; it must be a whole number"),
        (
            read_creation,
            CREATION.replace("\t37\t", "\t37.5\t"),
            "line 1: NumInputs is '37.5'; it must be a whole number",
        ),
        (read_creation, CREATION.replace("DirectLinks:\t1", "DirectLinks:\t2"), "must be a whole number from 0 to 1"),
        (read_creation, CREATION.replace("-0.2", "low"), "line 5: LowRange is 'low'; it must be a number from -100 to"),
        (read_creation, CREATION.partition("NetworkName")[0], "must hold 7 labels, each with a value: NumInputs, "),
        (
            read_creation,
            CREATION.replace("NumHidden", "X").replace("DirectLinks", "NumHidden"),
            "line 3: 'NumHidden:' stands where 'DirectLinks' belongs",
        ),
        (
            read_parameters,
            PARAMETERS.replace("0.98", "1.2"),
            "parameter file F, line 4: Gamma(Decay) is '1.2'; it must",
        ),
        (read_parameters, PARAMETERS.replace("0.98", "nan"), "line 4: Gamma(Decay) is 'nan'; it must be a number from"),
        (
            read_parameters,
            PARAMETERS.replace("\t0.0", "\t1e308"),
            "LRate1 is '1e308'; it must be a number from 0 to 1,000",
        ),
        (read_creation, CREATION.replace("210476", "1" + "0" * 5000), "a whole number from 0 to 2,147,483,647"),
        (read_parameters, "", "must hold 5 labels"),
        (read_features, "PieceTaken 3\n", "feature file F, line 1: unknown feature 'PieceTaken' (did you mean"),
        (read_features, "Exposure 4\n", "line 1: Exposure has 4 bits; it must have 3, or 0 for unused"),
        (read_features, "Exposure\n", "line 1: 'Exposure' must be a feature's name and its bits"),
        (read_features, "Exposure 3\nexposure 3\n", "feature Exposure is named twice"),
        (read_features, "Exposure 0\n", "the list of features is empty"),
    ],
)
def test_what_is_wrong_is_reported_in_one_sentence(
    read: Callable[[Path], Any], text: str, sentence: str, tmp_path: Path
) -> None:
    file = write(tmp_path, "F", text)
    with pytest.raises(GameforgeError) as error:
        read(file)
    assert sentence in str(error.value).replace(str(file), "F")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=r"cannot read the parameter file .*nowhere: No such file"):
        read_parameters(tmp_path / "nowhere")


class TestInputs:
    @pytest.mark.parametrize(
        ("inputs", "names", "settings"),
        [
            (-1, None, {"use": "binarymap"}),
            (0, None, {"use": "directmap"}),
            (38, None, {"use": "netfeaturemap", "set": "neurodraughts"}),
            (12, None, {"use": "netfeaturemap", "set": "neurodraughts"}),  # a number of features
            (7, ("PieceAdvantage", "Exposure"), {"use": "netfeaturemap", "features": ["PieceAdvantage", "Exposure"]}),
        ],
    )
    def test_of_a_creation_file(self, inputs: int, names: tuple[str, ...] | None, settings: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert features_to_create(inputs, names, "F") == settings

    def test_37_is_taken_for_the_38_bits_and_warned_of(self) -> None:
        with pytest.warns(
            InputsWarning, match="F: NumInputs is 37, but its 12 features have 38 bits; the network gets"
        ):
            assert features_to_create(37, None, "F") == {"use": "netfeaturemap", "set": "neurodraughts"}

    def test_a_map_of_the_squares_takes_no_features(self) -> None:
        with pytest.raises(
            GameforgeError, match="NumInputs -1 means a map of the squares, which takes no feature file"
        ):
            features_to_create(-1, ("Exposure",), "F")

    def test_of_a_network(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert features_of_network(38, "F") == {"use": "netfeaturemap", "set": "neurodraughts"}
            assert features_of_network(47, "F") == {"use": "netfeaturemap", "set": "ls"}
            assert features_of_network(96, "F") == {"use": "binarymap"}
            assert features_of_network(32, "F") == {"use": "directmap"}
        with pytest.warns(InputsWarning, match="F has 37 inputs, .* assuming these without BackRowBridge"):
            assert "BackRowBridge" not in features_of_network(37, "F")["features"]
        with pytest.raises(GameforgeError, match="F has 5 inputs; without `features`, the number must be one of"):
            features_of_network(5, "F")

"""Conversion of NeuroDraughts' files to settings, which replace parts of the preset `neurodraughts`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gameforge_draughts.board import START
from gameforge_draughts.neurodraughts.board_file import read_boards
from gameforge_draughts.positions import position_text

from gameforge.config import merge
from gameforge.errors import GameforgeError
from gameforge_neurodraughts.creation_file import is_creation_file, read_creation
from gameforge_neurodraughts.feature_file import read_features
from gameforge_neurodraughts.inputs import features_settings, features_to_create
from gameforge_neurodraughts.network_file import read_network
from gameforge_neurodraughts.parameter_file import read_parameters


def network_settings(path: Path, feature_file: Path | None) -> dict[str, Any]:
    """Settings of the evaluator of a creation file or a network file; a creation file also has a seed.

    Raises GameforgeError for a damaged file, or if LowRange is above HighRange. Warns of an unexpected number of
    inputs.
    """
    names = None if feature_file is None else read_features(feature_file)
    if not is_creation_file(path):
        read_network(path)  # report damage now
        return {
            "evaluator": {"use": "neurodraughts", "file": str(path)}
            | ({} if names is None else {"features": features_settings(names)})
        }
    creation = read_creation(path)
    where = f"creation file {path}"
    if creation.low > creation.high:
        raise GameforgeError(f"{where}: LowRange {creation.low:g} is above HighRange {creation.high:g}")
    return {
        "seed": creation.seed,
        "evaluator": {
            "use": "mlp",
            "hidden": creation.hidden,
            "direct": creation.direct,
            "low": creation.low,
            "high": creation.high,
            "features": features_to_create(creation.inputs, names, where),
        },
    }


def self_play(preset: Mapping[str, Any], parameter_file: Path, board_file: Path) -> dict[str, Any]:
    """The preset with the learner of ND: its parameters and boards."""
    boards = [
        {
            "position": "" if board.state == START else position_text(board.state),
            "draw_first": board.draw_black,
            "draw_second": board.draw_red,
            "clone_points": board.points_to_clone,
        }
        for board in read_boards(board_file)
    ]
    return merge(preset, {"learner": read_parameters(parameter_file) | {"boards": boards}})


def expert_play(
    preset: Mapping[str, Any], parameter_file: Path, training_files: Sequence[Path], epochs: int
) -> dict[str, Any]:
    """The preset with the learner of XTRAIN instead."""
    learner = {"use": "expert", "games": [str(path) for path in training_files], "epochs": epochs}
    return merge(preset, {"learner": learner | read_parameters(parameter_file)})

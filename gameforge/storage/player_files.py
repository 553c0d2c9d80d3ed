"""Players on disk: a folder with manifest.json and the weights that it names.

The manifest is written last and holds the checksum of the weights, so that an incomplete or altered player is
detected when it is read.
"""

import hashlib
import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.config.outside import MOST_BYTES, read_file
from gameforge.config.settings import Json
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import finite_floats
from gameforge.storage.files import write_atomically
from gameforge.storage.folder import ManifestFormat
from gameforge.storage.stored import file_name, packed_arrays, read_arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PLAYER_FORMAT = ManifestFormat("player", "manifest.json", "gameforge-player", 1)
WEIGHTS = "weights.npz"
STEP = 2.0**-10
"""Weights are stored in 16 bits if all of them are multiples of this that fit."""


@attrs.frozen
class _Manifest:
    name: str
    pipeline: dict[str, Json]
    weights: str | None = attrs.field(default=None, validator=attrs.validators.optional(file_name))
    """File of the weights; None: the player has none."""
    sha256: str = ""
    layout: str = ""


@attrs.frozen(eq=False)
class StoredPlayer:
    """A player as it is stored in its folder."""

    name: str
    """The name of the player in results."""
    pipeline: Mapping[str, Json]
    """Settings of the components that build it: game, searcher, evaluator, oracle."""
    weights: "Floats | None"
    """Its weights; None if its evaluator has none."""
    layout: str = ""
    """What the weights are for (gameforge.interfaces.evaluator.WeightVector); "": not recorded."""


def write_player(folder: Path, player: StoredPlayer, weights_name: str = WEIGHTS) -> None:
    """Write a player into a folder, which is created if necessary.

    If `weights_name` differs from the name of the old weights, an older player in the folder stays valid until the
    manifest is replaced. Raises GameforgeError if the folder or a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GameforgeError(f"cannot create the folder {folder}: {error.strerror}") from error
    pipeline = dict(player.pipeline)
    manifest: dict[str, Json] = {"name": player.name, "pipeline": pipeline}
    if player.weights is not None:
        data = packed_arrays({"weights": _compact(player.weights)})
        write_atomically(folder / weights_name, data)
        manifest |= {"weights": weights_name, "sha256": hashlib.sha256(data).hexdigest()}
        if player.layout:
            manifest["layout"] = player.layout
    PLAYER_FORMAT.write(folder, manifest)
    for old in folder.glob("weights*.npz"):
        if old.name != manifest.get("weights"):
            old.unlink(missing_ok=True)


def read_player(folder: Path) -> StoredPlayer:
    """Read a player; GameforgeError if it is missing, damaged, altered, or of another schema."""
    manifest = PLAYER_FORMAT.read_as(folder, _Manifest)
    weights = None if manifest.weights is None else _weights(folder / manifest.weights, manifest.sha256)
    return StoredPlayer(manifest.name, manifest.pipeline, weights, manifest.layout)


def digest_of_weights(folder: Path) -> str:
    """Return the SHA-256 digest of the file of a player's weights; "" if it has none; GameforgeError as read_player."""
    manifest = PLAYER_FORMAT.read_as(folder, _Manifest)
    if manifest.weights is not None:
        _weights(folder / manifest.weights, manifest.sha256)
    return manifest.sha256


def _weights(path: Path, sha256: str) -> "Floats":
    import numpy as np

    if os.path.dirname(os.path.realpath(path)) != os.path.realpath(path.parent):
        raise GameforgeError(f"{path} is a link that leads out of the folder of the player")
    try:
        data = read_file(path, MOST_BYTES)
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise GameforgeError(f"{path} is not the file that {PLAYER_FORMAT.file} describes: it is incomplete or altered")
    try:
        arrays = read_arrays(data)
        if "weights" not in arrays:
            raise ValueError("it has no array 'weights'")
        weights = arrays["weights"]
        return finite_floats(weights * np.float32(STEP) if weights.dtype == np.int16 else weights)
    except ValueError as error:
        raise GameforgeError(f"{path} is damaged: {error}") from error


def _compact(weights: "Floats") -> "NDArray[np.float32 | np.int16]":
    """Return the weights as they are stored: as int16 in units of STEP if nothing is lost, else unchanged."""
    import numpy as np

    steps = np.rint(weights / np.float32(STEP))
    if not np.abs(steps).max(initial=0) < 2**15:
        return weights
    short = steps.astype(np.int16)
    same = (short.astype(np.float32) * np.float32(STEP)).tobytes() == weights.tobytes()  # false for -0.0, too
    return short if same else weights

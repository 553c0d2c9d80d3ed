"""Players on disk: a folder with manifest.json and the weights it names, checked when read.

Files are written under a temporary name and renamed; the manifest comes last and holds the
checksum of the weights, so a torn or altered player is recognised and refused.
"""

import contextlib
import hashlib
import io
import json
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.oracle import Announce, silent
from gameforge.manifest import read_manifest
from gameforge.players import Parts, Player
from gameforge.plugins.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.pipeline import Pipeline

FORMAT = "gameforge-player"
SCHEMA = 1
MANIFEST = "manifest.json"
PLAYER_KEYS = ("game", "searcher", "evaluator", "oracle")
"""Tables of a pipeline that a player consists of."""


def write_atomically(path: Path, data: bytes) -> None:
    """The file has its old content or the new one, never a part, also after a power cut."""
    if path.is_dir():
        raise GameforgeError(f"cannot write {path}: it is a folder")
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:  # Ctrl-C, too
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise GameforgeError(f"cannot write {path}: {error.strerror or error}") from error
        raise


def save_player(folder: Path, player: Player, weights_name: str = "weights.npz") -> None:
    """Write a player; an older one in the folder stays valid until the manifest is replaced.

    Another `weights_name` than the old one keeps the old manifest's weights until then.
    """
    import numpy as np

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GameforgeError(f"cannot make the folder {folder}: {error.strerror}") from error
    manifest: dict[str, Any] = {"format": FORMAT, "schema": SCHEMA, "name": player.name, "pipeline": player.spec}
    if player.weights is not None:
        buffer = io.BytesIO()
        np.savez(buffer, weights=player.weights)
        data = buffer.getvalue()
        write_atomically(folder / weights_name, data)
        manifest |= {"weights": weights_name, "sha256": hashlib.sha256(data).hexdigest()}
    write_atomically(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
    for old in folder.glob("weights*.npz"):
        if old.name != manifest.get("weights"):
            old.unlink(missing_ok=True)


def load_player(
    folder: Path, registry: Registry, announce: Announce = silent, workers: int = 1, **parts: Any
) -> Player:
    """Read a player back, or the one in the folder of a run; `parts` as "searcher" and "oracle" replace its own.

    Raises GameforgeError if it is missing, torn, altered or of another version.
    """
    return load_players([folder], registry, announce, workers, **parts)[0]


def load_players(
    folders: Iterable[Path], registry: Registry, announce: Announce = silent, workers: int = 1, **parts: Any
) -> list[Player]:
    """As load_player; players of the same components share them, so that no database is opened twice."""
    from gameforge.pipeline import Pipeline

    shared: dict[str, tuple[Parts, dict[str, Any]]] = {}
    players = []
    for folder in folders:
        where = folder / "player" if (folder / "player").is_dir() else folder
        manifest = _manifest(where)
        tables = json.dumps(manifest["pipeline"], sort_keys=True)
        if tables not in shared:
            table = {"learner": "none", "oracle": "none"} | manifest["pipeline"] | parts
            pipeline = Pipeline(registry=registry, **table)
            spec = player_spec(pipeline.table) if parts else manifest["pipeline"]
            shared[tables] = pipeline.parts(announce, workers), spec
        weights = _weights(where, manifest)
        try:
            players.append(Player(shared[tables][0], weights, manifest["name"], shared[tables][1]))
        except GameforgeError as error:
            raise GameforgeError(f"{where}: {error}") from error
    return players


def player_spec(table: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a resolved pipeline that make a player."""
    return {key: table[key] for key in PLAYER_KEYS if key in table}


def chosen_player(
    pipeline: "Pipeline",
    parts: Parts,
    weights: "NDArray[np.float32] | None",
    name: str,
    features: FeatureMap | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Player:
    """A player of a pipeline, whose parts are there, with what a learner chose.

    features: what feeds its net in place of the pipeline's feature map. settings: other parameters of its
    components, by keys as `searcher.depth`.
    """
    if settings:
        pipeline = pipeline.with_settings(settings)
        parts = pipeline.parts()
    if features is not None:
        parts = parts.with_features(features)
    return Player(parts, weights, name, player_spec(pipeline.table_with(features)))


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    manifest = read_manifest(path, FORMAT, SCHEMA, "player")
    if not isinstance(manifest.get("pipeline"), dict) or not isinstance(manifest.get("name"), str):
        raise GameforgeError(f"{path} is damaged: it lacks 'pipeline' or 'name'")
    return manifest


def _weights(folder: Path, manifest: Mapping[str, Any]) -> "NDArray[np.float32] | None":
    import numpy as np

    if "weights" not in manifest:
        return None
    path = folder / str(manifest["weights"])
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
    if hashlib.sha256(data).hexdigest() != manifest.get("sha256"):
        raise GameforgeError(f"{path} is not the file that {MANIFEST} describes: torn or altered")
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return np.ascontiguousarray(arrays["weights"], np.float32)

"""Checkpoints: from where a training goes on after it was killed.

A checkpoint is one file, replaced by a rename, so that there is a whole one at any moment. Its first line
says what it is: format, schema and the checksum of the rest. The second line is JSON: version of GameForge,
digest of the pipeline, lengths of the run's logs, the learner's values. The learner's arrays follow as .npz.
"""

import hashlib
import importlib.metadata
import io
import json
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import dump_toml
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge.storage.atomic import write_atomically

FORMAT = "gameforge-checkpoint"
SCHEMA = 1
STATE = "state.bin"
SHARE = 0.005
"""Checkpoints take at most this part of a run's time."""
_GUESS = 0.02
"""Seconds that the first one is expected to take."""


@attrs.frozen(kw_only=True)
class Checkpoint:
    """Where a run stands."""

    learner: LearnerState
    lengths: Mapping[str, int]
    """Bytes of every log of the run, by its file's name."""


class Pace:
    """Says when a checkpoint is due: so seldom that all of them together take little time.

    A training's result does not depend on it.
    """

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._last, self._spent = _GUESS, 0.0

    def due(self) -> bool:
        """Whether one more, as dear as the last one, keeps the sum within its share."""
        return self._spent + self._last <= SHARE * (time.perf_counter() - self._began)

    def took(self, seconds: float) -> None:
        """One was written."""
        self._last = seconds
        self._spent += seconds


def pipeline_digest(table: Mapping[str, Any]) -> str:
    """A resolved pipeline in 64 characters."""
    return hashlib.sha256(dump_toml(dict(table)).encode()).hexdigest()


def write_checkpoint(folder: Path, checkpoint: Checkpoint, pipeline: str) -> None:
    """Write the state into the folder, which is made if need be; `pipeline` is a digest."""
    import numpy as np

    arrays = io.BytesIO()
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(arrays, **dict(checkpoint.learner.arrays))  # type: ignore[arg-type]
    about = {
        "gameforge": importlib.metadata.version("gameforge"),
        "pipeline": pipeline,
        "lengths": dict(checkpoint.lengths),
        "values": dict(checkpoint.learner.values),
    }
    rest = json.dumps(about).encode() + b"\n" + arrays.getvalue()
    head = f"{FORMAT} {SCHEMA} {hashlib.sha256(rest).hexdigest()}\n".encode()
    write_atomically(folder / STATE, head + rest)


def read_checkpoint(folder: Path, pipeline: str) -> Checkpoint | None:
    """The state in the folder, None if there is none.

    Raises GameforgeError if it is torn, altered, or of another schema, GameForge or pipeline.
    """
    import numpy as np

    path = folder / STATE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
    head, _, rest = data.partition(b"\n")
    words = head.decode("ascii", "replace").split(" ")
    if words[0] != FORMAT or len(words) != 3:
        raise GameforgeError(f"{path} is not a checkpoint, or a torn one; without it the run begins again")
    if words[1] != str(SCHEMA):
        raise GameforgeError(f"{path} has schema {words[1]}; this GameForge reads schema {SCHEMA}")
    if hashlib.sha256(rest).hexdigest() != words[2]:
        raise GameforgeError(f"{path} is torn or altered: its checksum is wrong; without it the run begins again")
    line, _, arrays = rest.partition(b"\n")
    try:
        about = json.loads(line)
        written, version = about["gameforge"], importlib.metadata.version("gameforge")
        if written != version:
            raise GameforgeError(
                f"{path} was written by GameForge {written}, this is {version}; go on with the one that began"
            )
        if about["pipeline"] != pipeline:
            raise GameforgeError(f"{path} belongs to another pipeline than the one that is to go on")
        with np.load(io.BytesIO(arrays), allow_pickle=False) as stored:
            learner = LearnerState(arrays={name: stored[name] for name in stored.files}, values=about["values"])
        return Checkpoint(learner=learner, lengths=about["lengths"])
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise GameforgeError(f"{path} is damaged: {error}; without it the run begins again") from error

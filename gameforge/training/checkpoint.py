"""Checkpoints: the state from which an interrupted training resumes.

A checkpoint is one file, which is replaced atomically, so that a complete one exists at any moment. Its first line
holds format, schema and the checksum of the rest. The second line is JSON: the version of GameForge, the digest of
the pipeline, the lengths of the run's logs, the games of the session so far, and the learner's values. The learner's
arrays follow as .npz.
"""

import hashlib
import importlib.metadata
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import dump_toml
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge.storage.atomic import write_atomically
from gameforge.storage.stored import file_name, packed_arrays, parse_json, read_arrays, read_as
from gameforge.training.session_games import SessionGames

FORMAT = "gameforge-checkpoint"
SCHEMA = 1
STATE = "state.bin"
SHARE = 0.005
"""Largest share of a run's time that checkpoints may take."""
LONGEST = 300.0
"""Seconds after which a checkpoint is due whatever it costs: a kill never loses much more work than that."""
_GUESS = 0.02
"""Seconds that the first checkpoint is expected to take."""


@attrs.frozen(kw_only=True)
class Checkpoint:
    """The state of a run between two steps of its learner."""

    learner: LearnerState
    lengths: Mapping[str, int]
    """Bytes of each log of the run, by file name."""
    games: SessionGames = attrs.field(factory=SessionGames)
    """The games of the current session."""


@attrs.frozen
class _About:
    """The second line of the file."""

    gameforge: str
    pipeline: str
    lengths: dict[str, int] = attrs.field(validator=attrs.validators.deep_mapping(file_name, attrs.validators.ge(0)))
    values: dict[str, Any]
    games: SessionGames = attrs.field(factory=SessionGames)


class Pace:
    """Decides when a checkpoint is due, so that all of them together take at most SHARE of the run's time.

    One that would take more is still written LONGEST seconds after the one before. The result of the training does not
    depend on it.
    """

    def __init__(self) -> None:
        self._began = self._written = time.perf_counter()
        self._last, self._spent = _GUESS, 0.0

    def due(self) -> bool:
        """Return whether one more checkpoint, if it takes as long as the last, keeps the total within SHARE.

        After LONGEST seconds without one, always.
        """
        now = time.perf_counter()
        return self._spent + self._last <= SHARE * (now - self._began) or now - self._written >= LONGEST

    def took(self, seconds: float) -> None:
        """Record that a checkpoint was written, and the seconds that it took."""
        self._last = seconds
        self._spent += seconds
        self._written = time.perf_counter()


def pipeline_digest(settings: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the settings of a resolved pipeline, in hexadecimal."""
    return hashlib.sha256(dump_toml(dict(settings)).encode()).hexdigest()


def write_checkpoint(folder: Path, checkpoint: Checkpoint, pipeline: str) -> None:
    """Write a checkpoint into a folder, which is created if necessary.

    pipeline: the digest of the run's pipeline (`pipeline_digest`).
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays = packed_arrays(checkpoint.learner.arrays)
    about = {
        "gameforge": importlib.metadata.version("gameforge"),
        "pipeline": pipeline,
        "lengths": dict(checkpoint.lengths),
        "values": dict(checkpoint.learner.values),
        "games": attrs.asdict(checkpoint.games),
    }
    rest = json.dumps(about).encode() + b"\n" + arrays
    head = f"{FORMAT} {SCHEMA} {hashlib.sha256(rest).hexdigest()}\n".encode()
    write_atomically(folder / STATE, head + rest)


def read_checkpoint(folder: Path, pipeline: str) -> Checkpoint | None:
    """Read the checkpoint in a folder; None if there is none.

    pipeline: the digest of the pipeline that is to be resumed. Raises GameforgeError if the checkpoint is incomplete or
    altered, or if it was written by another version of GameForge, or for another schema or pipeline.
    """
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
        raise GameforgeError(f"{path} is not a checkpoint, or is incomplete; without this file the run starts over")
    if words[1] != str(SCHEMA):
        raise GameforgeError(f"{path} has schema {words[1]}; this GameForge reads schema {SCHEMA}")
    if hashlib.sha256(rest).hexdigest() != words[2]:
        raise GameforgeError(
            f"{path} is incomplete or altered: its checksum is wrong; without this file the run starts over"
        )
    line, _, arrays = rest.partition(b"\n")
    try:
        about = read_as(_About, parse_json(line))
        learner = LearnerState(arrays=read_arrays(arrays), values=about.values)
    except ValueError as error:
        raise GameforgeError(f"{path} is damaged: {error}; without this file the run starts over") from error
    version = importlib.metadata.version("gameforge")
    if about.gameforge != version:
        raise GameforgeError(
            f"{path} was written by GameForge {about.gameforge}, but this is {version}; "
            f"resume the run with {about.gameforge}"
        )
    if about.pipeline != pipeline:
        raise GameforgeError(f"{path} belongs to another pipeline than that of the run")
    return Checkpoint(learner=learner, lengths=about.lengths, games=about.games)

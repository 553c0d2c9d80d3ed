"""What an interrupted training resumes from: its checkpoint, and the processor time that it has used.

A checkpoint is one file, which is replaced atomically, so that a complete one exists at any moment. Its first line
holds format, schema and the checksum of the rest. The second line is JSON: the version of GameForge, the digest of
the pipeline, the lengths of the run's logs, the games of the session so far, and the learner's values. The learner's
arrays follow as .npz. The games of a session also show how many of them differ, and whether a training repeats itself
or has collapsed.

A training that may use only so much processor time keeps it in processor.json, so that a resumed run does not begin at
zero; time whose work was lost in a kill counts. What is counted is the time of this process, in all its threads, so
nothing else may run in it meanwhile. Neither the compilation of kernels nor the matches against the yardstick count. A
training ends after the first session at whose end its time is used up, with the player of this session.
"""

import hashlib
import importlib.metadata
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from gameforge.config import dump_toml
from gameforge.config.settings import Json
from gameforge.errors import DISTRIBUTION, GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import LearnerState
from gameforge.storage.files import write_atomically
from gameforge.storage.stored import file_name, packed_arrays, parse_json, read_arrays, read_as, read_file

_LEAST = 20
"""Smallest number of games that a warning is based on."""
_REPEATED = 0.5
"""Share of different games below which a session repeats itself."""
_COLLAPSED = 0.1
"""Score, in [0, 1], below which a session has collapsed."""
_PHASES = ("training", "tournament")
"""Phases whose games a learner learns from."""


@attrs.define
class SessionGames:
    """Counts over the games that a learner has reported in its current session."""

    points: int = 0
    """Points of the learner: 2 for a win, 1 for a draw."""
    own: int = 0
    """Games with a side of the learner."""
    wins: int = 0
    often: dict[str, int] = attrs.field(factory=dict)
    """How often each game occurred, by a hash of its opening and moves."""

    @property
    def games(self) -> int:
        return sum(self.often.values())

    def add(self, game: GameRecord) -> None:
        if game.phase not in _PHASES:
            return
        key = format(hash((game.start, game.codes)) % (1 << 64), "x")
        self.often[key] = self.often.get(key, 0) + 1
        if game.phase == "training" and game.learner is not None:
            points = game.outcome.points(game.learner)
            self.own, self.points, self.wins = self.own + 1, self.points + points, self.wins + (points == 2)

    def figures(self) -> dict[str, int]:
        """`distinct_games`, the number of different games; empty without games."""
        return {"distinct_games": len(self.often)} if self.often else {}


@attrs.define
class Warnings:
    """Warnings of a run, each of which is given once."""

    given: set[str] = attrs.field(factory=set)

    def about(self, session: int, seen: SessionGames) -> Iterator[str]:
        """Yield what is to be said after a session."""
        games, distinct = seen.games, len(seen.often)
        if games >= _LEAST and distinct < _REPEATED * games and self._first("repeats"):
            yield (
                f"warning: session {session}: only {distinct:,} of {games:,} games are different, and one was played "
                f"{max(seen.often.values())} times; random openings or exploration would vary them"
            )
        if seen.own >= _LEAST and seen.points < 2 * _COLLAPSED * seen.own and self._first("collapsed"):
            yield (
                f"warning: session {session}: the player in training won {seen.wins:,} of {seen.own:,} games; the "
                "training may have collapsed, and a lower learning rate or another seed may help"
            )

    def _first(self, what: str) -> bool:
        is_first = what not in self.given
        self.given.add(what)
        return is_first


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
    digests: Mapping[str, str] = attrs.field(factory=dict)
    """SHA-256 of these bytes, by file name."""
    games: SessionGames = attrs.field(factory=SessionGames)
    """The games of the current session."""
    spent: int = 0
    """What the training has spent (gameforge.training.spending)."""


@attrs.frozen
class _About:
    """The second line of the file."""

    gameforge: str
    pipeline: str
    lengths: dict[str, int] = attrs.field(validator=attrs.validators.deep_mapping(file_name, attrs.validators.ge(0)))
    values: dict[str, Json]
    games: SessionGames = attrs.field(factory=SessionGames)
    digests: dict[str, str] = attrs.field(factory=dict)
    spent: int = attrs.field(default=0, validator=attrs.validators.ge(0))


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


def pipeline_digest(settings: Mapping[str, Json]) -> str:
    """Return the SHA-256 of the settings of a resolved pipeline, in hexadecimal."""
    return hashlib.sha256(dump_toml(dict(settings)).encode()).hexdigest()


def write_checkpoint(folder: Path, checkpoint: Checkpoint, pipeline: str) -> None:
    """Write a checkpoint into a folder, which is created if necessary.

    pipeline: the digest of the run's pipeline (`pipeline_digest`).
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays = packed_arrays(checkpoint.learner.arrays)
    about = {
        "gameforge": importlib.metadata.version(DISTRIBUTION),
        "pipeline": pipeline,
        "lengths": dict(checkpoint.lengths),
        "digests": dict(checkpoint.digests),
        "values": dict(checkpoint.learner.values),
        "games": attrs.asdict(checkpoint.games),
        "spent": checkpoint.spent,
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
        data = read_file(path)
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
    version = importlib.metadata.version(DISTRIBUTION)
    if about.gameforge != version:
        raise GameforgeError(
            f"{path} was written by GameForge {about.gameforge}, but this is {version}; "
            f"resume the run with {about.gameforge}"
        )
    if about.pipeline != pipeline:
        raise GameforgeError(f"{path} belongs to another pipeline than that of the run")
    return Checkpoint(
        learner=learner, lengths=about.lengths, digests=about.digests, games=about.games, spent=about.spent
    )

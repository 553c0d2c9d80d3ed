"""The folder of a run: fixed names of files, a manifest and a state (running, finished, interrupted or failed).

metrics.jsonl in it has the figures of the run, one JSON object a session, by which sessions and runs can be compared.
"""

import contextlib
import importlib.metadata
import math
import platform
import re
import shutil
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.config import dump_toml, kinds, read_toml, strictly
from gameforge.config.settings import Json
from gameforge.errors import DISTRIBUTION, GameforgeError
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import Progress
from gameforge.play.pipeline import Pipeline
from gameforge.play.saved_players import RUN_FILE
from gameforge.storage.files import write_atomically
from gameforge.storage.folder import Folder, ManifestFormat, require_same
from gameforge.storage.player_files import PLAYER_FORMAT
from gameforge.storage.stored import JsonLog, digest_of, read_as, read_log

METRICS = "metrics.jsonl"
RUN_FORMAT = ManifestFormat("run", RUN_FILE, "gameforge-run", 1, log=METRICS, step="session")
PIPELINE = "pipeline.toml"
CHECKPOINT, PLAYER, YARDSTICK = "checkpoint", "player", "yardstick"
"""Names of folders in the folder of a run."""
RUNNING, FINISHED = "running", "finished"
"""States of a run; a finished one has nothing left to do."""


@attrs.frozen
class RunManifest:
    """What the manifest of a run says about its training."""

    state: str
    began: str = ""
    gameforge: str = ""
    python: str = ""
    summary: dict[str, Json] = attrs.field(factory=dict)
    files: dict[str, str] = attrs.field(factory=dict)
    """SHA-256 of files of a finished run, by their names in the folder."""


@contextlib.contextmanager
def new_run(folder: Path, pipeline: Pipeline, about: Mapping[str, object]) -> Iterator[dict[str, Json]]:
    """Create the folder of a new run of this pipeline; yield its manifest without the state.

    about: further entries of the manifest.
    Until pipeline.toml exists, run.json holds the pipeline, so that a run can be resumed that was killed in between.
    Raises GameforgeError if the folder holds anything or cannot be written.
    """
    manifest = {**about, "seed": pipeline.seed, "began": time.strftime("%Y-%m-%d %H:%M:%S")}
    if _is_unfinished(folder):
        raise GameforgeError(
            f"the folder {folder} already holds another run, which has not finished",
            advice="choose another folder, or resume that run",
            parameter="resume",
        )
    first = {**manifest, "pipeline": pipeline.settings, **_state(RUNNING)}
    with Folder(path=folder, format=RUN_FORMAT, about=first).create():
        yield manifest


@contextlib.contextmanager
def unfinished_run(folder: Path, pipeline: Pipeline) -> Iterator[dict[str, Json]]:
    """Open the folder of an unfinished run of this pipeline; yield its manifest without the pipeline.

    Raises GameforgeError if there is no run, if it has finished, if it is a run of another pipeline, or if another
    process is running it.
    """
    with Folder(path=folder, format=RUN_FORMAT).resume():
        RUN_FORMAT.require_unaltered(folder)
        manifest = same_run(folder, pipeline)
        if manifest.get("state") == FINISHED:
            raise GameforgeError(f"the run in {folder} has finished; there is nothing left to resume")
        yield manifest


def write_first_files(folder: Path, manifest: Mapping[str, Json], settings: Mapping[str, Json]) -> None:
    """Write pipeline.toml, unless it exists, and the state `running`."""
    if not (folder / PIPELINE).exists():
        write_atomically(folder / PIPELINE, dump_toml(dict(settings)).encode())
    write_state(folder, manifest, RUNNING)


def write_state(folder: Path, manifest: Mapping[str, Json], state: str, **more: object) -> None:
    """Write the manifest; the state is running, finished, interrupted or failed."""
    RUN_FORMAT.write(folder, {**manifest, **_state(state), **more})


def _state(state: str) -> dict[str, Json]:
    return {
        "gameforge": importlib.metadata.version(DISTRIBUTION),
        "python": platform.python_version(),
        "state": state,
    }


def run_manifest(folder: Path) -> dict[str, Json]:
    """Read the manifest; GameforgeError if the folder holds no run, or one of another schema.

    Removes the checkpoint of a finished run, which remains if the process was killed just after the run finished.
    """
    manifest = RUN_FORMAT.read(folder)
    if manifest.get("state") == FINISHED:
        shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
    return manifest


def pipeline_settings(folder: Path) -> dict[str, Json]:
    """Read the settings of the resolved pipeline of the run in this folder."""
    if not (folder / PIPELINE).exists():
        settings = run_manifest(folder).get("pipeline")
        if isinstance(settings, dict):
            return settings
    return read_toml(folder / PIPELINE)


def digests_of_settings(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of the files that say what a run trained, by their names in the folder."""
    names = PIPELINE, f"{PLAYER}/{PLAYER_FORMAT.file}"
    return {name: digest_of(folder / name).hexdigest() for name in names}


def is_log(name: str) -> bool:
    """Return whether this is the name of a log: the figures of the sessions, or the games."""
    return name == METRICS or re.fullmatch(r"games\.\w+", name) is not None


def require_unaltered(folder: Path) -> None:
    """Raise GameforgeError, which names the file, if a file of a run is not as the run wrote it.

    Of an unfinished run, only the manifest can be checked. Digests prove no more than that files fit together: whoever
    alters a file can alter its digest as well.
    """
    RUN_FORMAT.require_unaltered(folder)
    for name, digest in RUN_FORMAT.read_as(folder, RunManifest).files.items():
        if name not in (PIPELINE, f"{PLAYER}/{PLAYER_FORMAT.file}") and not is_log(name):
            raise GameforgeError(f"{RUN_FORMAT.path(folder)} is damaged: a run has no file {name!r}")
        try:
            found = digest_of(folder / name).hexdigest()
        except OSError as error:
            raise GameforgeError(f"cannot read {folder / name}: {error.strerror}") from error
        if found != digest:
            raise GameforgeError(f"{folder / name} was altered after the run had finished: its checksum is wrong")
    if (folder / PLAYER).is_dir():
        PLAYER_FORMAT.require_unaltered(folder / PLAYER)


def same_run(folder: Path, pipeline: Pipeline) -> dict[str, Json]:
    """Read the manifest, without the pipeline, of the run in this folder, which must be of this pipeline.

    Raises GameforgeError if there is no run, or if it is a run of another pipeline.
    """
    manifest = {key: value for key, value in run_manifest(folder).items() if key not in ("pipeline", "digest")}
    stored, wanted = (
        tomllib.loads(dump_toml(dict(settings))) for settings in (pipeline_settings(folder), pipeline.settings)
    )
    require_same(folder, "run", stored, wanted)
    return manifest


def _is_unfinished(folder: Path) -> bool:
    try:
        return run_manifest(folder).get("state") != FINISHED
    except GameforgeError:
        return False


Metrics = dict[str, float | str]
"""A line of metrics.jsonl: the figures of a session by name, and `over`, the only text."""


class MetricsFile(JsonLog):
    """Writes the file while the run is running."""

    def __init__(self, folder: Path, lengths: Mapping[str, int]) -> None:
        super().__init__(folder / METRICS, lengths.get(METRICS, 0))

    @hookimpl
    def gameforge_checkpoint(self, progress: Progress) -> None:
        self.append(row_of(progress))


def row_of(progress: Progress) -> Metrics:
    """Return the line of a session."""
    over = {} if progress.over == "games" else {"over": progress.over}
    return {"session": progress.session, "games": progress.games, **over, **progress.numbers}


def read_metrics(folder: Path, length: int | None = None) -> list[Metrics]:
    """Read the sessions of a run so far; a line that is still being written is skipped.

    length: number of bytes to read, such as those up to a checkpoint; None reads all. Raises GameforgeError if the file
    is missing or damaged.
    """
    path = folder / METRICS
    if not path.exists():
        raise GameforgeError(f"{folder} holds no metrics: there is no {METRICS}")
    return read_log(path, _session, length)


@attrs.frozen
class _Session:
    session: int
    games: int
    wins: float = attrs.field(default=0, validator=kinds.not_negative)
    draws: float = attrs.field(default=0, validator=kinds.not_negative)
    losses: float = attrs.field(default=0, validator=kinds.not_negative)
    over: str = "games"


def _session(row: Json) -> Metrics:
    """A line of metrics.jsonl: besides those of `_Session` its values are numbers."""
    over = read_as(_Session, row).over
    assert isinstance(row, dict), "read_as accepts nothing else"
    for key, value in row.items():
        if key != "over":
            strictly(value, bool | float, key)
    if over not in row:
        raise GameforgeError(f"over = {over!r}: must be the key of a number")
    return dict(row)


def table_rows(metrics: Sequence[Metrics]) -> list[Metrics]:
    """Return a row for each session, with its figures that are numbers or text."""
    return [{key: value for key, value in row.items() if isinstance(value, int | float | str)} for row in metrics]


_COUNTS = ("wins", "draws", "losses")
_RENAMED_OR_LEFT_OUT = frozenset(
    {
        *("session", "games", "loops", "cloned", "mean_plies", "balance"),
        *("distinct_games", "gate_distinct", "yardstick_distinct"),
        *_COUNTS,
    }
)
"""Metrics that `session_figures` reports under other names, or not at all."""
SCORE, LOOP_RATE, BALANCE = "score", "loop rate", "piece balance"
YARDSTICK_FIGURES = "yardstick "
"""Beginning of the names of the figures that measure the strength."""
ELO = f"{YARDSTICK_FIGURES}elo"
STRENGTH = (ELO, f"{YARDSTICK_FIGURES}score")
"""Two of them: the Elo difference, which is left out if it is infinite, and the score."""


def session_figures(metrics: Mapping[str, float | str]) -> dict[str, float]:
    """Convert the metrics of a session to figures that can be compared between sessions and runs.

    These are score and loop rate (0 to 1), piece balance and moves per game, then all other numbers of the learner by
    their own names. Numbers that are not finite are left out.
    """
    return {name: float(value) for name, value in _session_figures(metrics) if math.isfinite(value)}


def _session_figures(metrics: Mapping[str, float | str]) -> Iterator[tuple[str, float]]:
    numbers = {key: value for key, value in metrics.items() if isinstance(value, int | float)}
    games = sum(numbers[key] for key in _COUNTS) if all(key in numbers for key in _COUNTS) else 0
    if games:
        yield SCORE, (numbers["wins"] + numbers["draws"] / 2) / games
        if "loops" in numbers:
            yield LOOP_RATE, numbers["loops"] / games
    if "balance" in numbers:
        yield BALANCE, numbers["balance"]
    if "mean_plies" in numbers:
        yield "moves a game", numbers["mean_plies"] / 2
    for key, value in numbers.items():
        if key not in _RENAMED_OR_LEFT_OUT:
            yield figure_name(key), value


def figure_name(key: str) -> str:
    """Return the name of one of the learner's own figures: `games_per_second` becomes `games/s`."""
    return key.replace("_per_second", "/s").replace("_", " ")


def is_share(key: str) -> bool:
    """Whether a figure is between 0 and 1."""
    return key == LOOP_RATE or key.rpartition(" ")[2] == SCORE


def is_speed(key: str) -> bool:
    """Whether the metric of this name depends on the machine, as times and rates do."""
    return key.endswith("_per_second") or "seconds" in key

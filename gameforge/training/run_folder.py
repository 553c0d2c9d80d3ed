"""The folder of a run: its files' names, its manifest, and what keeps two runs out of one folder."""

import contextlib
import importlib.metadata
import json
import platform
import shutil
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gameforge.config import dump_toml, flat, read_toml
from gameforge.errors import GameforgeError
from gameforge.play.pipeline import Pipeline
from gameforge.storage.atomic import write_atomically
from gameforge.storage.manifest import read_manifest

FORMAT = "gameforge-run"
SCHEMA = 1
MANIFEST, PIPELINE = "run.json", "pipeline.toml"
CHECKPOINT, PLAYER, GENERATIONS = "checkpoint", "player", "generations"
RUNNING, FINISHED = "running", "finished"
"""States of a run; a finished one has nothing left to do."""


def new_manifest(seed: int) -> dict[str, Any]:
    """The manifest of a run that begins now."""
    return {"format": FORMAT, "schema": SCHEMA, "seed": seed, "began": time.strftime("%Y-%m-%d %H:%M:%S")}


def begin(folder: Path, manifest: Mapping[str, Any], table: Mapping[str, Any]) -> None:
    """Write the first files of a run, or what a kill kept it from writing.

    The folder is that of a run from the first file on: until pipeline.toml stands, run.json holds the pipeline.
    """
    if not (folder / PIPELINE).exists():
        for torn in _torn_manifests(folder):
            torn.unlink(missing_ok=True)
        write_state(folder, {**manifest, "pipeline": table}, RUNNING)
        write_atomically(folder / PIPELINE, dump_toml(dict(table)).encode())
    write_state(folder, manifest, RUNNING)


def write_state(folder: Path, manifest: Mapping[str, Any], state: str, **more: Any) -> None:
    """state: running, finished, interrupted or failed."""
    versions = {"gameforge": importlib.metadata.version("gameforge"), "python": platform.python_version()}
    table = {**manifest, **versions, "state": state, **more}
    write_atomically(folder / MANIFEST, (json.dumps(table, indent=2) + "\n").encode())


def run_manifest(folder: Path) -> dict[str, Any]:
    """The manifest; GameforgeError if the folder holds no run, or one of another schema.

    What a kill behind its end left of a finished run goes.
    """
    manifest = read_manifest(folder / MANIFEST, FORMAT, SCHEMA, "run")
    if manifest.get("state") == FINISHED:
        shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
    return manifest


def pipeline_settings(folder: Path) -> dict[str, Any]:
    """The resolved pipeline of the run in this folder."""
    if not (folder / PIPELINE).exists():
        table = run_manifest(folder).get("pipeline")
        if isinstance(table, dict):
            return table
    return read_toml(folder / PIPELINE)


@contextlib.contextmanager
def new_folder(out: Path) -> Iterator[None]:
    """Make the folder of a run; it may exist only if it is empty. What is made goes again if nothing gets into it."""
    if out.exists() and not out.is_dir():
        raise GameforgeError(f"{out} is a file; a run needs a folder of its own")
    if out.is_dir() and set(out.iterdir()) - set(_torn_manifests(out)):
        what = "another run" if (out / MANIFEST).exists() else "other files"
        way = f", or go on with it: gameforge run --resume {out}" if _is_unfinished(out) else ""
        raise GameforgeError(f"the folder {out} already holds {what}; choose another folder{way}")
    made = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # not empty: what was finished stays
            for folder in made:
                folder.rmdir()
        raise


def _is_unfinished(out: Path) -> bool:
    try:
        return run_manifest(out).get("state") != FINISHED
    except GameforgeError:
        return False


def _torn_manifests(out: Path) -> list[Path]:
    """What a kill before a run's first file leaves."""
    return list(out.glob(f".{MANIFEST}.*.tmp"))


def same_run(folder: Path, pipeline: Pipeline) -> dict[str, Any]:
    """The manifest of the run of this pipeline in this folder.

    Raises GameforgeError if there is none, or if it is a run of another pipeline.
    """
    manifest = {key: value for key, value in run_manifest(folder).items() if key != "pipeline"}
    changed = differences(
        [tomllib.loads(dump_toml(dict(table))) for table in (pipeline_settings(folder), pipeline.settings)]
    )
    if changed:
        key, (old, new) = next(iter(changed.items()))
        raise GameforgeError(f"the run in {folder} is one of another pipeline: {key} is {old!r} there and {new!r} here")
    return manifest


def unfinished(folder: Path, pipeline: Pipeline) -> dict[str, Any]:
    """The manifest of the run in this folder, which is to go on.

    Raises GameforgeError if there is none, if it has finished, or if it is a run of another pipeline.
    """
    if run_manifest(folder).get("state") == FINISHED:
        raise GameforgeError(f"the run in {folder} has finished; there is nothing left to resume")
    return same_run(folder, pipeline)


def differences(tables: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Dotted key -> its value in each table (None where it is missing), for the keys that are not alike in all.

    An empty list and a missing one are alike: of a list of tables it is the entries that differ.
    """
    leaves = [dict(flat(table)) for table in tables]
    keys = dict.fromkeys(key for table in leaves for key in table)
    values = {key: [table.get(key) for table in leaves] for key in keys}
    return {
        key: found
        for key, found in values.items()
        if any(value != found[0] for value in found) and any(value not in (None, []) for value in found)
    }

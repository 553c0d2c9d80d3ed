"""Where a trained player comes from: pack the player of a run for a plugin, and train it again to compare.

A packed player is a folder with

manifest.json, weights.npz   the player, as the run has saved it
pipeline.toml                the pipeline that trained it, resolved, with its seed
provenance.json              the command, versions and figures of its training
player.toml                  how it plays (gameforge.play.saved_players), written by hand
"""

import hashlib
import importlib.metadata
import shlex
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from pathlib import Path

import attrs

from gameforge.config import NONE, Spec, changed, dump_toml, normal, read_toml, strictly
from gameforge.config.settings import Json
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.pipeline import Pipeline
from gameforge.play.saved_players import PLAYING
from gameforge.play.workshop import Workshop
from gameforge.storage.files import write_atomically
from gameforge.storage.folder import ManifestFormat
from gameforge.storage.player_files import PLAYER_FORMAT, WEIGHTS, digest_of_weights, read_player, write_player
from gameforge.storage.stored import digest_of
from gameforge.training.run_folder import (
    FINISHED,
    METRICS,
    PIPELINE,
    PLAYER,
    RUN_FORMAT,
    RunManifest,
    is_log,
    pipeline_settings,
    require_unaltered,
    run_manifest,
)
from gameforge.training.train import train

PROVENANCE_FORMAT = ManifestFormat("provenance", "provenance.json", "gameforge-provenance", 1)


@attrs.frozen(kw_only=True)
class Provenance:
    """What is recorded of the training of a packed player."""

    command: str
    """Trains it again, from scratch."""
    seed: int
    sha256: str
    """Of the file of its weights."""
    trained: str
    """When the training began."""
    versions: dict[str, str]
    """Of Python and of the packages that compute."""
    figures: dict[str, Json]
    """What the learner reported at its end."""
    pipeline: str = ""
    """SHA-256 of the file of its pipeline; "": not recorded."""
    logs: dict[str, str] = attrs.field(factory=dict)
    """SHA-256 of the logs of its training, by the names of the files: its games, and the figures of its sessions."""


def pack(run: Path, out: Path, name: str, registry: Registry) -> Provenance:
    """Copy the player of a finished run into `out`, with its pipeline and provenance; a player.toml in it stays.

    Raises GameforgeError if `run` is not a finished run, or if `out` holds something else.
    """
    manifest = run_manifest(run)
    if manifest.get("state") != FINISHED:
        raise GameforgeError(f"the run in {run} has not finished; only the player of a finished run can be packed")
    known = (PLAYER_FORMAT.file, PROVENANCE_FORMAT.file, WEIGHTS, PIPELINE, PLAYING)
    if out.exists() and (surplus := sorted(entry.name for entry in out.iterdir() if entry.name not in known)):
        raise GameforgeError(f"the folder {out} holds something other than a player: {surplus[0]}")
    require_unaltered(run)
    stored = read_player(run / PLAYER)
    vector = Workshop(registry).load(run, oracle="none").parts.vector
    layout = "" if vector is None else vector.layout
    write_player(out, attrs.evolve(stored, name=name, layout=layout))
    settings = _resolved(run, registry)
    write_atomically(out / PIPELINE, dump_toml(settings).encode())
    found = _of_run(run, settings, registry)
    packages = {package: importlib.metadata.version(package) for package in ("numpy", "numba")}
    provenance = attrs.evolve(found, sha256=digest_of_weights(out), versions=found.versions | packages)
    PROVENANCE_FORMAT.write(out, attrs.asdict(provenance))
    return provenance


def _resolved(run: Path, registry: Registry) -> dict[str, Json]:
    """The settings of a run's pipeline, with all parameters."""
    return dict(Pipeline.from_settings(normal(pipeline_settings(run)), registry).settings)


def _of_run(run: Path, settings: Mapping[str, Json], registry: Registry) -> Provenance:
    """The provenance of a run's player; settings: those of its pipeline."""
    about = RUN_FORMAT.read_as(run, RunManifest)
    versions = {"gameforge": about.gameforge, "python": about.python}
    return Provenance(
        command=training_command(settings, registry),
        seed=strictly(settings["seed"], int, "seed"),
        sha256=digest_of_weights(run / PLAYER),
        trained=about.began,
        versions={name: version for name, version in versions.items() if version},
        figures={
            key: round(value, 4) if isinstance(value, float) else value
            for key, value in about.summary.items()
            if isinstance(value, int | float | str)
        },
        pipeline=hashlib.sha256(dump_toml(settings).encode()).hexdigest(),
        logs={name: digest for name, digest in about.files.items() if is_log(name)},
    )


def known_provenance(folder: Path, registry: Registry) -> Provenance | None:
    """Return the provenance of the player in a folder if it is packed or that of a run; None for other saved players.

    Raises GameforgeError if a file is damaged, or was altered after it had been written.
    """
    PLAYER_FORMAT.require_unaltered(folder)
    if PROVENANCE_FORMAT.path(folder).is_file():
        require_own_provenance(folder)
        return provenance_of(folder)
    run = folder.parent
    if folder.name == PLAYER and RUN_FORMAT.path(run).is_file():
        require_unaltered(run)
        return _of_run(run, _resolved(run, registry), registry)
    return None


def provenance_of(folder: Path) -> Provenance:
    """Read the provenance of a packed player; GameforgeError if it is missing or damaged."""
    return PROVENANCE_FORMAT.read_as(folder, Provenance)


def require_own_provenance(folder: Path) -> None:
    """Raise GameforgeError unless manifest, weights and pipeline of a packed player are those of its provenance."""
    PROVENANCE_FORMAT.require_unaltered(folder)
    PLAYER_FORMAT.require_unaltered(folder)
    recorded = provenance_of(folder)
    if digest_of_weights(folder) != recorded.sha256:
        raise GameforgeError(f"{folder}: the weights are not those of {PROVENANCE_FORMAT.file}")
    if recorded.pipeline and digest_of(folder / PIPELINE).hexdigest() != recorded.pipeline:
        raise GameforgeError(f"{folder / PIPELINE} is not the pipeline of {PROVENANCE_FORMAT.file}: it was altered")


def train_again(
    folder: Path,
    out: Path,
    registry: Registry,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    announce: Announce = silent,
    subscribers: tuple[object, ...] = (),
    check: Callable[[], None] = lambda: None,
) -> bool:
    """Train a packed player again in the folder `out`; return whether its weights are the same, bit for bit.

    The parameters are those of `train`; an interrupted or finished run of the same pipeline in `out` is used.
    Raises GameforgeError if the packed player is damaged, if `out` holds something else, and if the games of the
    training are not those of the log that the provenance names.
    """
    require_own_provenance(folder)
    expected = provenance_of(folder)
    pipeline = Pipeline.from_settings(normal(read_toml(folder / PIPELINE)), registry)
    begun = (out / PIPELINE).exists()
    if begun and run_manifest(out).get("state") == FINISHED:
        if _resolved(out, registry) != pipeline.settings:
            raise GameforgeError(
                f"{out} holds a run of another pipeline", advice="choose another folder", parameter="out"
            )
    else:
        train(
            pipeline,
            out,
            resume=begun,
            workers=workers,
            executor=executor,
            yardstick=None,
            announce=announce,
            subscribers=subscribers,
            check=check,
        )
    for name, digest in expected.logs.items():
        log = out / name
        if not is_log(name) or name == METRICS:  # which has times
            continue
        if not log.is_file() or digest_of(log).hexdigest() != digest:
            raise GameforgeError(f"{log} is not the log of the training that {folder} names")
    return digest_of_weights(out / PLAYER) == expected.sha256


def training_command(settings: Mapping[str, Json], registry: Registry) -> str:
    """Return a command that trains a pipeline: by a preset, else by options, else by its file.

    A run does not keep the command that began it, which may have read files that are gone.
    """
    wanted = Pipeline.from_settings(settings, registry)
    for name, found in _presets(registry):
        if {**found, "seed": wanted.seed} == wanted.settings:
            return f"gameforge run {name}" + ("" if found == wanted.settings else f" --seed {wanted.seed}")
    options = _options(wanted)
    try:
        if Pipeline.from_settings(options, registry).settings == wanted.settings:
            return f"gameforge run {_words(options)}"
    except GameforgeError:  # of a component that was given as an object and has no name
        pass
    return f"gameforge run {PIPELINE}"


def _presets(registry: Registry) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the name and the resolved settings of each preset."""
    for name in registry.names("preset"):
        try:
            yield name, Pipeline.from_settings(registry.preset(name), registry).settings
        except GameforgeError:  # a preset of another plugin may be incomplete
            continue


def _options(pipeline: Pipeline) -> dict[str, str | list[str] | int]:
    """The options of `gameforge run` that make a pipeline, without parameters that have their default values."""
    components: dict[str, object] = {
        "game": pipeline.game.rules,
        "searcher": pipeline.searcher,
        "evaluator": pipeline.evaluator,
        "learner": pipeline.learner,
    }
    options: dict[str, str | list[str] | int] = {
        kind: NONE if component is None else _text(pipeline.settings[kind]["use"], component)
        for kind, component in components.items()
    }
    if pipeline.evaluator is not None and (features := pipeline.settings["evaluator"].get("features")):
        options["features"] = NONE if features == NONE else _text(features["use"], pipeline.features)
    options["oracle"] = [_text(one.spec.use, one.component) for one in pipeline.knowledge] or NONE
    return options | {"seed": pipeline.seed}


def _text(use: str, component: object) -> str:
    """A component as `NAME:key=value`; the feature map of an evaluator is an option of its own."""
    params = changed(component) if attrs.has(type(component)) else {}
    return str(Spec(use, {key: value for key, value in params.items() if key != "features"}))


def _words(options: Mapping[str, str | list[str] | int]) -> str:
    """The options as a shell reads them."""
    given = [(key, one) for key, value in options.items() for one in (value if isinstance(value, list) else [value])]
    return " ".join(f"--{key} {shlex.quote(str(value))}" for key, value in given)

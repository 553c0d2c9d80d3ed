"""Experiments in a folder, where they can be broken off and go on.

experiment.json   which experiment, its parameters, its scale
trials.jsonl      a line per finished trial: what the experiment goes on from
seed-N/           runs and matches inside the trials of a seed, which go on, too
results.json      every trial's figures and what they come to
report.md         the tables beside the published ones
*.png             figures, where matplotlib is installed
"""

import contextlib
import importlib.metadata
import importlib.util
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import IO, Any

import attrs

from gameforge.config import Spec, unstructure
from gameforge.errors import GameforgeError
from gameforge.experiments.schedule import Key, Means, Noticed, finished_trials, needed_before, seed_folders, trial_keys
from gameforge.experiments.trial import GameFinished
from gameforge.interfaces.experiment import Experiment, Report, Result
from gameforge.plugins.registry import Registry
from gameforge.storage.atomic import write_atomically
from gameforge.storage.folder_lock import alone_in
from gameforge.storage.manifest import read_manifest

FORMAT = "gameforge-experiment"
SCHEMA = 1
MANIFEST, TRIALS, RESULTS, REPORT = "experiment.json", "trials.jsonl", "results.json", "report.md"

TrialFinished = Callable[[Result, float], None]
"""Hears of a trial and of the seconds it took."""


def create_experiment(registry: Registry, spec: Spec) -> Experiment:
    """The experiment with its parameters; GameforgeError if there is none, or if it is not what Experiment says."""
    experiment = registry.create("experiment", spec)
    if not isinstance(experiment, Experiment):
        raise GameforgeError(f"experiment {spec.use!r}: {type(experiment).__name__} lacks a part of an Experiment")
    needed_before(experiment)
    return experiment


def reproduce(
    out: Path,
    spec: Spec,
    registry: Registry,
    *,
    seeds: int | None = None,
    workers: int = 1,
    scale: float = 1.0,
    executor: Executor | None = None,
    planned: Callable[[Experiment, list[Key], int], None] = lambda experiment, todo, done: None,
    trial_finished: TrialFinished = lambda result, seconds: None,
    game_finished: GameFinished = lambda game: None,
    noticed: Noticed = lambda key, text: None,
) -> Report:
    """Run an experiment in the folder, or go on with the one that is there, and write its report.

    Figures do not depend on `workers` and `executor`, nor on how often it was broken off. seeds: 1 to this number;
    None: as many as the experiment says. executor: does the learners' independent work in place of `workers`
    threads. planned: hears which trials are left and how many are done. Raises GameforgeError if the folder holds
    anything else, another experiment, or one of another scale.
    """
    experiment = create_experiment(registry, spec)
    _require_scipy()
    seeds = experiment.seeds if seeds is None else seeds
    for name, value, least in (("seeds", seeds, 1), ("workers", workers, 1)):
        if value < least:
            raise GameforgeError(f"{name} = {value}: must be {least} or more")
    if not (math.isfinite(scale) and scale > 0):
        raise GameforgeError(f"scale = {scale}: must be a number above 0; 1 is as long as the published experiment")
    manifest = _manifest(experiment, spec, scale)
    wanted = trial_keys(experiment, seeds)
    try:
        with _folder(out, manifest, set(experiment.conditions)) as results:
            todo = [key for key in wanted if key not in results]
            planned(experiment, todo, len(wanted) - len(todo))
            means = Means(
                registry=registry,
                folder=out,
                scale=scale,
                workers=workers,
                executor=executor,
                game_finished=game_finished,
                noticed=noticed,
            )
            trials = finished_trials(experiment, todo, results, means)
            with (out / TRIALS).open("a", encoding="utf-8") as lines, contextlib.closing(trials):
                for result, seconds in trials:
                    results[result.seed, result.condition] = result
                    _append(lines, result, seconds)
                    trial_finished(result, seconds)
        ordered = [results[key] for key in wanted]
        report = experiment.report(ordered, scale)
        _write_report(out, experiment, spec, manifest, seeds, ordered, report)
    except OSError as error:
        raise GameforgeError(f"cannot write the folder {out}: {error.strerror or error}") from error
    return report


def _require_scipy() -> None:
    """Raise GameforgeError, with what to install, if the library of gameforge.experiments.statistics is missing."""
    if importlib.util.find_spec("scipy") is None:
        raise GameforgeError(
            "reports of experiments need scipy, which is not installed: pip install 'gameforge[report]'"
        )


def seeds_text(seeds: int) -> str:
    """So many seeds, in words."""
    return f"{seeds} seed{'' if seeds == 1 else 's'}"


def _manifest(experiment: Experiment, spec: Spec, scale: float) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "gameforge": importlib.metadata.version("gameforge"),
        "experiment": spec.use,
        "parameters": unstructure(experiment) if attrs.has(type(experiment)) else {},
        "scale": scale,
    }


@contextlib.contextmanager
def _folder(out: Path, manifest: Mapping[str, Any], conditions: set[str]) -> Iterator[dict[Key, Result]]:
    """Make the folder, or check it; yields the finished trials, to which new ones are added.

    A new folder goes again if nothing gets finished in it.
    """
    if out.exists() and not out.is_dir():
        raise GameforgeError(f"{out} is a file; an experiment needs a folder of its own")
    made = [folder for folder in (out, *out.parents) if not folder.exists()]
    out.mkdir(parents=True, exist_ok=True)
    with alone_in(out):
        path = out / MANIFEST
        if path.exists():
            _compare(path, manifest)
        elif any(out.iterdir()):
            raise GameforgeError(f"the folder {out} already holds other files; choose another folder")
        lines = _whole_lines(out / TRIALS)
        found = [_result(out / TRIALS, number, line, conditions) for number, line in enumerate(lines, 1)]
        results = {(result.seed, result.condition): result for result in found}
        if not path.exists():
            _write_json(path, manifest)
        write_atomically(out / TRIALS, b"".join(line + b"\n" for line in lines))
        try:
            yield results
        except BaseException:
            if not results:
                with contextlib.suppress(OSError):  # a folder that is not empty: what is in a trial goes on
                    for folder in seed_folders(out):
                        folder.rmdir()
                    for name in (TRIALS, MANIFEST):
                        (out / name).unlink()
                    for folder in made:
                        folder.rmdir()
            raise


def _compare(path: Path, manifest: Mapping[str, Any]) -> None:
    there = read_manifest(path, FORMAT, SCHEMA, "experiment")
    for key in ("experiment", "parameters", "scale", "gameforge"):
        if there.get(key) != json.loads(json.dumps(manifest[key])):
            raise GameforgeError(
                f"the folder {path.parent} holds another experiment: {key} {there.get(key)} there, {manifest[key]} "
                "here; choose another folder"
            )


def _whole_lines(path: Path) -> list[bytes]:
    """What was being written when the experiment was broken off is left out."""
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def _result(path: Path, number: int, line: bytes, conditions: set[str]) -> Result:
    try:
        table = json.loads(line)
        result = Result(table["condition"], table["seed"], table["numbers"])
    except (ValueError, TypeError, KeyError) as error:
        raise GameforgeError(f"{path}, line {number}: damaged: {error}") from error
    if result.condition not in conditions:
        raise GameforgeError(f"{path}, line {number}: the experiment has no condition {result.condition!r}")
    return result


def _append(lines: IO[str], result: Result, seconds: float) -> None:
    lines.write(json.dumps(_table(result) | {"seconds": round(seconds, 1)}) + "\n")
    lines.flush()


def _table(result: Result) -> dict[str, Any]:
    return {"condition": result.condition, "seed": result.seed, "numbers": dict(result.numbers)}


def _write_report(
    out: Path,
    experiment: Experiment,
    spec: Spec,
    manifest: Mapping[str, Any],
    seeds: int,
    results: list[Result],
    report: Report,
) -> None:
    """The figures first, the text that shows them last."""
    drawn = [name for name, draw in report.figures.items() if _draw(out / f"{name}.png", draw)]
    table = {key: manifest[key] for key in ("gameforge", "experiment", "parameters", "scale")}
    trials = [_table(result) for result in results]
    _write_json(out / RESULTS, {**table, "seeds": seeds, "summary": dict(report.numbers), "trials": trials})
    scale = manifest["scale"]
    scaled = (
        "" if scale == 1 else f" at scale {scale:g}: {'shorter' if scale < 1 else 'longer'} than what was published"
    )
    given = f" Parameters: `{spec}`." if spec.params else ""
    heading = f"# {experiment.title}\n\nPublished: {experiment.source}. Ours: {seeds_text(seeds)}{scaled}.{given}\n"
    images = "".join(f"\n![{name}]({name}.png)\n" for name in drawn)
    write_atomically(out / REPORT, f"{heading}\n{report.text.strip()}\n{images}".encode())


def _draw(path: Path, draw: Callable[[Any], None]) -> bool:
    """Whether the figure could be drawn: reports do without where matplotlib is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    draw(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    write_atomically(path, buffer.getvalue())
    return True


def _write_json(path: Path, table: Mapping[str, Any]) -> None:
    write_atomically(path, (json.dumps(table, indent=1) + "\n").encode())

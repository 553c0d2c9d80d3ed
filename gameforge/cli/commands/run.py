"""`gameforge run`: train a pipeline, save the run, and play a match against the untrained player.

The settings come from a file or preset, flags and --set. With --seeds there is a run for each seed, a table with
intervals, and curves with bands.
"""

import contextlib
import functools
import importlib.util
import os.path
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import attrs
import typer

from gameforge.arena import MatchResult, match
from gameforge.arena.openings import usual_plies
from gameforge.cli.console import Console, table_console
from gameforge.cli.terminal import compilation_notice
from gameforge.cli.training_display import LiveDisplay, comparison
from gameforge.config import NONE, apply_set, normal
from gameforge.config.settings import in_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.experiments.seed_runs import MOST_SEEDS, require_scipy, seed_folder, seed_runs
from gameforge.play.pipeline import Pipeline, pipeline_source, with_preset
from gameforge.play.workshop import Workshop
from gameforge.storage.folder import require_folder
from gameforge.training.run_folder import FINISHED, RUN_FORMAT, run_manifest, same_run
from gameforge.training.run_report import RunReport
from gameforge.training.train import pipeline_of, train
from gameforge.training.work import LOCAL, executor
from gameforge.training.yardstick import MOST_GIVEN, yardstick_from_text

MATCH_GAMES = 20


def run(
    ctx: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(metavar="PIPELINE", help="A TOML file, the folder of a run, or the name of a preset."),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Name of the game; its preset provides the components that are not given.")
    ] = None,
    searcher: Annotated[
        str | None, typer.Option(help="Searcher, as NAME:key=value,...; for example minimax:depth=2.")
    ] = None,
    features: Annotated[str | None, typer.Option(help="Feature map of the evaluator.")] = None,
    evaluator: Annotated[str | None, typer.Option(help="Evaluator; for example mlp:hidden=40,direct=true.")] = None,
    learner: Annotated[str | None, typer.Option(help="Learner; for example td:sessions=1,games=20.")] = None,
    oracle: Annotated[
        list[str] | None,
        typer.Option(help="Oracle or book; may be repeated: oracles are consulted in this order. none: no oracle."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Any other setting, such as learner.lambda=0.3; may be repeated."
        ),
    ] = None,
    tune: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=LOW..HIGH",
            help="Range of a parameter that the learner tunes, such as searcher.cp=0.2..2.0; may be repeated.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed; the same seed gives the same weights.")] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of seeds, counted from --seed: a run for each in the folder, and a table with intervals. The "
            "same command resumes them, and a larger number adds seeds.",
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=1, help="Number of threads that prepare oracles, do the learner's independent work and play the match."
        ),
    ] = 1,
    where: Annotated[
        str,
        typer.Option(
            "--executor", metavar="WHERE", help="Where the learner's independent work runs: local or dask://HOST:PORT."
        ),
    ] = LOCAL,
    out: Annotated[Path | None, typer.Option(help="New folder for the run; default: runs/GAME-TIME.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="Folder of the interrupted run to resume.")] = None,
    yardstick: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Fixed opponent that measures the run: a player, or an evaluator, which gets the search of the run. "
            "none: nothing is measured. Default: the evaluator that the game names.",
        ),
    ] = None,
    yardstick_games: Annotated[
        int | None,
        typer.Option(
            min=2, max=MOST_GIVEN, help="Number of games of each match with the yardstick; even. Default: 20 to 100."
        ),
    ] = None,
    yardstick_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_GIVEN,
            help="Number of sessions between two measurements. Default: chosen for at most 10 measurements.",
        ),
    ] = None,
    match_games: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Number of games of the final match against the untrained player; even. 0: no match. "
            f"Default: {MATCH_GAMES}, or with --resume that of the interrupted run.",
        ),
    ] = None,
) -> None:
    """Train a player, save everything in a run folder, and play a match against the untrained player."""
    for option, number in (("--match-games", match_games), ("--yardstick-games", yardstick_games)):
        if number is not None and number % 2:
            raise GameforgeError(f"{option} {number}: must be even, because each opening is played twice")
    if yardstick == NONE and (yardstick_games, yardstick_every) != (None, None):
        raise GameforgeError("--yardstick none: nothing is measured; omit --yardstick-games and --yardstick-every")
    flags: dict[str, object] = {
        "game": game,
        "seed": seed,
        "searcher": searcher,
        "features": features,
        "evaluator": evaluator,
        "learner": learner,
        "oracle": oracle,
    }
    registry = ctx.obj.registry
    settings = [*map(_tuned, tune or []), *(settings or [])]
    if seeds is not None and resume is not None:
        raise GameforgeError(
            "--seeds and --resume exclude each other; to resume runs of several seeds, repeat their command with --out"
        )
    if seeds is not None:
        require_scipy("runs with several seeds")
    if resume is None:
        pipeline = pipeline_from(registry, source, flags, settings)
        folder = out or Path("runs") / f"{pipeline.game.rules.name}-{time.strftime('%Y%m%d-%H%M%S')}"
        if source and _is_unfinished(Path(source)):
            note = f"the run in {source} has not finished, and this begins another one; {_resumed(Path(source))}"
            Console(highlight=False, stderr=True).print(note, soft_wrap=True)
    else:
        measures = (yardstick, yardstick_games, yardstick_every)
        if source or out or settings or any(value is not None for value in (*flags.values(), *measures)):
            raise GameforgeError(
                f"--resume {resume}: a run is resumed with its own settings; omit PIPELINE, --out and all settings"
            )
        pipeline, folder = pipeline_of(resume, registry), resume
        if match_games is None:
            match_games = kept_match_games(resume)
    task = RunTask(
        workers=workers,
        where=where,
        match_games=MATCH_GAMES if match_games is None else match_games,
        yardstick=yardstick,
        yardstick_games=yardstick_games,
        yardstick_every=yardstick_every,
    )
    if seeds is None:
        train_and_show(pipeline, folder, task, resume=resume is not None)
    else:
        train_seeds(pipeline, folder, task, seeds)


def kept_match_games(folder: Path) -> int | None:
    """Return the number of games of the final match of an interrupted run; None if its run.json does not have it."""
    kept = run_manifest(folder).get(KEPT_MATCH_GAMES)
    return kept if type(kept) is int and kept >= 0 and kept % 2 == 0 else None


def _is_unfinished(folder: Path) -> bool:
    with contextlib.suppress(GameforgeError):  # a damaged manifest says nothing, and only the pipeline is needed
        return RUN_FORMAT.path(folder).is_file() and run_manifest(folder).get("state") != FINISHED
    return False


def _resumed(folder: Path) -> str:
    return f"resume with: gameforge run --resume {shlex.quote(str(folder))}"


def _tuned(given: str) -> str:
    key, _, ends = given.partition("=")
    if not key.strip() or not all(end.strip() for end in ends.partition("..")):
        raise GameforgeError(f"--tune {given}: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0")
    return f"learner.tune.{key.strip()}={ends.strip()}"


def pipeline_from(
    registry: Registry, source: str | None, flags: Mapping[str, object], settings: Sequence[str]
) -> Pipeline:
    """Make the pipeline of a source, flags and single settings, as `pipeline_settings` merges them.

    An error that the file has by itself, without flags and settings, begins with the name of the file.
    """
    file = functools.partial(in_file, source) if source and os.path.exists(source) else contextlib.nullcontext
    registry = registry.for_files(source or "")
    with file():
        own = normal(pipeline_source(registry, source)) if source else {}
    try:
        return Pipeline.from_settings(pipeline_settings(registry, own, flags, settings), registry)
    except GameforgeError as error:
        if _fails_alone(own, error, registry):
            with file():
                raise
        raise


def _fails_alone(own: Mapping[str, object], error: GameforgeError, registry: Registry) -> bool:
    """Return whether the settings of a source fail with the same message without flags and other settings."""
    try:
        Pipeline.from_settings(own, registry)
    except GameforgeError as alone:
        return alone.message == error.message
    return False


def pipeline_settings(
    registry: Registry, own: Mapping[str, object], flags: Mapping[str, object], settings: Sequence[str]
) -> dict[str, object]:
    """Merge the settings of a source with the flags, and then with single settings (KEY=VALUE).

    Single settings can change the defaults of the game, so the defaults are merged in first if there are any settings.
    """
    merged = normal(own, {key: value for key, value in flags.items() if value is not None})
    if settings:
        merged = with_preset(registry, merged)
        for setting in settings:
            merged = normal(apply_set(merged, setting))
    return merged


KEPT_MATCH_GAMES = "match_games"
"""Entry of run.json with the number of games of the final match."""


@attrs.frozen(kw_only=True)
class RunTask:
    """How to train and measure a pipeline: the options of `gameforge run`."""

    workers: int
    where: str
    """Where the learner's independent work runs."""
    match_games: int
    """Games of the final match against the untrained player."""
    yardstick: str | None
    yardstick_games: int | None
    yardstick_every: int | None


def train_and_show(pipeline: Pipeline, folder: Path, task: RunTask, *, resume: bool) -> None:
    """Train in this folder, or resume the run in it, play the final match, and print the results."""
    console = Console(highlight=False)
    with executor(task.where) as machines, compilation_notice(console), console.preparation() as preparation:
        display = LiveDisplay(console, preparation)
        try:
            finished = train(
                pipeline,
                folder,
                resume=resume,
                workers=task.workers,
                executor=machines,
                yardstick=yardstick_from_text(
                    task.yardstick,
                    pipeline,
                    workshop=Workshop(pipeline.registry, preparation, task.workers),
                    games=task.yardstick_games,
                    every=task.yardstick_every,
                ),
                announce=preparation,
                subscribers=[display],
                about={KEPT_MATCH_GAMES: task.match_games},
            )
        except KeyboardInterrupt:
            kept = f"; {_resumed(folder)}" if RUN_FORMAT.path(folder).exists() else ""
            raise KeyboardInterrupt(f"the training has not finished{kept}") from None
        finally:
            display.stop()
    console.print(display.summary(finished))
    if task.match_games:
        with console.status("match: trained against untrained"):
            result = match(
                finished.player,
                finished.untrained,
                task.match_games,
                openings=usual_plies(finished.player.game),
                seed=pipeline.seed,
                workers=task.workers,
            )
        _print_match(console, result, str(result))
    if finished.strength is not None:
        _print_match(console, finished.strength.result, str(finished.strength))
    elif not resume and task.yardstick is None:
        console.print("strength: not measured, as the game names no yardstick; name one with --yardstick PLAYER")
    console.print(f"run saved in {folder}", soft_wrap=True)


def _print_match(console: Console, result: MatchResult, text: str) -> None:
    """Print the text of a match, after a warning if fewer than half of its games are distinct."""
    if result.repeats:
        console.print(f"warning: {result.repeats_text}", soft_wrap=True)
    console.print(text, soft_wrap=not console.is_terminal)


CURVES = "curves.png"


def train_seeds(pipeline: Pipeline, folder: Path, task: RunTask, seeds: int) -> None:
    """Train with the seeds from the pipeline's own on; finished runs are kept, and interrupted ones resumed.

    Raises GameforgeError, before anything is trained, if the folder is a run, or holds other files or other runs.
    """
    _require_own(folder)
    if seeds > MOST_SEEDS:
        raise GameforgeError(f"--seeds {seeds}: must be at most {MOST_SEEDS:,}")
    pipelines = {seed: pipeline.with_seed(seed) for seed in range(pipeline.seed, pipeline.seed + seeds)}
    states = {seed: _state(seed_folder(folder, seed), one) for seed, one in pipelines.items()}
    console = table_console()
    for number, (seed, one) in enumerate(pipelines.items(), 1):
        if states[seed] == FINISHED:
            continue
        console.print(f"seed {seed}, {number} of {seeds}:")
        try:
            train_and_show(one, seed_folder(folder, seed), task, resume=bool(states[seed]))
        except KeyboardInterrupt:
            again = f"repeat the command with --out {shlex.quote(str(folder))} to resume"
            raise KeyboardInterrupt(f"{number - 1} of {seeds} seeds are finished; {again}") from None
    found = seed_runs([RunReport.read(seed_folder(folder, seed)) for seed in pipelines], pipeline.registry)
    console.print(comparison(found, console.width))
    if importlib.util.find_spec("matplotlib") is not None:
        from gameforge.experiments.seed_runs import plot_seeds

        plot_seeds(found, folder / CURVES)
    console.print(f"runs saved in {folder}", soft_wrap=True)


def _require_own(folder: Path) -> None:
    """Raise GameforgeError for a folder without a run of a seed in which there is anything else that is not hidden."""
    require_folder(folder, new=True)
    others = [path for path in folder.glob("*") if not path.name.startswith(("seed-", "."))]
    if others and not any(RUN_FORMAT.path(path).exists() for path in folder.glob("seed-*")):
        what = "is a run" if RUN_FORMAT.path(folder).exists() else "holds other files"
        raise GameforgeError(
            f"{folder} {what}; runs with several seeds need a folder of their own",
            advice="use another folder",
            parameter="out",
        )


def _state(folder: Path, pipeline: Pipeline) -> str:
    """The state of the run in this folder, which must be of this pipeline; "" if there is none."""
    return str(same_run(folder, pipeline)["state"]) if RUN_FORMAT.path(folder).exists() else ""

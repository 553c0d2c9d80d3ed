"""`gameforge run`: train a pipeline, save the run, and play a match against the untrained player."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.cli.shared.pipeline_options import pipeline_from
from gameforge.cli.shared.run_task import KEPT_MATCH_GAMES, RunTask, train_and_show
from gameforge.cli.shared.run_task_seeds import train_seeds
from gameforge.errors import GameforgeError
from gameforge.experiments.scipy_installed import require_scipy
from gameforge.play.pipeline_settings import NONE
from gameforge.training.executors import LOCAL
from gameforge.training.run_folder import run_manifest
from gameforge.training.train import pipeline_of
from gameforge.training.yardstick import MOST_GIVEN

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
    flags: dict[str, Any] = {
        "game": game,
        "seed": seed,
        "searcher": searcher,
        "features": features,
        "evaluator": evaluator,
        "learner": learner,
        "oracle": _oracles(oracle),
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


def _tuned(given: str) -> str:
    key, _, ends = given.partition("=")
    if not key.strip() or not all(end.strip() for end in ends.partition("..")):
        raise GameforgeError(f"--tune {given}: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0")
    return f"learner.tune.{key.strip()}={ends.strip()}"


def _oracles(given: list[str] | None) -> Any:
    if given is None:
        return None
    if "none" in given:
        if len(given) > 1:
            raise GameforgeError("--oracle none: cannot be combined with other oracles")
        return "none"
    return given

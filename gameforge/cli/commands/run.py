"""`gameforge run`: compose a pipeline, train, save, and measure what was learned."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.pipeline_options import pipeline_settings
from gameforge.cli.shared.progress_display import LiveDisplay, Preparation
from gameforge.errors import GameforgeError
from gameforge.play.arena import match
from gameforge.play.pipeline import Pipeline
from gameforge.training.executors import LOCAL, executor
from gameforge.training.run_folder import RUN_FORMAT
from gameforge.training.train import pipeline_of, train


def run(
    ctx: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="[PIPELINE]", help="A .toml file, the folder of a run, or a preset.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game; its preset fills what is left out.")] = None,
    searcher: Annotated[str | None, typer.Option(help="NAME:key=value,... as in minimax:depth=2.")] = None,
    features: Annotated[str | None, typer.Option(help="The evaluator's feature map.")] = None,
    evaluator: Annotated[str | None, typer.Option(help="As in mlp:hidden=40,direct=true.")] = None,
    learner: Annotated[str | None, typer.Option(help="As in td:sessions=1,games=20.")] = None,
    oracle: Annotated[
        list[str] | None, typer.Option(help="Oracles, consulted in this order; none for no oracle.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Any key, as in learner.lambda=0.3.")
    ] = None,
    tune: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=LOW..HIGH", help="A parameter for the learner to tune, as in searcher.cp=0.2..2.0."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed; the same seed gives the same weights.")] = None,
    workers: Annotated[
        int,
        typer.Option(min=1, help="Threads that prepare oracles, do the learner's independent work and play the match."),
    ] = 1,
    where: Annotated[
        str,
        typer.Option("--executor", metavar="WHERE", help="Where the learner's work is done: local, dask://HOST:PORT."),
    ] = LOCAL,
    out: Annotated[Path | None, typer.Option(help="New folder for the run.  [default: runs/GAME-TIME]")] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Resume a run that was killed or interrupted.")
    ] = None,
    games: Annotated[
        int,
        typer.Option("--match-games", min=0, help="Games of the final match against the untrained player; 0: none."),
    ] = 20,
) -> None:
    """Train a player and measure what it learned. Everything is saved in the folder of the run."""
    if games % 2:
        raise GameforgeError(f"--match-games {games}: must be even, openings are played in pairs")
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
    if resume is None:
        pipeline = Pipeline.from_settings(pipeline_settings(registry, source, flags, settings), registry)
        folder = out or Path("runs") / f"{pipeline.game.rules.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    else:
        if source or out or settings or any(value is not None for value in flags.values()):
            raise GameforgeError(f"--resume {resume}: resumes the run as it is; give no other settings of a run")
        pipeline, folder = pipeline_of(resume, registry), resume
    console = Console(highlight=False)
    with executor(where) as machines, compilation_notice(console), Preparation(console) as preparation:
        display = LiveDisplay(console, preparation)
        try:
            finished = train(
                pipeline,
                folder,
                resume=resume is not None,
                workers=workers,
                executor=machines,
                announce=preparation,
                subscribers=[display],
            )
        except KeyboardInterrupt:
            kept = f"; resume with: gameforge run --resume {folder}" if RUN_FORMAT.path(folder).exists() else ""
            raise KeyboardInterrupt(f"the training has not finished{kept}") from None
        finally:
            display.stop()
    console.print(display.summary(finished))
    if games:
        with console.status("match: trained against untrained"):
            result = match(finished.player, finished.untrained, games, seed=pipeline.seed, workers=workers)
        console.print(str(result), soft_wrap=True)
    console.print(f"run saved in {folder}", soft_wrap=True)


def _tuned(given: str) -> str:
    key, _, ends = given.partition("=")
    if not key.strip() or not all(end.strip() for end in ends.partition("..")):
        raise GameforgeError(f"--tune {given}: must be KEY=LOW..HIGH, as searcher.cp=0.2..2.0")
    return f"learner.tune.{key.strip()}={ends.strip()}"


def _oracles(given: list[str] | None) -> Any:
    if given is None:
        return None
    if "none" in given:
        if len(given) > 1:
            raise GameforgeError("--oracle none: cannot be combined with other oracles")
        return "none"
    return given

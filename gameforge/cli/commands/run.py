"""`gameforge run`: train a pipeline, save the run, and play a match against the untrained player."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.pipeline_options import pipeline_from
from gameforge.cli.shared.progress_display import LiveDisplay, Preparation
from gameforge.errors import GameforgeError
from gameforge.play.arena import match
from gameforge.training.executors import LOCAL, executor
from gameforge.training.run_folder import RUN_FORMAT, run_manifest
from gameforge.training.train import pipeline_of, train
from gameforge.training.yardstick_text import yardstick_from_text

MATCH_GAMES = 20
_MATCH_GAMES = "match_games"
"""Entry of run.json with the option --match-games."""


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
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Folder of an interrupted run, which is resumed.")
    ] = None,
    yardstick: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Fixed opponent that measures the run: a player, or an evaluator, which gets the search of the run. "
            "none: nothing is measured. Default: the evaluator that the game names.",
        ),
    ] = None,
    yardstick_games: Annotated[
        int | None, typer.Option(help="Number of games of each match with the yardstick; even. Default: 20 to 100.")
    ] = None,
    yardstick_every: Annotated[
        int | None,
        typer.Option(help="Number of sessions between two measurements. Default: such that they take little time."),
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
    if match_games is not None and match_games % 2:
        raise GameforgeError(f"--match-games {match_games}: must be even, because each opening is played twice")
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
    games = MATCH_GAMES if match_games is None else match_games
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
                yardstick=yardstick_from_text(
                    yardstick,
                    pipeline,
                    announce=preparation,
                    workers=workers,
                    games=yardstick_games,
                    every=yardstick_every,
                ),
                announce=preparation,
                subscribers=[display],
                about={_MATCH_GAMES: games},
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
        console.print(str(result), soft_wrap=not console.is_terminal)
    if finished.strength is not None:
        console.print(str(finished.strength), soft_wrap=not console.is_terminal)
    elif resume is None and yardstick is None:
        console.print("strength: not measured, as the game names no yardstick; name one with --yardstick PLAYER")
    console.print(f"run saved in {folder}", soft_wrap=True)


def kept_match_games(folder: Path) -> int | None:
    """Return the number of games of the final match of an interrupted run; None if its run.json does not have it."""
    kept = run_manifest(folder).get(_MATCH_GAMES)
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

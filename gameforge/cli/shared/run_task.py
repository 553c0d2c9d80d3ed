"""One training of `gameforge run`: its display, the final match, and what it prints."""

from pathlib import Path

import attrs

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.live_display import LiveDisplay
from gameforge.cli.shared.preparation import Preparation
from gameforge.play.arena import MatchResult, match
from gameforge.play.arena.openings import usual_plies
from gameforge.play.pipeline import Pipeline
from gameforge.training.executors import executor
from gameforge.training.run_folder import RUN_FORMAT
from gameforge.training.train import train
from gameforge.training.yardstick_text import yardstick_from_text

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
    with executor(task.where) as machines, compilation_notice(console), Preparation(console) as preparation:
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
                    announce=preparation,
                    workers=task.workers,
                    games=task.yardstick_games,
                    every=task.yardstick_every,
                ),
                announce=preparation,
                subscribers=[display],
                about={KEPT_MATCH_GAMES: task.match_games},
            )
        except KeyboardInterrupt:
            kept = f"; resume with: gameforge run --resume {folder}" if RUN_FORMAT.path(folder).exists() else ""
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

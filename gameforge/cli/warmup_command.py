"""`gameforge warmup`: compile everything once, so that later commands start fast."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from gameforge.arena import match
from gameforge.errors import GameforgeError
from gameforge.perft import perft
from gameforge.pipeline import Pipeline
from gameforge.rules import HasPreset


def warmup(
    ctx: typer.Context,
    game: Annotated[list[str] | None, typer.Option(help="Only this game; may be repeated.")] = None,
) -> None:
    """Compile the kernels of each game's default pipeline by running it in small; oracles are left alone."""
    registry = ctx.obj.registry
    console = Console(highlight=False)
    names = game or registry.names("rules")
    if not names:
        raise GameforgeError("there is no game to warm up for: no plugin offers rules")
    for name in names:
        began = time.perf_counter()
        pipeline = Pipeline(game=name, oracle="none", registry=registry)
        with console.status(f"compiling kernels for {name} (first run only)"):
            perft(pipeline.game.position(), 2)
            if isinstance(pipeline.game.rules, HasPreset) and pipeline.learner is not None:
                learner = pipeline.table["learner"]
                short = learner | {key: 1 for key in ("sessions", "games") if key in learner}
                small = Pipeline.from_table({**pipeline.table, "learner": short}, registry)
                with tempfile.TemporaryDirectory() as folder:
                    finished = small.run(Path(folder) / "run")
                match(finished.player, finished.untrained, 2)
        console.print(f"{name}: ready in {time.perf_counter() - began:.1f} s")

"""`gameforge warmup`: compile all kernels once, so that later commands start fast."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.console import Console, Preparation
from gameforge.cli.players import plan_for
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.play.arena import match
from gameforge.play.game import Game, complete_names
from gameforge.play.perft import perft
from gameforge.play.pipeline import Pipeline
from gameforge.play.records import game_writer, record_of
from gameforge.play.workshop import Workshop
from gameforge.training.train import train


def warmup(
    ctx: typer.Context,
    game: Annotated[
        list[str] | None, typer.Option(help="Compile for this game only; may be repeated. Default: all games.")
    ] = None,
) -> None:
    """Compile the kernels of each game by running its default pipeline and player briefly."""
    registry = ctx.obj.registry
    console = Console(highlight=False)
    names = game or complete_names(registry)
    if not names:
        raise GameforgeError("there is no game to compile for: no plugin offers rules")
    for name in names:
        began = time.perf_counter()
        pipeline = Pipeline(game=name, oracle="none", registry=registry)
        with console.status(f"compiling kernels for {name} (first run only)"), Preparation(console) as preparation:
            perft(pipeline.game.position(), 2)
            _meet(pipeline.game, registry, preparation)
            _read(pipeline.game)
            if pipeline.game.defaults.preset and pipeline.learner is not None:
                learner = pipeline.settings["learner"]
                short = learner | {key: 1 for key in ("sessions", "games") if key in learner}
                small = Pipeline.from_settings({**pipeline.settings, "learner": short}, registry)
                with tempfile.TemporaryDirectory() as folder:
                    finished = train(small, Path(folder) / "run", yardstick=None)
                match(finished.player, finished.untrained, 2)
        console.print(f"{name}: ready in {time.perf_counter() - began:.1f} s")


def _meet(game: Game, registry: Registry, announce: Announce) -> None:
    """Use the game's default player as `play` and `analyze` do, with its book and its oracles."""
    if registry.defaults(game.rules).player:
        workshop = Workshop(registry, announce)
        plan = plan_for(workshop, None, game.rules.name)
        player = workshop.build(plan)
        position = game.position()
        player.book_move(position)
        player.analyse(position)
        for oracle in workshop.verdict_oracles(plan, player):
            here = position
            while oracle.get(here) is None and here.outcome is None:  # what it knows may need more kernels
                here = here.after(here.codes[0])


def _read(game: Game) -> None:
    if game.files is not None:
        start = game.position()
        text = game_writer(game)(record_of(start.play(start.legal_moves[0]), ("?", "?"), "?", "?"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"game{game.files.suffix}"
            path.write_text(text, encoding="utf-8")
            list(game.files.read_games(path))

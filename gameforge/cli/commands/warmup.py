"""`gameforge warmup`: compile kernels once, so that later commands start fast."""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from gameforge.arena import match
from gameforge.cli.console import Console
from gameforge.cli.players import ChosenPlayer
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.oracle import Announce
from gameforge.play.game import Game, games
from gameforge.play.perft import perft
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop
from gameforge.records.game_records import game_writer, record_of
from gameforge.training.train import train


def warmup(
    ctx: typer.Context,
    game: Annotated[
        list[str] | None, typer.Option(help="Compile for this game only; may be repeated. Default: all games.")
    ] = None,
    commands: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="COMMANDS",
            help="Compile only what these commands use, with commas between them. Default: "
            "perft,analyze,play,web,match,run.",
        ),
    ] = None,
) -> None:
    """Compile the kernels of each game by running its default pipeline and player briefly."""
    registry = ctx.obj.registry
    console = Console(highlight=False)
    uses = _uses(commands)
    names = game or games(registry)
    if not names:
        raise GameforgeError("there is no game to compile for: no plugin offers rules")
    for name in names:
        began = time.perf_counter()
        pipeline = Pipeline(game=name, oracle="none", registry=registry)
        with console.status(f"compiling kernels for {name} (first run only)"), console.preparation() as preparation:
            for use in uses:
                use(pipeline, registry, preparation)
        console.print(f"{name}: ready in {time.perf_counter() - began:.1f} s")


def _count(pipeline: Pipeline, registry: Registry, announce: Announce) -> None:
    perft(pipeline.game.position(), 2)


def _meet(pipeline: Pipeline, registry: Registry, announce: Announce) -> None:
    """Use the game's default player as `play` and `analyze` do, with its book and its oracles."""
    chosen = _default_player(pipeline.game, registry, announce)
    if chosen is None:
        return
    player = chosen.made()
    position = pipeline.game.position()
    player.book_move(position)
    player.analyse(position)
    for oracle in chosen.workshop.verdict_oracles(chosen.plan, player):
        here = position
        while oracle.get(here) is None and here.outcome is None:  # what it knows may need more kernels
            here = here.after(here.codes[0])


def _read(pipeline: Pipeline, registry: Registry, announce: Announce) -> None:
    game = pipeline.game
    if game.files is not None:
        start = game.position()
        text = game_writer(game)(record_of(start.play(start.legal_moves[0]), ("?", "?"), "?", "?"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"game{game.files.suffix}"
            path.write_text(text, encoding="utf-8")
            list(game.files.read_games(path))


def _learn(pipeline: Pipeline, registry: Registry, announce: Announce) -> None:
    """Train as `run` does, and let the trained player meet the untrained one."""
    if pipeline.game.defaults.preset and pipeline.learner is not None:
        learner = pipeline.settings["learner"]
        short = learner | {key: 1 for key in ("sessions", "games") if key in learner}
        small = Pipeline.from_settings({**pipeline.settings, "learner": short}, registry)
        with tempfile.TemporaryDirectory() as folder:
            finished = train(small, Path(folder) / "run", yardstick=None)
        match(finished.player, finished.untrained, 2)


def _compete(pipeline: Pipeline, registry: Registry, announce: Announce) -> None:
    """Let the game's default player meet itself with the least limits; without one, train one."""
    chosen = _default_player(pipeline.game, registry, announce)
    if chosen is None:
        _learn(pipeline, registry, announce)
        return
    player = chosen.made()
    quick = chosen.limited(player, **next(Player.growing_limits(chosen.limits(player))))
    match(quick, quick, 2)


def _default_player(game: Game, registry: Registry, announce: Announce) -> ChosenPlayer | None:
    if not registry.defaults(game.rules).player:
        return None
    return ChosenPlayer.of(None, game.rules.name, Workshop(registry, announce))


_Use: TypeAlias = Callable[[Pipeline, Registry, Announce], None]
_USES: dict[str, tuple[_Use, ...]] = {
    "perft": (_count,),
    "analyze": (_meet,),
    "play": (_meet,),
    "web": (_meet, _read),
    "match": (_compete,),
    "run": (_learn,),
}
"""What each command does with kernels."""


def _uses(commands: str | None) -> Sequence[_Use]:
    """Return what the commands of a list with commas do, each thing once; None: what all of them do."""
    names = list(_USES) if commands is None else [name.strip() for name in commands.split(",")]
    for name in names:
        if name not in _USES:
            raise GameforgeError(f"--for: unknown command {name!r}{near(name, _USES)}; allowed: {', '.join(_USES)}")
    return list(dict.fromkeys(use for name in names for use in _USES[name]))

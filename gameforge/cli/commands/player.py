"""`gameforge player`: players and their provenance; the packing and the levels of those that plugins bring."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import attrs
import typer
from rich.table import Table

from gameforge.api import match
from gameforge.arena import OPENING_PLIES, MatchResult
from gameforge.cli import options
from gameforge.cli.commands.match import MatchProgress, shown, warn
from gameforge.cli.console import Console
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.cli.training_display import LiveDisplay
from gameforge.config import NONE, Spec
from gameforge.errors import GameforgeError
from gameforge.memory import size_text
from gameforge.play.player_plan import folder_of
from gameforge.play.saved_players import Level, playing_settings, read_saved
from gameforge.play.workshop import Workshop
from gameforge.storage.folder import require_folder
from gameforge.storage.player_files import PLAYER_FORMAT
from gameforge.training.provenance import known_provenance, provenance_of, train_again
from gameforge.training.provenance import pack as pack_player

app = typer.Typer(add_completion=False, help="Show, pack, verify and measure trained players.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a trained player, such as strong.")]
GameOption = Annotated[str | None, typer.Option(help="Name of its game; needed if several games have such a player.")]


@app.command()
def show(
    ctx: typer.Context,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="Name of a trained player, such as strong, or folder of a run or saved player."
        ),
    ],
    game: GameOption = None,
    as_json: options.AsJson = False,
) -> None:
    """Print what a player consists of, how it was trained, and its levels."""
    folder = folder_of(player, game, ctx.obj.registry)
    saved = read_saved(folder)
    stored, playing = saved.stored, saved.playing
    provenance = known_provenance(folder, ctx.obj.registry)
    own = {**saved.settings, **playing.settings()}
    described: dict[str, object] = {
        "folder": str(folder),
        "game": Spec.from_settings(own["game"], "game").use,
        "searcher": _part_text(own, "searcher"),
        "evaluator": _part_text(own, "evaluator"),
        "oracle": [str(Spec.from_settings(oracle, "oracle")) for oracle in own.get("oracle", [])],
        "weights": 0 if stored.weights is None else len(stored.weights),
        "layout": stored.layout,
        **({} if provenance is None else attrs.asdict(provenance)),
    }
    if as_json:
        levels = [level.settings() for level in playing.levels]
        print(json.dumps(described | {"fitted": playing.fitted, "added": playing.added, "levels": levels}, indent=2))
        return
    for key, value in described.items():
        text = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        print(f"{key:10} {' + '.join(text) or 'none' if isinstance(text, list) else text}".rstrip())
    for searcher, parameters in playing.fitted.items():
        print(f"fitted     {searcher}: {', '.join(parameters)}")
    for name, values in playing.added.items():
        print(f"added      {name}: {' '.join(f'{value:g}' for value in values)}")
    for number, level in enumerate(playing.levels, 1):
        print(f"level {number:<4} {_level_text(level)}")


@app.command()
def pack(
    ctx: typer.Context,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.")],
    out: Annotated[Path, typer.Option(help="Folder for the player, with the name of the player.")],
    force: options.Force = False,
) -> None:
    """Copy the player of a run into a folder that a plugin can bring, with its pipeline and provenance.

    A file player.toml in the folder stays.
    """
    require_folder(out, new=True)
    options.require_new(PLAYER_FORMAT.path(out), force)
    provenance = pack_player(run, out, out.resolve().name, ctx.obj.registry)
    size = sum(file.stat().st_size for file in out.iterdir())
    print(f"{out}: {size_text(size)}, trained by `{provenance.command}`, weights {provenance.sha256[:16]}...")


@app.command()
def verify(
    ctx: typer.Context,
    name: Name,
    out: Annotated[Path, typer.Option(help="Folder for the run. Resumes it if it was interrupted.")],
    game: GameOption = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of threads; the result does not depend on it.")] = 1,
) -> None:
    """Train a player again from scratch and compare its weights with the shipped ones, bit for bit."""
    folder = ctx.obj.registry.player_folder(name, game)
    console = Console(highlight=False)
    with compilation_notice(console), console.preparation() as preparation:
        display = LiveDisplay(console, preparation)
        try:
            same = train_again(
                folder, out, ctx.obj.registry, workers=workers, announce=preparation, subscribers=(display,)
            )
        finally:
            display.stop()
    if not same:
        raise GameforgeError(f"{out} has other weights than {folder}; versions: {provenance_of(folder).versions}")
    print(f"{out} has the weights of {folder}, bit for bit")


@app.command()
def levels(
    ctx: typer.Context,
    name: Name,
    game: GameOption = None,
    only: Annotated[
        list[int] | None, typer.Option("--level", help="Measure this level against the next; may be repeated.")
    ] = None,
    games: Annotated[int, typer.Option(help="Number of games of each match; even.")] = 400,
    openings: options.OpeningsOption = f"random:{OPENING_PLIES}",
    seed: options.Seed = 0,
    workers: options.Workers = 1,
    out: Annotated[
        Path | None, typer.Option(help="Output folder, with one folder per match. Resumes interrupted matches.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Let neighbouring levels of a trained player meet, and print the Elo difference of each pair."""
    registry = ctx.obj.registry
    described = playing_settings(registry.player_folder(name, game)).levels
    pairs = _pairs(len(described), only or [])
    console = Console(highlight=False, stderr=True)
    results = []
    progress = MatchProgress(games * len(pairs), matches=len(pairs))
    with kept(out, "games"), shown(console, progress) as game_finished:
        for number, lower in enumerate(pairs, 1):
            progress.begin(number)
            with compilation_notice(console), console.preparation() as preparation:
                workshop = Workshop(registry, preparation, workers)
                two = [workshop.build(workshop.plan(name, game, level=level)) for level in (lower + 1, lower)]
            result = match(
                *(two[0], two[1], games),
                openings=openings,
                seed=seed,
                workers=workers,
                out=None if out is None else out / f"level-{lower:02}",
                game_finished=game_finished,
                progress=False,
            )
            warn(console, result)
            results.append(result)
    if as_json:
        print(json.dumps([result.numbers for result in results]))
    else:
        Console(highlight=False).print(_table(described, dict(zip(pairs, results, strict=True))))


def _pairs(levels: int, only: list[int]) -> list[int]:
    """The levels that are to meet the next one; GameforgeError if there is no such pair."""
    if levels < 2:
        raise GameforgeError("the player has fewer than two levels; there is nothing to measure")
    for level in only:
        if not 1 <= level < levels:
            raise GameforgeError(f"--level {level}: must be from 1 to {levels - 1}; each meets the level above it")
    return only or list(range(1, levels))


def _table(levels: tuple[Level, ...], results: dict[int, MatchResult]) -> Table:
    """A row for each level: what it is, and the match against the level below."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("level", "plays", "won-drawn-lost", "distinct", "Elo over the level below"):
        table.add_column(heading, overflow="fold")
    for number, level in enumerate(levels, 1):
        result, match_cells = results.get(number - 1), ("", "", "")
        if result is not None:
            distinct = f"{result.distinct} of {len(result.games)}"
            match_cells = f"{result.wins}-{result.draws}-{result.losses}", distinct, result.elo_text
        table.add_row(str(number), _level_text(level), *match_cells)
    return table


def _part_text(settings: Mapping[str, object], kind: str) -> str:
    chosen = settings.get(kind, NONE)
    return NONE if chosen == NONE else str(Spec.from_settings(chosen, kind))


def _level_text(level: Level) -> str:
    """A level's own components; components that it shares with the player are not named."""
    parts = [level.searcher] if level.searcher is not None else []
    return " + ".join(map(str, [*parts, *(level.oracle or ())])) or "full strength"

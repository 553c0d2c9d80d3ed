"""`gameforge examples`: make training examples by matches or from files of games, count and filter them."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import typer
from rich.console import Console

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.players import PLAYER_HELP, player_from_text
from gameforge.cli.shared.progress_display import Preparation
from gameforge.config import parse_spec
from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.plugins.registry import Registry
from gameforge.training.executors import LOCAL, executor

app = typer.Typer(help="Make, count and filter training examples.", add_completion=False)

_Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of examples.")]
_Out = Annotated[Path, typer.Option(help="New folder for the examples.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@app.command()
def make(
    ctx: typer.Context,
    game: Annotated[str, typer.Option(help="The game, with parameters: NAME:key=value.")],
    out: Annotated[Path, typer.Option(help="Output folder. Resumes the work if it holds unfinished examples.")],
    player: Annotated[str | None, typer.Argument(help=f"The player, which plays against itself. {PLAYER_HELP}")] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="FILE", help="Take the finished games of a file instead; may be repeated."),
    ] = None,
    start_matches: Annotated[int, typer.Option(min=1, help="Matches from the initial position.")] = 30,
    states: Annotated[int, typer.Option(min=0, help="Random states near the start.")] = 300,
    matches: Annotated[int, typer.Option(min=1, help="Matches from each of these.")] = 5,
    seed: Annotated[
        int,
        typer.Option(
            min=0, help="Random seed; the same seed gives the same examples, unless the search is limited by time."
        ),
    ] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Matches played at once; the examples do not depend on it.")] = 1,
    where: Annotated[
        str, typer.Option("--executor", metavar="WHERE", help="Where matches are played: local, dask://HOST:PORT.")
    ] = LOCAL,
    append: Annotated[
        bool, typer.Option("--append", help="Add to a folder of examples that were made otherwise.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Make examples: all moves tried by the search at every turn of matches, or every position of finished games."""
    from gameforge_examples.from_files import read_games_into
    from gameforge_examples.making import Plan, make_examples

    if (player is None) == (not files):
        raise GameforgeError("examples make: give a player that plays against itself, or files of games with --from")
    registry: Registry = ctx.obj.registry
    console = Console(highlight=False, stderr=True)
    with _kept(out), compilation_notice(console), console.status("examples") as status:
        if files:
            read_games_into(
                *(out, Game(registry.create("rules", parse_spec(game))), files),
                append=append,
                progress=lambda games, found: status.update(f"{games:,} games, {found:,} examples"),
            )
        else:
            with Preparation(console) as preparation, executor(where) as machines:
                make_examples(
                    out,
                    player_from_text(str(player), game, registry, preparation, workers),
                    Plan(start_matches=start_matches, states=states, matches=matches, seed=seed),
                    registry=registry,
                    workers=workers,
                    executor=machines,
                    append=append,
                    progress=lambda done, total, folder: status.update(
                        f"{done:,} of {total:,} matches, {folder.examples:,} examples"
                    ),
                )
    _print_statistics(out, as_json)


@app.command()
def stats(folder: _Folder, as_json: _Json = False) -> None:
    """Count examples, distinct states, matches, results, visits and utilities."""
    _print_statistics(folder, as_json)


@app.command("filter")
def filter_command(
    folder: _Folder,
    out: _Out,
    sides: Annotated[
        Literal["winner", "both"], typer.Option(help="Examples at the winner's turns, or at all turns.")
    ] = "winner",
    draws: Annotated[
        Literal["drop", "both"], typer.Option(help="Drawn matches: drop them, or keep the examples of both sides.")
    ] = "drop",
    duplicates: Annotated[
        Literal["visits", "mean"],
        typer.Option(help="Equal states: keep the one with most visits, or their mean utility."),
    ] = "visits",
    visits: Annotated[int, typer.Option(min=1, help="Drop examples with fewer visits.")] = 1,
    test: Annotated[float, typer.Option(help="Share of the examples that is kept for tests.")] = 0.1,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the choice of examples for tests.")] = 0,
    as_json: _Json = False,
) -> None:
    """Filter examples into a new folder: those of the winner, each state once, some of them kept for tests."""
    from gameforge_examples.filtering import Filter, filter_examples

    if not 0 < test < 1:
        raise GameforgeError(f"--test {test:g}: must be a share, more than 0 and less than 1")
    settings = Filter(sides=sides, draws=draws, duplicates=duplicates, visits=visits, test=test, seed=seed)
    filter_examples(folder, out, settings)
    _print_statistics(out, as_json)


@contextlib.contextmanager
def _kept(out: Path) -> Iterator[None]:
    """After Ctrl-C, say that the finished matches are kept."""
    try:
        yield
    except KeyboardInterrupt:
        if not out.exists():
            raise
        raise KeyboardInterrupt(f"{out} holds the finished matches; repeat the command to resume") from None


def _print_statistics(path: Path, as_json: bool) -> None:
    from gameforge_examples.folder import ExampleFolder
    from gameforge_examples.statistics import example_statistics

    found = example_statistics(ExampleFolder.read(path))
    if as_json:
        print(json.dumps(attrs.asdict(found)))
        return
    won, drawn, lost = found.results
    print(f"{path}: {found.examples:,} examples of {found.game}, {found.states:,} different states")
    for number, batch in enumerate(found.batches, 1):
        print(f"batch {number}: {_batch(batch)}")
    print(f"movers who won {won:,}, drew {drawn:,}, lost {lost:,}; for tests {found.test:,}")
    least, median, most = found.visits
    print(f"visits {least:,} to {most:,}, median {median:,}; without any {found.unvisited:,}")
    print(f"utility {found.utility:+.3f} on average; in fifths from -1 to 1: {' '.join(map(str, found.utilities))}")


def _batch(batch: Mapping[str, Any]) -> str:
    """How a batch was made, and its figures."""
    if "kept" in batch:
        twice = batch["wanted"] - batch["kept"]
        return f"{batch['kept']:,} of {batch['examples']:,} kept by a filter, {twice:,} were duplicates"
    text = f"{batch['matches']:,} {batch['made']['by']}{'' if batch['finished'] else ' so far'}"
    if "mean_plies" in batch:
        text += f", {batch['mean_plies']:.1f} plies from the start on average"
    if batch.get("seconds"):
        text += f", {batch['simulations']:,} simulations, {batch['simulations'] / batch['seconds']:,.0f} a second"
    return text

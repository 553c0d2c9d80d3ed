"""`gameforge examples`: make training examples by matches or from files of games, describe them, and filter them."""

import contextlib
import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import typer

from gameforge import GameforgeError, Workshop, executor
from gameforge.cli import Console, compilation_notice, counted, game_for, options
from gameforge.interfaces import Spec

app = typer.Typer(
    help="Make, count and filter training examples: labelled positions from which learners such as regress learn.",
    add_completion=False,
)

_Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of examples.")]
_Out = Annotated[Path, typer.Option(help="New folder for the examples.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
_OF_MATCHES = ("start_matches", "states", "matches")
_OF_GAMES = (
    "openings", "random_plies", "further_plies", "even", "random_moves", "greedy_moves", "quiet", "margin",
    "balanced_by", "kept", "judge", "leads", "outcome", "adjudicate", "repetition", "no_progress"
)  # fmt: skip
"""Options of the matches whose moves a search counts, and of games with --games."""


@app.command()
def make(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(help="Output folder. Resumes the work if it holds unfinished examples.")],
    player: Annotated[
        str | None, typer.Argument(help=f"Player that plays against itself. {options.PLAYER_HELP}")
    ] = None,
    game: Annotated[str | None, typer.Option(help=options.game_help("player", "file"))] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="FILE", help="File of games to take examples from instead; may be repeated."),
    ] = None,
    start_matches: Annotated[int, typer.Option(min=1, help="Number of matches from the initial position.")] = 30,
    states: Annotated[int, typer.Option(min=0, help="Number of random states near the start.")] = 300,
    matches: Annotated[int, typer.Option(min=1, help="Number of matches from each random state.")] = 5,
    seed: Annotated[
        int,
        typer.Option(
            min=0, help="Random seed; the same seed gives the same examples, unless the search is limited by time."
        ),
    ] = 0,
    workers: Annotated[
        int, typer.Option(min=1, help="Number of matches played at once; the examples do not depend on it.")
    ] = 1,
    where: Annotated[
        str, typer.Option("--executor", metavar="WHERE", help="Where matches are played: local, dask://HOST:PORT.")
    ] = "local",
    append: Annotated[
        bool, typer.Option("--append", help="Add to a folder of examples that were made with other settings.")
    ] = False,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Play this number of games instead, and keep their positions; any searcher will do."),
    ] = None,
    openings: Annotated[
        str, typer.Option(help="With --games: set of openings of the game with which the games begin in turn.")
    ] = "",
    random_plies: Annotated[
        int, typer.Option(min=0, help="With --games: random moves at the beginning, or after the opening.")
    ] = 8,
    further_plies: Annotated[
        int, typer.Option(min=0, help="With --games: at most this number of further ones, drawn for each game.")
    ] = 0,
    even: Annotated[
        float,
        typer.Option(help="With --games: draw them again until the score after them is at most this far from 0."),
    ] = 1.0,
    random_moves: Annotated[
        float, typer.Option(min=0, max=1, help="With --games: share of random moves after the beginning.")
    ] = 0.0,
    greedy_moves: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="With --games: probability of playing the move with the best static score instead of the searched "
            "one.",
        ),
    ] = 0.0,
    quiet: Annotated[
        bool, typer.Option(help="With --games: keep only positions without noisy moves, such as captures.")
    ] = True,
    margin: Annotated[
        float, typer.Option(help="With --games: keep only positions whose score is at most this far from 0.")
    ] = 1.0,
    balanced_by: Annotated[
        str,
        typer.Option(help="With --games: evaluator such as material; keep only positions that it scores 0."),
    ] = "",
    kept: Annotated[float, typer.Option(help="With --games: share of these positions that are kept.")] = 1.0,
    judge: Annotated[
        str, typer.Option(help="With --games: searcher whose scores of the kept positions replace those of the games.")
    ] = "",
    leads: Annotated[
        str,
        typer.Option(
            help="With --games: oracle such as solver:empty=12. What it knows scores what the lead at the end is worth."
        ),
    ] = "",
    outcome: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="With --games: share of the lead of a game in the scores of its earlier positions."
        ),
    ] = 0.0,
    adjudicate: Annotated[
        bool, typer.Option(help="With --games: end a game where an oracle of the player knows the result.")
    ] = True,
    repetition: Annotated[
        int | None, typer.Option(min=0, help="With --games: draw when a position occurs for the n-th time.")
    ] = None,
    no_progress: Annotated[
        int | None, typer.Option(min=0, help="With --games: draw after n plies without an irreversible move.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Make examples of every move that a search tries in matches, or of every position of finished games.

    With --games, a player with any searcher plays against itself; its positions are kept with result and score.
    """
    from gameforge_examples.conversion import read_games_into
    from gameforge_examples.making import Plan, make_examples
    from gameforge_examples.positions import GameSettings, SelfplayPlan, make_positions

    if (player is None) == (not files):
        raise GameforgeError("examples make: give a player that plays against itself, or files of games with --from")
    if files:
        _require_default(ctx, ("games",), "plays games of a player, and does not go with --from")
    if files or games is None:
        _require_default(ctx, _OF_GAMES, "needs --games and a player")
    if files or games is not None:
        _require_default(ctx, _OF_MATCHES, "needs a player, and does not go with --games")
    registry, console = ctx.obj.registry, Console(highlight=False, stderr=True)
    if games is None:
        plan = Plan(start_matches=start_matches, states=states, matches=matches, seed=seed)
        making = functools.partial(make_examples, plan=plan)
    else:
        settings = GameSettings(
            openings=openings,
            random_plies=random_plies,
            further_plies=further_plies,
            even=even,
            random_moves=random_moves,
            greedy_moves=greedy_moves,
            quiet=quiet,
            margin=margin,
            balanced_by=Spec.parse(balanced_by) if balanced_by else None,
            kept=kept,
            judge=Spec.parse(judge) if judge else None,
            leads=Spec.parse(leads) if leads else None,
            outcome=outcome,
            adjudicate=adjudicate,
            repetition=repetition,
            no_progress=no_progress,
        )
        making = functools.partial(make_positions, plan=SelfplayPlan(games=games, settings=settings, seed=seed))
    with _reported(console, out) as report:
        if files:
            read_games_into(
                out,
                game_for(registry, game, file=files[0]),
                files,
                append=append,
                progress=lambda games, found: report(f"{counted(games, 'game')}, {counted(found, 'example')}"),
            )
        else:
            with console.preparation() as preparation, executor(where) as machines:
                making(
                    out,
                    Workshop(registry, preparation, workers).player(str(player), game),
                    registry=registry,
                    workers=workers,
                    executor=machines,
                    append=append,
                    progress=lambda done, total, folder: report(
                        f"{done:,} of {counted(total, 'match', 'matches')}, {counted(folder.examples, 'example')}"
                    ),
                )
    _print_statistics(out, as_json)


@contextlib.contextmanager
def _reported(console: Console, out: Path) -> Iterator[Callable[[str], None]]:
    """Display states of the work; yields what is to be called with every new one.

    Adds to KeyboardInterrupt that the finished matches are kept and that the command can be resumed.
    """
    try:
        with compilation_notice(console), console.reported("examples") as report:
            yield report
    except KeyboardInterrupt:
        if not out.exists():
            raise
        raise KeyboardInterrupt(f"{out} holds the finished matches; repeat the command to resume") from None


@app.command()
def stats(folder: _Folder, as_json: _Json = False) -> None:
    """Print the numbers of examples, distinct states and matches, and statistics of results, visits and utilities."""
    _print_statistics(folder, as_json)


@app.command("filter")
def filter_command(
    folder: _Folder,
    out: _Out,
    sides: Annotated[
        Literal["winner", "both"], typer.Option(help="Examples to keep: those at the winner's turns, or at all turns.")
    ] = "winner",
    draws: Annotated[
        Literal["drop", "both"], typer.Option(help="Drawn matches: drop them, or keep the examples of both sides.")
    ] = "drop",
    duplicates: Annotated[
        Literal["visits", "mean"],
        typer.Option(help="Equal states: keep the one with the most visits, or their mean utility."),
    ] = "visits",
    visits: Annotated[int, typer.Option(min=1, help="Minimum number of visits of an example.")] = 1,
    test: Annotated[float, typer.Option(help="Share of the examples that is set aside for testing.")] = 0.1,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the choice of examples for testing.")] = 0,
    as_json: _Json = False,
) -> None:
    """Filter examples into a new folder: those of the winner, each state once, with a share set aside for testing."""
    from gameforge_examples.conversion import Filter, filter_examples

    if not 0 < test < 1:
        raise GameforgeError(f"--test {test:g}: must be more than 0 and less than 1")
    settings = Filter(sides=sides, draws=draws, duplicates=duplicates, visits=visits, test=test, seed=seed)
    filter_examples(folder, out, settings)
    _print_statistics(out, as_json)


@app.command("export")
def export_command(
    folder: _Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File ending in .npz or .parquet.")],
    force: options.Force = False,
) -> None:
    """Write all examples into a file for other programs: NumPy or Parquet, with a column for each figure."""
    from gameforge_examples.conversion import export_examples

    options.require_new(file, force)
    print(f"{file}: {counted(export_examples(folder, file), 'example')}")


@app.command("import")
def import_command(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File ending in .npz or .parquet.")],
    out: _Out,
    game: Annotated[str | None, typer.Option(help=options.game_help())] = None,
    as_json: _Json = False,
) -> None:
    """Make a folder of the examples in a file, such as `gameforge examples export` writes."""
    from gameforge_examples.conversion import import_examples

    import_examples(file, game_for(ctx.obj.registry, game), out)
    _print_statistics(out, as_json)


def _require_default(ctx: typer.Context, names: Sequence[str], why: str) -> None:
    """Raise GameforgeError for an option that was given, but would have no effect."""
    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = ("no-" if ctx.params[name] is False else "") + name.replace("_", "-")
            raise GameforgeError(f"examples make: --{option} {why}")


def _print_statistics(path: Path, as_json: bool) -> None:
    from gameforge_examples.folder import ExampleFolder, example_statistics

    found = example_statistics(ExampleFolder.read(path))
    if as_json:
        print(json.dumps(attrs.asdict(found)))
        return
    won, drawn, lost = found.results
    print(f"{path}: {counted(found.examples, 'example')} of {found.game}, {counted(found.states, 'different state')}")
    for number, batch in enumerate(found.batches, 1):
        print(f"batch {number}: {_batch(batch)}")
    print(f"the mover won {won:,}, drew {drawn:,}, lost {lost:,}; set aside for testing {found.test:,}")
    least, median, most = found.visits
    if most > 1 or found.unvisited:  # else each utility is that of one search or one result, and none was counted
        print(f"visits {least:,} to {most:,}, median {median:,}; not visited {found.unvisited:,}")
    print(f"mean utility {found.utility:+.3f}; by intervals of 0.2 from -1 to 1: {' '.join(map(str, found.utilities))}")


def _batch(batch: Mapping[str, Any]) -> str:
    """Describe in words how a batch was made, with its figures."""
    if "kept" in batch:
        twice = batch["wanted"] - batch["kept"]
        return f"{batch['kept']:,} of {batch['examples']:,} kept by a filter, {twice:,} were duplicates"
    if batch["made"]["by"] == "arrays":
        return "imported from a file"
    by = "games of self-play" if batch["made"]["by"] == "selfplay" else batch["made"]["by"]
    text = f"{batch['matches']:,} {by}{'' if batch['finished'] else ' so far'}"
    if "mean_plies" in batch:
        text += f", mean length from the start {batch['mean_plies']:.1f} plies"
    if "nodes" in batch and batch["seconds"]:
        text += f", mean length {batch['plies'] / batch['matches']:.1f} plies, {batch['nodes']:,} nodes, "
        text += f"{batch['nodes'] / batch['seconds']:,.0f} per second"
    elif batch.get("seconds"):
        text += f", {batch['simulations']:,} simulations, {batch['simulations'] / batch['seconds']:,.0f} per second"
    return text

"""`gameforge games`: a database of games in one file: import, find, count, judge, export, merge and check them."""

import contextlib
import functools
import itertools
import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
import typer

from gameforge.cli import options
from gameforge.cli.analysed_games import Mistake
from gameforge.cli.commands.replay import game_of_folder, games_file
from gameforge.cli.console import Console
from gameforge.cli.figures import score_text
from gameforge.cli.players import game_for, plan_for, require_limits, with_limits
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.memory import size_text
from gameforge.play.display import counted
from gameforge.play.game import Game
from gameforge.play.player import score_unit
from gameforge.play.workshop import Workshop
from gameforge.records.game_records import GAME_COLUMNS, game_rows, game_writer, read_records
from gameforge.records.tables import is_games_db
from gameforge.records.trace_files import game_files, plain_text
from gameforge.storage.files import check_table, replacing, write_table

if TYPE_CHECKING:
    from gameforge.records.adding import Added
    from gameforge.records.database import GamesDb
    from gameforge.records.finding import Found

app = typer.Typer(add_completion=False, help="Keep games in a database, and find them by players and positions.")

Database = Annotated[Path, typer.Argument(metavar="DATABASE", help="Database of games.")]
Into = Annotated[Path, typer.Option("--into", help="Database that gets the games; made if it does not exist.")]
GameOption = Annotated[str | None, typer.Option("--game", help=options.game_help("database", "file"))]
Headers = Annotated[
    Literal["old", "new", "fuller"],
    typer.Option(
        help="Headers of a game that the database has already: those of the database, those of the file, or those with "
        "more tags and comments."
    ),
]
Tolerant = Annotated[bool, typer.Option("--tolerant", help="Skip games that cannot be read.")]
Players = Annotated[str, typer.Option("--player", help="Only games of players with this in their names.")]
Result = Annotated[
    str,
    typer.Option(
        help="Only games with this result: a side that won, such as white; draw or unfinished; win or loss of --player."
    ),
]
Opening = Annotated[
    str,
    typer.Option(
        help="Only games that begin with these moves or with the opening of this name, or that have it in their tags."
    ),
]
At = Annotated[str | None, typer.Option("--position", help="Only games with this position, in the game's notation.")]
Pattern = Annotated[
    str,
    typer.Option(
        help="Only games with these cells at once, seen from the side to move, such as 'own: d3 e4, empty: c3'."
    ),
]
Since = Annotated[str, typer.Option(help="Only games of this date or later: a year, or YEAR.MONTH.DAY.")]
Until = Annotated[str, typer.Option(help="Only games of this date or earlier: a year, or YEAR.MONTH.DAY.")]
Event = Annotated[str, typer.Option(help="Only games of events with this in their names.")]
Symmetries = Annotated[
    bool, typer.Option("--symmetries", help="Count the images of the position under the game's symmetries as well.")
]


@app.command("import")
def import_files(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Files of games, databases, or folders of runs or matches. A file that has been imported is skipped, "
            "and an interrupted import continues.",
        ),
    ],
    into: Into,
    game: GameOption = None,
    headers: Headers = "old",
    tolerant: Tolerant = False,
    encoding: options.Encoding = "utf-8",
) -> None:
    """Add the games of files to a database, each game once."""
    sources = [games_file(path) for path in files]
    rules = _game_of(ctx.obj.registry, into, game, files[0], sources[0])
    console = Console(highlight=False, stderr=True)
    notice = functools.partial(console.print, soft_wrap=True)
    if rules is not None and not is_games_db(into):  # a file of another game is reported before a database is made
        next(read_records(sources[0], rules, tolerant=tolerant, encoding=encoding, notice=lambda _: None), None)
    with kept(into, "thousands of games"), _opened(into, ctx.obj.registry, rules) as db:
        for source in sources:
            with console.reported(f"{source}: reading") as report:
                added = db.add_file(
                    source,
                    headers=headers,
                    tolerant=tolerant,
                    encoding=encoding,
                    notice=notice,
                    progress=lambda done, source=source, report=report: report(f"{source}: {done:,} games"),  # type: ignore[misc]
                )
            print(f"{source}: {_added_text(added)}")
        print(f"{into} has {counted(len(db), 'game')} of {db.game.rules.name}")


def _game_of(registry: Registry, into: Path, name: str | None, given: Path, source: Path) -> Game | None:
    """Return the game that --game, the folder or the file implies; None if an existing database says it."""
    if name is None and is_games_db(into):
        return None
    return game_for(registry, name or (game_of_folder(given) if given.is_dir() else None), file=source)


def _added_text(added: "Added") -> str:
    parts = [counted(added.games, "new game")]
    if added.duplicates:
        replaced = f", {added.replaced:,} with new headers" if added.replaced else ""
        parts.append(f"{counted(added.duplicates, 'duplicate')}{replaced}")
    if added.skipped:
        parts.append(f"{counted(added.skipped, 'game')} imported before")
    return ", ".join(parts)


@contextlib.contextmanager
def _opened(path: Path, registry: Registry, make: Game | None = None) -> "Iterator[GamesDb]":
    """Open a database that exists; or make one for a game."""
    from gameforge.records.database import games_db  # numpy and numba are not needed for the help

    with compilation_notice(), games_db(path, make, must_exist=make is None, registry=registry) as db:
        yield db


@app.command()
def find(
    ctx: typer.Context,
    database: Database,
    player: Players = "",
    result: Result = "",
    opening: Opening = "",
    position: At = None,
    pattern: Pattern = "",
    since: Since = "",
    until: Until = "",
    event: Event = "",
    symmetries: Symmetries = False,
    limit: Annotated[int, typer.Option(min=0, help="Largest number of games; 0: all.")] = 20,
    as_json: options.AsJsonLines = False,
) -> None:
    """List the games that have all that is given."""
    shown = 0
    with _opened(database, ctx.obj.registry) as db:
        found = db.find(
            player=player,
            result=result,
            opening=opening,
            position=position,
            pattern=pattern,
            since=since,
            until=until,
            event=event,
            symmetries=symmetries,
            limit=limit or None,
        )
        for one in found:
            print(json.dumps(_numbers(db.game, one)) if as_json else _line(db.game, one), flush=as_json)
            shown += 1
    if not as_json:
        more = "; there may be more: --limit 0 lists all" if shown == limit else ""
        print(f"{counted(shown, 'game')}{more}" if shown else "no games")


def _line(game: Game, found: "Found") -> str:
    record = found.record
    names = " - ".join(name or "?" for name in record.players)
    tags = record.annotations.tags
    about = [f"{len(record.codes)} plies", tags.get("Date", ""), tags.get("Event", "") or record.event]
    ply = "" if found.ply is None else f"after {counted(found.ply, 'ply', 'plies')}"
    return f"{record.number:>8}  {names:<40}  {_result(game, record):<14}  {'  '.join(filter(None, [*about, ply]))}"


def _result(game: Game, record: GameRecord) -> str:
    if not record.finished:
        return "unfinished"
    winner = record.outcome.winner
    return "draw" if winner is None else f"{game.rules.sides[winner]} wins"


def _numbers(game: Game, found: "Found") -> dict[str, object]:
    record = found.record
    return {
        "number": record.number,
        "players": record.players,
        "result": _result(game, record),
        "reason": record.reason,
        "plies": len(record.codes),
        "ply": found.ply,
        "moves": [str(move) for move in game.moves_of(record)],
        "tags": record.tags(game.rules.sides),
    }


@app.command()
def tree(
    ctx: typer.Context,
    database: Database,
    position: Annotated[
        str | None, typer.Argument(help="Position, in the game's notation; default: the initial position.")
    ] = None,
    symmetries: Symmetries = False,
    as_json: options.AsJson = False,
) -> None:
    """List the moves that were played in a position, with their results."""
    with _opened(database, ctx.obj.registry) as db:
        played = db.tree(position, symmetries=symmetries)
    if as_json:
        print(json.dumps({"games": played.games, "moves": list(played.rows())}))
        return
    sides = played.position.game.rules.sides
    print(f"{counted(played.games, 'game')} with the position")
    if played.moves:
        print(f"{'move':<14}{'games':>12}{sides[0]:>12}{'draws':>12}{sides[1]:>12}{'score':>8}  first mistake, ply")
    for one in played.moves:
        score = "" if one.score is None else f"{one.score:.1%}"
        mistake = "" if one.first_mistake is None else f"{one.first_mistake:.1f}"
        move = "(end)" if one.move is None else str(one.move)
        print(
            f"{move:<14}{one.games:12,}{one.wins[0]:12,}{one.draws:12,}{one.wins[1]:12,}{score:>8}  {mistake}".rstrip()
        )


@app.command()
def stats(ctx: typer.Context, database: Database, as_json: options.AsJson = False) -> None:
    """Count games, results and players."""
    with _opened(database, ctx.obj.registry) as db:
        found, sides = db.statistics(), db.game.rules.sides
    if as_json:
        print(json.dumps(attrs.asdict(found)))
        return
    unfinished = found.games - sum(found.wins) - found.draws
    print(f"{database}: {counted(found.games, 'game')} of {found.game}, {size_text(found.bytes)}")
    print(f"results: {sides[0]} {found.wins[0]:,}, draws {found.draws:,}, {sides[1]} {found.wins[1]:,}", end="")
    print(f", unfinished {unfinished:,}")
    print(f"plies: {found.plies:.1f} on average; dates: {' to '.join(filter(None, found.dates)) or 'none'}")
    print(f"files imported: {found.files:,}; games reviewed: {found.reviewed:,}; players: {found.players:,}")
    for name, games in found.busiest:
        print(f"{games:10,}  {name}")


@app.command()
def export(
    ctx: typer.Context,
    database: Database,
    out: Annotated[
        Path,
        typer.Option(
            help="New file: in the game's own format (such as .pdn), .txt with a line for each game, or .csv or "
            ".parquet with a row for each game."
        ),
    ],
    player: Players = "",
    result: Result = "",
    opening: Opening = "",
    position: At = None,
    pattern: Pattern = "",
    since: Since = "",
    until: Until = "",
    event: Event = "",
    symmetries: Symmetries = False,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Add the marks of reviews, and comments with the better moves.")
    ] = False,
    force: options.Force = False,
) -> None:
    """Write the games that have all that is given into a file."""
    options.require_new(out, force)
    with _opened(database, ctx.obj.registry) as db:
        found = db.find(
            player=player,
            result=result,
            opening=opening,
            position=position,
            pattern=pattern,
            since=since,
            until=until,
            event=event,
            symmetries=symmetries,
        )
        records = (_with_verdicts(db, one.record) if verdicts else one.record for one in found)
        print(f"{counted(_write(db.game, out, records), 'game')} written to {out}")


def _write(game: Game, out: Path, records: Iterable[GameRecord]) -> int:
    """Write games in the format that the name of the file implies; return their number."""
    suffix = out.suffix.lower()
    if suffix in (".csv", ".parquet"):
        check_table(out)
        numbers = itertools.count()
        write_table(out, (row for row, _ in zip(game_rows(records), numbers)), GAME_COLUMNS)  # noqa: B905
        return next(numbers)
    own = game_files(game).suffix
    known = [own, ".txt", ".csv", ".parquet"]
    if suffix not in known:
        raise GameforgeError(f"--out {out}: games of {game.rules.name} can be written to {', '.join(known)}")
    text_of = game_writer(game) if suffix == own else functools.partial(plain_text, game)
    written = 0
    with replacing(out) as file:
        for record in records:
            text = text_of(record).removesuffix("\n")
            file.write((f"\n{text}\n" if written and suffix == own else f"{text}\n").encode())
            written += 1
    return written


def _with_verdicts(db: "GamesDb", record: GameRecord) -> GameRecord:
    """Return the game with the marks of its reviews, and with comments on the marked moves."""
    marks, comments = dict(record.annotations.marks), dict(record.annotations.comments)
    states = [move.position for move in db.game.moves_of(record)]
    for player, found in db.verdicts(record).items():
        for i, (here, one) in enumerate(zip(states, found, strict=True)):
            if one.mark:
                marks.setdefault(i, one.mark)
                best = db.game.move_text(here.state, one.best, here.codes)
                before, after = (score_text(score, one.unit, here.state) for score in (one.before, one.after))
                text = f"{player}: {best} is better ({before} instead of {after})"
                comments[i + 1] = f"{comments[i + 1]}; {text}" if i + 1 in comments else text
    return attrs.evolve(record, annotations=attrs.evolve(record.annotations, marks=marks, comments=comments))


@app.command()
def review(
    ctx: typer.Context,
    database: Database,
    judge: Annotated[
        str | None, typer.Option("--by", help=f"Player that judges. {options.PLAYER_HELP} Default: that of the game.")
    ] = None,
    level: options.Level = None,
    depth: options.Depth = None,
    nodes: options.Nodes = None,
    simulations: options.Simulations = None,
    time: options.Time = None,
    oracle: options.Oracles = None,
    mistake: Mistake = None,
    player: Players = "",
    result: Result = "",
    opening: Opening = "",
    position: At = None,
    pattern: Pattern = "",
    since: Since = "",
    until: Until = "",
    event: Event = "",
    symmetries: Symmetries = False,
) -> None:
    """Let a player judge the games that have all that is given, and keep its verdicts in the database.

    Games that it has judged are skipped, so an interrupted review continues.
    """
    limits = {"depth": depth, "nodes": nodes, "simulations": simulations, "time": time}
    require_limits(**limits)
    console = Console(highlight=False, stderr=True)
    with kept(database, "reviews"), _opened(database, ctx.obj.registry) as db, console.preparation() as preparation:
        workshop = Workshop(ctx.obj.registry).announcing(preparation)
        name = db.statistics().game
        plan = plan_for(workshop, judge, name, level=level, oracles=oracle or ())
        by = with_limits(workshop.build(plan), ctx.obj.registry, **limits)
        oracles = workshop.verdict_oracles(plan, by, oracle or ())
        found = db.find(
            player=player,
            result=result,
            opening=opening,
            position=position,
            pattern=pattern,
            since=since,
            until=until,
            event=event,
            symmetries=symmetries,
        )
        with console.reported("finding games") as report:
            done = db.review(
                by,
                games=(one.record for one in found),
                oracles=oracles,
                mistake=None if mistake is None else mistake * score_unit(by).worth,
                progress=lambda done, total: report(f"{done:,} of {total:,} games reviewed"),
            )
        print(f"{counted(done, 'game')} reviewed by {by.name}; {db.statistics().reviewed:,} of {len(db):,} in all")


@app.command()
def merge(
    ctx: typer.Context,
    databases: Annotated[list[Path], typer.Argument(metavar="DATABASE...", help="Databases of one game.")],
    into: Into,
    headers: Headers = "old",
    tolerant: Tolerant = False,
) -> None:
    """Add the games and reviews of databases to another one, each game once."""
    rules = None
    if not is_games_db(into):
        with _opened(databases[0], ctx.obj.registry) as first:
            rules = first.game
    notice = functools.partial(print, file=sys.stderr)
    with _opened(into, ctx.obj.registry, rules) as db:
        for path in databases:
            added = db.merge(path, headers=headers, tolerant=tolerant, notice=notice)
            print(f"{path}: {_added_text(added)}")
        print(f"{into} has {counted(len(db), 'game')} of {db.game.rules.name}")


@app.command()
def check(ctx: typer.Context, database: Database) -> None:
    """Replay all games, and compare the index of positions with them."""
    console = Console(highlight=False, stderr=True)
    with _opened(database, ctx.obj.registry) as db, console.reported("checking") as report:
        problems = db.check(lambda done, total: report(f"{done:,} of {total:,} games checked"))
        games = 0 if problems else len(db)
    if problems:
        _report_problems(database, problems)
    print(f"{database}: {counted(games, 'game')}, all sound")


def _report_problems(database: Path, problems: Sequence[str]) -> None:
    for problem in problems[1:]:
        print(problem)
    saving = f"gameforge games merge {shlex.quote(str(database))} --into NEW --tolerant"
    raise GameforgeError(f"{database}: {problems[0]}; `{saving}` saves the rest")

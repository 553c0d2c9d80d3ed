"""`gameforge match` and `tournament`: matches of two players, and of several with a crosstable and ratings.

Each opening is played twice, with colours swapped. The progress of a match is a status line on a terminal, and a line
now and then elsewhere.
"""

import contextlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gameforge.api import match as play_match
from gameforge.arena import OPENING_PLIES, MatchResult, Sprt
from gameforge.arena.elo import elo_text, independent
from gameforge.arena.played import MatchCounts
from gameforge.arena.tournament import TournamentResult, folder_of_match, schedule
from gameforge.arena.tournament import tournament as play_tournament
from gameforge.arena.workspace import MOST_SECONDS, TimeControl
from gameforge.cli import options
from gameforge.cli.commands.web import watched
from gameforge.cli.console import Console, Paced, columns_that_fit
from gameforge.cli.figures import milliseconds_text, rate_text, results_text
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.display import counted, duration_text
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop
from gameforge.records.game_records import GAME_COLUMNS, MOVE_COLUMNS, game_rows, move_rows
from gameforge.storage.files import check_table, write_table

GAMES = 20
SPRT_GAMES = 20_000
"""Maximum number of games if a sequential test ends the match."""


def match(
    ctx: typer.Context,
    first: Annotated[str, typer.Argument(help=options.PLAYER_HELP)],
    second: Annotated[str, typer.Argument(help="The second player, in any of these forms.")],
    game: options.PlayersGame = None,
    games: Annotated[
        int | None, typer.Option(help=f"Number of games; even. Default: {GAMES}, or at most {SPRT_GAMES} with --sprt.")
    ] = None,
    openings: options.OpeningsOption = f"random:{OPENING_PLIES}",
    seed: options.Seed = 0,
    workers: options.Workers = 1,
    sprt: Annotated[
        str | None,
        typer.Option(
            help="Sequential test that ends the match between two Elo differences: ELO0,ELO1 or ELO0,ELO1,normalized."
        ),
    ] = None,
    clock: options.Clock = None,
    movetime: options.MoveTime = None,
    on_error: options.OnErrorOption = None,
    count_forfeits: options.CountForfeits = False,
    out: Annotated[
        Path | None, typer.Option(help="Output folder. Resumes the match if it holds an interrupted one.")
    ] = None,
    export: Annotated[Path | None, typer.Option(metavar="FILE", help=options.EXPORT_HELP.format("game"))] = None,
    export_moves: Annotated[Path | None, typer.Option(metavar="FILE", help=options.EXPORT_HELP.format("move"))] = None,
    watch: options.Watch = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Play a match and print wins, draws, losses, loop draws, Elo with its error bar and time per move."""
    console = Console(highlight=False, stderr=True)
    options.require_different(out=out, export=export, export_moves=export_moves)
    for file in (export, export_moves):
        if file is not None:
            check_table(file)
            options.require_new(file, force)
    test = None if sprt is None else Sprt.parse(sprt)
    control = time_control(clock, movetime)
    number = games if games is not None else GAMES if test is None else SPRT_GAMES
    with compilation_notice(console), console.preparation() as preparation:
        one, other = Workshop(ctx.obj.registry, preparation, workers).players([first, second], game)
    progress = MatchProgress(number, test)
    with watched(watch, "match", out, one, ctx.obj.registry) as folder:
        with kept(out, "games"), compilation_notice(console), shown(console, progress) as game_finished:
            result = play_match(
                *(one, other, number),
                openings=openings,
                seed=seed,
                workers=workers,
                sprt=test,
                clock=control,
                on_error=on_error,
                count_forfeits=count_forfeits,
                out=folder,
                game_finished=game_finished,
                progress=False,
            )
        warn(console, result)
        if as_json:
            print(json.dumps(result.numbers))
        else:
            print("\n".join([str(result), *details(result)]))
        if export is not None:  # after the result is printed, since this may fail
            write_table(export, game_rows(result.games), GAME_COLUMNS)
        if export_moves is not None:
            write_table(export_moves, move_rows(one.game, result.games), MOVE_COLUMNS)


def time_control(clock: str | None, movetime: float | None) -> TimeControl | None:
    """Return the time control that the options describe; None without them."""
    if clock is not None and movetime is not None:
        raise GameforgeError("--clock and --movetime exclude each other; give one of them")
    if movetime is not None:
        if not 0 < movetime <= MOST_SECONDS:
            raise GameforgeError(
                f"--movetime {movetime:g}: must be more than 0 and at most {MOST_SECONDS:,.0f} seconds"
            )
        return TimeControl(per_move=movetime)
    return None if clock is None else TimeControl.parse(clock)


def warn(console: Console, result: MatchResult) -> None:
    """Warn of each player's first crash and of the first game that a program ended by other rules.

    Warn also if fewer than half of the games are distinct.
    """
    counts = result.counts
    if counts.dispute is not None:
        number, note = counts.dispute
        console.print(f"warning: game {number} was ended by other rules: {note}", soft_wrap=True)
    for name, (number, note) in counts.crashes.items():
        console.print(f"warning: {name} crashed in game {number}: {note}", soft_wrap=True)
    if result.repeats:
        console.print(f"warning: {result.repeats_text}; choose more varied --openings", soft_wrap=True)


def details(result: MatchResult) -> list[str]:
    """Return lines with the results of pairs, the time per move, and the state of the sequential test."""
    seconds = ", ".join(
        "-" if math.isnan(wall) else f"{milliseconds_text(wall)} (processor {milliseconds_text(busy)})"
        for wall, busy in zip(result.seconds_per_move, result.processor_per_move, strict=True)
    )
    pairs = " ".join(map(str, result.pentanomial))
    lines = [f"pairs with 0, 1/2, 1, 3/2, 2 points: {pairs}; time per move: {seconds}"]
    test = result.sprt
    if test is not None:
        verdict = f"{result.accepted} accepted" if result.accepted else "nothing accepted"
        lines.append(
            f"SPRT {test.elo0:g},{test.elo1:g} ({test.model} Elo): LLR {result.llr:.2f} "
            f"({test.lower:.2f}, {test.upper:.2f}), {verdict} after {len(result.games)} games"
        )
    return lines


def tournament(
    ctx: typer.Context,
    players: Annotated[list[str], typer.Argument(help=options.PLAYER_HELP)],
    game: options.PlayersGame = None,
    games: Annotated[int, typer.Option(help="Number of games per match; even.")] = 20,
    openings: Annotated[str, typer.Option(help=f"{options.OPENINGS_HELP} All matches use the same openings.")] = (
        f"random:{OPENING_PLIES}"
    ),
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Let the first player play all others, who do not meet each other.")
    ] = False,
    seed: options.Seed = 0,
    workers: options.Workers = 1,
    clock: options.Clock = None,
    movetime: options.MoveTime = None,
    on_error: options.OnErrorOption = None,
    count_forfeits: options.CountForfeits = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder, with one folder per match. Resumes the tournament if it was interrupted."),
    ] = None,
    watch: options.Watch = False,
    as_json: options.AsJson = False,
) -> None:
    """Play a round-robin tournament and print a crosstable and ratings with error bars."""
    control = time_control(clock, movetime)
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), console.preparation() as preparation:
        entrants = Workshop(ctx.obj.registry, preparation, workers).players(players, game)
    matches = len(schedule(len(players), gauntlet))
    progress = MatchProgress(games * matches, matches=matches)
    with watched(watch, "tournament", out, entrants[0], ctx.obj.registry) as folder:

        def play(first: Player, second: Player, number: int) -> MatchResult:
            progress.begin(number)
            return play_match(
                *(first, second, games),
                openings=openings,
                seed=seed,
                workers=workers,
                clock=control,
                on_error=on_error,
                count_forfeits=count_forfeits,
                out=folder_of_match(folder, number),
                game_finished=game_finished,
                progress=False,
            )

        with kept(out, "games"), compilation_notice(console), shown(console, progress) as game_finished:
            result = play_tournament(entrants, play, gauntlet=gauntlet)
        for one in result.matches:
            warn(console, one)
        if as_json:
            print(json.dumps(_described(result)))
            return
        screen = Console(highlight=False)
        for table in crosstables(result, screen.width):
            screen.print(table)
        screen.print(f"{result.distinct} distinct of {result.played} games")


def _described(result: TournamentResult) -> dict[str, object]:
    players = [
        {
            "name": name,
            "elo": rating.elo,
            "error": rating.error,
            "score": result.score(name),
            "games": result.games(name),
        }
        for name, rating in zip(result.players, result.ratings, strict=True)
    ]
    return {"players": players, "matches": [match.numbers for match in result.matches]}


_EARLIER = 0.5
"""Seconds in which the games of a resumed match are reported; the speed is measured after them."""
_REFRESH = 0.1
"""Smallest time between two updates of the status line, in seconds: thousands of games may finish in a second."""


class MatchProgress:
    """The state of a match, or of the matches of a tournament, one after the other."""

    def __init__(self, games: int, sprt: Sprt | None = None, matches: int = 1, paced: Paced | None = None) -> None:
        """games: maximum number of games of all matches. sprt: the test that can end the match early."""
        self._games, self._sprt, self._matches = games, sprt, matches
        self._paced = paced or Paced()
        self._match, self._done = 1, 0
        self._counts = MatchCounts()
        """The games of the current match."""
        self._earlier: tuple[int, float] | None = None
        """Number of games and time when the measurement of the speed began."""

    def begin(self, match: int) -> None:
        """Begin the match of this number, from 1."""
        self._match, self._counts = match, MatchCounts()

    def add(self, record: GameRecord) -> None:
        """Add a finished game of the current match."""
        self._counts.add(record)
        self._done += 1
        if self._earlier is None or self._paced.seconds < _EARLIER:
            self._earlier = self._done, self._paced.seconds

    def lines(self) -> tuple[str, str]:
        """Return the state of the match, and that of the work."""
        return self._state(), self._speed()

    def _state(self) -> str:
        losses, draws, wins = self._counts.results
        parts = [f"match {self._match} of {self._matches}"] if self._matches > 1 else []
        pairs = independent(self._counts.pentanomial, self._counts.distinct.pairs)
        parts += [results_text(wins, draws, losses), elo_text(pairs)]
        if self._sprt is not None:
            test = self._sprt
            parts.append(f"LLR {test.llr(pairs):.2f} ({test.lower:.2f}, {test.upper:.2f})")
        return "  ".join(parts)

    def _speed(self) -> str:
        at_most = "at most " if self._sprt is not None else ""
        parts = [f"{self._done:,} of {at_most}{counted(self._games, 'game')}"]
        if self._earlier is not None and self._done > self._earlier[0]:
            done, seconds = self._done - self._earlier[0], self._paced.seconds - self._earlier[1]
            left = seconds / done * (self._games - self._done)
            parts += [rate_text(done, seconds), f"{at_most}{duration_text(left)} left"]
        return ", ".join(parts)


@contextlib.contextmanager
def shown(console: Console, progress: MatchProgress) -> Iterator[Callable[[GameRecord], None]]:
    """Show the progress in a status of two lines, or print it now and then where the output is not a terminal.

    Yields what is to be called with every finished game.
    """
    lines = Paced()
    updated = 0.0
    with console.status(progress.lines()[1]) as status:

        def game_finished(record: GameRecord) -> None:
            nonlocal updated
            progress.add(record)
            if not console.is_terminal:
                if lines.due():
                    console.print("; ".join(progress.lines()), soft_wrap=True)
            elif lines.seconds >= updated + _REFRESH:
                updated = lines.seconds
                status.update("\n".join(progress.lines()))

        yield game_finished


_GAP = 2
"""Spaces between columns."""


def crosstables(result: TournamentResult, width: int) -> list[Table]:
    """Make tables with the ratings, and with wins, draws and losses of each player against each rank.

    If one table would be wider than `width`, the ratings get a table of their own, and the results as many as needed.
    """
    ranks = range(1, len(result.players) + 1)
    cells = [[result.cell(name, other) for other in result.players] for name in result.players]
    wide = [max(len(str(rank)), *(len(row[rank - 1]) for row in cells)) + _GAP for rank in ranks]
    ratings = [
        (
            str(rank),
            name,
            f"{rating.elo:+.0f}",
            f"{rating.error:.0f}",
            f"{result.score(name):g}",
            str(result.games(name)),
        )
        for rank, name, rating in zip(ranks, result.players, result.ratings, strict=True)
    ]
    headings = ("", "player", "Elo", "+-", "points", "games")
    own = sum(max(map(len, column)) + _GAP for column in zip(headings, *ratings, strict=True))
    if own + sum(wide) <= width:
        whole = [(*rating, *row) for rating, row in zip(ratings, cells, strict=True)]
        return [_table((*headings, *map(str, ranks)), whole)]
    left = max(map(len, map(str, ranks))) + _GAP
    return [_table(headings, ratings), *(_part(cells, part) for part in columns_that_fit(wide, width - left))]


def _part(cells: Sequence[Sequence[str]], part: Sequence[int]) -> Table:
    rows = [(str(rank), *(row[i] for i in part)) for rank, row in enumerate(cells, 1)]
    return _table(("", *(str(i + 1) for i in part)), rows)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="bold")
    for heading in headings:
        is_name = heading == "player"
        table.add_column(heading, justify="left" if is_name else "right", no_wrap=not is_name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table

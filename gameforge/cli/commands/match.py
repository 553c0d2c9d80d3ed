"""`gameforge match`: play a match between two players; each opening is played twice with colours swapped."""

import contextlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gameforge.api import match as play_match
from gameforge.cli.commands.web import watched
from gameforge.cli.console import Console, Preparation
from gameforge.cli.match_display import MatchProgress, shown
from gameforge.cli.options import (
    EXPORT_HELP,
    PLAYER_HELP,
    AsJson,
    Clock,
    Force,
    MoveTime,
    OnErrorOption,
    OpeningsOption,
    PlayersGame,
    Seed,
    Watch,
    Workers,
    require_different,
    require_new,
)
from gameforge.cli.terminal import compilation_notice
from gameforge.errors import GameforgeError
from gameforge.play.arena import OPENING_PLIES, MatchResult, Sprt
from gameforge.play.arena.match_folder import result_numbers
from gameforge.play.arena.workspace import TimeControl
from gameforge.play.player import Player
from gameforge.play.records import game_rows, move_rows
from gameforge.play.workshop import Workshop
from gameforge.storage.tables import check_table, write_table

GAMES = 20
SPRT_GAMES = 20_000
"""Maximum number of games if a sequential test ends the match."""


def match(
    ctx: typer.Context,
    first: Annotated[str, typer.Argument(help=PLAYER_HELP)],
    second: Annotated[str, typer.Argument(help="The second player, in any of these forms.")],
    game: PlayersGame = None,
    games: Annotated[
        int | None, typer.Option(help=f"Number of games; even. Default: {GAMES}, or at most {SPRT_GAMES} with --sprt.")
    ] = None,
    openings: OpeningsOption = f"random:{OPENING_PLIES}",
    seed: Seed = 0,
    workers: Workers = 1,
    sprt: Annotated[
        str | None,
        typer.Option(
            help="Sequential test that ends the match between two Elo differences: ELO0,ELO1 or ELO0,ELO1,normalized."
        ),
    ] = None,
    clock: Clock = None,
    movetime: MoveTime = None,
    on_error: OnErrorOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Output folder. Resumes the match if it holds an interrupted one.")
    ] = None,
    export: Annotated[Path | None, typer.Option(metavar="FILE", help=EXPORT_HELP.format("game"))] = None,
    export_moves: Annotated[Path | None, typer.Option(metavar="FILE", help=EXPORT_HELP.format("move"))] = None,
    watch: Watch = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Play a match and print wins, draws, losses, loop draws, Elo with its error bar and time per move."""
    console = Console(highlight=False, stderr=True)
    require_different(export=export, export_moves=export_moves)
    for file in (export, export_moves):
        if file is not None:
            check_table(file)
            require_new(file, force)
    test = None if sprt is None else Sprt.parse(sprt)
    control = time_control(clock, movetime)
    number = games if games is not None else GAMES if test is None else SPRT_GAMES
    with compilation_notice(console), Preparation(console) as preparation:
        one, other = Workshop(ctx.obj.registry, preparation, workers).players([first, second], game)
    with contextlib.ExitStack() as page:
        folder = page.enter_context(watched(watch, "match", out, one, ctx.obj.registry))
        with kept(out), compilation_notice(console), shown(console, MatchProgress(number, test)) as game_finished:
            result = play_match(
                *(one, other, number),
                openings=openings,
                seed=seed,
                workers=workers,
                sprt=test,
                clock=control,
                on_error=on_error,
                out=folder,
                game_finished=game_finished,
                progress=False,
            )
        _report(console, result, one, export, export_moves, as_json)


def _report(
    console: Console,
    result: MatchResult,
    one: Player,
    export: Path | None,
    export_moves: Path | None,
    as_json: bool,
) -> None:
    """Print the result with warnings; then write the tables, which may fail."""
    warn_of_crashes(console, result)
    warn_of_repeats(console, result)
    if as_json:
        print(json.dumps(result_numbers(result)))
    else:
        print(result)
        for line in details(result):
            print(line)
    if export is not None:
        write_table(export, game_rows(result.games))
    if export_moves is not None:
        write_table(export_moves, move_rows(one.game, result.games))


def time_control(clock: str | None, movetime: float | None) -> TimeControl | None:
    """Return the time control that the options describe; None without them."""
    if clock is not None and movetime is not None:
        raise GameforgeError("--clock and --movetime exclude each other; give one of them")
    if movetime is not None:
        if not 0 < movetime < math.inf:
            raise GameforgeError(f"--movetime {movetime:g}: must be more than 0 seconds")
        return TimeControl(per_move=movetime)
    return None if clock is None else TimeControl.parse(clock)


@contextlib.contextmanager
def kept(out: Path | None) -> Iterator[None]:
    """After Ctrl-C, say that the finished games are kept."""
    try:
        yield
    except KeyboardInterrupt:
        if out is None or not out.exists():
            raise
        raise KeyboardInterrupt(f"{out} holds the finished games; repeat the command to resume") from None


def warn_of_crashes(console: Console, result: MatchResult) -> None:
    """Warn once for each player that crashed, with the reason of its first crash."""
    warned: set[str] = set()
    for record in result.games:
        if record.note and record.outcome.winner is not None:
            name = record.players[1 - record.outcome.winner]
            if name not in warned:
                warned.add(name)
                console.print(f"warning: {name} crashed in game {record.number}: {record.note}", soft_wrap=True)


def warn_of_repeats(console: Console, result: MatchResult) -> None:
    """Warn if fewer than half of the games are distinct."""
    if result.repeats:
        console.print(f"warning: {result.repeats_text}; choose more varied --openings", soft_wrap=True)


def details(result: MatchResult) -> list[str]:
    """Return lines with the results of pairs, the time per move, and the state of the sequential test."""
    seconds = ", ".join("-" if math.isnan(s) else f"{s * 1000:.3g} ms" for s in result.seconds_per_move)
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

"""`gameforge tournament`: matches between several players, with a crosstable and ratings."""

import contextlib
import json
from pathlib import Path
from typing import Annotated

import typer

from gameforge.api import match as play_match
from gameforge.cli.commands.match import kept, time_control, warn_of_crashes, warn_of_repeats
from gameforge.cli.commands.web import watched
from gameforge.cli.console import Console, Preparation
from gameforge.cli.match_display import MatchProgress, crosstables, shown
from gameforge.cli.options import (
    OPENINGS_HELP,
    PLAYER_HELP,
    AsJson,
    Clock,
    MoveTime,
    OnErrorOption,
    PlayersGame,
    Seed,
    Watch,
    Workers,
)
from gameforge.cli.terminal import compilation_notice
from gameforge.play.arena import OPENING_PLIES, MatchResult
from gameforge.play.arena.match_folder import result_numbers
from gameforge.play.arena.tournament import TournamentResult, schedule
from gameforge.play.arena.tournament import tournament as play_tournament
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop


def tournament(
    ctx: typer.Context,
    players: Annotated[list[str], typer.Argument(help=PLAYER_HELP)],
    game: PlayersGame = None,
    games: Annotated[int, typer.Option(help="Number of games per match; even.")] = 20,
    openings: Annotated[str, typer.Option(help=f"{OPENINGS_HELP} All matches use the same openings.")] = (
        f"random:{OPENING_PLIES}"
    ),
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Let the first player play all others, who do not meet each other.")
    ] = False,
    seed: Seed = 0,
    workers: Workers = 1,
    clock: Clock = None,
    movetime: MoveTime = None,
    on_error: OnErrorOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder, with one folder per match. Resumes the tournament if it was interrupted."),
    ] = None,
    watch: Watch = False,
    as_json: AsJson = False,
) -> None:
    """Play a round-robin tournament and print a crosstable and ratings with error bars."""
    control = time_control(clock, movetime)
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), Preparation(console) as preparation:
        entrants = Workshop(ctx.obj.registry, preparation, workers).players(players, game)
    matches = len(schedule(len(players), gauntlet))
    progress = MatchProgress(games * matches, matches=matches)
    with contextlib.ExitStack() as page:
        folder = page.enter_context(watched(watch, "tournament", out, entrants[0], ctx.obj.registry))

        def play(first: Player, second: Player, number: int) -> MatchResult:
            progress.begin(number)
            return play_match(
                *(first, second, games),
                openings=openings,
                seed=seed,
                workers=workers,
                clock=control,
                on_error=on_error,
                out=None if folder is None else folder / f"match-{number:03}",
                game_finished=game_finished,
                progress=False,
            )

        with kept(out), compilation_notice(console), shown(console, progress) as game_finished:
            result = play_tournament(entrants, play, gauntlet=gauntlet)
        _report(console, result, as_json)


def _report(console: Console, result: TournamentResult, as_json: bool) -> None:
    for one in result.matches:
        warn_of_crashes(console, one)
        warn_of_repeats(console, one)
    if as_json:
        print(json.dumps(_described(result)))
    else:
        screen = Console(highlight=False)
        for table in crosstables(result, screen.width):
            screen.print(table)
        screen.print(f"{result.distinct} distinct of {result.played} games")


def _described(result: TournamentResult) -> dict[str, object]:
    """The result for JSON."""
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
    return {"players": players, "matches": [result_numbers(match) for match in result.matches]}

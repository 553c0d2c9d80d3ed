"""`gameforge tournament`: matches between several players, with a crosstable and ratings."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gameforge.api import match as play_match
from gameforge.cli import options
from gameforge.cli.commands.match import time_control, warn
from gameforge.cli.commands.web import watched
from gameforge.cli.console import Console, Preparation
from gameforge.cli.match_display import MatchProgress, crosstables, shown
from gameforge.cli.terminal import compilation_notice, kept
from gameforge.play.arena import OPENING_PLIES, MatchResult
from gameforge.play.arena.tournament import TournamentResult, folder_of_match, schedule
from gameforge.play.arena.tournament import tournament as play_tournament
from gameforge.play.player import Player
from gameforge.play.workshop import Workshop


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
    with compilation_notice(console), Preparation(console) as preparation:
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

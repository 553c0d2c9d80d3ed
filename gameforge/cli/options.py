"""Options that several commands share, their help, and the new files that they name.

A command overwrites no file unless the user asks for that. Every start imports this module, so it imports little.
"""

import os.path
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from gameforge.config.outside import require_encoding
from gameforge.errors import GameforgeError
from gameforge.storage.files import require_writable

EXPORT_HELP = "File for a table with a row for each {}: .csv or .parquet."
"""Help of the option --export; {} is what a row stands for."""


PLAYER_HELP = (
    "Name of a trained player (see `gameforge plugins --kind player`), folder of a run or saved player, TOML file, or "
    "parts: 'SEARCHER + EVALUATOR + ORACLE' or 'SEARCHER + PLAYER'; the part `none` turns oracles off."
)
"""Help of an argument that describes a player."""
Depth = Annotated[int | None, typer.Option(help="Maximum depth of a search, in plies.")]
"""The option --depth."""
Nodes = Annotated[int | None, typer.Option(help="Maximum number of nodes per search.")]
"""The option --nodes."""
Simulations = Annotated[int | None, typer.Option(help="Number of simulations per search.")]
"""The option --simulations."""
Time = Annotated[float | None, typer.Option(help="Maximum time per search, in seconds.")]
"""The option --time."""
OPENINGS_HELP = (
    "Name of a set of the game, file with a position or a list of moves per line, DATABASE:PLIES for the first moves "
    "of a database of games, random:PLIES, or balanced:PLIES: "
    "random lines that the game's default player judges to be about even. balanced:PLIES,player=PLAYER,margin=SHARE,"
    "nodes=N names another judge, the largest distance of its score from 0, and the nodes of each judgement."
)
"""Help of the option --openings."""
Clock = Annotated[
    str | None,
    typer.Option(
        help="Time of each side: SECONDS or SECONDS+INCREMENT, such as 60+0.6. It replaces the limits that trained and "
        "saved players bring; limits that you give hold as well, and the first that is reached ends a search."
    ),
]
"""The option --clock."""
MoveTime = Annotated[
    float | None, typer.Option(help="Seconds for each move, instead of a clock; replaces the same limits.")
]
"""The option --movetime."""

OnErrorOption = Annotated[
    Literal["raise", "forfeit"] | None,
    typer.Option(
        "--on-error",
        help="What follows if a player raises an exception: the command ends with it, or the player loses the game. "
        "By default, only external engines lose the game.",
    ),
]
"""The option --on-error of commands that play matches."""
CountForfeits = Annotated[
    bool,
    typer.Option(
        "--count-forfeits",
        help="Let a program lose a game that it ends by other rules, such as by its own draw rule. Otherwise such a "
        "game is a draw.",
    ),
]
"""The option --count-forfeits of commands that play matches."""
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
"""The option --json."""
Seed = Annotated[int, typer.Option(min=0, help="Random seed for openings, books and searches.")]
"""The option --seed of commands that play matches."""
Workers = Annotated[
    int,
    typer.Option(
        min=1, help="Number of games played at once; the result does not depend on it unless a player uses a clock."
    ),
]
"""The option --workers of commands that play matches."""
TrialWorkers = Annotated[
    int,
    typer.Option(
        min=1, help="Number of trials run at once, and of threads for their work; the results do not depend on it."
    ),
]
"""The option --workers of commands that run trials."""
TrialExecutor = Annotated[
    str,
    typer.Option(
        "--executor", metavar="WHERE", help="Where the learners' independent work runs: local or dask://HOST:PORT."
    ),
]
"""The option --executor of commands that run trials."""
Level = Annotated[
    int | None, typer.Option(help="Level of the player, from 1, the weakest. Default: its full strength.")
]
"""The option --level of commands with a player."""
Oracles = Annotated[
    list[str] | None,
    typer.Option(
        help="Oracle that the player consults and that gives exact values; may be repeated. none: no oracle. A player "
        "whose text names oracles, or one of its levels, keeps its own. Default: those of the player or the game; none "
        "if the player has the part `none`."
    ),
]
"""The option --oracle of commands with a player."""
OpeningsOption = Annotated[str, typer.Option(help=OPENINGS_HELP)]
"""The option --openings of commands that play matches."""
Watch = Annotated[
    bool,
    typer.Option(
        "--watch", help="Show the games in the browser while they are played. The page stays open until Ctrl-C."
    ),
]
"""The option --watch of commands that play matches."""
PlayersGame = Annotated[
    str | None,
    typer.Option(
        help="Name of the game; needed if no player implies it. With parameters, as NAME:KEY=VALUE, it is the rules "
        "that all players play by."
    ),
]
"""The option --game of commands that play matches."""
OpenBrowser = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")]
"""The option --open of commands that show a page."""
Flipped = Annotated[bool, typer.Option("--flipped", help="Show the board as the other side sees it.")]
"""The option --flipped of commands that draw a board."""
Fen = Annotated[str | None, typer.Option(help="Initial position, in the game's notation.")]
"""The option --fen."""
Encoding = Annotated[str, typer.Option(help="Encoding of the file.", callback=require_encoding)]
"""The option --encoding of commands that read files of games."""
PositionsFile = Annotated[
    str | None, typer.Option("--file", help="File with one position per line; - reads standard input.")
]
"""The option --file of commands that probe oracles (probe.py)."""
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
"""The option --json of commands that print a line for each result."""


def game_help(*sources: str) -> str:
    """Return the help of the option --game of a command.

    sources: what can imply the game, such as "player" or "file"; without any, it is implied only if it is the only one.
    """
    if not sources:
        return "Name of the game; needed if several games are installed."
    if len(sources) == 1:
        return f"Name of the game; needed if the {sources[0]} does not imply it."
    return f"Name of the game; needed if neither {', '.join(sources[:-1])} nor {sources[-1]} implies it."


def as_option(parameter: str) -> str:
    """Return the option for a parameter: `--match-games` for `match_games`."""
    return f"--{parameter.replace('_', '-')}"


Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
"""The option --force."""


def require_new(path: Path, force: bool) -> None:
    """Raise GameforgeError if the file cannot be written, or exists and may not be overwritten; in a terminal, ask."""
    if path.exists() and not force:
        if not (path.is_file() and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))):
            raise GameforgeError(f"{path} already exists; choose another file, or overwrite it with --force")
        if not typer.confirm(f"{path} already exists. Overwrite it?"):
            raise GameforgeError(f"{path} is unchanged")
    require_writable(path)


def require_different(**files: Path | None) -> None:
    """Raise GameforgeError if two options, given by their parameters, name the same path."""
    named = [(as_option(parameter), path) for parameter, path in files.items() if path is not None]
    for i, (option, path) in enumerate(named):
        for other, same in named[:i]:
            if os.path.realpath(path) == os.path.realpath(same):
                raise GameforgeError(f"{other} and {option} name the same path, {path}; choose different ones")


def require_suffix(option: str, path: Path, what: str, suffixes: Sequence[str]) -> None:
    """Raise GameforgeError unless the name of the file ends in one of the suffixes; what: such as "a PNG file"."""
    if path.suffix.lower() not in suffixes:
        *others, last = suffixes
        allowed = f"{', '.join(others)} or {last}" if others else last
        raise GameforgeError(f"{option} {path}: must be the name of {what}, ending in {allowed}")

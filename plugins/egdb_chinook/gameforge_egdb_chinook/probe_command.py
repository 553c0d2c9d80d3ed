"""`gameforge egdb probe`: what an oracle knows of positions and of their moves."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from gameforge.cli.live import Preparation, compilation_notice
from gameforge.config import parse_spec
from gameforge.errors import GameforgeError
from gameforge.game import Game, Position
from gameforge.lookup import Lookup
from gameforge.oracle import Verdict

_AFTER = {"win": "loss", "loss": "win", "draw": "draw", "unknown": "unknown"}
"""Value of a move by that of the position behind it, where the other side is to move."""


def probe(
    ctx: typer.Context,
    fens: Annotated[
        list[str] | None, typer.Argument(metavar="FEN...", help="Positions, in the game's notation.")
    ] = None,
    game: Annotated[str, typer.Option(help="The game: draughts, with parameters: NAME:key=value.")] = "draughts",
    oracle: Annotated[
        str, typer.Option(help="Where the values come from; files are named by chinook:path=DIR.")
    ] = "chinook",
    file: Annotated[
        str | None, typer.Option("--file", help="A file with one position a line; - reads standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Threads, where something has to be computed first.")] = 2,
) -> None:
    """Print each position's value for the side to move, its distance where the database has it, and every move's value.

    A distance counts plies to the end, or (metric mtc) to the next capture or man's move. `unknown` is a position
    that the database does not cover.
    """
    if not fens and file is None:
        raise GameforgeError("name a position, or a file of positions with --file (- for standard input)")
    registry = ctx.obj.registry
    rules = Game(registry.create("rules", parse_spec(game)))
    spec = parse_spec(oracle)
    console = Console(highlight=False, stderr=True)
    lookup = Lookup(registry.create("oracle", spec, rules.rules.name), spec)
    with compilation_notice(console), Preparation(console) as preparation:
        lookup.kernel(rules, preparation, workers)
    for where, fen in _positions(fens or [], file):
        try:
            position = rules.position(fen)
        except GameforgeError as error:
            raise GameforgeError(f"{where}{error}") from None
        found = {"fen": fen, **describe(lookup, position)}
        print(json.dumps(found) if as_json else _text(found), flush=True)


def _positions(fens: list[str], file: str | None) -> Iterator[tuple[str, str]]:
    """(where it stands, for messages, and FEN); empty lines are left out."""
    yield from (("", fen) for fen in fens)
    if file is None:
        return
    name = "standard input" if file == "-" else file
    try:
        stream = sys.stdin if file == "-" else Path(file).open(encoding="utf-8-sig", errors="replace")  # noqa: SIM115
    except OSError as error:
        raise GameforgeError(f"{file}: cannot be read ({error.strerror})") from error
    with stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield f"{name}, line {number}: ", line.strip()


def describe(lookup: Lookup, position: Position) -> dict[str, Any]:
    """A position as the command prints it: value, distance, moves."""
    verdict = lookup.get(position)
    moves = []
    for move in position.legal_moves:
        behind = lookup.get(position.after(move.code))
        value, distance = _entry(behind)
        moves.append(
            {"move": str(move), "value": _AFTER[value], "distance": None if distance is None else distance + 1}
        )
        if behind is not None and behind.conversion and _is_conversion(position, move.code):
            moves[-1]["distance"] = None if distance is None else 1
    value, distance = _entry(verdict)
    return {"value": value, "distance": distance, "moves": moves}


def _entry(verdict: Verdict | None) -> tuple[str, int | None]:
    return ("unknown", None) if verdict is None else (verdict.value, verdict.distance)


def _is_conversion(position: Position, code: int) -> bool:
    from gameforge_draughts.board import BOARD

    own, opp, kings = position.state
    after = position.after(code).state
    men_before = (own | opp) & ~kings & int(BOARD)
    men_after = (after[0] | after[1]) & ~after[2] & int(BOARD)
    return men_before != men_after or (own | opp).bit_count() != (after[0] | after[1]).bit_count()


def _text(found: dict[str, Any]) -> str:
    lines = [f"{found['fen']}: {_value(found)}"]
    lines += [f"  {move['move']:12} {_value(move)}" for move in found["moves"]]
    return "\n".join(lines)


def _value(entry: dict[str, Any]) -> str:
    distance = entry["distance"]
    return (
        str(entry["value"])
        if distance is None
        else f"{entry['value']} in {distance} {'ply' if distance == 1 else 'plies'}"
    )

"""`gameforge egdb stats`: wins, losses, draws and the longest win of every slice."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from gameforge.cli.shared.figures_text import counted
from gameforge_egdb_chinook.build_command import GameOption, check_game
from gameforge_egdb_chinook.databases import Database, databases
from gameforge_egdb_chinook.verify import check_bytes, check_published

DRAWN_AFTER = 80
"""Plies without a capture or a man's move after which a game is drawn (the 40-move rule)."""


def stats(
    path: Annotated[Path, typer.Argument(help="Folder with databases, or one index or manifest file.")],
    game: GameOption = "draughts",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per slice.")] = False,
) -> None:
    """Print each slice's positions, wins, losses and draws for the side to move, and its longest win with an example.

    Files without a manifest have no values for positions with pending captures, so only the others are counted.
    """
    check_game(game)
    for database in databases(path):
        check_bytes(database)
        check_published(database)
        rows = list(_rows(database))
        if as_json:
            for row in rows:
                print(json.dumps({"database": database.title, **row}))
            continue
        print(database.title + ("" if database.manifest else " (positions without pending captures)"))
        print(f"{'slice':8} {'positions':>14} {'won':>14} {'lost':>14} {'drawn':>14}  longest win")
        for row in rows:
            _print(row["name"], row)
        for pieces in sorted({_pieces(row) for row in rows}):
            _print(f"{pieces}", _sum([row for row in rows if _pieces(row) == pieces]))
        if database.metric == "mtc":
            print(_beyond_the_rule(database))


def _pieces(row: dict[str, Any]) -> int:
    return sum(map(int, row["name"][:4]))


def _print(title: str, row: dict[str, Any]) -> None:
    longest = "" if row["longest_win"] is None else f"{counted(row['longest_win'], 'ply', 'plies')}, {row['example']}"
    print(f"{title:8} {row['positions']:14,} {row['win']:14,} {row['loss']:14,} {row['draw']:14,}  {longest}".rstrip())


def _sum(rows: list[dict[str, Any]]) -> dict[str, Any]:
    longest = max(rows, key=lambda row: -1 if row["longest_win"] is None else int(row["longest_win"]))
    total = {key: sum(row[key] for row in rows) for key in ("positions", "win", "loss", "draw")}
    return {**total, "longest_win": longest["longest_win"], "example": longest["example"]}


def _beyond_the_rule(database: Database) -> str:
    """A sentence that counts the won and lost positions that the 40-move rule turns into draws."""
    assert database.manifest is not None
    assert database.distances is not None
    distances = np.memmap(database.distances, np.uint8, "r")
    found = []
    for record in database.manifest.slices:
        if max(record["longest_win"] or 0, record["longest_loss"] or 0) > DRAWN_AFTER:
            first, end = record["bytes"]
            plies = distances[first:end] & 127
            found.append(f"{np.count_nonzero(plies > DRAWN_AFTER):,} of BASE{record['name']}")
    rule = f"more than {DRAWN_AFTER} plies to the next capture or man's move"
    return f"{rule}: " + ", ".join(found) if found else f"no position needs {rule}"


def _rows(database: Database) -> Iterator[dict[str, Any]]:
    """One record per slice, with the keys of a manifest's records."""
    if database.manifest is not None:
        for record in database.manifest.slices:
            yield {key: record[key] for key in ("name", "positions", "win", "loss", "draw", "longest_win", "example")}
        return
    from gameforge_egdb_chinook.encoder import tally
    from gameforge_egdb_chinook.recurrence import forget_captures
    from gameforge_egdb_chinook.units import DraughtsUnits

    units = DraughtsUnits(database.slices)
    game = units.game_block(units.starts)
    for level in units.levels:
        for unit in level:
            values = database.quiet_values(units, unit)
            forget_captures(game, units.unit_block(unit), values)
            for s, part in units.parts(unit, values):
                _, win, loss, draw = tally(part).tolist()
                counts = {"positions": win + loss + draw, "win": win, "loss": loss, "draw": draw}
                yield {"name": s.name, **counts, "longest_win": None, "example": None}

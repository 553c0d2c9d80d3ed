"""Printing what an oracle knows about positions and their moves: the game-independent part of `probe` commands."""

import io
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

from gameforge.cli.console import Console
from gameforge.cli.terminal import compilation_notice
from gameforge.config import Spec
from gameforge.config.outside import open_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Verdict
from gameforge.play.display import counted
from gameforge.play.game import Game, Position
from gameforge.play.knowledge import OracleHandle

_AFTER = {"win": "loss", "loss": "win", "draw": "draw", "unknown": "unknown"}
"""Value of a move by the value of the position after it, for the other side."""

Converts = Callable[[Position, int], bool]
"""Whether a move, given as its word, is a conversion, at which a distance to the next conversion ends."""


def print_verdicts(
    registry: Registry,
    game: str,
    oracle: str,
    positions: Sequence[str],
    file: str | None,
    as_json: bool,
    workers: int,
    converts: Converts | None = None,
) -> None:
    """Print the value (for the side to move) and, if known, the distance of each position and of each of its moves.

    game, oracle: as on the command line. file: a file with one position per line, or `-` for standard input.
    Raises GameforgeError for a text that is not a position, and if there are no positions.
    """
    if not positions and file is None:
        raise GameforgeError(
            "no position is given; give one, or a file of positions with --file (- for standard input)"
        )
    rules = Game(registry.create("rules", Spec.parse(game)))
    spec = Spec.parse(oracle)
    console = Console(highlight=False, stderr=True)
    handle = OracleHandle(registry.create("oracle", spec, rules.rules.name), spec, registry=registry)
    read = _positions(rules, positions, file)
    with compilation_notice(console), console.preparation() as preparation:
        first = list(itertools.islice(read, 1))  # a wrong text is reported before a database is built
        handle.functions(rules, preparation, workers)
    for text, position in itertools.chain(first, read):
        found = {"fen": text, **_described(handle, position, converts)}
        print(json.dumps(found) if as_json else _text(found), flush=True)


def _positions(rules: Game, positions: Sequence[str], file: str | None) -> Iterator[tuple[str, Position]]:
    """Yield each position with its text, first those of the arguments, which are all read before; then those of a file.

    Empty lines of the file are skipped.
    """
    name = "standard input" if file == "-" else file
    stream: TextIO = io.StringIO()
    try:
        if file is not None:
            stream = sys.stdin if file == "-" else io.TextIOWrapper(open_file(file), "utf-8-sig", "replace")
    except OSError as error:
        raise GameforgeError(f"{file}: cannot be read ({error.strerror})") from error
    with stream:
        yield from [(text, rules.position(text)) for text in positions]
        for number, line in enumerate(stream, 1):
            if text := line.strip():
                try:
                    yield text, rules.position(text)
                except GameforgeError as error:
                    raise GameforgeError(f"{name}, line {number}: {error}") from None


def _described(handle: OracleHandle, position: Position, converts: Converts | None) -> dict[str, Any]:
    """Value, distance and moves of a position."""
    verdict = handle.get(position)
    moves = []
    for move in position.legal_moves:
        after = handle.get(position.after(move.code))
        value, distance = _entry(after)
        moves.append(
            {"move": str(move), "value": _AFTER[value], "distance": None if distance is None else distance + 1}
        )
        if converts is not None and after is not None and after.conversion and converts(position, move.code):
            moves[-1]["distance"] = None if distance is None else 1
    value, distance = _entry(verdict)
    return {"value": value, "distance": distance, "moves": moves}


def _entry(verdict: Verdict | None) -> tuple[str, int | None]:
    return ("unknown", None) if verdict is None else (verdict.value, verdict.distance)


def _text(found: dict[str, Any]) -> str:
    lines = [f"{found['fen']}: {_value(found)}"]
    lines += [f"  {move['move']:12} {_value(move)}" for move in found["moves"]]
    return "\n".join(lines)


def _value(entry: dict[str, Any]) -> str:
    distance = entry["distance"]
    if distance is None:
        return str(entry["value"])
    return f"{entry['value']} in {counted(distance, 'ply', 'plies')}"

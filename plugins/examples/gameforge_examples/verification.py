"""What can be verified of a folder of examples: its files, and that its matches follow the rules.

A match holds no moves, but states with the plies before them. Legal moves must lead to the states after a ply from one
state of the ply before it. That is tried for some matches, which the checksums of the files draw. Examples that were
filtered or imported are not whole matches.
"""

import random
from pathlib import Path

import numpy as np

from gameforge import Game, GameforgeError, Position, Registry
from gameforge.interfaces import Announce, Spec, State
from gameforge.storage import stored
from gameforge_examples.folder import EXAMPLES_FORMAT, MADE_BY, Batch, ExampleFolder, Rows

_MATCHES = 100
"""Number of matches of a batch that are replayed."""


def sound(path: Path, registry: Registry, announce: Announce) -> str | None:
    """Check a folder, and say what holds; None if its manifest is of another format.

    Raises GameforgeError if a file is damaged or a match contradicts the rules.
    """
    content = stored.parse_json(stored.read_file(EXAMPLES_FORMAT.path(path)))
    if not isinstance(content, dict) or content.get("format") != EXAMPLES_FORMAT.format:
        return None
    EXAMPLES_FORMAT.require_unaltered(path)
    folder = ExampleFolder.read(path)
    for _ in folder.shards():
        pass
    found = f"{folder.examples:,} examples in files as they were written"
    game = Game(registry.create("rules", Spec(folder.game)))
    if game.rules_text != folder.rules:
        return f"{found}; their rules have settings, with which they cannot be replayed"
    matches = positions = 0
    for batch in folder.batches:
        if batch.made.get("by") in MADE_BY:
            for rows in _drawn_matches(folder, batch):
                positions += _followed(folder, game, rows)
                matches += 1
                announce(f"checking {folder.path.name}", matches, _MATCHES * len(folder.batches))
    return f"{found}, {positions:,} positions of {matches:,} matches by the rules" if matches else found


def _drawn_matches(folder: ExampleFolder, batch: Batch) -> list[Rows]:
    """Return the rows of each of some matches of a batch."""
    found = []
    for shard in batch.shards:
        rows = folder.rows_of(shard)
        numbers = np.unique(rows["match"]).tolist()
        share = min(len(numbers), -(-_MATCHES // len(batch.shards)))
        for number in sorted(random.Random(shard.sha256).sample(numbers, share)):
            found.append(rows[rows["match"] == number])
    return found


def _followed(folder: ExampleFolder, game: Game, rows: Rows) -> int:
    """Return how many states of a match could be checked; GameforgeError if some cannot follow those before them."""
    checked = 0
    plies = {int(ply): {*map(tuple, rows["state"][rows["ply"] == ply].tolist())} for ply in np.unique(rows["ply"])}
    for ply, states in plies.items():
        before = plies.get(ply - 1)
        if before is None:  # the ply before was not kept
            continue
        if not any(states <= _successors(game, state) for state in before):
            first = game.position_text(min(states))
            more = f" and to the {len(states) - 1} other positions" if len(states) > 1 else ""
            where = f"{folder.path}: match {rows['match'][0]}, ply {ply}"
            raise GameforgeError(f"{where}: no position of the ply before leads by legal moves to {first}{more}")
        checked += len(states)
    return checked


def _successors(game: Game, state: State) -> set[State]:
    position = Position(game, state)
    return {position.after(code).state for code in position.codes}

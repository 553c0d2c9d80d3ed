"""Perft files: known counts of a game, one position per line.

    # a comment
    start | POSITION | 1=20 2=400 3=8902

The position is in the game's notation; if it is empty, it is the initial position.
"""

from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.play.perft import perft
from gameforge.storage.game_lines import read_lines


@attrs.frozen
class PerftLine:
    """A position with the known numbers of move sequences from it."""

    name: str
    """What the position is called in messages."""
    position: str
    """The position in the game's notation."""
    counts: dict[int, int]
    """Depth in plies -> number of move sequences."""

    def wrong(self, game: Game, most: int = 1_000_000) -> dict[int, int]:
        """Return the game's own counts at the depths where they differ; counts above `most` are not checked."""
        position = game.position(self.position or None)
        found = {depth: perft(position, depth) for depth, count in self.counts.items() if count <= most}
        return {depth: count for depth, count in found.items() if count != self.counts[depth]}


def perft_file(path: Path) -> list[PerftLine]:
    """Read a perft file: the `name`, `position` and `counts` of each line, whose `wrong(game)` finds wrong counts.

    Raises GameforgeError for a missing file, a malformed line, and a file without positions.
    """
    lines = []
    for number, text in enumerate(read_lines(path, "utf-8"), start=1):
        text = text.rstrip("\n")
        if text.strip() and not text.startswith("#"):
            try:
                name, position, counts = (part.strip() for part in text.split("|"))
                pairs = [entry.split("=") for entry in counts.split()]
                lines.append(PerftLine(name, position, {int(depth): int(count) for depth, count in pairs}))
            except ValueError:
                raise GameforgeError(
                    f"{path}, line {number}: {text!r}: must be NAME | POSITION | DEPTH=COUNT ..."
                ) from None
    if not lines:
        raise GameforgeError(f"{path}: the perft file has no positions")
    return lines

"""Perft files: the known counts of a game, one position a line.

    # a comment
    start | POSITION | 1=20 2=400 3=8902

The position is a text that the game reads; left empty it is the initial one.
"""

from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.play.perft import perft


@attrs.frozen
class PerftLine:
    """A position with the numbers of sequences of moves that begin there."""

    name: str
    position: str
    counts: dict[int, int]
    """Depth in plies -> number of sequences."""

    def wrong(self, game: Game, most: int = 1_000_000) -> dict[int, int]:
        """Depth -> what the game counts instead, for counts of up to `most`; empty: all is right."""
        position = game.position(self.position or None)
        found = {depth: perft(position, depth) for depth, count in self.counts.items() if count <= most}
        return {depth: count for depth, count in found.items() if count != self.counts[depth]}


def perft_file(path: Path) -> list[PerftLine]:
    """The lines of a file; raises GameforgeError for one that cannot be read, or for a file without any."""
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if text.strip() and not text.startswith("#"):
            try:
                name, position, counts = (part.strip() for part in text.split("|"))
                pairs = [entry.split("=") for entry in counts.split()]
                lines.append(PerftLine(name, position, {int(depth): int(count) for depth, count in pairs}))
            except ValueError:
                raise GameforgeError(
                    f"{path}, line {number}: must be NAME | POSITION | DEPTH=COUNT ..., but is {text!r}"
                ) from None
    if not lines:
        raise GameforgeError(f"{path}: no position stands in this perft file")
    return lines

"""Statistics of the games of a file, in constant memory."""

from collections import Counter
from typing import Any

import attrs

from gameforge.cli.shared.figures_text import counted
from gameforge.interfaces.games import GameRecord
from gameforge_draughts.pdn.games import PdnGame
from gameforge_draughts.pdn.notes import Notes

FIRST_MOVES = {
    "9-13": "Edinburgh",
    "9-14": "Double Corner",
    "10-14": "Denny",
    "10-15": "Kelso",
    "11-15": "Old Faithful",
    "11-16": "Bristol",
    "12-16": "Dundee",
}
"""Names of the seven first moves of English draughts, from the table of openings in [KimCho2007]."""


@attrs.define
class Statistics:
    """Counts over games."""

    results: Counter[str] = attrs.field(factory=Counter)
    """Numbers of games by the name of the winner, `drawn` or `unknown`."""
    kinds: Counter[str] = attrs.field(factory=Counter)
    """Numbers of games by the name of the game."""
    first_moves: Counter[str] = attrs.field(factory=Counter)
    """First moves of the games that begin at the initial position."""
    set_up: int = 0
    """Number of games that begin elsewhere."""
    plies: int = 0
    fewest: int | None = None
    most: int = 0
    comments: int = 0
    variations: int = 0

    def add(self, game: GameRecord, notes: Notes, kind: PdnGame) -> None:
        moves, winner = game.moves, game.outcome.winner
        result = "unknown" if not game.finished else "drawn" if winner is None else kind.sides[winner]
        self.results[result] += 1
        self.kinds[kind.rules.name] += 1
        self.plies += len(moves)
        self.fewest = len(moves) if self.fewest is None else min(self.fewest, len(moves))
        self.most = max(self.most, len(moves))
        if game.start != kind.start:
            self.set_up += 1
        elif moves:
            self.first_moves[kind.line_texts(game.start, moves[:1])[0]] += 1
        self._count_notes(notes)

    def _count_notes(self, notes: Notes) -> None:
        for note in notes.values():
            self.comments += len(note.before) + len(note.comments)
            self.variations += len(note.variations)
            for variation in note.variations:
                self._count_notes(variation.notes)

    @property
    def games(self) -> int:
        return self.results.total()

    def numbers(self) -> dict[str, Any]:
        """Return all counts, for programs; plies are those of the main lines."""
        return {
            "games": self.games,
            "black": self.results["Black"],
            "drawn": self.results["drawn"],
            "white": self.results["White"],
            "unknown": self.results["unknown"],
            "plies": self.plies,
            "fewest": self.fewest,
            "most": self.most,
            "set_up": self.set_up,
            "comments": self.comments,
            "variations": self.variations,
            "first_moves": dict(self.first_moves.most_common()),
        }

    def text(self) -> str:
        """Return all counts as text."""
        n = self.numbers()
        lines = [
            counted(self.games, "game"),
            f"  won by Black {n['black']:,}, by White {n['white']:,}, drawn {n['drawn']:,}, unknown {n['unknown']:,}",
            f"  plies {self.plies:,}: {self.plies / max(1, self.games):.1f} a game, "
            f"fewest {self.fewest or 0}, most {self.most}",
            f"  set up from a FEN {self.set_up:,}, comments {self.comments:,}, variations {self.variations:,}",
        ]
        if len(self.kinds) > 1:
            lines.append("  " + ", ".join(f"{name} {count:,}" for name, count in self.kinds.most_common()))
        for move, count in self.first_moves.most_common():
            name = FIRST_MOVES.get(move, "") if set(self.kinds) == {"draughts"} else ""
            lines.append(f"  {move:>6} {name:14}{count:9,} {100 * count / self.games:5.1f} %")
        return "\n".join(lines)

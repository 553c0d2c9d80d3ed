"""Games as records: how a game begins, a game with what is known of it, and the boards of a game without its moves."""

from collections.abc import Mapping

import attrs

from gameforge.interfaces.outcome import UNFINISHED, Outcome
from gameforge.interfaces.rules import State


@attrs.frozen
class Opening:
    """A line that begins games: moves from a state, played before the players choose."""

    name: str
    """What the game's books call it, as "9-13 21-17 5-9" or "Old Fourteenth"."""
    start: State
    moves: tuple[int, ...] = ()


@attrs.frozen(kw_only=True)
class Annotations:
    """What somebody wrote about a game."""

    tags: Mapping[str, str] = attrs.field(factory=dict)
    comments: Mapping[int, str] = attrs.field(factory=dict)
    """comments[i] follows the first i moves."""
    marks: Mapping[int, str] = attrs.field(factory=dict)
    """marks[i] judges moves[i]: `!`, `?`, `??` and so on."""


@attrs.frozen(kw_only=True)
class GameRecord:
    """A game: played by a learner or in a match, entered by a person, or read from a file."""

    phase: str = ""
    """What it was played for: `training`, `test`, `tournament` or `match`; "" for other games."""
    number: int = 0
    """Counts from 1 within its phase or its file; 0 where nobody counts."""
    players: tuple[str, str] = ("", "")
    """Names of the first and the second mover; "" where unknown."""
    start: State
    moves: tuple[int, ...]
    """All moves, those of the opening included."""
    outcome: Outcome
    """UNFINISHED if the game has no result."""
    session: int = 0
    """Session of the training, from 1; 0 outside of one."""
    learner: int | None = None
    """Side of the learner in a training or test game."""
    opening: str = ""
    """Name of the opening of a match's game."""
    opening_plies: int = 0
    """Moves that the opening prescribed, the first of `moves`."""
    seconds: tuple[float, float] = attrs.field(default=(0.0, 0.0), eq=False)
    """Time in the searches of the first and the second mover, where it was taken."""
    searches: tuple[int, int] = (0, 0)
    """Moves for which they searched: all but only moves and the opening's."""
    note: str = ""
    """What a player crashed with."""
    annotations: Annotations = Annotations()

    @property
    def finished(self) -> bool:
        return self.outcome != UNFINISHED

    @property
    def reason(self) -> str:
        """Why the game ended, and what a player crashed with; "" if the game is not finished or nobody says."""
        if not self.finished:
            return ""
        return f"{self.outcome.reason}: {self.note}" if self.note else self.outcome.reason

    @property
    def event(self) -> str:
        """What the game was played for, as one reads it; "" if it has no phase."""
        session = f", session {self.session}" if self.session else ""
        return f"{self.phase} {self.number}{session}" if self.phase else ""

    def tags(self, sides: tuple[str, str]) -> dict[str, str]:
        """Tags for a file: those of the annotations, then event, players and opening where these do not name them."""
        known = {"Event": self.event, sides[0]: self.players[0], sides[1]: self.players[1], "Opening": self.opening}
        tags = dict(self.annotations.tags)
        for name, value in known.items():
            if value and name not in tags:
                tags[name] = value
        return tags


@attrs.frozen
class GameBoards:
    """A game without its moves: the boards that each side left behind, as some files for training hold them."""

    boards: tuple[tuple[State, ...], tuple[State, ...]]
    """States after the first mover's moves, and after the second's."""
    winner: int | None

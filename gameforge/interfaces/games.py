"""Games as records: what begins one, one that was played, one that a file holds."""

from collections.abc import Mapping

import attrs

from gameforge.interfaces.outcome import Outcome
from gameforge.interfaces.rules import State


@attrs.frozen
class Opening:
    """A line that begins games: moves from a state, played before the players choose."""

    name: str
    """What the game's books call it, as "9-13 21-17 5-9" or "Old Fourteenth"."""
    start: State
    moves: tuple[int, ...] = ()


@attrs.frozen(kw_only=True)
class StoredGame:
    """A game as a file holds it, finished or not, with what somebody wrote about it."""

    tags: Mapping[str, str] = attrs.field(factory=dict)
    start: State
    moves: tuple[int, ...]
    finished: bool = True
    winner: int | None = None
    """0, 1, or None for a draw and for a game that is not finished."""
    reason: str = ""
    """Why the game ended; "" where nobody says."""
    comments: Mapping[int, str] = attrs.field(factory=dict)
    """comments[i] stands behind the first i moves."""
    marks: Mapping[int, str] = attrs.field(factory=dict)
    """marks[i] judges moves[i]: `!`, `?`, `??` and so on."""


@attrs.frozen
class TrainingGame:
    """A game as a learner is fed it: what each side left behind, move by move."""

    boards: tuple[tuple[State, ...], tuple[State, ...]]
    """States after the first mover's moves, and after the second's."""
    winner: int | None


@attrs.frozen(kw_only=True)
class GameRecord:
    """A finished game."""

    phase: str
    """What it was for: `training`, `test`, `tournament` or `match`."""
    number: int
    """Counts from 1 within its phase."""
    players: tuple[str, str]
    """Names of the first and the second mover."""
    start: State
    moves: tuple[int, ...]
    outcome: Outcome
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

"""Records of games: openings, games with their results and annotations, and games that consist of boards only."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Outcome, State


@attrs.frozen
class Opening:
    """An opening: a state and moves that are played before the players choose."""

    name: str
    """The usual name of the opening, such as "9-13 21-17 5-9" or "Old Fourteenth"."""
    start: State
    """The state in which the opening begins."""
    moves: tuple[int, ...] = ()
    """Words of its moves."""


@attrs.frozen(kw_only=True)
class Annotations:
    """Tags, comments, marks and variations of a game, or those of a variation, which has no tags."""

    tags: Mapping[str, str] = attrs.field(factory=dict)
    """Tags of the game by name, such as `Event`, in the order of the file."""
    comments: Mapping[int, str] = attrs.field(factory=dict)
    """comments[i] stands after the first i moves."""
    marks: Mapping[int, str] = attrs.field(factory=dict)
    """marks[i] judges move i: `!`, `?`, `??` and so on."""
    glyphs: Mapping[int, tuple[int, ...]] = attrs.field(factory=dict)
    """glyphs[i]: numeric annotation glyphs of move i, as in PGN and PDN: 1 for `$1`."""
    variations: "Mapping[int, tuple[Variation, ...]]" = attrs.field(factory=dict)
    """variations[i] are lines that might have been played instead of move i and what follows it.

    Formats without variations leave them out.
    """


@attrs.frozen(kw_only=True)
class Variation:
    """A line that might have been played, with at least one move."""

    moves: tuple[int, ...]
    """Words of its moves."""
    annotations: Annotations = Annotations()
    """Comments and marks of the line, and variations of it."""
    after: str = ""
    """Comment that stands behind the line and belongs to the moves that it branches off from."""


class PlayedMove(Protocol):
    """A move in the position in which it was made, as gameforge.Move: `move.position.play(move)` plays it again."""

    @property
    def code(self) -> int: ...


class MovesOfRecords(Protocol):
    """What makes the moves of a record out of its codes: the game (gameforge.Game)."""

    def moves_of(self, record: "GameRecord") -> Sequence[PlayedMove]: ...


@attrs.frozen(kw_only=True)
class GameRecord:
    """A game: played by a learner or in a match, entered by a person, or read from a file."""

    phase: str = ""
    """The purpose of the game: `training`, `test`, `tournament` or `match`; "" for other games."""
    number: int = 0
    """Number within its phase or file, from 1; 0 if games are not numbered."""
    players: tuple[str, str] = ("", "")
    """Names of the first and the second mover; "" if unknown."""
    start: State
    """The state in which the game began."""
    codes: tuple[int, ...] = attrs.field(alias="moves")
    """All moves as words, including those of the opening. Files and the constructor call them `moves`."""
    outcome: Outcome
    """`Outcome.UNFINISHED` if the game has no result."""
    session: int = 0
    """Session of the training, from 1; 0 for games outside a training."""
    learner: int | None = None
    """Side of the learner in a training or test game."""
    opening: str = ""
    """Name of the opening of a match game."""
    opening_plies: int = 0
    """Number of moves at the beginning of the game that the opening prescribed."""
    seconds: tuple[float, float] = attrs.field(default=(0.0, 0.0), eq=False)
    """Search time of the first and the second mover, if it was measured."""
    processor: tuple[float, float] = attrs.field(default=(0.0, 0.0), eq=False)
    """Seconds of processor time of these searches, including those of helper threads and of an engine's process."""
    searches: tuple[int, int] = (0, 0)
    """Number of searches of each side; there is none for opening moves and for only moves."""
    note: str = ""
    """The exception with which a player crashed, or what an engine that plays by other rules did."""
    annotations: Annotations = Annotations()
    """Tags, comments, marks and variations."""
    game: MovesOfRecords | None = attrs.field(default=None, eq=False, repr=False)
    """The game that was played; None if whoever made the record does not know it."""

    @property
    def moves(self) -> Sequence[PlayedMove]:
        """All moves, including those of the opening, each in its position (gameforge.Move).

        A move is made when it is asked for. Raises GameforgeError if the record does not know its game.
        """
        if self.game is None:
            raise GameforgeError("this record does not know its game; Game.moves_of(record) returns its moves")
        return self.game.moves_of(self)

    @property
    def finished(self) -> bool:
        """Whether the game has a result."""
        return self.outcome.winner is not None or self.outcome != Outcome.UNFINISHED

    @property
    def reason(self) -> str:
        """Why the game ended, with the exception if a player crashed; "" if it is unfinished or the reason unknown."""
        if not self.finished:
            return ""
        return f"{self.outcome.reason}: {self.note}" if self.note else self.outcome.reason

    @property
    def event(self) -> str:
        """Phase, number and session as text, such as `training 7, session 2`; "" if the game has no phase."""
        session = f", session {self.session}" if self.session else ""
        return f"{self.phase} {self.number}{session}" if self.phase else ""

    def tags(self, sides: tuple[str, str]) -> dict[str, str]:
        """Return the tags for a file: those of the annotations, then event, players and opening if still missing."""
        known = {"Event": self.event, sides[0]: self.players[0], sides[1]: self.players[1], "Opening": self.opening}
        tags = dict(self.annotations.tags)
        for name, value in known.items():
            if value and name not in tags:
                tags[name] = value
        return tags


@attrs.frozen
class GameBoards:
    """A game without its moves: the boards after the moves of each side, as in some files of training games."""

    boards: tuple[tuple[State, ...], tuple[State, ...]]
    """States after the moves of the first mover, and after those of the second."""
    winner: int | None
    """0: the first mover, 1: the second, None: a draw."""

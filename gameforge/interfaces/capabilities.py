"""Capabilities: what rules can offer beyond the moves of their game, each a small protocol.

The core looks whether the methods are there and never asks for a game by name.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from gameforge.interfaces.games import Opening, StoredGame, TrainingGame
from gameforge.interfaces.rules import State


@runtime_checkable
class HasNotation(Protocol):
    """Moves as text. Without it a move is written as its word in hexadecimal."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Shortest text that tells `move` from the other legal moves."""
        ...

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """The legal move that `text` means; raises GameforgeError, which lists the legal moves."""
        ...


@runtime_checkable
class HasSetup(Protocol):
    """Positions as text (FEN or whatever the game uses). Without it a state is written as its words."""

    def parse_position(self, text: str) -> State:
        """Raises GameforgeError if the text is no possible position."""
        ...

    def position_text(self, state: State) -> str: ...


@runtime_checkable
class HasDiagram(Protocol):
    """A board to look at in a terminal."""

    def diagram(self, state: State) -> str: ...


@runtime_checkable
class HasSvg(Protocol):
    """A board to look at in a notebook."""

    def svg(self, state: State) -> str: ...


@runtime_checkable
class HasGameText(Protocol):
    """A finished game in the game's own file format (PDN, PGN, ...)."""

    @property
    def game_suffix(self) -> str:
        """Ending of such files, with the dot."""
        ...

    def game_text(
        self, tags: dict[str, str], start: State, moves: Sequence[int], winner: int | None, reason: str
    ) -> str:
        """One game; `winner` is 0, 1 or None for a draw."""
        ...


@runtime_checkable
class HasOpenings(Protocol):
    """Sets of openings by name, from which matches begin."""

    @property
    def opening_sets(self) -> tuple[str, ...]:
        """Names that `openings` takes."""
        ...

    def openings(self, name: str) -> Sequence[Opening]:
        """The openings of a set, all legal to the end and none a finished game; `name` is one of opening_sets."""
        ...


@runtime_checkable
class HasOpeningFiles(Protocol):
    """Files of a format of the game's own that hold openings, not whole games."""

    def opening_file(self, path: Path) -> Sequence[Opening] | None:
        """What games begin from; None if the file is of another format, GameforgeError if it is damaged."""
        ...


@runtime_checkable
class HasGameFiles(Protocol):
    """Games read from files of the game's own format, and written with comments and marks."""

    @property
    def game_suffix(self) -> str:
        """Ending of such files, with the dot."""
        ...

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[StoredGame]:
        """The games of a file, one after the other, of which only one is in memory.

        `notice` hears why a game is left out: it is of another kind, or cannot be read and `tolerant`
        is set; otherwise such a game raises GameforgeError.
        """
        ...

    def stored_text(self, game: StoredGame) -> str:
        """A game as read_games reads it."""
        ...


@runtime_checkable
class HasTrainingFiles(Protocol):
    """Files of a format of the game's own that hold games for training, as positions without moves."""

    def training_games(self, path: Path) -> Iterator[TrainingGame]:
        """The games of a file, one after the other; GameforgeError if the file is none of these or is damaged."""
        ...


@runtime_checkable
class HasMaterial(Protocol):
    """What the pieces of each side are worth, for figures such as the piece balance at the end of a game."""

    def material(self, state: State) -> tuple[float, float]:
        """Of the first and the second mover."""
        ...


@runtime_checkable
class HasSymmetries(Protocol):
    """Images of the game in itself, such as turns of the board, numbered 0 (nothing changes) to symmetries - 1.

    For each i, with s* and m* the images of a state s and of a move m that is legal there:
    * the legal moves of s* are the images of those of s, and play(s*, m*) = play(s, m)*;
    * s* has the same outcome as s for the side to move, and m* is as irreversible and as noisy as m;
    * images of different states are different, and equal positions (`key`) have equal ones.

    A symmetry may exchange the sides, as a turn of the board together with the colours does. Scores,
    always of the side to move, are then the same nevertheless.
    """

    @property
    def symmetries(self) -> int:
        """How many there are, the one that changes nothing among them: 1 or more."""
        ...

    def state_image(self, state: State, i: int) -> State: ...
    def move_image(self, state: State, move: int, i: int) -> int:
        """Image of a move that is legal in `state`."""
        ...


@runtime_checkable
class HasDefaultPlayer(Protocol):
    """Names the player that a person meets, or asks, where none is named."""

    @property
    def default_player(self) -> str:
        """Parts as on the command line: `SEARCHER + EVALUATOR`."""
        ...


@runtime_checkable
class HasPreset(Protocol):
    """Names the preset that holds this game's default pipeline."""

    @property
    def preset(self) -> str: ...

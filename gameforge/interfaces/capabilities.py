"""Capabilities: what rules can offer beyond the moves of their game.

Each capability is a small object that the rules have as an attribute: `notation`, `positions`, `drawing`, `files`,
`openings`, `symmetries`, `cells`, `material`, `defaults`. An attribute that is absent or None is not offered. Any
object with the right members will do, a module too, as `drawing = drawing` for a module with the functions `diagram`
and `svg`; a class may inherit from the protocol to get its optional methods.

`gameforge.play.game.Game` hands the capabilities out. The core never asks for a game by name.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.cells import Cells
from gameforge.interfaces.games import GameBoards, GameRecord, Opening
from gameforge.interfaces.rules import Rules, State


@runtime_checkable
class Notation(Protocol):
    """Moves as text. Without it a move is written as its word in hexadecimal."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return the shortest text that distinguishes `move` from the other legal moves."""
        ...

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move that `text` means; raise GameforgeError, which lists the legal moves, if none."""
        ...


@runtime_checkable
class Positions(Protocol):
    """Positions as text (FEN or whatever the game uses). Without it a state is written as its words."""

    def position_text(self, state: State) -> str: ...
    def parse_position(self, text: str) -> State:
        """Raise GameforgeError if the text is not a possible position."""
        ...


@runtime_checkable
class Drawing(Protocol):
    """Pictures of the board."""

    def diagram(self, state: State) -> str:
        """Draw the board for a terminal."""
        ...

    def svg(self, state: State) -> str | None:
        """Draw the board as an SVG document, for a notebook; None if the game has no such picture."""
        return None


@runtime_checkable
class GameFiles(Protocol):
    """Games in files of the game's own format (PDN, PGN, ...). Without it games are written move by move."""

    @property
    def suffix(self) -> str:
        """Suffix of such files, with the dot."""
        ...

    def game_text(self, game: GameRecord) -> str:
        """Write a game, finished or not, with its comments and marks."""
        ...

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of a file one by one; only one is in memory.

        notice: receives the reason why a game is left out: it is of another kind, or it cannot be read and
        `tolerant` is set. If it is not set, such a game raises GameforgeError.
        """
        ...

    def read_openings(self, path: Path) -> Sequence[Opening] | None:
        """Read a file of openings, not whole games, in a format of the game's own.

        Return None if the file has another format; raise GameforgeError if it is damaged.
        """
        return None

    def read_boards(self, path: Path) -> Iterator[GameBoards] | None:
        """Read a file of games for training that holds boards, not moves, in a format of the game's own.

        Return None if the game has no such format; raise GameforgeError if the file has another one or is damaged.
        """
        return None


@runtime_checkable
class Openings(Protocol):
    """Named sets of openings, from which matches begin."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sets."""
        ...

    def get(self, name: str) -> Sequence[Opening]:
        """Return the openings of a set. All their moves are legal, and none ends the game.

        Raise GameforgeError for a name that is not one of `names`.
        """
        ...


@runtime_checkable
class Symmetries(Protocol):
    """Images of the game in itself, such as rotations of the board, numbered from 0 (the identity) to count - 1.

    For each i, with s* and m* the images of a state s and of a move m that is legal there:
    * the legal moves of s* are the images of those of s, and play(s*, m*) = play(s, m)*;
    * s* has the same outcome as s for the side to move, and m* is as irreversible and as noisy as m;
    * images of different states are different, and equal positions (`key`) have equal ones.

    A symmetry may exchange the sides, as a rotation of the board together with the colours does. Scores,
    always of the side to move, are then the same nevertheless.
    """

    @property
    def count(self) -> int:
        """Number of symmetries, the identity included: 1 or more."""
        ...

    def state_image(self, state: State, i: int) -> State: ...
    def move_image(self, state: State, move: int, i: int) -> int:
        """Return the image of a move that is legal in `state`."""
        ...


Material = Callable[[State], tuple[float, float]]
"""What the pieces of the first and the second mover are worth, for figures such as the balance at the end of a game."""


@attrs.frozen(kw_only=True)
class Defaults:
    """What is used where the user names nothing. "" stands for no default."""

    player: str = ""
    """The player whom a person meets or asks, in parts as on the command line: `SEARCHER + EVALUATOR`."""
    preset: str = ""
    """The preset that holds the default pipeline."""


_KINDS: dict[str, type] = {
    "notation": Notation,
    "positions": Positions,
    "drawing": Drawing,
    "files": GameFiles,
    "openings": Openings,
    "symmetries": Symmetries,
    "cells": Cells,
    "defaults": Defaults,
}


def capability(rules: Rules, name: str) -> Any:
    """Return what the rules offer under this name, or None.

    Raise GameforgeError, for the plugin's author, if it lacks a member.
    """
    offered = getattr(rules, name, None)
    kind = _KINDS.get(name)
    if offered is None or (callable(offered) if kind is None else isinstance(offered, kind)):
        return offered
    wanted = "a function" if kind is None else f"a {kind.__module__}.{kind.__name__}"
    raise GameforgeError(f"rules {type(rules).__name__}: {name} is not {wanted}: {offered!r}")

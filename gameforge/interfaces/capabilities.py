"""Capabilities: what rules can offer beyond the moves of their game.

Each capability is a small object that the rules have as an attribute: `notation`, `positions`, `drawing`, `files`,
`openings`, `symmetries`, `cells`, `moves`, `board`, `material`, `piece_odds`, `dialects`, `defaults`. If the
attribute is absent or None, the game does not have the capability. Any object with the right members will do, even a
module: `drawing = drawing` for a module with the functions `diagram` and `svg`. A class may inherit from the protocol
to get its optional methods.

`gameforge.play.game.Game` gives access to the capabilities. The core never checks the name of a game.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Board, Cells, MoveIndices
from gameforge.interfaces.games import GameBoards, GameRecord, Opening
from gameforge.interfaces.rules import Rules, State


@runtime_checkable
class Notation(Protocol):
    """Moves as text. Without this capability, a move is written as its word in hexadecimal."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return the shortest text that distinguishes `move` from the other legal moves."""
        ...

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move that `text` means; raise GameforgeError, with the legal moves, if there is none."""
        ...


@runtime_checkable
class Positions(Protocol):
    """Positions as text (FEN or whatever the game uses). Without this capability, a state is written as its words."""

    def position_text(self, state: State) -> str:
        """The position as text, which `parse_position` reads."""
        ...

    def parse_position(self, text: str) -> State:
        """Raise GameforgeError if the text is not a possible position."""
        ...


@runtime_checkable
class Dialect(Notation, Positions, Protocol):
    """How one protocol writes positions and moves of this game. The text of a move need not be the shortest."""

    @property
    def variant(self) -> str:
        """Name of the game in this protocol; "" if the protocol names no games."""
        ...

    @property
    def implied(self) -> str:
        """Text of a move that programs leave out because it follows by itself, such as a pass; "" if there is none."""
        ...


@runtime_checkable
class Dialects(Protocol):
    """The dialects of a game."""

    def dialect(self, protocol: str) -> Dialect | None:
        """Return the dialect for a protocol, such as "gtp", "nboard", "hub" or "dxp"; None if there is none."""
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
class BoardDrawing(Drawing, Protocol):
    """Pictures of a board that can be seen from either side, and on which moves can be drawn."""

    def diagram(self, state: State, flipped: bool = False) -> str:
        """The board as text; flipped: as the other side sees it."""
        ...

    def svg(self, state: State, flipped: bool = False) -> str:
        """Draw the board; flipped: turned by half a turn, as the other side sees it."""
        ...

    def route(self, state: State, move: int, flipped: bool = False) -> Sequence[tuple[float, float]]:
        """Return the points of the SVG document that a legal move touches, in order; one point for a placement."""
        ...


@runtime_checkable
class GameFiles(Protocol):
    """Files of games in the game's own format (PDN, PGN, ...). Without it, a game is a line of moves (`TraceFiles`)."""

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
        """Yield the games of a file; only one is in memory at a time.

        tolerant: skip games that cannot be read; otherwise such a game raises GameforgeError. notice: receives the
        reason why a game is skipped: it cannot be read, or it belongs to another variant.
        """
        ...

    def read_openings(self, path: Path) -> Sequence[Opening] | None:
        """Read a file of openings (not of whole games) in the game's own format.

        Return None if the file has another format; raise GameforgeError if it is damaged.
        """
        return None

    def read_boards(self, path: Path) -> Iterator[GameBoards] | None:
        """Read a file of training games that holds boards instead of moves, in the game's own format.

        Return None if the game has no such format; raise GameforgeError if the file has another format or is damaged.
        """
        return None


@runtime_checkable
class MixedFiles(GameFiles, Protocol):
    """Files in several formats, or with games of several rules in one file."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of all formats that `read_games` reads, in small letters, with the dot."""
        ...

    def read_mixed(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[tuple[Rules, GameRecord]]:
        """Yield the games of a file, of whichever rules, each with its rules; parameters as for `read_games`.

        The rules are the same object for all games of one kind.
        """
        ...


@runtime_checkable
class Openings(Protocol):
    """Named sets of openings for matches."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sets."""
        ...

    def get(self, name: str) -> Sequence[Opening]:
        """Return the openings of a set. All their moves are legal, and none ends the game.

        Raise GameforgeError for a name that is not one of `names`.
        """
        ...


@runtime_checkable
class Symmetries(Protocol):
    """Symmetries of the game, such as rotations of the board, numbered from 0 (the identity) to count - 1.

    For each symmetry, let s* be the image of a state s, and m* the image of a move m that is legal in s. Then:
    * the legal moves of s* are the images of those of s, and play(s*, m*) = play(s, m)*;
    * s* has the same outcome as s for the side to move, and m* is as irreversible and as noisy as m;
    * different states have different images, and equal positions (`key`) have equal images.

    A symmetry may exchange the sides, for instance by rotating the board and swapping the colours. Scores are for the
    side to move, so they are the same for s and s*.
    """

    @property
    def count(self) -> int:
        """Number of symmetries, the identity included: 1 or more."""
        ...

    def state_image(self, state: State, i: int) -> State:
        """Return the image of a state under symmetry i; 0 is the identity."""
        ...

    def move_image(self, state: State, move: int, i: int) -> int:
        """Return the image of a move that is legal in `state`."""
        ...


Material = Callable[[State], tuple[float, float]]
"""Returns the worth of the first and of the second mover's pieces, for figures such as the final piece balance."""


@attrs.frozen(kw_only=True)
class Defaults:
    """What is used if the user does not name a player or a pipeline; "" means that there is no default."""

    player: str = ""
    """The player of `gameforge play` and `gameforge analyze`: a trained player, or parts, `SEARCHER + EVALUATOR`."""
    preset: str = ""
    """Name of the preset that holds the default pipeline."""
    yardstick: str = ""
    """An evaluator without weights to train: with the search of the player in training, it is the opponent that
    measures runs. "": the evaluator of `player`."""
    named_only: bool = False
    """Whether positions and files that another game can read as well imply that game and not this one."""


_KINDS: dict[str, type] = {
    "notation": Notation,
    "positions": Positions,
    "drawing": Drawing,
    "files": GameFiles,
    "openings": Openings,
    "symmetries": Symmetries,
    "cells": Cells,
    "moves": MoveIndices,
    "board": Board,
    "dialects": Dialects,
    "defaults": Defaults,
}


def capability(rules: Rules, name: str) -> Any:
    """Return the capability of this name, or None if the rules do not offer it.

    Raise GameforgeError, for the plugin's author, if it lacks a member of its protocol.
    """
    offered = getattr(rules, name, None)
    kind = _KINDS.get(name)
    if offered is None or (callable(offered) if kind is None else isinstance(offered, kind)):
        return offered
    wanted = "a function" if kind is None else f"a {kind.__module__}.{kind.__name__}"
    members = [member for base in getattr(kind, "__mro__", ()) for member in vars(base) if not member.startswith("_")]
    missing = sorted(member for member in members if not hasattr(offered, member))
    lacks = f"; it has no {' and no '.join(missing)}" if missing else ""
    raise GameforgeError(f"rules {type(rules).__name__}: {name} is not {wanted}: {offered!r}{lacks}")

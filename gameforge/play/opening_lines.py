"""The opening lines that come with a game: the name of an opening as it is played, and how the lines go on.

Lines that reach a position in different orders meet, and so do the images of a position under the symmetries of the
game, such as the first moves on a symmetrical board.
"""

from collections.abc import Iterator

import attrs

from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import State
from gameforge.play.game import Game, Move, Position


@attrs.frozen(kw_only=True)
class OpeningMove:
    """A move with which opening lines of the game go on."""

    move: Move
    """The move."""
    lines: int
    """Number of lines that reach the position after it, of all sets."""
    names: tuple[str, ...]
    """Names of the openings that the move completes."""


class OpeningLines:
    """The lines of all sets of a game by the positions that they reach; empty for a game without sets."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._lines: dict[State, set[tuple[str, int]]] = {}
        """The lines that reach a position, as (set, index in the set)."""
        self._names: dict[State, list[str]] = {}
        """Names of the openings that end in a position."""
        children: dict[tuple[State, int], tuple[State, State]] = {}  # lines share most of their moves
        for line, opening in self._openings():
            state = image = opening.start
            for move in opening.moves:
                if (state, move) not in children:
                    child = game.play(state, move)
                    children[state, move] = child, self._image(child)
                state, image = children[state, move]
                self._lines.setdefault(image, set()).add(line)
            if opening.moves:
                self._names.setdefault(image, []).append(opening.name)

    def _openings(self) -> Iterator[tuple[tuple[str, int], Opening]]:
        openings = self._game.openings
        for name in () if openings is None else openings.names:
            assert openings is not None
            for i, opening in enumerate(openings.get(name)):
                yield (name, i), opening

    def _image(self, state: State) -> State:
        """Return the image that stands for a state and all its images."""
        symmetries = self._game.symmetries
        if symmetries is None:
            return state
        return min(symmetries.state_image(state, i) for i in range(symmetries.count))

    def names(self, position: Position) -> tuple[str, ...]:
        """Return the names of the openings that end in this position; those in words come before those in moves."""
        found = dict.fromkeys(self._names.get(self._image(position.state), ()))
        return tuple(sorted(found, key=lambda name: (not name[:1].isalpha(), name)))

    def reached(self, position: Position) -> tuple[str, ...]:
        """Return the names of the opening that the game which led to this position completed last; () if there is none.

        Names in words, such as Old Faithful, come before names in moves, even if those are of a later position.
        """
        last: tuple[str, ...] = ()
        here: Position | None = position
        while here is not None:
            names = self.names(here)
            if names and names[0][:1].isalpha():
                return names
            last = last or names
            here = here.parent
        return last

    def moves(self, position: Position) -> list[OpeningMove]:
        """Return the legal moves that reach a position of a line, those of most lines first."""
        found = []
        for move in position.legal_moves:
            child = position.after(move.code)
            lines = len(self._lines.get(self._image(child.state), ()))
            if lines:
                found.append(OpeningMove(move=move, lines=lines, names=self.names(child)))
        return sorted(found, key=lambda one: -one.lines)

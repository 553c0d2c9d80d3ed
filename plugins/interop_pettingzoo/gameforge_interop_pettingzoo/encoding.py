"""What an agent does and sees: moves as numbered actions, and positions as planes or as the inputs of a feature map.

An action is the index of a move (gameforge.interfaces.MoveIndices). A game that offers no indices has the place of a
move among the legal moves instead, which means something else in each position.
"""

import attrs
import numpy as np

from gameforge import Game, GameforgeError, default_registry
from gameforge.interfaces import Cells, FeatureFunctions, MoveIndices, parse_spec
from gameforge.kernel import U0, Floats, Word, WordArray, Words

PLANES = "planes"
"""The observation of games with cells: a plane for each code, then one for each number."""
BITS = "bits"
"""The feature map that fits any game, for those without cells."""


def _alike(data: Words, s: Words, m: Word) -> Word:
    return U0


def _sees_nothing(data: Words, s: Words, planes: Words) -> None:
    return


def _writes_nothing(data: Words, s: Words, x: Floats) -> None:
    return


def indices_of(game: Game) -> MoveIndices:
    """Return the indices of a game's moves."""
    return game.moves or MoveIndices(size=game.functions.max_moves, index=_alike)


@attrs.frozen
class View:
    """What an agent sees of a position: planes, or the inputs of a feature map."""

    shape: tuple[int, ...]
    """(channels, rows, columns) of planes, or (inputs,) of a feature map."""
    names: tuple[str, ...]
    """What each channel or input stands for; () if the feature map does not name its inputs."""
    cells: Cells
    """The cells of planes; of none if a feature map looks at the position."""
    features: FeatureFunctions
    """The feature map; without inputs if there are planes."""
    codes: int = 0
    """Number of planes with 0 and 1; the others have the same number everywhere."""

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return int(np.prod(self.shape))

    @property
    def places(self) -> WordArray:
        """The index of each cell in a plane; empty without planes."""
        if not self.codes:
            return np.zeros(0, np.uint64)
        columns = self.shape[2]
        return np.array([row * columns + column for row, column in self.cells.places], np.uint64)


def view_of(game: Game, features: str = "") -> View:
    """Return the view that users name: `planes`, a feature map, or "" for planes if the game has cells, else `bits`.

    Raises GameforgeError if the game has no cells for planes, or if the feature map does not fit the game.
    """
    if features == PLANES and game.cells is None:
        raise GameforgeError(f"features planes: {game.rules.name} has no cells; a feature map that fits is {BITS}")
    if game.cells is not None and features in ("", PLANES):
        cells = game.cells
        channels = (*cells.codes, *cells.numbers)
        nothing = FeatureFunctions(inputs=0, viewpoint="to move", features=_writes_nothing)
        return View(cells.shape, channels, cells, nothing, len(cells.codes))
    component = default_registry().create("features", parse_spec(features or BITS), game.rules.name)
    functions: FeatureFunctions = component.functions(game.rules)
    return View((functions.inputs,), functions.names, Cells(cells=_sees_nothing, places=((0, 0),)), functions)

"""Positions with values, read from folders of examples: what learners fit an evaluator to."""

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError
from gameforge.kernel import FloatArray
from gameforge_examples.folder import ExampleFolder, Rows


@attrs.frozen(eq=False, kw_only=True)
class Positions:
    """Positions, and what is known of each for the side to move."""

    states: NDArray[np.uint64]
    """[N, words]."""
    results: FloatArray
    """[N]: how the game ended, 1 won, 1/2 drawn, 0 lost; a mean where equal states are merged."""
    scores: FloatArray
    """[N]: the search's score as (score + 1) / 2; the result that an oracle knows, where it does."""
    exact: NDArray[np.bool_]
    """[N]: where an oracle knew."""
    weights: FloatArray
    """[N]: how many positions each stands for."""
    games: NDArray[np.int64]
    """[N]: the game that it comes from; numbers of several folders follow one another."""
    sources: NDArray[np.int64]
    """[N]: number of the batch, or of the generation, that it comes from."""

    def __len__(self) -> int:
        return len(self.states)

    def chosen(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "Positions":
        """Return the positions at some indices, or where a mask is set."""
        return Positions(**{name: getattr(self, name)[which] for name in _COLUMNS})

    def merged(self) -> "Positions":
        """Return each state once, in the order in which they first occur, with the mean of what is known of it.

        It belongs to the game in which it first occurs. If an oracle knew it, search scores do not count.
        """
        if not len(self):
            return self
        _, first, which = np.unique(self.states, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        weights = np.bincount(which, self.weights)
        exact = np.bincount(which, self.exact) > 0
        found = self.chosen(first)
        trusted = np.where(exact[which] & ~self.exact, 0, self.weights)
        scores = np.bincount(which, trusted * self.scores.astype(np.float64)) / np.bincount(which, trusted)
        found = attrs.evolve(
            found,
            results=(np.bincount(which, self.weights * self.results.astype(np.float64)) / weights).astype(np.float32),
            scores=scores.astype(np.float32),
            exact=exact,
            weights=weights.astype(np.float32),
        )
        return found.chosen(np.argsort(first))

    def with_images(self, game: Game) -> "Positions":
        """Return these positions, then their images under each symmetry; GameforgeError if the game names none."""
        symmetries = game.symmetries
        if symmetries is None:
            raise GameforgeError(f"examples: {game.rules.name} names no symmetries; leave images out")
        states = [tuple(state) for state in self.states.tolist()]
        images = [
            np.array([symmetries.state_image(state, i) for state in states], np.uint64).reshape(self.states.shape)
            for i in range(1, symmetries.count)
        ]
        copies = symmetries.count
        columns = {name: np.concatenate([getattr(self, name)] * copies) for name in _COLUMNS if name != "states"}
        return Positions(states=np.concatenate([self.states, *images]), **columns)


_COLUMNS = tuple(field.name for field in attrs.fields(Positions))


def positions_of(rows: Rows, source: int = 0, before: int = 0) -> Positions:
    """Convert stored rows, whose values are for the side that has just moved; omit moves that no simulation tried.

    source: their batch or generation. before: what is added to the games' numbers.
    """
    rows = rows[rows["visits"] > 0]
    n = len(rows)
    return Positions(
        states=np.ascontiguousarray(rows["state"]),
        results=((1 - rows["result"]) / 2).astype(np.float32),
        scores=((1 - rows["utility"]) / 2).astype(np.float32),
        exact=np.array(rows["exact"]) if "exact" in (rows.dtype.names or ()) else np.zeros(n, np.bool_),
        weights=np.ones(n, np.float32),
        games=rows["match"].astype(np.int64) + before,
        sources=np.full(n, source, np.int64),
    )


def all_of(parts: Sequence[Positions]) -> Positions:
    """Join several sets of positions."""
    return Positions(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS})


def read_positions(paths: Sequence[Path], game: Game, *, merged: bool = True, images: bool = False) -> Positions:
    """Read all positions of folders of examples.

    merged: equal states become one. images: with those under the game's symmetries, before they are merged. Raises
    GameforgeError for folders that are none, hold examples of another game or other rules, are damaged or empty, and
    for a folder that is named twice.
    """
    _require_different(paths)
    parts: list[Positions] = []
    games = source = 0
    for path in paths:
        folder = ExampleFolder.read(path, game)
        if not folder.examples:
            raise GameforgeError(f"{path} holds no examples yet")
        shards = folder.shards()
        begin = len(parts)
        for batch in folder.batches:
            parts += [positions_of(next(shards), source, games) for _ in batch.shards]
            source += 1
        games = 1 + max((int(part.games.max()) for part in parts[begin:] if len(part)), default=games - 1)
    found = all_of(parts)
    if images:
        found = found.with_images(game)
    return found.merged() if merged else found


def _require_different(paths: Sequence[Path]) -> None:
    """Raise GameforgeError for a folder that is named twice, whose copies would count as different games."""
    named: dict[Path, Path] = {}
    for path in paths:
        if (place := path.resolve()) in named:
            raise GameforgeError(f"examples: {named[place]} and {path} are the same folder; name it once")
        named[place] = path

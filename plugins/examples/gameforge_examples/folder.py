"""Examples as rows of an array, the folders in which they are kept, and the statistics of a folder.

manifest.json     the game, and the batches: how each was made, its matches, its shards with their checksums
examples-*.npy    shards: arrays of rows, which can be mapped into memory one by one

A shard is written first, then the manifest that names it. So whenever the process is killed, the folder holds all
examples of whole matches. A batch holds the examples that one command makes; it may be unfinished.
"""

import contextlib
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

import gameforge as gf
from gameforge import Game, GameforgeError
from gameforge.interfaces import FeatureFunctions, kinds
from gameforge.storage import Folder, ManifestFormat, files, stored

if TYPE_CHECKING:
    from collections.abc import Iterable


Rows = NDArray[np.void]
"""A structured array of `row_type`."""


def row_type(words: int, *, exact: bool = False) -> np.dtype[np.void]:
    """The type of a stored example of a game whose states have this number of words.

    state: the state after a move. utility: for the side that made the move. visits: the number of results of which the
    utility is the mean. match: the number of the match in the folder. ply: the plies of the match before the move.
    mover: 0 or 1. result: 1 if the mover won the match, -1 if it lost, 0 for a draw. test: whether the example is set
    aside for testing. exact, if asked for: whether an oracle knew the utility.
    """
    columns: list[tuple[str, str] | tuple[str, str, tuple[int]]] = [
        ("state", "<u8", (words,)),
        ("utility", "<f4"),
        ("visits", "<u4"),
        ("match", "<u4"),
        ("ply", "<u2"),
        ("mover", "u1"),
        ("result", "i1"),
        ("test", "?"),
    ]
    return np.dtype(columns + [("exact", "?")] * exact)


@attrs.frozen(eq=False, kw_only=True)
class Examples:
    """Examples as arrays of the same length N. Raises GameforgeError if the lengths differ."""

    states: NDArray[np.uint64]
    """[N, words]: the states after a move."""
    utilities: NDArray[np.float32]
    """[N], -1 to 1, for the side that has just moved."""
    visits: NDArray[np.uint32]
    """[N]: the number of results of which each utility is the mean."""
    test: NDArray[np.bool_]
    """[N]: whether an example is set aside for testing."""
    where: str = "examples"
    """Origin of the examples, for error messages."""

    def __attrs_post_init__(self) -> None:
        if not len(self.states) == len(self.utilities) == len(self.visits) == len(self.test):
            raise GameforgeError(f"{self.where}: states, utilities, visits and test must have the same length")

    @classmethod
    def of(cls, rows: Rows, where: str) -> "Examples":
        """The examples in the rows of a folder."""
        return cls(
            states=np.ascontiguousarray(rows["state"]),
            utilities=np.ascontiguousarray(rows["utility"]),
            visits=np.ascontiguousarray(rows["visits"]),
            test=np.ascontiguousarray(rows["test"]),
            where=where,
        )

    def __len__(self) -> int:
        return len(self.states)

    def chosen(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "Examples":
        """Select examples by indices or by a mask."""
        columns = {name: getattr(self, name)[which] for name in ("states", "utilities", "visits", "test")}
        return Examples(**columns, where=self.where)

    def split(self) -> "tuple[Examples, Examples]":
        """Split into (training examples, test examples). Raises GameforgeError if either is empty."""
        tests = int(np.count_nonzero(self.test))
        if tests == 0:
            raise GameforgeError(
                f"{self.where}: none of the {len(self)} examples is set aside for testing; "
                "`gameforge examples filter` sets some aside"
            )
        if tests == len(self):
            raise GameforgeError(
                f"{self.where}: all {tests} examples are set aside for testing, which leaves none to train with"
            )
        return self.chosen(~self.test), self.chosen(self.test)

    def inputs(self, features: FeatureFunctions) -> NDArray[np.float32]:
        """[N, inputs]: the features of the states."""
        from gameforge.kernel import assembly, compiled_function
        from gameforge_examples.recording import input_rows

        function = compiled_function("features", features.features, compiled=features.compiled)
        x = np.zeros((len(self), features.inputs), np.float32)
        words = np.uint64(self.states.shape[1])
        states = np.ascontiguousarray(self.states, np.uint64).reshape(-1)
        input_rows(function, assembly.block(features.data), words, states, np.uint64(features.inputs), x.reshape(-1))
        assembly.check((function,))
        return x

    def targets(self, viewpoint: str) -> NDArray[np.float32]:
        """[N]: the utilities from the viewpoint of a feature map."""
        return self.utilities if viewpoint == "just moved" else -self.utilities


def joined(parts: "Iterable[Rows]", words: int, *, exact: bool = False) -> Rows:
    """Concatenate arrays of rows."""
    return np.concatenate([np.zeros(0, row_type(words, exact=exact)), *parts])


def _mapped(path: Path, rows: int) -> Rows:
    """Map the array of an .npy file into memory, or read an empty one; ValueError for anything else."""
    with stored.open_file(path) as file:
        if file.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
            raise ValueError("it is not an .npy file")
    try:
        found: Rows = np.load(path, mmap_mode="r" if rows else None, allow_pickle=False)
    except Exception as error:  # numpy fails in many ways
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return found


@attrs.frozen
class _CountedManifestFormat(ManifestFormat):
    def progress(self, folder: Path) -> str:
        """Return the number of examples so far, which the manifest has in place of a log."""
        try:
            return f"{ExampleFolder.read(folder).examples:,} examples so far"
        except GameforgeError:
            return ""


EXAMPLES_FORMAT = _CountedManifestFormat("set of examples", "manifest.json", "gameforge-examples", 1)
MADE_BY = ("matches", "games", "selfplay")
"""Ways of making batches of whole matches; only such batches can share a folder."""
SHARD_ROWS = 1 << 18
"""Maximum number of rows of a shard if all rows are written at once."""


@attrs.frozen
class Shard:
    """A file of rows."""

    file: str = attrs.field(validator=stored.file_name)
    examples: int = attrs.field(validator=kinds.at_least(0))
    sha256: str


@attrs.frozen
class Batch:
    """The examples that one command makes."""

    made: Mapping[str, Any]
    """The settings of the command. The same settings resume this batch."""
    matches: int = 0
    """Number of matches in its shards."""
    finished: bool = False
    shards: tuple[Shard, ...] = ()
    numbers: Mapping[str, Any] = attrs.field(factory=dict)
    """Figures of the batch, such as its number of simulations."""


@attrs.frozen
class _Manifest:
    game: str
    rules: str
    words: int
    batches: tuple[Batch, ...]
    exact: bool = False


@attrs.frozen(eq=False)
class ExampleFolder:
    """A folder of examples as its manifest describes it. Methods that change the folder return a new object."""

    path: Path
    game: str
    """Name of the game."""
    rules: str
    """The rules with their settings (`Game.rules_text`)."""
    words: int
    """Words of a state."""
    batches: tuple[Batch, ...] = ()
    exact: bool = False
    """Whether rows say where an oracle knew the utility."""

    @classmethod
    def new(cls, path: Path, game: Game, *, exact: bool = False) -> "ExampleFolder":
        """Describe a folder that does not exist yet; nothing is written."""
        return cls(path, game.rules.name, game.rules_text, game.functions.words, exact=exact)

    @classmethod
    def read(cls, path: Path, game: Game | None = None) -> "ExampleFolder":
        """Read a manifest.

        Raises GameforgeError if the folder does not exist, and if its manifest is missing, damaged, not of examples, or
        of other rules than those of `game`.
        """
        if not path.exists():
            raise GameforgeError(f"examples: the folder {path} does not exist")
        manifest = EXAMPLES_FORMAT.read_as(path, _Manifest)
        found = cls(path, **{field.name: getattr(manifest, field.name) for field in attrs.fields(_Manifest)})
        if game is not None:
            found.require(game)
        return found

    def require(self, game: Game) -> None:
        """Raise GameforgeError unless the examples are of this game by these rules."""
        if self.game != game.rules.name:
            raise GameforgeError(f"{self.path} holds examples of {self.game}, not of {game.rules.name}")
        if self.rules != game.rules_text or self.words != game.functions.words:
            raise GameforgeError(f"{self.path} holds examples of other rules: {self.rules}, not {game.rules_text}")

    def on_disk(self) -> Folder:
        """The resumable folder, which creates the files or opens them to continue."""
        identity = {"game": self.game, "rules": self.rules, "words": self.words}
        if self.exact:  # an entry that other folders do not have
            identity["exact"] = True
        about = {"gameforge": gf.__version__, "batches": []}
        return Folder(path=self.path, format=EXAMPLES_FORMAT, identity=identity, about=about)

    @property
    def examples(self) -> int:
        """Number of examples of all batches."""
        return sum(shard.examples for batch in self.batches for shard in batch.shards)

    @property
    def matches(self) -> int:
        """Number of matches of all batches."""
        return sum(batch.matches for batch in self.batches)

    def shards(self) -> Iterator[Rows]:
        """Yield the rows of each shard, mapped into memory. Raises GameforgeError for a damaged shard."""
        for batch in self.batches:
            for shard in batch.shards:
                yield self.rows_of(shard)

    def rows(self) -> Rows:
        """All rows at once."""
        return joined(self.shards(), self.words, exact=self.exact)

    def rows_of(self, shard: Shard) -> Rows:
        """Return the rows of a shard, mapped into memory; GameforgeError if it is damaged."""
        path = self.path / shard.file
        try:
            with stored.open_file(path) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            rows = _mapped(path, shard.examples) if digest == shard.sha256 else None
        except OSError as error:
            raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from error
        except ValueError as error:
            raise GameforgeError(f"{path} is damaged: {error}") from error
        if rows is None:
            raise GameforgeError(f"{path} is not the file that {EXAMPLES_FORMAT.file} describes: truncated or altered")
        if rows.dtype != row_type(self.words, exact=self.exact) or rows.shape != (shard.examples,):
            raise GameforgeError(f"{path} is damaged: its rows are not those that {EXAMPLES_FORMAT.file} describes")
        if not np.isfinite(rows["utility"]).all():
            raise GameforgeError(f"{path} is damaged: there are utilities that are not finite")
        return rows

    def fill(self, rows: Rows, numbers: Mapping[str, float]) -> "ExampleFolder":
        """Write all rows of the last batch, then the manifest with the batch marked as finished."""
        self.require_room(len(rows))
        first = sum(len(batch.shards) for batch in self.batches[:-1])
        shards = tuple(
            self._write(number, rows[place : place + SHARD_ROWS])
            for number, place in enumerate(range(0, len(rows), SHARD_ROWS), first)
        )
        return self._changed(attrs.evolve(self.batches[-1], shards=shards, finished=True, numbers=dict(numbers)))

    def append(self, rows: Rows, matches: int, numbers: Mapping[str, float] | None = None) -> "ExampleFolder":
        """Add whole matches to the last batch: write a shard, then the manifest. `numbers` replaces its figures."""
        last = self.batches[-1]
        shards = last.shards
        if len(rows):
            shards = (*shards, self._write(sum(len(batch.shards) for batch in self.batches), rows))
        known = last.numbers if numbers is None else dict(numbers)
        return self._changed(attrs.evolve(last, shards=shards, matches=last.matches + matches, numbers=known))

    def finish(self, numbers: Mapping[str, float]) -> "ExampleFolder":
        """Mark the last batch as finished."""
        return self._changed(attrs.evolve(self.batches[-1], finished=True, numbers=dict(numbers)))

    def require_room(self, rows: int) -> None:
        """Raise GameforgeError unless the disk has room for this number of further examples."""
        size = rows * row_type(self.words, exact=self.exact).itemsize
        files.require_disk(self.path, size, f"writing {rows:,} examples")

    def _write(self, number: int, rows: Rows) -> Shard:
        buffer = io.BytesIO()
        np.save(buffer, rows)
        data = buffer.getvalue()
        name = f"examples-{number:06}.npy"
        files.write_atomically(self.path / name, data)
        return Shard(name, len(rows), hashlib.sha256(data).hexdigest())

    def _changed(self, last: Batch) -> "ExampleFolder":
        return self.with_batches(*self.batches[:-1], last)

    def with_batches(self, *batches: Batch) -> "ExampleFolder":
        """Write a manifest with these batches."""
        self.on_disk().write(batches=[attrs.asdict(batch) for batch in batches])
        return attrs.evolve(self, batches=batches)


@contextlib.contextmanager
def open_batch(described: ExampleFolder, made: Mapping[str, object], append: bool = False) -> Iterator[ExampleFolder]:
    """Create or open a folder, with the batch to make or to resume as its last one, which may be finished.

    `made` are the settings of the batch. A new folder is removed if the work raises before any examples were written.
    Raises GameforgeError if the folder holds anything else, an unfinished batch with other settings, or, without
    `append`, a finished one.
    """
    wanted = json.loads(json.dumps(made))
    with described.on_disk().open_or_resume():
        folder = ExampleFolder.read(described.path)
        if folder.exact and not described.exact:
            raise GameforgeError(
                f"{folder.path} holds positions of self-play, to which examples of another kind cannot be added; "
                "choose another folder"
            )
        same = [batch for batch in folder.batches if not Folder.difference(batch.made, wanted)]
        others = [batch for batch in folder.batches if batch not in same and (batch.finished or batch.shards)]
        if same:
            yield attrs.evolve(folder, batches=(*others, *same))
        else:
            folder = attrs.evolve(folder, batches=tuple(others))
            _require_place(folder, wanted, append)
            yield folder.with_batches(*folder.batches, Batch(wanted))


def _require_place(folder: ExampleFolder, made: Mapping[str, object], append: bool) -> None:
    """Raise GameforgeError unless a batch with other settings can be added."""
    for batch in folder.batches:
        difference = Folder.difference(batch.made, made)
        if not batch.finished:
            raise GameforgeError(
                f"{folder.path} holds an unfinished batch with other settings: {difference}; finish it first"
            )
        if batch.made.get("by") not in MADE_BY or made["by"] not in MADE_BY:
            raise GameforgeError(
                f"{folder.path} holds examples that were made in another way: {difference}; choose another folder"
            )
        if not append:
            raise GameforgeError(
                f"{folder.path} holds examples made with other settings: {difference}",
                advice="add to them nevertheless",
                parameter="append",
            )


def read_examples(path: Path, game: Game) -> Examples:
    """Read all examples of a folder.

    Raises GameforgeError if it holds none, or examples of another game or other rules, or if it is damaged.
    """
    rows = ExampleFolder.read(path, game).rows()
    if len(rows) == 0:
        raise GameforgeError(f"{path} holds no examples yet")
    return Examples.of(rows, str(path))


_TENTHS = np.linspace(-1, 1, 11)


@attrs.frozen(kw_only=True)
class Statistics:
    """Statistics of a folder: `batches` describes each batch, all other figures are of all batches together."""

    game: str
    rules: str
    batches: tuple[Mapping[str, Any], ...]
    """How each batch was made, whether it is finished, and its figures."""
    examples: int
    states: int
    """Number of distinct states."""
    unvisited: int
    """Number of examples without visits."""
    matches: int
    results: tuple[int, int, int]
    """Numbers of examples whose mover won, drew and lost."""
    test: int
    """Number of examples that are set aside for testing."""
    visits: tuple[int, int, int]
    """Minimum, median and maximum number of visits of the visited examples."""
    utility: float
    """Mean utility of the visited examples."""
    utilities: tuple[int, ...]
    """Numbers of visited examples in each of ten intervals of the utility from -1 to 1."""


def example_statistics(folder: ExampleFolder) -> Statistics:
    """Compute the statistics of a folder. Raises GameforgeError if a shard is damaged."""
    results, test, unvisited, total = np.zeros(3, np.int64), 0, 0, 0.0
    utilities = np.zeros(len(_TENTHS) - 1, np.int64)
    visits, states = [np.zeros(0, np.uint32)], [np.zeros((0, folder.words), np.uint64)]
    for rows in folder.shards():
        visited = rows[rows["visits"] > 0]
        results += [np.count_nonzero(rows["result"] == result) for result in (1, 0, -1)]
        test += int(np.count_nonzero(rows["test"]))
        unvisited += len(rows) - len(visited)
        total += float(visited["utility"].sum(dtype=np.float64))
        utilities += np.histogram(visited["utility"], _TENTHS)[0]
        visits.append(np.array(visited["visits"]))
        states.append(np.unique(np.array(rows["state"]), axis=0))
    counts = np.concatenate(visits)
    return Statistics(
        game=folder.game,
        rules=folder.rules,
        batches=tuple(
            {"made": batch.made, "matches": batch.matches, "finished": batch.finished, **batch.numbers}
            for batch in folder.batches
        ),
        examples=folder.examples,
        states=len(np.unique(np.concatenate(states), axis=0)),
        unvisited=unvisited,
        matches=folder.matches,
        results=(int(results[0]), int(results[1]), int(results[2])),
        test=test,
        visits=(int(counts.min()), int(np.median(counts)), int(counts.max())) if len(counts) else (0, 0, 0),
        utility=total / len(counts) if len(counts) else 0.0,
        utilities=tuple(utilities.tolist()),
    )

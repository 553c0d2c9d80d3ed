"""Folders of examples: shards of rows, and a manifest that says what they are.

manifest.json     the game, and the batches: how each was made, its matches, its shards with their checksums
examples-*.npy    shards: arrays of rows (rows.py), readable one by one and memory-mapped

A shard is written first, then the manifest that names it, each under a temporary name: whatever ends the process,
the folder holds whole examples of whole matches. A batch is one making, perhaps not finished yet.
"""

import contextlib
import hashlib
import importlib.metadata
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.play.game import Game, rules_text
from gameforge.storage.atomic import write_atomically
from gameforge.storage.folder_lock import alone_in
from gameforge.storage.manifest import read_manifest
from gameforge.training.run_folder import differences
from gameforge_examples.rows import Examples, Rows, joined, row_type

FORMAT = "gameforge-examples"
SCHEMA = 1
MANIFEST = "manifest.json"
MADE_BY = ("matches", "games")
"""Batches that can be added to: those that were not chosen from others."""
SHARD_ROWS = 1 << 18
"""Rows of a shard at most, where they come all at once."""


@attrs.frozen
class Shard:
    """A file of rows."""

    file: str
    examples: int
    sha256: str


@attrs.frozen
class Batch:
    """Examples that were made together."""

    made: Mapping[str, Any]
    """How: whoever makes the same goes on with this batch."""
    matches: int = 0
    """Whole matches that its shards hold."""
    finished: bool = False
    shards: tuple[Shard, ...] = ()
    numbers: Mapping[str, Any] = attrs.field(factory=dict)
    """What the making found out."""


@attrs.frozen(eq=False)
class ExampleFolder:
    """A folder of examples as its manifest describes it. What changes it returns it anew."""

    path: Path
    game: str
    """The game's name, and its rules with their settings (gameforge.play.game.rules_text)."""
    rules: str
    words: int
    batches: tuple[Batch, ...] = ()

    @classmethod
    def new(cls, path: Path, game: Game) -> "ExampleFolder":
        """A folder that is to be; nothing is written."""
        return cls(path, game.rules.name, rules_text(game.rules), game.functions.words)

    @classmethod
    def read(cls, path: Path, game: Game | None = None) -> "ExampleFolder":
        """GameforgeError if it is missing, damaged, of something else, or of other rules than those of `game`."""
        manifest = read_manifest(path / MANIFEST, FORMAT, SCHEMA, "examples")
        try:
            batches = tuple(
                Batch(**(batch | {"shards": tuple(Shard(**shard) for shard in batch["shards"])}))
                for batch in manifest["batches"]
            )
            found = cls(path, str(manifest["game"]), str(manifest["rules"]), int(manifest["words"]), batches)
        except (KeyError, TypeError, ValueError) as error:
            raise GameforgeError(f"{path / MANIFEST} is damaged: {error!r}") from error
        if game is not None:
            found.require(game)
        return found

    def require(self, game: Game) -> None:
        """Raise GameforgeError unless the examples are of this game by these rules."""
        if self.game != game.rules.name:
            raise GameforgeError(f"{self.path} holds examples of {self.game}, not of {game.rules.name}")
        if self.rules != rules_text(game.rules) or self.words != game.functions.words:
            raise GameforgeError(
                f"{self.path} holds examples of other rules: {self.rules} there, {rules_text(game.rules)} here"
            )

    @property
    def examples(self) -> int:
        """All, of all batches."""
        return sum(shard.examples for batch in self.batches for shard in batch.shards)

    @property
    def matches(self) -> int:
        """Whole matches that the folder holds."""
        return sum(batch.matches for batch in self.batches)

    def shards(self) -> Iterator[Rows]:
        """The rows of one shard after the other, memory-mapped; GameforgeError for a damaged one."""
        for batch in self.batches:
            for shard in batch.shards:
                yield self._rows(shard)

    def rows(self) -> Rows:
        """All rows at once."""
        return joined(self.shards(), self.words)

    def _rows(self, shard: Shard) -> Rows:
        path = self.path / shard.file
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest != shard.sha256:
                raise GameforgeError(f"{path} is not the file that {MANIFEST} describes: torn or altered")
            rows: Rows = np.load(path, mmap_mode="r" if shard.examples else None, allow_pickle=False)
        except OSError as error:
            raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from error
        except ValueError as error:
            raise GameforgeError(f"{path} is damaged: {error}") from error
        if rows.dtype != row_type(self.words) or rows.shape != (shard.examples,):
            raise GameforgeError(f"{path} is damaged: it holds other rows than {MANIFEST} says")
        return rows

    def with_batch(self, batch: Batch, *shards: Rows) -> "ExampleFolder":
        """Write one more batch, shards first, then the manifest."""
        numbers = range(sum(len(earlier.shards) for earlier in self.batches), 1 << 20)
        written = tuple(self._write(number, rows) for number, rows in zip(numbers, shards, strict=False))
        return self._with_batches(*self.batches, attrs.evolve(batch, shards=written))

    def append(self, rows: Rows, matches: int, numbers: Mapping[str, Any] | None = None) -> "ExampleFolder":
        """Write whole matches of the last batch: a shard, then the manifest; `numbers` is what is known by now."""
        last = self.batches[-1]
        shards = last.shards
        if len(rows):
            shards = (*shards, self._write(sum(len(batch.shards) for batch in self.batches), rows))
        known = last.numbers if numbers is None else dict(numbers)
        return self._changed(attrs.evolve(last, shards=shards, matches=last.matches + matches, numbers=known))

    def finish(self, numbers: Mapping[str, Any]) -> "ExampleFolder":
        """Say that the last batch is whole."""
        return self._changed(attrs.evolve(self.batches[-1], finished=True, numbers=dict(numbers)))

    def _write(self, number: int, rows: Rows) -> Shard:
        buffer = io.BytesIO()
        np.save(buffer, rows)
        data = buffer.getvalue()
        name = f"examples-{number:06}.npy"
        self._make()
        write_atomically(self.path / name, data)
        return Shard(name, len(rows), hashlib.sha256(data).hexdigest())

    def _changed(self, last: Batch) -> "ExampleFolder":
        return self._with_batches(*self.batches[:-1], last)

    def _with_batches(self, *batches: Batch) -> "ExampleFolder":
        found = attrs.evolve(self, batches=batches)
        table = {
            "format": FORMAT,
            "schema": SCHEMA,
            "gameforge": importlib.metadata.version("gameforge"),
            "game": self.game,
            "rules": self.rules,
            "words": self.words,
            "batches": [attrs.asdict(batch) for batch in batches],
        }
        self._make()
        write_atomically(self.path / MANIFEST, (json.dumps(table, indent=1) + "\n").encode())
        return found

    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GameforgeError(f"cannot make the folder {self.path}: {error.strerror or error}") from error


@contextlib.contextmanager
def opened(path: Path, game: Game, made: Mapping[str, Any], append: bool) -> Iterator[ExampleFolder]:
    """The folder in which nobody else writes, its last batch the one to go on with; it may be finished.

    A folder that is new goes again if nothing gets finished in it. Raises GameforgeError if the folder holds anything
    else, a batch that was made otherwise and is not finished, or, without `append`, one that is finished.
    """
    wanted = json.loads(json.dumps(made))
    is_new = not (path / MANIFEST).exists()
    if is_new:
        require_new(path)
    folder = ExampleFolder.new(path, game) if is_new else ExampleFolder.read(path, game)
    folder._make()
    with alone_in(path):
        if not is_new:
            folder = ExampleFolder.read(path, game)
        same = [batch for batch in folder.batches if batch.made == wanted]
        if not same:
            _require_place(folder, wanted, append)
            folder = folder.with_batch(Batch(wanted))
        elif same[0] is not folder.batches[-1]:
            folder = attrs.evolve(folder, batches=(*(b for b in folder.batches if b is not same[0]), same[0]))
        try:
            yield folder
        except BaseException:
            if is_new and ExampleFolder.read(path).matches == 0:
                with contextlib.suppress(OSError):
                    (path / MANIFEST).unlink()
                    path.rmdir()
            raise


def _require_place(folder: ExampleFolder, made: Mapping[str, Any], append: bool) -> None:
    """Raise GameforgeError unless a batch of another kind can be added."""
    for batch in folder.batches:
        there = batch.made
        key, values = next(iter(differences([there, made]).items()))
        difference = f"{key} is {_brief(values[0])} there and {_brief(values[1])} here"
        if there.get("by") not in MADE_BY:
            raise GameforgeError(
                f"{folder.path} holds examples that were chosen from others; add to those, not to these"
            )
        if not batch.finished:
            raise GameforgeError(f"{folder.path} holds examples whose making goes on otherwise: {difference}")
        if not append:
            raise GameforgeError(
                f"{folder.path} holds examples made with other settings: {difference}",
                advice="add to them all the same",
                parameter="append",
            )


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return "not set" if value is None else text if len(text) < 80 else f"{text[:60]}..."


def require_new(path: Path) -> None:
    """Raise GameforgeError if anything is there but an empty folder."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise GameforgeError(f"{path} is there already, and holds something; choose a new folder")


def read_examples(path: Path, game: Game) -> Examples:
    """All examples of a folder.

    Raises GameforgeError if it is no such folder, of another game or other rules, damaged, or without any example.
    """
    rows = ExampleFolder.read(path, game).rows()
    if len(rows) == 0:
        raise GameforgeError(f"{path} holds no examples yet")
    return Examples.of(rows, str(path))


def write_examples(path: Path, game: Game, examples: Examples) -> ExampleFolder:
    """A new folder with examples that came from anywhere; which matches they come from is not known."""
    rows = np.zeros(len(examples), row_type(game.functions.words))
    columns: Sequence[tuple[str, Any]] = (
        ("state", examples.states),
        ("utility", examples.utilities),
        ("visits", examples.visits),
        ("test", examples.test),
    )
    for name, values in columns:
        rows[name] = values
    require_new(path)
    return write_rows(ExampleFolder.new(path, game), rows, {"by": "arrays"}, {})


def write_rows(folder: ExampleFolder, rows: Rows, made: Mapping[str, Any], numbers: Mapping[str, Any]) -> ExampleFolder:
    """All rows of a batch at once."""
    shards = [rows[first : first + SHARD_ROWS] for first in range(0, len(rows), SHARD_ROWS)]
    return folder.with_batch(Batch(dict(made), finished=True, numbers=dict(numbers)), *shards)

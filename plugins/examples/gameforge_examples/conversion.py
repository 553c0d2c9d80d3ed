"""Examples from what exists: files of games, files of other programs, and other folders, filtered.

Of a game, every position becomes an example, with the result for the side that has just moved. Files of other programs,
which can also be written, are NumPy (.npz) and Parquet (.parquet). They have one array or column for each column of a
row (folder.row_type). In NumPy `state` is [N, words]; in Parquet, which needs pyarrow, each word is a column of its
own: `state_0`, `state_1` and so on. Examples are filtered by side, without duplicates, and split into training and test
examples ([Rezende2017], section 3.2).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError, finished_games
from gameforge.interfaces import GameBoards, kinds
from gameforge.storage import files, stored
from gameforge_examples.folder import ExampleFolder, Rows, joined, open_batch, row_type

_GAMES_A_SHARD = 2000
"""Number of games in a shard."""


def read_games_into(
    out: Path,
    game: Game,
    paths: Sequence[Path],
    *,
    append: bool = False,
    progress: Callable[[int, int], None] = lambda games, examples: None,
) -> ExampleFolder:
    """Make examples from the finished games of files, or resume an interrupted batch.

    Utilities are 1 for the winner, -1 for the loser and 0 for a draw; each example has one visit. progress: called with
    the numbers of games and examples so far. Raises GameforgeError if a file cannot be read, if no file has a finished
    game, or if `out` holds other examples and `append` is not set.
    """
    made = {"by": "games", "files": [{"name": path.name, "sha256": _digest_of(path)} for path in paths]}
    with open_batch(ExampleFolder.new(out, game), made, append) as folder:
        done, left_out, games = folder.batches[-1].matches, 0, 0
        before = folder.matches - done
        waiting: list[Rows] = []
        for path in paths:
            for one in finished_games(path, game):
                if one is None:
                    left_out += 1
                    continue
                games += 1
                if games <= done:
                    continue
                waiting.append(_rows_of_game(one, before + games - 1, game))
                if len(waiting) == _GAMES_A_SHARD:
                    folder = _with_games(folder, waiting)
                    waiting = []
                    progress(folder.matches, folder.examples)
        if games == 0:
            raise GameforgeError(f"{', '.join(map(str, paths))}: no game has a result, so there is nothing to learn")
        if waiting:
            folder = _with_games(folder, waiting)
        return folder.finish({"left_out": left_out})


def _with_games(folder: ExampleFolder, games: Sequence[Rows]) -> ExampleFolder:
    rows = joined(games, folder.words)
    folder.require_room(len(rows))
    return folder.append(rows, len(games))


def _digest_of(path: Path) -> str:
    try:
        with stored.open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from error


def _rows_of_game(one: GameBoards, match: int, game: Game) -> Rows:
    """The positions of a game: those after the first player's moves, then those after the second player's."""
    found = []
    for side, boards in enumerate(one.boards):
        rows = np.zeros(len(boards), row_type(game.functions.words))
        if boards:
            rows["state"] = np.array(boards, np.uint64)
            rows["ply"] = 2 * np.arange(len(boards)) + side
            result = 0 if one.winner is None else 1 if one.winner == side else -1
            rows["utility"], rows["result"] = result, result
            rows["visits"], rows["match"], rows["mover"] = 1, match, side
        found.append(rows)
    return np.concatenate(found)


Columns = Mapping[str, NDArray[np.generic]]
_NEEDED = ("state", "utility")
_SUFFIXES = (".npz", ".parquet")
_RULES = "rules"
"""Array of an .npz file, or metadata of a Parquet file, with the rules of the examples; files of others may lack it."""


def export_examples(folder: Path, file: Path) -> int:
    """Write all examples of a folder, and by which rules they were made, into a file; return their number.

    Raises GameforgeError if the folder cannot be read or the file cannot be written.
    """
    _require_format(file)
    found = ExampleFolder.read(folder)
    rows = found.rows()
    columns = {name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".npz":
            files.write_atomically(file, stored.packed_arrays({**columns, _RULES: np.array(found.rules)}))
        else:
            _write_parquet(file, columns, found.rules)
    except OSError as error:
        raise GameforgeError(f"cannot write {file}: {error.strerror or error}") from error
    return len(rows)


def import_examples(file: Path, game: Game, out: Path) -> ExampleFolder:
    """Write the examples of a file into a folder, or do nothing if the folder holds them already.

    Only `state` and `utility` are needed; `visits` is 1 and the others are 0 where the file does not have them. Raises
    GameforgeError if the file cannot be read or holds other columns, types or values than examples of this game, or if
    it names other rules.
    """
    _require_format(file)
    try:
        columns, rules = _read_numpy(file) if file.suffix == ".npz" else _read_parquet(file)
    except OSError as error:
        raise GameforgeError(f"cannot read {file}: {error.strerror or error}") from error
    except (ValueError, EOFError, KeyError, MemoryError, NotImplementedError) as error:  # of pyarrow as well
        raise GameforgeError(
            f"{file} is damaged: {next(iter(str(error).splitlines()), type(error).__name__)}"
        ) from error
    if rules not in (None, game.rules_text):
        raise GameforgeError(f"{file} holds examples of {rules}, not of {game.rules_text}")
    rows = _rows_of_columns(file, columns, game)
    made = {"by": "arrays", "sha256": hashlib.sha256(rows.tobytes()).hexdigest()}
    with open_batch(ExampleFolder.new(out, game, exact="exact" in columns), made) as folder:
        return folder if folder.batches[-1].finished else folder.fill(rows, {})


def _require_format(file: Path) -> None:
    if file.suffix not in _SUFFIXES:
        raise GameforgeError(f"{file}: the name of a file of examples must end in {' or '.join(_SUFFIXES)}")
    if file.suffix == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise GameforgeError(f"{file}: Parquet needs pyarrow: pip install 'gameforge[parquet]'") from None


def _rows_of_columns(file: Path, columns: Columns, game: Game) -> Rows:
    """Check the columns, and make rows of them."""
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise GameforgeError(f"{file} has no column {' and no '.join(missing)}; it has {', '.join(columns) or 'none'}")
    words, count = game.functions.words, columns["utility"].size
    rows = np.zeros(count, row_type(words, exact="exact" in columns))
    rows["visits"] = 1
    for name, values in columns.items():
        if name not in (rows.dtype.names or ()):
            raise GameforgeError(f"{file}: unknown column {name!r}; allowed: {', '.join(rows.dtype.names or ())}")
        shape = (count, words) if name == "state" else (count,)
        if values.shape != shape:
            raise GameforgeError(f"{file}: column {name} has the shape {values.shape}, not {shape}")
        kinds = "fiu" if name == "utility" else "b" if name in ("test", "exact") else "iu"
        if values.dtype.kind not in kinds:
            raise GameforgeError(f"{file}: column {name} has values of the type {values.dtype}, which do not fit")
        rows[name] = values
        if name != "utility" and not np.array_equal(rows[name], values):
            raise GameforgeError(f"{file}: column {name} has values that do not fit into {rows.dtype[name].base}")
    if not (np.abs(rows["utility"]) <= 1).all():
        raise GameforgeError(f"{file}: column utility has values outside -1 to 1")
    return rows


def _read_numpy(file: Path) -> tuple[Columns, str | None]:
    arrays = stored.read_arrays(stored.read_file(file))
    rules = arrays.pop(_RULES, None)
    return arrays, None if rules is None else str(rules)


def _write_parquet(file: Path, columns: Columns, rules: str) -> None:
    import pyarrow
    import pyarrow.parquet

    flat = {name: values for name, values in columns.items() if name != "state"}
    words = {f"state_{i}": np.ascontiguousarray(column) for i, column in enumerate(columns["state"].T)}
    buffer = pyarrow.BufferOutputStream()
    table = pyarrow.table({**words, **flat}).replace_schema_metadata({_RULES: rules})
    pyarrow.parquet.write_table(table, buffer)
    files.write_atomically(file, buffer.getvalue().to_pybytes())


def _read_parquet(file: Path) -> tuple[Columns, str | None]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(file)
    found = {name: table.column(name).to_numpy() for name in table.column_names}
    words = [found.pop(f"state_{i}") for i in range(len(found)) if f"state_{i}" in found]
    rules = (table.schema.metadata or {}).get(_RULES.encode())
    columns = {**({"state": np.stack(words, 1)} if words else {}), **found}
    return columns, None if rules is None else rules.decode()


_MOST_VISITS = (1 << 32) - 1


@attrs.frozen(kw_only=True)
class Filter:
    """Which examples are kept; the defaults are those of [Rezende2017]."""

    sides: Literal["winner", "both"] = attrs.field(default="winner", validator=attrs.validators.in_(("winner", "both")))
    """In a match with a winner: keep the examples at the winner's turns, or all."""
    draws: Literal["drop", "both"] = attrs.field(default="drop", validator=attrs.validators.in_(("drop", "both")))
    """In a drawn match: drop all examples, or keep those of both sides."""
    duplicates: Literal["visits", "mean"] = attrs.field(
        default="visits", validator=attrs.validators.in_(("visits", "mean"))
    )
    """Of equal states: keep the first one with the most visits, or one with the mean utility over all visits."""
    visits: int = attrs.field(default=1, validator=kinds.within(1, _MOST_VISITS))
    """Minimum number of visits; examples with fewer are dropped."""
    test: float = attrs.field(default=0.1, validator=[attrs.validators.gt(0), attrs.validators.lt(1)])
    """Share of the examples that is set aside for testing, drawn at random."""
    seed: int = attrs.field(default=0, validator=kinds.at_least(0))

    def chosen(self, rows: Rows) -> NDArray[np.bool_]:
        """Select the examples that are kept before duplicates are removed."""
        results = (1,) if self.sides == "winner" else (1, -1)
        wanted = (*results, 0) if self.draws == "both" else results
        kept: NDArray[np.bool_] = np.isin(rows["result"], wanted) & (rows["visits"] >= self.visits)
        return kept


def filter_examples(source: Path, out: Path, settings: Filter) -> ExampleFolder:
    """Write the examples of `source` that pass the filter into the folder `out`, unless it holds them already.

    Raises GameforgeError if `source` holds no examples, if `out` holds anything else, if too few examples remain to
    train and to test with, or if all of them have the same utility, so that there is nothing to learn.
    """
    found = ExampleFolder.read(source)
    made = {"by": "filter", "source": [dict(batch.made) for batch in found.batches], **attrs.asdict(settings)}
    with open_batch(attrs.evolve(found, path=out, batches=()), made) as folder:
        if folder.batches[-1].finished:
            return folder
        kept = (shard[settings.chosen(shard)] for shard in found.shards())
        rows = joined(kept, found.words, exact=found.exact)
        wanted = len(rows)
        rows = _without_duplicates(rows, settings.duplicates)
        tests = _mark_tests(rows, source, found.examples, settings)
        return folder.fill(rows, {"examples": found.examples, "wanted": wanted, "kept": len(rows), "test": tests})


def _mark_tests(rows: Rows, source: Path, examples: int, settings: Filter) -> int:
    """Mark the rows that are set aside for testing; returns their number.

    Raises GameforgeError if too few rows remain, or all of them have the same utility.
    """
    if len(rows) == 0:
        raise GameforgeError(
            f"{source}: no example of {examples} passes the filter (sides {settings.sides}, draws {settings.draws}, "
            f"visits {settings.visits})"
        )
    if np.ptp(rows["utility"]) == 0:
        raise GameforgeError(
            f"{source}: the {len(rows)} examples that pass the filter all have the utility {rows['utility'][0]:g}, "
            "so there is nothing to learn",
            advice="keep both sides' examples",
            parameter="sides",
        )
    tests = round(settings.test * len(rows))
    if not 0 < tests < len(rows):
        raise GameforgeError(
            f"{source}: {len(rows)} examples pass the filter; a share of {settings.test:g} for testing leaves none to "
            f"{'test' if tests == 0 else 'train'} with"
        )
    rows["test"] = False
    rows["test"][np.random.default_rng(settings.seed).permutation(len(rows))[:tests]] = True
    return tests


def _without_duplicates(rows: Rows, rule: str) -> Rows:
    """Keep one example of each state, in the order in which the states first occur."""
    if len(rows) == 0:
        return rows
    _, first, which = np.unique(rows["state"], axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    if rule == "mean":
        visits = np.bincount(which, rows["visits"])
        kept = rows[first]
        kept["utility"] = np.bincount(which, rows["visits"] * rows["utility"].astype(np.float64)) / visits
        kept["visits"] = np.minimum(visits, _MOST_VISITS)
        return kept[np.argsort(first)]
    order = np.lexsort((np.arange(len(rows)), -rows["visits"].astype(np.int64), which))
    best = order[np.flatnonzero(np.diff(which[order], prepend=-1))]
    return rows[best[np.argsort(first[which[best]])]]

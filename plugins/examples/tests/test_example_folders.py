"""Folders of examples: writing, reading, examples from files of games, filtering, and refusing bad input."""

import hashlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from example_arrays import write_examples
from gameforge_examples.conversion import Filter, _without_duplicates, filter_examples, read_games_into
from gameforge_examples.folder import (
    EXAMPLES_FORMAT,
    ExampleFolder,
    Examples,
    Rows,
    example_statistics,
    open_batch,
    read_examples,
    row_type,
)
from hypothesis import given
from hypothesis import strategies as st

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError

GAME = gf.game("othello")
WORDS = GAME.functions.words


def rows_of(*columns: tuple[int, float, int, int, int]) -> Rows:
    """Rows from tuples (first word of the state, utility, visits, mover, result)."""
    rows = np.zeros(len(columns), row_type(WORDS))
    for row, (state, utility, visits, mover, result) in zip(rows, columns, strict=True):
        row["state"][0], row["utility"], row["visits"] = state, utility, visits
        row["mover"], row["result"] = mover, result
    return rows


def stored(path: Path, rows: Rows) -> Path:
    with open_batch(ExampleFolder.new(path, GAME), {"by": "matches"}) as folder:
        folder.fill(rows, {})
    return path


def kept(tmp_path: Path, rows: Rows, **settings: Any) -> list[tuple[int, float, int]]:
    """(first word of the state, utility, visits) of the examples that pass a filter."""
    out = tmp_path / "kept"
    filter_examples(stored(tmp_path / "raw", rows), out, Filter(**({"test": 0.4} | settings)))
    found = read_examples(out, GAME)
    states = found.states[:, 0].tolist()
    return list(
        zip(states, [round(utility, 3) for utility in found.utilities.tolist()], found.visits.tolist(), strict=True)
    )


MATCH = rows_of(
    (1, 0.5, 10, 0, 1),
    (2, 0.1, 30, 0, 1),
    (3, -0.2, 8, 1, -1),
    (1, 0.9, 30, 0, 1),
    (4, 0.0, 5, 0, 0),
    (5, 0.4, 0, 0, 1),
    (1, 0.7, 30, 0, 1),
)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [(1, 0.9, 30), (2, 0.1, 30)]),
        ({"duplicates": "mean"}, [(1, 0.757, 70), (2, 0.1, 30)]),
        ({"sides": "both"}, [(1, 0.9, 30), (2, 0.1, 30), (3, -0.2, 8)]),
        ({"draws": "both"}, [(1, 0.9, 30), (2, 0.1, 30), (4, 0.0, 5)]),
        ({"sides": "both", "draws": "both", "visits": 9}, [(1, 0.9, 30), (2, 0.1, 30)]),
    ],
)
def test_filtered_examples(settings: dict[str, Any], expected: list[tuple[int, float, int]], tmp_path: Path) -> None:
    assert kept(tmp_path, MATCH, **settings) == expected


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-1, 1, width=32), st.integers(1, 4)), min_size=1))
def test_the_most_visited_duplicate_is_kept(found: list[tuple[int, float, int]]) -> None:
    rows = rows_of(*((state, utility, visits, 0, 1) for state, utility, visits in found))
    once = {row["state"][0].item(): row for row in _without_duplicates(rows, "visits")}
    assert list(once) == list(dict.fromkeys(state for state, _, _ in found))
    for state, row in once.items():
        rivals = [(visits, utility) for other, utility, visits in found if other == state]
        most = max(visits for visits, _ in rivals)
        first = next(utility for visits, utility in rivals if visits == most)
        assert (row["visits"], row["utility"]) == (most, np.float32(first))


def test_the_split_depends_on_seed_and_share(tmp_path: Path) -> None:
    rows = rows_of(*((i, i / 200, 1, 0, 1) for i in range(200)))
    raw = stored(tmp_path / "raw", rows)
    with pytest.raises(GameforgeError, match="none of the 200 examples is set aside for testing"):
        read_examples(raw, GAME).split()
    tests = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        filter_examples(raw, tmp_path / name, Filter(seed=seed))
        train, test = read_examples(tmp_path / name, GAME).split()
        assert (len(train), len(test)) == (180, 20)
        assert not set(train.states[:, 0].tolist()) & set(test.states[:, 0].tolist())
        tests.append(test.states[:, 0].tolist())
    assert tests[0] == tests[1] != tests[2]


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        (MATCH, {"visits": 100}, "no example of 7 passes the filter"),
        (MATCH[4:5], {}, "no example of 1 passes the filter"),
        (MATCH, {"test": 0.1}, "leaves none to test with"),
        (MATCH, {"test": 0.9}, "leaves none to train with"),
        (
            rows_of((1, 1.0, 1, 0, 1), (2, 1.0, 1, 0, 1)),
            {},
            "all have the utility 1, so there is nothing to learn",
        ),
    ],
)
def test_useless_results_are_refused(rows: Rows, settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=message):
        kept(tmp_path, rows, **settings)
    assert not (tmp_path / "kept").exists()


def some_examples(n: int = 20) -> Examples:
    """Examples of positions after random moves."""
    rng = np.random.default_rng(0)
    state, states = GAME.rules.initial(), []
    for _ in range(n):
        legal = GAME.legal(state)
        state = GAME.play(state, legal[int(rng.integers(len(legal)))])
        states.append(state)
    return Examples(
        states=np.array(states, np.uint64),
        utilities=rng.uniform(-1, 1, n).astype(np.float32),
        visits=np.arange(1, n + 1, dtype=np.uint32),
        test=np.arange(n) % 4 == 0,
    )


def test_reading_returns_what_was_written(tmp_path: Path) -> None:
    original = some_examples()
    write_examples(tmp_path / "a", GAME, original)
    found = read_examples(tmp_path / "a", GAME)
    for name in ("states", "utilities", "visits", "test"):
        assert (getattr(found, name) == getattr(original, name)).all()
    numbers = example_statistics(ExampleFolder.read(tmp_path / "a"))
    assert (numbers.examples, numbers.states, numbers.test, numbers.visits) == (20, 20, 5, (1, 10, 20))


def test_features_and_targets_of_examples() -> None:
    """Features are those of each state, and utilities are from the viewpoint of the feature map."""
    original = some_examples()
    pipeline = gf.Pipeline(
        game="othello", searcher="minimax:depth=1", evaluator="mlp", features="boardbits", learner="none"
    )
    features = pipeline.features.functions(GAME.rules)
    x = original.inputs(features)
    assert x.shape == (20, 128)
    own, opponent = (
        np.unpackbits(original.states[:, i : i + 1].view(np.uint8), axis=1, bitorder="little") for i in (0, 1)
    )
    assert set(np.unique(x).tolist()) == {0.0, 1.0}
    assert x.sum() == own.sum() + opponent.sum()
    assert (original.targets("just moved") == original.utilities).all()
    assert (original.targets("to move") == -original.utilities).all()


def damage(path: Path) -> None:
    shard = next(path.glob("examples-*.npy"))
    data = bytearray(shard.read_bytes())
    data[-3] ^= 1
    shard.write_bytes(data)


def shorten(path: Path) -> None:
    shard = next(path.glob("examples-*.npy"))
    shard.write_bytes(shard.read_bytes()[:-7])


def remove(path: Path) -> None:
    next(path.glob("examples-*.npy")).unlink()


def edited(**changes: Any) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        manifest = path / "manifest.json"
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | changes))

    return edit


def with_shard(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """Change the first shard, and the checksum in the manifest with it."""

    def edit(path: Path) -> None:
        shard, manifest = path / "examples-000000.npy", path / "manifest.json"
        content = json.loads(manifest.read_text())
        shard.write_bytes(change(shard.read_bytes()))
        content["batches"][0]["shards"][0]["sha256"] = hashlib.sha256(shard.read_bytes()).hexdigest()
        manifest.write_text(json.dumps(content))

    return edit


def with_nan(data: bytes) -> bytes:
    rows = np.load(io.BytesIO(data))
    rows["utility"][0] = np.nan
    buffer = io.BytesIO()
    np.save(buffer, rows)
    return buffer.getvalue()


def named(name: str) -> Callable[[Path], object]:
    """Give the first shard another name in the manifest."""

    def edit(path: Path) -> None:
        content = json.loads((path / "manifest.json").read_text())
        content["batches"][0]["shards"][0]["file"] = name
        (path / "manifest.json").write_text(json.dumps(content))

    return edit


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (damage, "is not the file that manifest.json describes: truncated or altered"),
        (shorten, "is not the file that manifest.json describes: truncated or altered"),
        (remove, "cannot read .*examples-000000.npy"),
        (lambda path: (path / "manifest.json").unlink(), "holds no set of examples: there is no manifest.json"),
        (lambda path: (path / "manifest.json").write_text("{"), "manifest.json is damaged"),
        (edited(format="gameforge-player"), "is not the manifest of a set of examples"),
        (edited(schema=9), "has schema 9"),
        (edited(batches=[{"made": {}}, 3]), "manifest.json is damaged"),
        (edited(batches=[{"made": {}, "shards": [{"file": 3}]}]), "manifest.json is damaged: batches: shards: file"),
        (edited(batches=3), "manifest.json is damaged: batches = 3: must be a list"),
        (edited(words="3"), 'manifest.json is damaged: words = "3": must be an integer'),
        (with_shard(lambda data: data.replace(b"'descr'", b"'desc\xff'")), "examples-000000.npy is damaged: "),
        (with_shard(lambda data: data.replace(b"'shape': (", b"'shape': (99")), "examples-000000.npy is damaged: "),
        (with_shard(lambda data: b"PK" + data), "examples-000000.npy is damaged: it is not an .npy file"),
        (with_shard(lambda data: data[:20]), "examples-000000.npy is damaged: "),
        (with_shard(with_nan), "examples-000000.npy is damaged: there are utilities that are not finite"),
        (named("../a/examples-000000.npy"), "manifest.json is damaged: batches: shards: file = "),
        (edited(words=5), "examples of other rules"),
        (edited(batches=[]), "holds no examples yet"),
    ],
)
def test_damaged_and_foreign_folders_are_refused(harm: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    write_examples(tmp_path / "a", GAME, some_examples())
    harm(tmp_path / "a")
    with pytest.raises(GameforgeError, match=message):
        read_examples(tmp_path / "a", GAME)


def test_examples_of_another_game_or_other_rules_are_refused(tmp_path: Path) -> None:
    write_examples(tmp_path / "a", GAME, some_examples())
    with pytest.raises(GameforgeError, match="holds examples of othello, not of morris"):
        read_examples(tmp_path / "a", gf.game("morris"))
    with pytest.raises(GameforgeError, match=r"holds examples of other rules: Othello\(komi=0\), not Othello"):
        read_examples(tmp_path / "a", gf.game("othello", komi=1))


def test_an_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    raw = stored(tmp_path / "raw", MATCH)
    before = {file.name: file.read_bytes() for file in raw.iterdir()}
    with pytest.raises(GameforgeError, match=r'in another way: by is "matches", not "filter"; choose another folder$'):
        filter_examples(raw, raw, Filter(test=0.4))
    with pytest.raises(GameforgeError, match=r'in another way: by is "matches", not "arrays"; choose another'):
        write_examples(raw, GAME, some_examples())
    assert {file.name: file.read_bytes() for file in raw.iterdir()} == before


def test_whoever_finds_a_folder_in_use_hears_how_many_examples_it_has(tmp_path: Path) -> None:
    assert EXAMPLES_FORMAT.progress(tmp_path) == ""
    assert EXAMPLES_FORMAT.progress(stored(tmp_path / "raw", MATCH)) == "7 examples so far"


def test_writing_the_same_examples_again_does_nothing(tmp_path: Path) -> None:
    raw = stored(tmp_path / "raw", MATCH)
    for _ in range(2):
        once = write_examples(tmp_path / "a", GAME, some_examples())
        assert [batch.finished for batch in once.batches] == [True]
        assert [len(batch.shards) for batch in filter_examples(raw, tmp_path / "b", Filter(test=0.4)).batches] == [1]
    with pytest.raises(GameforgeError, match="in another way: sha256 is "):
        write_examples(tmp_path / "a", GAME, some_examples(21))


GAMES = """\
[Black "Ann"]
f5d6c3d3c4 40-24
f5f6 *
f5d6c3 24-40
"""


def test_examples_of_finished_games(tmp_path: Path) -> None:
    """Every position has the result for the side that has moved; games without a result are left out."""
    (tmp_path / "some.oth").write_text(GAMES)
    folder = read_games_into(tmp_path / "a", GAME, [tmp_path / "some.oth"])
    assert (folder.matches, folder.batches[0].numbers) == (2, {"left_out": 1})
    rows = folder.rows()
    assert rows["utility"].tolist() == [1, 1, 1, -1, -1, -1, -1, 1]
    assert rows["utility"].tolist() == rows["result"].tolist()
    assert rows["ply"].tolist() == [0, 2, 4, 1, 3, 0, 2, 1]
    assert rows["match"].tolist() == [0] * 5 + [1] * 3
    assert rows["mover"].tolist() == [0, 0, 0, 1, 1, 0, 0, 1]
    position = GAME.position()
    for i, move in enumerate(["f5", "d6", "c3", "d3", "c4"]):
        position = position.play(move)
        assert tuple(rows["state"][rows["ply"] == i][0].tolist()) == position.state
    again = read_games_into(tmp_path / "a", GAME, [tmp_path / "some.oth"])
    assert again.batches == folder.batches
    with pytest.raises(GameforgeError, match=r"nothing to learn; keep both sides' examples with sides=\.\.\.$"):
        filter_examples(tmp_path / "a", tmp_path / "b", Filter(test=0.4))
    filter_examples(tmp_path / "a", tmp_path / "b", Filter(test=0.4, sides="both", duplicates="mean"))
    opening = read_examples(tmp_path / "b", GAME)
    assert opening.utilities[opening.visits == 2].tolist() == [0, 0, 0]  # both games begin with these three moves


def test_whether_matches_of_examples_follow_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "some.oth").write_text(GAMES)
    out = tmp_path / "a"
    folder = read_games_into(out, GAME, [tmp_path / "some.oth"])
    assert run(["verify", str(out)]) == 0
    found = "8 examples in files as they were written, 6 positions of 2 matches by the rules"
    assert capsys.readouterr().out == f"{out}: {found}\n"
    rows = folder.rows()
    rows["state"][3] = rows["state"][0]  # after the second ply of the first match there is a position of the first
    data = io.BytesIO()
    np.save(data, rows)
    (out / "examples-000000.npy").write_bytes(data.getvalue())
    assert run(["verify", str(out)]) == 2
    assert "is not the file that manifest.json describes" in capsys.readouterr().out
    content = json.loads((out / "manifest.json").read_text())
    content["batches"][0]["shards"][0]["sha256"] = hashlib.sha256(data.getvalue()).hexdigest()
    EXAMPLES_FORMAT.write(out, content)
    assert run(["verify", str(out)]) == 2
    assert "match 0, ply 1: no position of the ply before leads by legal moves to " in capsys.readouterr().out


def test_examples_of_games_of_draughts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    file.write_text('[Event "x"]\n[Result "1-0"]\n1. 11-15 23-19 2. 8-11 22-17 1-0\n')
    command = ["examples", "make", "--from", str(file), "--game", "draughts", "--out", str(tmp_path / "a"), "--json"]
    assert run(command) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["examples"], printed["results"]) == (4, [2, 0, 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no game has a result"), ("f5d6 *\n", "no game has a result"), ("f5a1 64-0\n", "line 1")],
)
def test_files_without_finished_games_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "some.oth").write_text(text)
    with pytest.raises(GameforgeError, match=message):
        read_games_into(tmp_path / "a", GAME, [tmp_path / "some.oth"])
    assert not (tmp_path / "a").exists()


def test_examples_of_the_wthor_archive(shared: Path, tmp_path: Path) -> None:
    """Two years are read into one folder as two batches."""
    files = [shared / "data" / "games" / "wthor" / f"WTH_{year}.wtb" for year in (1983, 1987)]
    one = read_games_into(tmp_path / "a", GAME, files[:1])
    both = read_games_into(tmp_path / "a", GAME, files[1:], append=True)
    assert both.matches > one.matches > 10
    assert both.examples / both.matches > 50
    assert set(both.rows()["match"].tolist()) == set(range(both.matches))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["filter", "raw", "--out", "out", "--test", "0"], "--test 0: must be more than 0 and less than 1"),
        (["filter", "raw", "--out", "out", "--test", "2"], "--test 2: must be more than 0 and less than 1"),
        (
            ["filter", "raw", "--out", "raw"],
            'raw holds examples that were made in another way: by is "matches", not "filter"; choose another',
        ),
        (["filter", "nowhere", "--out", "out"], "examples: the folder nowhere does not exist"),
        (["filter", "raw", "--out", "out", "--visits", "1000000"], "no example of 7 passes the filter"),
        (["filter", "raw", "--out", "out", "--sides", "losers"], "--sides"),
        (["stats", "nowhere"], "examples: the folder nowhere does not exist"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    stored(Path("raw"), MATCH)
    assert run(["examples", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert message in error
    assert not Path("out").exists()


def test_room_is_checked_before_examples_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = stored(tmp_path / "raw", MATCH)
    games = tmp_path / "some.oth"
    games.write_text("f5d6c3d3c4 40-24\nf5d6c3 24-40\n")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**12, 0, 50))
    for work in (
        lambda out: filter_examples(raw, out, Filter(test=0.4)),
        lambda out: read_games_into(out, gf.game("othello"), [games]),
    ):
        with pytest.raises(
            GameforgeError, match=r"writing \d+ examples needs \d+ bytes of disk in .*, where 50 bytes are free"
        ):
            work(tmp_path / "out")
        assert not (tmp_path / "out").exists()

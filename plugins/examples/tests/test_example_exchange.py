"""Examples to and from files of other programs."""

import contextlib
import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from example_arrays import write_examples
from gameforge_examples.conversion import export_examples, import_examples
from gameforge_examples.folder import ExampleFolder, Examples

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.errors import GameforgeError

SUFFIXES = (".npz", ".parquet")


@pytest.fixture(autouse=True)
def _parquet(request: pytest.FixtureRequest) -> None:
    if ".parquet" in request.node.name and importlib.util.find_spec("pyarrow") is None:
        assert os.environ.get("CI") != "true", "pyarrow is missing: .ci/run installs it with the test extra"
        pytest.skip("pyarrow is not installed: pip install 'gameforge[parquet]'")


def examples(path: Path, count: int = 40) -> Path:
    game, rng = gf.game("othello"), np.random.default_rng(1)
    write_examples(
        path,
        game,
        Examples(
            states=rng.integers(0, 1 << 64, (count, game.functions.words), np.uint64),
            utilities=rng.uniform(-1, 1, count).astype(np.float32),
            visits=rng.integers(1, 1 << 32, count).astype(np.uint32),
            test=rng.random(count) < 0.2,
        ),
    )
    return path


def columns(**changed: Any) -> dict[str, Any]:
    words = gf.game("othello").functions.words
    found = {"state": np.zeros((3, words), np.uint64), "utility": np.array([0, 1, -1], np.float32)} | changed
    return {name: values for name, values in found.items() if values is not None}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_round_trip_keeps_every_figure(suffix: str, tmp_path: Path) -> None:
    source, file = examples(tmp_path / "a"), tmp_path / f"x{suffix}"
    assert export_examples(source, file) == 40
    out = import_examples(file, gf.game("othello"), tmp_path / "b")
    assert out.rows().tobytes() == ExampleFolder.read(source).rows().tobytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_command(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, file, out = examples(tmp_path / "a"), tmp_path / f"x{suffix}", tmp_path / "b"
    assert cli.run(["examples", "export", str(source), str(file)]) == 0
    assert cli.run(["examples", "import", str(file), "--game", "othello", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "40 examples of othello" in said
    assert "batch 1: imported from a file\n" in said


def test_the_command_overwrites_no_file_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, file = examples(tmp_path / "a"), tmp_path / "x.npz"
    file.write_text("mine")
    assert cli.run(["examples", "export", str(source), str(file)]) == 2
    assert f"{file} already exists; choose another file, or overwrite it with --force" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert cli.run(["examples", "export", str(source), str(file), "--force"]) == 0
    assert capsys.readouterr().out == f"{file}: 40 examples\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_examples_of_another_game_are_refused(suffix: str, tmp_path: Path) -> None:
    """A state of draughts has as many words as one of Othello."""
    file = tmp_path / f"x{suffix}"
    export_examples(examples(tmp_path / "a"), file)
    for game in ("draughts", "othello:komi=2"):
        with pytest.raises(GameforgeError, match=r"holds examples of Othello\(.*\), not of "):
            import_examples(file, gf.game(game), tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_states_and_utilities_are_enough(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", **columns())
    rows = import_examples(tmp_path / "x.npz", gf.game("othello"), tmp_path / "b").rows()
    assert rows["utility"].tolist() == [0, 1, -1]
    assert rows["visits"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"utility": None}, "has no column utility"),
        ({"state": np.zeros((3, 1), np.uint64)}, "has the shape"),
        ({"state": np.full((3, 9), 0.5)}, "has the shape"),
        ({"utility": np.array([0, 2, 0.0])}, "outside -1 to 1"),
        ({"utility": np.array([0, np.nan, 0])}, "outside -1 to 1"),
        ({"visits": np.array([1, -1, 1])}, "do not fit into uint32"),
        ({"mover": np.array(["a", "b", "c"])}, "which do not fit"),
        ({"colour": np.zeros(3)}, "unknown column 'colour'"),
    ],
)
def test_other_columns_are_explained(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", **columns(**changed))
    with pytest.raises(GameforgeError, match=said):
        import_examples(tmp_path / "x.npz", gf.game("othello"), tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_single_array_and_damaged_compressed_arrays_are_explained(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    with file.open("wb") as stream:
        np.save(stream, np.zeros(3))
    with pytest.raises(GameforgeError, match=r"is damaged: it is not an \.npz file"):
        import_examples(file, gf.game("othello"), tmp_path / "b")
    np.savez_compressed(file, **columns())
    whole = file.read_bytes()
    for place in range(40, len(whole), 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with contextlib.suppress(GameforgeError):
            import_examples(file, gf.game("othello"), tmp_path / f"out-{place}")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_damaged_file_is_explained(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"x{suffix}"
    export_examples(examples(tmp_path / "a"), file)
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(GameforgeError, match=r"x.* is damaged"):
        import_examples(file, gf.game("othello"), tmp_path / "b")
    with pytest.raises(GameforgeError, match="cannot read"):
        import_examples(tmp_path / f"none{suffix}", gf.game("othello"), tmp_path / "b")
    with pytest.raises(GameforgeError, match=r"end in .npz or .parquet"):
        import_examples(tmp_path / "x.csv", gf.game("othello"), tmp_path / "b")

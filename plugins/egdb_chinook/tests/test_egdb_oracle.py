"""The oracle component: parameters, opening, coverage, discovery."""

import contextlib
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from egdb_probing import probed
from gameforge_draughts.rules import Draughts
from gameforge_egdb_chinook import oracle, plugin, solving
from gameforge_egdb_chinook.build import Build, BuildProgress
from gameforge_egdb_chinook.oracle import CacheWarning, Chinook, pack
from gameforge_egdb_chinook.probe import probe_block
from gameforge_egdb_chinook.slices import positions
from gameforge_egdb_chinook.target import target
from numpy.typing import NDArray

from gameforge.config import structure, unstructure
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.storage import locked

Bytes = NDArray[np.uint8]


@pytest.mark.parametrize("pieces", [2, 3])
def test_values_are_solved_on_first_use_and_kept(pieces: int, cache: Path, solved: Bytes) -> None:
    announced: list[tuple[str, int, int]] = []
    for _ in range(2):
        functions = Chinook(pieces=pieces).open(Draughts(), lambda *step: announced.append(step), workers=2)
        assert functions.covers == f"positions with up to {pieces} pieces"
        assert np.array_equal(functions.data, probe_block(pieces, pack(solved[: positions(pieces)])))
        assert [done for _, done, total in announced].count(positions(pieces)) == 1
    assert [file.name for file in cache.iterdir()] == [f"solved-{pieces}.egdb"]


def test_four_pieces_are_the_default(monkeypatch: pytest.MonkeyPatch, solved: Bytes) -> None:
    monkeypatch.setattr(solving, "solve", lambda pieces, workers, announce: solved[: positions(pieces)])
    assert Chinook().open(Draughts()).covers == "positions with up to 4 pieces"


def test_the_cache_file_does_not_depend_on_the_number_of_workers(cache: Path) -> None:
    files = []
    for workers in (1, 2):
        Chinook(pieces=3).open(Draughts(), workers=workers)
        (file,) = cache.iterdir()
        files.append(file.read_bytes())
        file.unlink()
    assert files[0] == files[1]


def test_more_pieces_are_built_as_files_once_after_their_cost_is_announced(
    cache: Path, solved: Bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "SOLVED_PIECES", 2)  # five pieces would take half a minute
    announced: list[str] = []
    for _ in range(2):
        functions = Chinook(pieces=3).open(Draughts(), lambda what, done, total: announced.append(what), workers=2)
        assert np.array_equal(probed(functions, 3), solved[: positions(3)])
    assert announced[0].startswith("building all positions with up to 3 pieces, once: about 1 min, ")
    assert announced.count(announced[0]) == 1
    assert sorted(file.name for file in cache.iterdir()) == ["DB3", "DB3.idx", "DB3.json"]


def test_one_process_builds_while_others_wait(cache: Path, solved: Bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "SOLVED_PIECES", 2)
    opened: list[OracleFunctions] = []
    threads = [threading.Thread(target=lambda: opened.append(Chinook(pieces=3).open(Draughts()))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 3
    for functions in opened:
        assert np.array_equal(probed(functions, 3), solved[: positions(3)])


def test_those_that_wait_for_another_process_hear_how_far_it_is(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr(oracle, "SOLVED_PIECES", 2)
    folder = target("chinook", 3, None, cache).build_folder
    folder.mkdir(parents=True)
    builds = contextlib.ExitStack()
    builds.enter_context(locked(folder))
    states = iter([lambda: BuildProgress(4711, 30, 120).write(folder), builds.close])
    monkeypatch.setattr(oracle, "time", SimpleNamespace(sleep=lambda seconds: next(states)()))
    heard: list[tuple[str, int, int]] = []
    Chinook(pieces=3).open(Draughts(), lambda *progress: heard.append(progress))
    assert heard[1:3] == [
        ("waiting for another process that is building DB3", 0, 0),
        ("waiting for process 4711, which builds DB3", 30, 120),
    ]


def test_a_build_records_how_far_it_is(tmp_path: Path) -> None:
    wanted = target("chinook", 3, None, tmp_path)
    recorded: list[BuildProgress | None] = []
    Build(wanted, announce=lambda *progress: recorded.append(BuildProgress.read(wanted.build_folder))).run()
    assert recorded[0] == BuildProgress(os.getpid(), 0, positions(3))


def test_a_damaged_database_in_the_cache_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "SOLVED_PIECES", 2)
    Chinook(pieces=3).open(Draughts())
    data = (cache / "DB3").read_bytes()
    (cache / "DB3").write_bytes(data[:1000] + bytes([data[1000] ^ 1]) + data[1001:])
    with pytest.raises(GameforgeError, match=r"DB3: .*(checksum|altered)"):
        Chinook(pieces=3).open(Draughts())


def test_a_damaged_cache_file_of_values_is_solved_again(cache: Path, solved: Bytes) -> None:
    Chinook(pieces=2).open(Draughts())
    file = cache / "solved-2.egdb"
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.warns(CacheWarning, match=r"solved-2\.egdb: damaged"):
        functions = Chinook(pieces=2).open(Draughts())
    assert np.array_equal(functions.data, probe_block(2, pack(solved[: positions(2)])))
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pieces": 7}, "oracle.pieces = 7: must be an integer from 2 to 6: up to 6 pieces can be built on first use; "
                        "larger databases come from files: path=DIR"),
        ({"pieces": 1}, "oracle.pieces = 1: must be an integer from 2 to 6"),
        ({"pieces": 4.0}, "oracle.pieces = 4.0: must be an integer"),
        ({"pieces": True}, "oracle.pieces = true: must be an integer"),
        ({"pieces": 9, "path": "x"}, "oracle.pieces = 9: must be an integer from 2 to 8: up to 8 pieces can be "
                                     "read from files"),
        ({"format": "dtw", "pieces": 6}, "oracle.pieces = 6: must be an integer from 2 to 5"),
        ({"format": "wld"}, 'oracle.format = "wld": must be dtw or mtc'),
        ({"format": "dtw", "path": "x"}, 'oracle.format = "dtw": is for databases that are built on first use'),
        ({"expand": True}, "oracle.expand = true: needs files"),
        ({"path": "x", "expand": 1}, "oracle.expand = 1: must be true or false"),
        ({"path": "x", "cache": 0}, "oracle.cache = 0: must be an integer from 1 to 4096, in MiB"),
        ({"quiet": 1}, "oracle.quiet = 1: must be true or false"),
        ({"quiet": True, "format": "dtw"}, "oracle.quiet = true: is for databases without distances"),
        ({"path": 7}, "oracle.path = 7: must be a string"),
        ({"piece": 3}, "oracle.piece: no such parameter (did you mean 'pieces'?); allowed: "),
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused_in_one_sentence(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(GameforgeError) as caught:
        structure(Chinook, parameters, "oracle")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("parameters", [{}, {"pieces": 3}, {"path": "somewhere"}, {"path": "somewhere", "pieces": 5}])
def test_parameters_survive_a_round_trip_through_settings(parameters: dict[str, object]) -> None:
    assert unstructure(structure(Chinook, parameters)) == {
        "expand": False,
        "cache": 16,
        "quiet": False,
        **parameters,
    }


@pytest.mark.parametrize("metric", ["dtw", "mtc"])
def test_distances_are_built_on_first_use(metric: str, cache: Path) -> None:
    announced: list[str] = []
    for _ in range(2):
        functions = Chinook(format=metric, pieces=3).open(Draughts(), lambda what, *_: announced.append(what))
        assert functions.covers.startswith("positions with up to 3 pieces, with plies to the ")
    assert announced[0].startswith(f"building all positions with up to 3 pieces, with distances ({metric}), once: ")
    assert announced.count(announced[0]) == 1
    assert {file.suffix for file in cache.iterdir()} == {".egdb", ".json"}


def test_wrong_arguments_in_python_are_refused() -> None:
    for pieces in (7, 0, "3", True):
        with pytest.raises(GameforgeError, match="'pieces' must be an integer from 2 to 6"):
            Chinook(pieces=pieces)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Chinook(path=3)  # type: ignore[arg-type]


def test_rules_of_another_game_are_refused() -> None:
    class Othello:
        name = "othello"

    with pytest.raises(GameforgeError, match="chinook knows draughts, not othello"):
        Chinook().open(Othello())  # type: ignore[arg-type]


def test_the_plugin_offers_one_oracle_for_draughts() -> None:
    (component,) = plugin.gameforge_components()
    assert (component.kind, component.name, component.game) == ("oracle", "chinook", "draughts")
    assert component.target == f"{Chinook.__module__}:{Chinook.__name__}"

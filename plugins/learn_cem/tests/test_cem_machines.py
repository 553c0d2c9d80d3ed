"""The same training in other processes, killed in its middle, and by the command."""

import json
import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from called import gameforge
from cem_runs import TOYS, pipeline
from copies import copies_this_process
from gameforge_learn_cem import learner
from kills import essence, killed_at_call, storage_calls
from machines import dask_executor
from reported import Reported, same, train

from gameforge.training import checkpoint


@pytest.fixture(scope="module", autouse=True)
def _short_measurements() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "_MEASURE_SECONDS", 0.05)
        yield


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_processes_build_the_pipeline_themselves(whole: Reported) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(train(pipeline(), executor=pool), whole)


@pytest.mark.slow
def test_workers_of_dask(whole: Reported, tmp_path: Path) -> None:
    with dask_executor(tmp_path) as executor:
        same(train(pipeline(), executor=executor), whole)


@copies_this_process
def test_killed_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process is killed with kill -9 when it has written a quarter of what the whole run writes."""
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)  # a checkpoint wherever one can be written

    def work(folder: Path) -> None:
        short = pipeline({"iterations": 2})
        short.run(folder, resume=(folder / "run.json").exists(), yardstick=None)

    work(tmp_path / "first")
    calls = storage_calls(work, tmp_path / "whole")
    out = tmp_path / "run"
    states = set()
    for _ in range(3):
        assert killed_at_call(calls // 4, work, out) == -signal.SIGKILL
        states.add((out / "checkpoint" / "state.bin").read_bytes())
    assert len(states) == 3
    work(out)
    assert essence(out) == essence(tmp_path / "whole")


def command(*arguments: str) -> tuple[int, str]:
    return gameforge([f"--plugin={TOYS}", "run", *arguments])


def test_the_command(tmp_path: Path) -> None:
    """Of a game and a searcher that are known elsewhere."""
    given = ["--game=othello", "--searcher=uct:simulations=20", "--evaluator=none", "--oracle=none"]
    learner = ["--learner=cem:iterations=2,samples=2,games=2", "--tune=searcher.cp=0.2..2.0"]
    measured = ["--match-games=2", "--yardstick-games=2"]
    code, text = command(*given, *learner, f"--out={tmp_path / 'run'}", *measured)
    assert code == 0, text
    assert "session 2/2: " in text
    assert "trained - untrained: " in text
    settings = json.loads((tmp_path / "run" / "player" / "manifest.json").read_text())["pipeline"]
    assert 0.2 <= settings["searcher"]["cp"] <= 2.0
    assert settings["evaluator"] == "none"
    assert "mean (searcher.cp 1.1)" in (tmp_path / "run" / "games.oth").read_text()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("searcher.aim", "error: --tune searcher.aim: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0"),
        ("searcher.aim=0", "error: --tune searcher.aim=0: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0"),
        ("=0..1", "error: --tune =0..1: must be KEY=LOW..HIGH, such as searcher.cp=0.2..2.0"),
    ],
)
def test_the_option(given: str, sentence: str, tmp_path: Path) -> None:
    code, text = command(
        "--game=target", "--searcher=thrower", "--learner=cem", f"--tune={given}", f"--out={tmp_path}/x"
    )
    assert (code, text.strip()) == (2, sentence)

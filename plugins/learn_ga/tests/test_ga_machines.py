"""The same training by other processes: a process pool, and workers of a dask scheduler, one of which dies."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from called import gameforge
from ga_runs import TOYS, pipeline
from machines import Machines
from reported import Reported, same, train

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Progress
from gameforge.training import work
from gameforge.training.work import executor

SLOWLY = {"inner": {"use": "ready", "pause": 0.3}}


@pytest.fixture
def dask() -> None:
    pytest.importorskip("distributed", reason="the extra `distributed` is not installed")


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_processes_build_the_pipeline_themselves(whole: Reported) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(train(pipeline(), executor=pool), whole)


def test_a_process_that_dies_is_one_sentence() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:

        def kill(progress: Progress) -> None:
            for process in list(pool._processes.values()):
                process.kill()

        with pytest.raises(GameforgeError, match=r"a worker was lost.*; finished work is kept"):
            train(pipeline(), executor=pool, listen=kill)


@pytest.fixture
def machines(dask: None, tmp_path: Path) -> Iterator[Machines]:
    with contextlib.ExitStack() as files:
        yield Machines(tmp_path, files)


@pytest.mark.slow
def test_workers_that_die_and_a_scheduler_that_dies(
    machines: Machines, whole: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two workers dies in the middle, and the other goes on; then that one dies; with a third, the scheduler."""
    monkeypatch.setattr(work, "_PATIENCE", 1.0)
    workers = [machines.worker(), machines.worker()]
    with executor(machines.name) as there:
        assert isinstance(there, work.DaskExecutor)
        there.wait_for_workers(2)
        one_dies(workers[0], there, whole)
        assert workers[1].poll() is None
        with pytest.raises(GameforgeError, match=r"has had no worker for 1 s; finished work is kept"):
            train(pipeline(), executor=there, listen=lambda progress: workers[1].kill())
    machines.worker()
    with executor(machines.name) as there:
        assert isinstance(there, work.DaskExecutor)
        there.wait_for_workers(1)
        with pytest.raises(GameforgeError, match="finished work is kept"):
            train(pipeline(), executor=there, listen=lambda progress: machines.scheduler.kill())


def one_dies(worker: "subprocess.Popen[bytes]", there: work.DaskExecutor, whole: Reported) -> None:
    """Train on two workers, of which this one dies while it trains an individual."""
    client, over = there._client, threading.Event()
    [address] = [where for where, pid in client.run(os.getpid).items() if pid == worker.pid]

    def kill() -> None:
        while not client.processing([address])[address]:  # an individual, which takes up to 0.3 s
            if over.wait(0.005):
                return
        worker.kill()

    killer = threading.Thread(target=kill)

    def listen(progress: Progress) -> None:
        if progress.session == 2:
            killer.start()

    try:
        same(train(pipeline(SLOWLY), executor=there, listen=listen), whole)
    finally:
        over.set()
    killer.join()
    assert worker.wait(600) == -signal.SIGKILL


def test_a_scheduler_that_is_not_there(dask: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(GameforgeError, match=r"executor dask://127\.0\.0\.1:9: no dask scheduler answers at this"),
        executor("dask://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("name", ["dusk://a:1", "dask://nowhere", "", "LOCAL"])
def test_other_names(name: str) -> None:
    with pytest.raises(GameforgeError, match=r"must be local or dask://HOST:PORT"), executor(name):
        pass


def test_without_distributed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GameforgeError, match=r"pip install 'gameforge\[distributed\]'"), executor("dask://host:1"):
        pass


def test_the_command_writes_nothing_if_the_scheduler_does_not_answer(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, text = gameforge([f"--plugin={TOYS}", "run", "--game=auction", "--executor=dask:host", f"--out={out}"])
    assert code == 2
    assert "'dask:host': must be local or dask://HOST:PORT" in text
    assert not list(tmp_path.iterdir())

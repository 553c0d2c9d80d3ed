"""The same training by other processes: a process pool, and workers of a dask scheduler, one of which dies."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from ga_runs import TOYS, pipeline
from machines import Machines
from reported import Reported, same, train

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Progress
from gameforge.training import executors
from gameforge.training.executors import executor

SLOWLY = {"inner": {"use": "ready", "pause": 0.3}}


@pytest.fixture
def dask() -> None:
    pytest.importorskip("distributed", reason="the extra `distributed` is not installed")


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_processes_build_the_pipeline_themselves(whole: Reported) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(train(pipeline(), executor=pool), whole)


def test_a_process_that_dies_is_one_sentence() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(os.getpid).result()

        def kill() -> None:
            time.sleep(0.5)
            for process in list(pool._processes.values()):
                process.kill()

        threading.Thread(target=kill).start()
        with pytest.raises(GameforgeError, match=r"a worker was lost.*; finished work is kept"):
            train(pipeline({"generations": 50, **SLOWLY}), executor=pool)


@pytest.fixture
def machines(dask: None, tmp_path: Path) -> Iterator[Machines]:
    with contextlib.ExitStack() as files:
        yield Machines(tmp_path, files)


def test_one_of_two_workers_is_killed_in_the_middle(machines: Machines, whole: Reported) -> None:
    workers = [machines.worker(), machines.worker()]
    with executor(machines.name) as there:
        assert isinstance(there, executors.DaskExecutor)
        there.wait_for_workers(2)
        killer = threading.Timer(0.4, workers[0].kill)

        def listen(progress: Progress) -> None:
            if progress.session == 2:  # the next individuals take 0.3 s at most, each
                killer.start()

        same(train(pipeline(SLOWLY), executor=there, listen=listen), whole)
    assert workers[0].poll() == -signal.SIGKILL
    assert workers[1].poll() is None


def test_a_scheduler_that_is_not_there(dask: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(GameforgeError, match=r"executor dask://127\.0\.0\.1:9: no dask scheduler answers at this"),
        executor("dask://127.0.0.1:9"),
    ):
        pass


def test_workers_that_die_for_good(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_PATIENCE", 1.0)
    worker = machines.worker()
    with executor(machines.name) as there:
        assert isinstance(there, executors.DaskExecutor)
        there.wait_for_workers(1)
        threading.Timer(1, worker.kill).start()
        with pytest.raises(GameforgeError, match=r"has had no worker for 1 s; finished work is kept"):
            train(pipeline({"generations": 50, **SLOWLY}), executor=there)


def test_a_scheduler_that_dies(machines: Machines) -> None:
    machines.worker()
    with executor(machines.name) as there:
        assert isinstance(there, executors.DaskExecutor)
        there.wait_for_workers(1)
        threading.Timer(1, machines.scheduler.kill).start()
        with pytest.raises(GameforgeError, match="finished work is kept"):
            train(pipeline({"generations": 50, **SLOWLY}), executor=there)


@pytest.mark.parametrize("name", ["dusk://a:1", "dask://nowhere", "", "LOCAL"])
def test_other_names(name: str) -> None:
    with pytest.raises(GameforgeError, match=r"must be local or dask://HOST:PORT"), executor(name):
        pass


def test_without_distributed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GameforgeError, match=r"pip install 'gameforge\[distributed\]'"), executor("dask://host:1"):
        pass


def test_the_command_writes_nothing_if_the_scheduler_does_not_answer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from gameforge.cli.main import main; main()"]
    given = [f"--plugin={TOYS}", "run", "--game=auction", "--executor=dask:host", "--out=run"]
    process = subprocess.run([*command, *given], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (2, "")
    assert "'dask:host': must be local or dask://HOST:PORT" in process.stderr + process.stdout
    assert not list(tmp_path.iterdir())

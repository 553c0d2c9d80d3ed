"""A dask scheduler and workers, as processes of their own."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest


@contextlib.contextmanager
def dask_executor(folder: Path, processes: int = 1, threads: int = 2) -> Iterator[Executor]:
    """Yield dask's executor with this number of worker processes, each with this number of threads.

    Without the extra `distributed` the test is skipped.
    """
    distributed = pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
    with (
        distributed.LocalCluster(
            n_workers=processes, threads_per_worker=threads, dashboard_address=None, local_directory=str(folder)
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()


class Machines:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder: Path, files: contextlib.ExitStack) -> None:
        self.folder, self._files = folder, files
        self._contact = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port=0", "--scheduler-file", str(self._contact), "--no-dashboard")
        deadline = time.monotonic() + 600
        while not self._contact.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def _start(self, kind: str, *arguments: str) -> "subprocess.Popen[bytes]":
        log = self._files.enter_context((self.folder / f"{kind}-{time.monotonic_ns()}.log").open("wb"))
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host=127.0.0.1", *arguments]
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        self._files.callback(process.wait)
        self._files.callback(process.kill)
        return process

    def worker(self) -> "subprocess.Popen[bytes]":
        arguments = ("--nthreads=1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder))
        return self._start("worker", "--scheduler-file", str(self._contact), *arguments)

    @property
    def name(self) -> str:
        address: str = json.loads(self._contact.read_text())["address"]
        return address.replace("tcp://", "dask://")

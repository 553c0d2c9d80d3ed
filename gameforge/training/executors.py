"""Executors by name: `local` for threads of this process, `dask://HOST:PORT` for the workers of a dask scheduler."""

import contextlib
import logging
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

from gameforge.errors import GameforgeError

LOCAL = "local"
"""The name of the executor of this process."""
_DASK = re.compile(r"dask://([^/\s]+):(\d+)/?")
_CONNECT_SECONDS = 10.0
_PATIENCE = 30.0
"""Seconds without a worker after which the work is given up."""


@contextlib.contextmanager
def executor(name: str) -> Iterator[Executor | None]:
    """Yield the executor of this name; None for `local`.

    Raises GameforgeError if the name is neither, if `distributed` is not installed, or if no scheduler answers.
    """
    address = _DASK.fullmatch(name)
    if name == LOCAL:
        yield None
    elif address is None:
        raise GameforgeError(f"executor {name!r}: must be {LOCAL} or dask://HOST:PORT")
    else:
        with contextlib.closing(DaskExecutor(address[1], int(address[2]))) as workers:
            yield workers


class DaskExecutor(Executor):
    """The workers of a dask scheduler. If a worker dies, another one does its work."""

    def __init__(self, host: str, port: int) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise GameforgeError(
                f"executor dask://{host}:{port} needs the package distributed, which is not installed: "
                "pip install 'gameforge[distributed]'"
            ) from None
        self.name = f"dask://{host}:{port}"
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # failures are reported in one sentence instead
        try:
            self._client: Any = Client(f"tcp://{host}:{port}", timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise GameforgeError(f"executor {self.name}: no dask scheduler answers at this address") from error
        self._executor: Executor = self._client.get_executor()
        self._alone_since: float | None = None

    @property
    def workers(self) -> int:
        """Number of threads of all connected workers, 1 or more."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def wait_for_workers(self, number: int) -> None:
        """Wait until this many workers are connected."""
        self._client.wait_for_workers(number)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Hand a call to a worker of the scheduler."""
        return self._executor.submit(fn, *args, **kwargs)

    def check(self) -> None:
        """Raise GameforgeError if no worker has been connected for a while, or if the scheduler is gone."""
        try:
            has_workers = bool(self._client.nthreads())
        except (OSError, TimeoutError, ValueError) as error:
            raise GameforgeError(f"the scheduler {self.name} no longer answers; finished work is kept") from error
        now = time.monotonic()
        if has_workers:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since > _PATIENCE:
            raise GameforgeError(f"{self.name} has had no worker for {_PATIENCE:.0f} s; finished work is kept")

    def close(self) -> None:
        """Disconnect from the scheduler, which drops our unfinished work."""
        self._client.close(timeout=_CONNECT_SECONDS)

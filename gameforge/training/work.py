"""Independent work of learners: functions of a pipeline's parts, run by any concurrent.futures.Executor.

Threads share the parts of this process. Any other executor receives a recipe (the settings, and the paths of plugins
that are single files), from which each process builds the pipeline once. Results do not depend on the executor.

Executors have names: `local` for threads of this process, `dask://HOST:PORT` for the workers of a dask scheduler.
"""

import contextlib
import functools
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import attrs

from gameforge.config import Spec, flat, split_parts
from gameforge.config.settings import Json
from gameforge.discovery.consent import Consent
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, pip_install
from gameforge.interfaces.evaluator import Trainable
from gameforge.kernel.parallel import PATIENCE, Threads, wait_for_one
from gameforge.play.gathering import at_once
from gameforge.play.parts import Parts
from gameforge.play.pipeline import SETTABLE, Pipeline

Result = TypeVar("Result")
_WATCH_SECONDS = 0.5
"""Seconds between checks of whether the executor still has workers and the caller still wants the result."""


class Abandoned(Exception):
    """Ends a piece of work whose result is no longer needed."""


@runtime_checkable
class Watched(Protocol):
    """An executor that notices when all its workers are gone."""

    def check(self) -> None:
        """Raise GameforgeError if no workers are left."""
        ...


@attrs.frozen(eq=False)
class LocalSite:
    """A pipeline in this process; implements gameforge.interfaces.learner.Site, which describes the members."""

    pipeline: Pipeline
    parts: Parts
    stopped: threading.Event = attrs.field(factory=threading.Event)
    """Set when the work is to end."""

    def has(self, kind: str, name: str) -> bool:
        return self.pipeline.registry.has(kind, name, self.parts.game.rules.name)

    def create(self, kind: str, spec: Spec) -> Any:
        return self.pipeline.registry.create(kind, spec, self.parts.game.rules.name)

    @property
    def settings(self) -> Mapping[str, Json]:
        return self.pipeline.settings

    @property
    def parameters(self) -> Mapping[str, Json]:
        return {key: value for key, value in flat(self.settings) if key.partition(".")[0] in SETTABLE}

    def default_evaluator(self) -> Spec | None:
        defaults = self.parts.game.defaults
        if defaults.yardstick:
            return Spec.parse(defaults.yardstick)
        for spec in map(Spec.parse, split_parts(defaults.player) if defaults.player else ()):
            if self.has("evaluator", spec.use) and not isinstance(self.create("evaluator", spec), Trainable):
                return spec
        return None

    def parts_with(self, settings: Mapping[str, Json]) -> Parts:
        parts = self.pipeline.with_settings(settings).parts()
        parts.count = self.parts.count
        return parts

    def check(self) -> None:
        """Raise Abandoned if the result of the work is no longer needed."""
        if self.stopped.is_set():
            raise Abandoned

    def at_once(self, games: Sequence[Callable[[], Result]]) -> list[Result]:
        return at_once(games, self.check)


@attrs.frozen
class Recipe:
    """A pipeline as it is sent to another process."""

    settings: str
    """The settings of the pipeline as JSON."""
    files: tuple[str, ...]
    """Paths of plugins that are single files; each process reads them from the same path."""
    agreed: frozenset[str] = frozenset()
    """Programs to which a person agreed, as `Consent.agreed`."""
    everything: bool = False
    """Whether all programs may be started."""

    @classmethod
    def of(cls, pipeline: Pipeline) -> "Recipe":
        """Return the recipe of a pipeline; GameforgeError if it has a component that no plugin offers."""
        if pipeline.objects:
            raise GameforgeError(
                f"executor: other processes cannot build the {pipeline.objects[0]}, an object that no plugin offers; "
                "register it as a plugin, or omit the executor and use threads",
                advice="choose their number",
                parameter="workers",
            )
        files = tuple(str(file.resolve()) for file in pipeline.registry.plugins.files)
        consent = pipeline.registry.consent
        return cls(json.dumps(pipeline.settings), files, frozenset(consent.agreed), consent.everything)

    def site(self) -> LocalSite:
        """Build the pipeline; each process builds it only once."""
        with _building:
            return _built(self)


_building = threading.Lock()


@functools.lru_cache(maxsize=4)
def _built(recipe: Recipe) -> LocalSite:
    consent = Consent(agreed=set(recipe.agreed), everything=recipe.everything)
    registry = Registry(load([Path(file) for file in recipe.files]), consent)
    pipeline = Pipeline.from_settings(json.loads(recipe.settings), registry)
    return LocalSite(pipeline, pipeline.parts())


def _call(recipe: Recipe, function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    return function(recipe.site(), *arguments)


class PipelineWork:
    """The workers of one pipeline; implements gameforge.interfaces.learner.Work."""

    def __init__(
        self, site: LocalSite, executor: Executor, workers: int, recipe: Recipe | None, check: Callable[[], None]
    ) -> None:
        self.site, self._executor, self._recipe, self._check = site, executor, recipe, check
        self.workers = workers

    def each(
        self, function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]
    ) -> Generator[tuple[int, Result], None, None]:
        """Yield (i, function(site, *arguments[i])) in the order in which the calls finish.

        If evaluations are counted, a call begins when the caller is done with the one before, so that every checkpoint
        has the count of its work.
        """
        if self.site.parts.count is not None:
            for i, these in enumerate(arguments):
                self._check()
                yield i, function(self.site, *these)
            return
        futures: dict[Future[Result], int] = {}
        try:
            with _lost_workers():
                for i, these in enumerate(arguments):
                    futures[self._submit(function, these)] = i
            running = set(futures)
            while running:
                with _lost_workers():
                    done = wait_for_one(running, _WATCH_SECONDS)
                    running -= done
                    if not done and isinstance(self._executor, Watched):
                        self._executor.check()
                self._check()
                for future in sorted(done, key=futures.__getitem__):
                    with _lost_workers():
                        result = future.result()
                    yield futures[future], result
        finally:
            left = [future for future in futures if not future.done()]
            if left:
                self._give_up(left)

    def in_order(
        self, function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]
    ) -> Generator[Result, None, None]:
        """Yield function(site, *arguments[i]) in the order of i, each as soon as all before it have finished."""
        early: dict[int, Result] = {}
        following = 0
        with contextlib.closing(self.each(function, arguments)) as finished:
            for i, result in finished:
                early[i] = result
                while following in early:
                    yield early.pop(following)
                    following += 1

    def _submit(self, function: Callable[..., Result], arguments: tuple[Any, ...]) -> "Future[Result]":
        if self._recipe is None:
            return self._executor.submit(function, self.site, *arguments)
        return self._executor.submit(_call, self._recipe, function, arguments)

    def _give_up(self, left: "list[Future[Any]]") -> None:
        """Stop threads and wait briefly for them; other machines finish what they have begun, and it is discarded."""
        self.site.stopped.set()
        for future in left:
            future.cancel()
        if self._recipe is None:
            wait(left, PATIENCE)


@contextlib.contextmanager
def _lost_workers() -> Iterator[None]:
    """Raise GameforgeError in place of the exceptions by which executors report lost workers."""
    try:
        yield
    except (GameforgeError, Abandoned, OSError):
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] in ("concurrent", "distributed", "asyncio"):
            raise GameforgeError(
                f"a worker was lost, and its work could not be done elsewhere ({type(error).__name__}); "
                "finished work is kept"
            ) from error
        raise


@contextlib.contextmanager
def pipeline_work(
    pipeline: Pipeline,
    parts: Parts,
    executor: Executor | None,
    workers: int,
    check: Callable[[], None] = lambda: None,
) -> Iterator[PipelineWork]:
    """Yield the workers of a pipeline; without an executor they are `workers` threads of this process.

    check: called regularly while the caller waits for work; if it raises, the work ends.
    """
    site = LocalSite(pipeline, parts)
    if executor is None:
        pool = Threads(workers, "work")
        try:
            yield PipelineWork(site, pool, workers, None, check)
        finally:  # also after a failure: the remaining work is not needed then
            site.stopped.set()
            pool.abandon()
    else:
        recipe = None if isinstance(executor, ThreadPoolExecutor) else Recipe.of(pipeline)
        yield PipelineWork(site, executor, _size(executor, workers), recipe, check)


def _size(executor: Executor, otherwise: int) -> int:
    """Return the number of an executor's workers, which those of the standard library keep to themselves."""
    for name in ("workers", "_max_workers"):
        size = getattr(executor, name, None)
        if isinstance(size, int) and size > 0:
            return size
    return otherwise


LOCAL = "local"
"""The name of the executor of this process."""
_DASK = re.compile(r"dask://([^/\s]+):([0-9]{1,5})/?")
_MOST_PORT = 65535
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
    elif address is None or int(address[2]) > _MOST_PORT:
        raise GameforgeError(f"executor {name!r}: must be {LOCAL} or dask://HOST:PORT, with a port up to {_MOST_PORT}")
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
                f"{pip_install('distributed')}"
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

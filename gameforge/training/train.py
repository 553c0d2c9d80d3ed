"""Runs: train a pipeline into a folder that tells everything about it.

pipeline.toml   the resolved pipeline; `gameforge run` takes it
run.json        schema, versions, seed, state of the run
metrics.jsonl   a line per session
games.*         every game, in the game's own notation
checkpoint/     while it goes on: from where to resume it, and the net as it was after a session
player/         the trained player
generations/    what else the training kept, as its clones; a player each
log.txt         what happened, with times

A run that was killed goes on from its checkpoint, or begins again if it had none yet. It ends as if
nothing had happened: with the same weights, games and metrics, but for the times in them.
"""

import contextlib
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import LearnerState, Progress, TrainingTask, Tuner, Work
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.pipeline import Pipeline
from gameforge.play.saved_players import save_player
from gameforge.plugins.registry import Registry
from gameforge.storage.folder_lock import alone_in
from gameforge.training.checkpoint import Checkpoint, Pace, pipeline_digest, read_checkpoint, write_checkpoint
from gameforge.training.events import LOG, GameLog, Log, MetricsFile, RunFile
from gameforge.training.run import Run
from gameforge.training.run_folder import (
    CHECKPOINT,
    FINISHED,
    GENERATIONS,
    MANIFEST,
    PIPELINE,
    PLAYER,
    begin,
    new_folder,
    new_manifest,
    pipeline_settings,
    run_manifest,
    unfinished,
    write_state,
)
from gameforge.training.work import pipeline_work

if TYPE_CHECKING:
    pass


def resume(
    folder: str | Path,
    registry: Registry | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    announce: Announce = silent,
    subscribers: Sequence[object] = (),
    check: Callable[[], None] = lambda: None,
) -> Run:
    """Go on with the run in a folder, whatever ended it; workers to check as of `train`.

    Raises GameforgeError if there is none, if it has finished or still goes on, or if its checkpoint
    is torn, altered, or of another GameForge or pipeline: nothing is changed then. If its learner refuses
    what was saved, as when a file that it reads has changed, only log.txt and the state in run.json are.
    """
    folder = Path(folder)
    return train(
        pipeline_of(folder, registry),
        folder,
        resume=True,
        workers=workers,
        executor=executor,
        announce=announce,
        subscribers=subscribers,
        check=check,
    )


def pipeline_of(folder: Path, registry: Registry | None = None) -> Pipeline:
    """The pipeline of the run in a folder; GameforgeError if there is none."""
    run_manifest(folder)
    return Pipeline.from_settings(pipeline_settings(folder), registry)


def train(
    pipeline: Pipeline,
    out: Path,
    *,
    resume: bool = False,
    workers: int = 1,
    executor: Executor | None = None,
    announce: Announce = silent,
    subscribers: Sequence[object] = (),
    check: Callable[[], None] = lambda: None,
) -> Run:
    """Train. `subscribers` implement events of the hooks; workers help to prepare oracles and do a learner's work.

    executor: does a learner's independent work in place of `workers` threads; no result depends on it.
    check: called now and then while that is waited for; may raise to end the run.

    resume: go on with the run of this pipeline that `out` holds. Raises GameforgeError if `out` cannot
    be written or holds something already, or, to be resumed, what `resume` refuses.
    """
    tunes = isinstance(pipeline.learner, Tuner)
    pipeline.require(*(kind for kind in ("searcher", "evaluator", "learner") if kind != "evaluator" or not tunes))
    if workers < 1:
        raise GameforgeError(f"workers = {workers}: must be 1 or more")
    with _os_errors(out), contextlib.nullcontext() if resume else new_folder(out):
        manifest = unfinished(out, pipeline) if resume else new_manifest(pipeline.seed)
        parts = pipeline.parts(announce, workers)
        if not tunes:
            parts.tunable()
        this = Run(out, pipeline, parts, resumed=resume)
        with alone_in(out):
            saved = _saved(out, pipeline) if resume else None
            begin(out, manifest, pipeline.settings)
            try:
                with (
                    contextlib.closing(Log(out)) as log,
                    pipeline_work(pipeline, parts, executor, workers, check) as work,
                ):
                    return _trained(this, manifest, log, saved, subscribers, work)
            except BaseException as error:
                if isinstance(error, GameforgeError) and not resume and not _has_begun(out):
                    _clear(out)  # what was asked for was wrong
                    raise
                with contextlib.suppress(GameforgeError):
                    write_state(out, manifest, "interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
                raise


def _has_begun(out: Path) -> bool:
    """Whether a run's folder holds more than what says what it was to be."""
    known = (PIPELINE, MANIFEST, LOG)
    return any(entry.is_dir() or entry.stat().st_size for entry in out.iterdir() if entry.name not in known)


def _clear(out: Path) -> None:
    """Take the files of a run that has not begun out of its folder."""
    for entry in out.iterdir():
        with contextlib.suppress(OSError):
            entry.unlink()


def _trained(
    this: Run,
    manifest: Mapping[str, Any],
    log: Log,
    saved: Checkpoint | None,
    subscribers: Sequence[object],
    work: Work,
) -> Run:
    """The run with what the learner made of it; tells the subscribers."""
    import numpy as np

    pipeline, out = this.pipeline, this.folder
    lengths = saved.lengths if saved else {}
    with contextlib.ExitStack() as files:
        logs: list[RunFile] = [MetricsFile(out, lengths), GameLog(out, pipeline.game, lengths)]
        for file in logs:
            files.enter_context(contextlib.closing(file))
        events = pipeline.registry.plugins.subscribers(log, *logs, *subscribers).hook
        events.gameforge_run_started(run=this)
        checkpoints = _Checkpoints(this, logs)

        def game_finished(game: GameRecord) -> None:
            events.gameforge_game_finished(run=this, game=game)

        def session_finished(progress: Progress) -> None:
            weights = None if progress.weights is None else progress.weights.copy()
            checkpoints.latest = attrs.evolve(progress, weights=weights)
            events.gameforge_checkpoint(run=this, progress=progress)

        def notice(text: str) -> None:
            events.gameforge_notice(run=this, text=text)

        assert pipeline.learner is not None, "required before the run began"
        trained = pipeline.learner.train(
            TrainingTask(
                parts=this.parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=game_finished,
                session_finished=session_finished,
                checkpoint=checkpoints.offer,
                saved=saved.learner if saved else None,
                notice=notice,
                work=work,
            )
        )
        finished = attrs.evolve(this, trained=trained)
        save_player(out / PLAYER, finished.player)
        features: Sequence[FeatureMap | None] = trained.generation_features or [trained.features] * len(
            trained.generations
        )
        for (name, weights), chosen in zip(trained.generations, features, strict=True):
            save_player(
                out / GENERATIONS / re.sub(r"\W+", "-", name),
                this.with_weights(weights, name, chosen, trained.settings),
            )
        for file in logs:
            file.length()  # all of it is on the disk
        write_state(out, manifest, FINISHED, summary=dict(trained.summary))
        events.gameforge_run_finished(run=finished, result=trained)
    shutil.rmtree(out / CHECKPOINT, ignore_errors=True)
    return finished


class _Checkpoints:
    """Writes a run's checkpoints when they are due."""

    def __init__(self, run: Run, logs: Sequence[RunFile]) -> None:
        self._run, self._folder = run, run.folder / CHECKPOINT
        self._pipeline = pipeline_digest(run.pipeline.settings)
        self._logs = logs
        self._pace = Pace()
        self.latest: Progress | None = None
        """The last session and the net after it, which is kept beside the state, for people."""

    def offer(self, state: Callable[[], LearnerState]) -> None:
        """What a learner calls where it could go on from."""
        if not self._pace.due():
            return
        began = time.perf_counter()
        if self.latest is not None:
            now = self.latest
            player = self._run.with_weights(now.weights, f"session {now.session}", now.features, now.settings)
            save_player(self._folder, player, f"weights-{now.session:06}.npz")
            self.latest = None
        lengths = {log.path.name: log.length() for log in self._logs}
        write_checkpoint(self._folder, Checkpoint(learner=state(), lengths=lengths), self._pipeline)
        self._pace.took(time.perf_counter() - began)


def _saved(out: Path, pipeline: Pipeline) -> Checkpoint | None:
    """The checkpoint of a run that is to go on, if it fits the run; what a killed process left half-done goes."""
    saved = read_checkpoint(out / CHECKPOINT, pipeline_digest(pipeline.settings))
    for name, length in saved.lengths.items() if saved else ():
        there = (out / name).stat().st_size if (out / name).exists() else 0
        if there < length:
            raise GameforgeError(f"{out / name} has {there} bytes, fewer than the {length} at the last checkpoint")
    for temporary in out.rglob(".*.tmp"):
        temporary.unlink()
    return saved


@contextlib.contextmanager
def _os_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GameforgeError(f"cannot write the run folder {out}: {error.strerror or error}") from error

"""Runs: train a pipeline into a folder that holds everything about the training.

pipeline.toml   the resolved pipeline, as `gameforge run` reads it
run.json        schema, versions, seed and state of the run
metrics.jsonl   one line per session
games.*         every game, in the game's own notation
yardstick/      the opponent that measures the run, if it is not the one that the game names
checkpoint/     until the run has finished: the state to resume it from, and the net after the last session
player/         the trained player
generations/    other players that the learner kept, such as clones
log.txt         what happened, with times
processor.json  the processor seconds used so far, if they are limited

A run that was killed is resumed from its checkpoint, or starts over if it had none yet. Its result is that of
a run that was never interrupted: the same weights, games and metrics, except for the times in them.
"""

import contextlib
import functools
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType

import attrs

from gameforge.config.settings import Json
from gameforge.discovery.registry import Registry, component_text, crash, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.learner import Trained, TrainingTask, Tuner, Work
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play import pipeline as play
from gameforge.play.parts import Parts
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.records.game_records import check_record
from gameforge.storage.stored import TextLog, digest_of
from gameforge.training import yardstick as yardsticks
from gameforge.training.checkpoint import Checkpoint, pipeline_digest, read_checkpoint
from gameforge.training.reporting import LOG, Callbacks, Checkpoints, EventLog, GameLog, Reporter, training_bar
from gameforge.training.run import Run
from gameforge.training.run_folder import (
    CHECKPOINT,
    FINISHED,
    METRICS,
    PIPELINE,
    PLAYER,
    RUN_FORMAT,
    YARDSTICK,
    MetricsFile,
    digests_of_settings,
    new_run,
    pipeline_settings,
    read_metrics,
    run_manifest,
    unfinished_run,
    write_first_files,
    write_state,
)
from gameforge.training.spending import Evaluations, ProcessorTime, Spending, UsedUp
from gameforge.training.work import pipeline_work
from gameforge.training.yardstick import DEFAULT_YARDSTICK, Measurement, Yardstick

NOTHING: Mapping[str, object] = MappingProxyType({})


class Pipeline(play.Pipeline):
    """A pipeline that can be trained:

    gf.Pipeline(game="mygame", learner="td:sessions=2", oracle="none").run("runs/a", seed=7)
    """

    def run(
        self,
        out: str | Path,
        *,
        seed: int | None = None,
        resume: bool = False,
        workers: int = 1,
        executor: Executor | None = None,
        yardstick: str | Yardstick | None = DEFAULT_YARDSTICK,
        announce: Announce = silent,
        subscribers: Sequence[object] = (),
        check: Callable[[], None] = lambda: None,
        progress: bool = True,
    ) -> Run:
        """Train the pipeline and save everything in the folder `out`.

        * `seed`: overrides the pipeline's seed.
        * `resume`: resume the interrupted run of this pipeline in `out`; otherwise `out` must be new or empty.
        * `workers`: number of threads that prepare oracles and do the learner's independent work.
        * `executor`: does the learner's work instead of the threads. Results do not depend on workers or executor.
        * `yardstick`: measures the player in training by matches against a fixed opponent, which have no influence on
          the training; by default that of the game, and None: nothing does. As text, a player or an evaluator, which
          gets the search of the pipeline.
        * `announce`: receives the progress of preparing oracles.
        * `subscribers`: objects that implement event hooks such as `gameforge_checkpoint`.
        * `check`: called regularly while the run waits for work; an exception that it raises ends the run.
        * `progress`: show a progress bar if standard error is a terminal or a notebook, else log a line a minute.

        Raises GameforgeError if `out` cannot be written or holds something else.
        """
        if isinstance(yardstick, str):
            self.registry.agree(yardstick)
        with training_bar(self, progress) as bar:
            return train(
                self if seed is None else self.with_seed(seed),
                Path(out),
                resume=resume,
                workers=workers,
                executor=executor,
                yardstick=yardsticks.yardstick_from_text(yardstick, self) if isinstance(yardstick, str) else yardstick,
                announce=announce,
                subscribers=[*subscribers, *bar],
                check=check,
            )

    @staticmethod
    def resume(
        folder: str | Path,
        registry: Registry | None = None,
        *,
        workers: int = 1,
        executor: Executor | None = None,
        announce: Announce = silent,
        subscribers: Sequence[object] = (),
        check: Callable[[], None] = lambda: None,
        progress: bool = True,
        allow_engines: bool = False,
    ) -> Run:
        """Resume the run in a folder, whatever interrupted it; the other parameters are those of `run`.

        * `progress`: show a progress bar if standard error is a terminal or a notebook, else log a line a minute.
        * `allow_engines`: start programs that the run names; otherwise those alone to which a person agreed.

        Raises GameforgeError, and changes nothing, if there is no run, if it has finished or is still running, or if
        its checkpoint is incomplete, altered, or of another pipeline or version of GameForge. If the learner refuses
        the checkpoint, for instance because a file that it reads has changed, only log.txt and the state in run.json
        change.
        """
        registry = (registry or default_registry()).allowing(allow_engines)
        return pipeline_of(Path(folder), registry).run(
            folder,
            resume=True,
            workers=workers,
            executor=executor,
            announce=announce,
            subscribers=subscribers,
            check=check,
            progress=progress,
        )

    def work(
        self,
        parts: Parts,
        executor: Executor | None = None,
        workers: int = 1,
        check: Callable[[], None] = lambda: None,
    ) -> AbstractContextManager[Work]:
        """Return the workers of the pipeline for a block: those of the executor, else `workers` threads.

        parts: those of the pipeline. check: called regularly while the caller waits for work; if it raises, the work
        ends.
        """
        return pipeline_work(self, parts, executor, workers, check)


def pipeline_of(folder: Path, registry: Registry | None = None) -> Pipeline:
    """Read the pipeline of the run in a folder; GameforgeError if there is none."""
    run_manifest(folder)
    registry = (registry or default_registry()).for_files(folder)
    return Pipeline.from_settings(pipeline_settings(folder), registry)


def train(
    pipeline: play.Pipeline,
    out: Path,
    *,
    resume: bool = False,
    workers: int = 1,
    executor: Executor | None = None,
    yardstick: Yardstick | None = DEFAULT_YARDSTICK,
    announce: Announce = silent,
    subscribers: Sequence[object] = (),
    check: Callable[[], None] = lambda: None,
    about: Mapping[str, object] = NOTHING,
    evaluations: int | None = None,
    processor_seconds: float | None = None,
) -> Run:
    """Train a pipeline into the folder `out`.

    * `resume`: resume the run of this pipeline in `out` instead of starting a new one.
    * `workers`: number of threads that prepare oracles, do the learner's independent work and play against the
      yardstick.
    * `executor`: does the learner's work in place of threads.
    * `yardstick`: measures the run, without an influence on the training; None: nothing does. A run that is resumed
      keeps its own.
    * `announce`: called with the progress of oracles that are being prepared.
    * `subscribers`: objects that implement events of the hooks.
    * `check`: called regularly while the learner waits for its work; if it raises, the run ends.
    * `about`: further entries of run.json, which are kept when the run is resumed.

    * `evaluations`: end the training after the session in which its searches and games have evaluated this many
      positions; None: nobody counts them. Without workers or an executor.
    * `processor_seconds`: end the training after the session in which it has used this much processor time, as
      `ProcessorTime` counts it; None: the learner ends it.

    The result depends neither on `workers` nor on `executor`, unless processor time is limited.

    Raises GameforgeError if `out` cannot be written or is not empty, with `resume` as the function `resume` does, and a
    ComponentError if a component raises anything else; exceptions of `check` and of the subscribers are not changed.
    """
    tunes = isinstance(pipeline.learner, Tuner)
    pipeline.require(*(kind for kind in ("searcher", "evaluator", "learner") if kind != "evaluator" or not tunes))
    if workers < 1:
        raise GameforgeError(f"workers = {workers}: must be 1 or more")
    about = {**about, "yardstick": None if yardstick is None else yardstick.settings()}
    with unfinished_run(out, pipeline) if resume else new_run(out, pipeline, about) as manifest:
        workshop = Workshop(pipeline.registry, announce, workers)
        parts = workshop.parts(pipeline)
        if not tunes:
            parts.tunable()
        saved = _saved(out, pipeline) if resume else None
        earlier = tuple(read_metrics(out, saved.lengths.get(METRICS, 0))) if saved else ()
        run = Run(out, pipeline, parts, resumed=resume, earlier=earlier)
        callbacks = Callbacks()
        if resume:
            yardstick = yardsticks.kept_yardstick(manifest.get("yardstick"), out / YARDSTICK, workshop)
        elif yardstick is not None and yardstick.opponent is not None:
            save_player(out / YARDSTICK, yardstick.opponent)
        write_first_files(out, manifest, pipeline.settings)
        try:
            with (
                contextlib.closing(EventLog(out)) as log,
                pipeline_work(pipeline, parts, executor, workers, callbacks.watched(check)) as work,
            ):
                assert pipeline.learner is not None, "required before the run began"
                measurement = yardsticks.measurement_of(
                    yardstick, work.site, pipeline.learner, pipeline.seed, workers, check
                )
                spent = _spending(parts, out, saved, evaluations, processor_seconds)
                return _train_and_save(run, manifest, log, saved, subscribers, work, callbacks, measurement, spent)
        except BaseException as error:
            if isinstance(error, GameforgeError) and not resume and not _has_begun(out):
                for name in (LOG, PIPELINE):  # the request was wrong: new_run() removes the rest and the folder
                    (out / name).unlink()
                shutil.rmtree(out / YARDSTICK, ignore_errors=True)
                raise
            with contextlib.suppress(GameforgeError):
                write_state(out, manifest, "interrupted" if _interrupts(error) else "failed")
            raise


def _spending(
    parts: Parts, out: Path, saved: Checkpoint | None, evaluations: int | None, processor_seconds: float | None
) -> Spending | None:
    """Return what follows the spending of a training; None if it is not limited.

    Raises GameforgeError if its evaluations cannot be counted.
    """
    if evaluations is not None:
        from gameforge.kernel.counting import EvaluationCount

        if not parts.repeatable:
            raise GameforgeError(
                "evaluations can be counted only if each search evaluates the same positions again: this searcher uses "
                "several threads, a clock, or another program"
            )
        parts.count = EvaluationCount()
        return Evaluations(parts.count, evaluations, saved.spent if saved else 0)
    return None if processor_seconds is None else ProcessorTime(out, processor_seconds)


def _interrupts(error: BaseException) -> bool:
    """Return whether this is Ctrl-C, or the end of the program that reads the output: neither is a fault of the run."""
    if isinstance(error, GameforgeError):  # a component may have a pipe of its own
        return False
    return any(isinstance(one, KeyboardInterrupt | BrokenPipeError) for one in (error, error.__cause__))


def _has_begun(out: Path) -> bool:
    """Return whether the folder of a run holds more than its description and its log."""
    known = (PIPELINE, RUN_FORMAT.file, LOG, YARDSTICK)
    return any(entry.is_dir() or entry.stat().st_size for entry in out.iterdir() if entry.name not in known)


def _train_and_save(
    run: Run,
    manifest: Mapping[str, Json],
    log: EventLog,
    saved: Checkpoint | None,
    subscribers: Sequence[object],
    work: Work,
    callbacks: Callbacks,
    measurement: Measurement | None,
    spent: Spending | None,
) -> Run:
    """Let the learner train, report events to the subscribers, and save the result."""
    from gameforge.kernel.compile.jit import on_compilation

    lengths = saved.lengths if saved else {}
    with contextlib.ExitStack() as files:
        logs: list[TextLog] = [MetricsFile(run.folder, lengths), GameLog(run.folder, run.pipeline.game, lengths)]
        for file in logs:
            files.enter_context(contextlib.closing(file))
        events = run.pipeline.registry.plugins.subscribers(log, *logs, *subscribers).hook
        events.gameforge_run_started(run=run)
        reporter = Reporter(run, events, Checkpoints(run, logs, callbacks, saved, spent), measurement, spent)
        with contextlib.nullcontext() if spent is None else on_compilation(spent.compiling):
            trained = _train(run, saved, work, callbacks, reporter)
        finished = _save(run, trained, manifest, logs, reporter, measurement)
        events.gameforge_run_finished(run=finished, result=trained)
    shutil.rmtree(run.folder / CHECKPOINT, ignore_errors=True)
    return finished


def _train(run: Run, saved: Checkpoint | None, work: Work, callbacks: Callbacks, reporter: Reporter) -> Trained:
    """Let the learner train; a ComponentError if it raises anything but a GameforgeError or a callback's exception."""
    import numpy as np

    pipeline = run.pipeline
    assert pipeline.learner is not None, "required before the run began"
    task = TrainingTask(
        parts=run.parts,
        seed=np.random.SeedSequence(pipeline.seed),
        game_finished=callbacks.watched(reporter.game_finished),
        session_finished=callbacks.watched(reporter.session_finished),
        step_advanced=callbacks.watched(reporter.step_advanced),
        checkpoint=reporter.checkpoints.offer,
        saved=saved.learner if saved else None,
        check_game=functools.partial(check_record, run.parts.game),
        notice=callbacks.watched(reporter.notice),
        work=work,
    )
    try:
        return pipeline.learner.train(task)
    except UsedUp as end:
        reporter.notice(str(end))
        last = reporter.last_session
        return Trained(weights=last.weights, summary={}, features=last.features, settings=last.settings)
    except Exception as error:
        if isinstance(error, GameforgeError) or callbacks.raised(error):
            raise
        raise crash(component_text("learner", pipeline.learner), error) from error


def _save(
    run: Run,
    trained: Trained,
    manifest: Mapping[str, Json],
    logs: Sequence[TextLog],
    reporter: Reporter,
    measurement: Measurement | None,
) -> Run:
    """Save the players of a training, measure the trained one, and mark the run as finished."""
    run = attrs.evolve(run, trained=trained)
    save_player(run.folder / PLAYER, run.player)
    features: Sequence[FeatureMap | None] = trained.generation_features or [trained.features] * len(trained.generations)
    for (name, weights), chosen in zip(trained.generations, features, strict=True):
        reporter.keep(name, weights, chosen, trained.settings)
    more = {}
    if measurement is not None:
        strength = measurement.strength(run.player)
        run = attrs.evolve(run, strength=strength)
        more = {"strength": strength.numbers()}
    for file in logs:
        file.length()  # writes everything to the disk
    files = {file.path.name: file.digest() for file in logs} | digests_of_settings(run.folder)
    write_state(run.folder, manifest, FINISHED, summary=dict(trained.summary), files=files, **more)
    return run


def _saved(out: Path, pipeline: play.Pipeline) -> Checkpoint | None:
    """Read the checkpoint of a run, None if it has none; GameforgeError if it does not fit the run."""
    saved = read_checkpoint(out / CHECKPOINT, pipeline_digest(pipeline.settings))
    for name, length in saved.lengths.items() if saved else ():
        size = (out / name).stat().st_size if (out / name).exists() else 0
        if size < length:
            raise GameforgeError(f"{out / name} has {size} bytes, fewer than the {length} at the last checkpoint")
        wanted = saved.digests.get(name) if saved else None
        if wanted and length and digest_of(out / name, length).hexdigest() != wanted:
            raise GameforgeError(f"{out / name} was altered after the last checkpoint: its checksum is wrong")
    return saved

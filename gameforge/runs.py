"""Runs: train a pipeline into a folder that tells everything about it.

pipeline.toml   the resolved pipeline; `gameforge run` takes it
run.json        schema, versions, seed, state of the run
metrics.jsonl   a line per session
games.*         every game, in the game's own notation
checkpoint/     the net as it was after the last session
player/         the trained player
log.txt         what happened, with times
"""

import contextlib
import importlib.metadata
import json
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.config import dump_toml
from gameforge.errors import GameforgeError
from gameforge.learning import GameRecord, Progress, Trained, TrainingTask
from gameforge.oracle import Announce, silent
from gameforge.players import Parts, Player
from gameforge.runlog import GameLog, Log, MetricsFile
from gameforge.saved import player_spec, save_player, write_atomically

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.pipeline import Pipeline

FORMAT = "gameforge-run"
SCHEMA = 1


@attrs.frozen(eq=False)
class Run:
    """A run and, once it is finished, what it made."""

    folder: Path
    pipeline: "Pipeline"
    parts: Parts
    trained: Trained | None = None

    @property
    def player(self) -> Player:
        """The trained player."""
        assert self.trained is not None, "the run has not finished"
        return self.with_weights(self.trained.weights, "trained")

    @property
    def untrained(self) -> Player:
        """The player as it was before training."""
        assert self.trained is not None, "the run has not finished"
        return self.with_weights(self.trained.initial_weights, "untrained")

    def with_weights(self, weights: "NDArray[np.float32]", name: str) -> Player:
        """A player of this pipeline."""
        return Player(self.parts, weights, name, player_spec(self.pipeline.table))


def run(
    pipeline: "Pipeline",
    out: Path,
    *,
    workers: int = 1,
    announce: Announce = silent,
    subscribers: Sequence[Any] = (),
) -> Run:
    """Train. `subscribers` implement events of the hooks; workers help to prepare oracles.

    Raises GameforgeError if `out` cannot be written or holds something already.
    """
    pipeline.require("searcher", "evaluator", "learner")
    if workers < 1:
        raise GameforgeError(f"workers = {workers}: must be 1 or more")
    with _new_folder(out):
        parts = pipeline.parts(announce, workers)
        parts.trainable()
        this = Run(out, pipeline, parts)
        text = dump_toml(dict(pipeline.table))
        write_atomically(out / "pipeline.toml", text.encode())
        _write_state(this, "running")
        try:
            this = _train(this, subscribers)
        except BaseException as error:
            with contextlib.suppress(GameforgeError):
                _write_state(this, "interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            raise
    return this


def _train(this: Run, subscribers: Sequence[Any]) -> Run:
    """The run with what the learner made of it; tells the subscribers."""
    import numpy as np

    pipeline, out = this.pipeline, this.folder
    with contextlib.ExitStack() as files:
        own = [
            files.enter_context(contextlib.closing(file))
            for file in (Log(out), MetricsFile(out), GameLog(out, pipeline.game))
        ]
        events = pipeline.registry.plugins.subscribers(*own, *subscribers).hook
        events.gameforge_run_started(run=this)

        def game_finished(game: GameRecord) -> None:
            events.gameforge_game_finished(run=this, game=game)

        def session_finished(progress: Progress) -> None:
            snapshot = this.with_weights(progress.weights.copy(), f"session {progress.session}")
            save_player(out / "checkpoint", snapshot, f"weights-{progress.session:06}.npz")
            events.gameforge_checkpoint(run=this, progress=progress)

        trained = pipeline.learner.train(
            TrainingTask(
                parts=this.parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=game_finished,
                session_finished=session_finished,
            )
        )
        finished = attrs.evolve(this, trained=trained)
        save_player(out / "player", finished.player)
        _write_state(finished, "finished")
        events.gameforge_run_finished(run=finished, result=trained)
    return finished


@contextlib.contextmanager
def _new_folder(out: Path) -> Iterator[None]:
    """Make the folder of a run; it may exist only if it is empty. What is made goes again if nothing gets into it."""
    try:
        if out.exists() and not out.is_dir():
            raise GameforgeError(f"--out {out} is a file; a run needs a folder of its own")
        if out.is_dir() and any(out.iterdir()):
            what = "another run" if (out / "run.json").exists() else "other files"
            raise GameforgeError(f"the folder {out} already holds {what}; choose a new one with --out")
        made = [folder for folder in (out, *out.parents) if not folder.exists()]
        try:
            out.mkdir(parents=True, exist_ok=True)
            yield
        except BaseException:
            with contextlib.suppress(OSError):  # not empty: what was finished stays
                for folder in made:
                    folder.rmdir()
            raise
    except OSError as error:
        raise GameforgeError(f"cannot write the run folder {out}: {error.strerror or error}") from error


def _write_state(run: Run, state: str) -> None:
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "schema": SCHEMA,
        "gameforge": importlib.metadata.version("gameforge"),
        "python": platform.python_version(),
        "seed": run.pipeline.seed,
        "state": state,
    }
    if run.trained is not None:
        manifest["summary"] = dict(run.trained.summary)
    write_atomically(run.folder / "run.json", (json.dumps(manifest, indent=2) + "\n").encode())

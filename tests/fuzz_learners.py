"""Checkpoints of every learner, forged and with correct checksums: the training refuses them or resumes."""

import atexit
import contextlib
import functools
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import cem_runs
import ga_runs
import numpy as np
import test_evolve_learner
import test_roulette
import test_selfplay_learner
from cascade_toys import Grown, parity
from fuzzing import Reader
from gameforge_examples.positions import SelfplayPlan, make_positions
from gameforge_learn_cem import learner
from gameforge_learn_regress.learner import Regress
from toy_site import registry

import gameforge as gf
from gameforge.config import strictly
from gameforge.interfaces.learner import LearnerState, TrainingTask
from gameforge.storage.stored import parse_json, read_arrays
from gameforge.training.work import pipeline_work

_CHECKPOINTS = 2
"""Number of checkpoints after which a resumed training has proved that it works."""


class _Enough(Exception):
    """Ends a resumed training."""


def _train(pipeline: gf.Pipeline, saved: LearnerState | None, checkpoint: Callable[[Any], None]) -> None:
    parts = pipeline.parts()
    measured = mock.patch.object(learner, "_MEASURE_SECONDS", 0.0)
    with pipeline_work(pipeline, parts, None, 1) as work, contextlib.suppress(_Enough), measured:
        assert pipeline.learner is not None
        pipeline.learner.train(
            TrainingTask(
                parts=parts,
                seed=np.random.SeedSequence(pipeline.seed),
                game_finished=lambda game: None,
                session_finished=lambda progress: None,
                checkpoint=checkpoint,
                saved=saved,
                work=work,
            )
        )


def _write(folder: Path, state: LearnerState) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "values.json").write_text(json.dumps(dict(state.values)))
    np.savez(folder / "arrays.npz", **dict(state.arrays))  # type: ignore[arg-type]


def _read(folder: Path) -> LearnerState:
    """The state, as `read_checkpoint` returns it."""
    try:
        values = strictly(parse_json((folder / "values.json").read_bytes()), dict[str, Any], "values")
        return LearnerState(arrays=read_arrays((folder / "arrays.npz").read_bytes()), values=values)
    except ValueError as error:
        raise gf.GameforgeError(str(error)) from error


def _learner(name: str, pipeline: Callable[[], gf.Pipeline], after: int, share: float = 0.5) -> Reader:
    """The checkpoints of a learner; the one after this number of others is damaged."""

    def make(folder: Path) -> None:
        states: list[LearnerState] = []

        def keep(state: Callable[[], LearnerState]) -> None:
            states.append(state())
            if len(states) > after:
                raise _Enough

        _train(built(), None, keep)
        _write(folder, states[-1])

    def read(folder: Path) -> None:
        left = iter(range(_CHECKPOINTS))

        def count(state: Callable[[], LearnerState]) -> None:
            state()
            if next(left, None) is None:
                raise _Enough

        _train(built(), _read(folder), count)

    built = functools.cache(pipeline)
    return Reader(name=f"checkpoint of {name}", make=make, read=read, share=share)


def _td() -> gf.Pipeline:
    parts = {"searcher": "greedy", "evaluator": "linear", "features": "lanes"}
    learner = "td:sessions=3,games=4"
    return gf.Pipeline(game="shuttle", seed=5, registry=registry(), learner=learner, **parts)


@functools.cache
def _examples() -> Path:
    """A folder of a few positions of self-play."""
    out = Path(tempfile.mkdtemp(prefix="gameforge-fuzz-")) / "examples"
    atexit.register(shutil.rmtree, out.parent, ignore_errors=True)
    player = gf.player("draughts", searcher="alphabeta:depth=1,memory=0", evaluator="material", oracle="none")
    make_positions(out, player, SelfplayPlan(games=6))
    return out


def _regress() -> gf.Pipeline:
    parts = {"evaluator": test_selfplay_learner.EVALUATOR, "features": "none", "oracle": "none"}
    learner = Regress(examples=_examples(), epochs=3)
    return gf.Pipeline(game="draughts", searcher="alphabeta:depth=1,memory=0", seed=5, learner=learner, **parts)


def _make_cascade(folder: Path) -> None:
    _write(folder, Grown(_PROBLEM, _PROBLEM, 3).states[1])


def _read_cascade(folder: Path) -> None:
    Grown(_PROBLEM, _PROBLEM, 3, saved=_read(folder))


_PROBLEM = parity(2)

READERS = [
    _learner("td", _td, 9),
    _learner("ga", ga_runs.pipeline, 6),
    _learner("evolve", test_evolve_learner.pipeline, 10),
    _learner("evolve, species", lambda: test_evolve_learner.pipeline({"scheme": "crowding", "species": 3}), 10),
    _learner("cem", cem_runs.pipeline, 10),
    _learner("roulette", test_roulette.pipeline, 4),
    _learner("regress", _regress, 1),
    Reader(name="checkpoint of cascade", make=_make_cascade, read=_read_cascade, share=0.5),
    _learner("selfplay", test_selfplay_learner.pipeline, 6, share=0.2),
]

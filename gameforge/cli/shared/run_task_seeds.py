"""`gameforge run --seeds`: a run for each seed, a table with intervals, and curves with bands."""

import importlib.util
from pathlib import Path

from gameforge.cli.shared.console import table_console
from gameforge.cli.shared.run_comparison import comparison
from gameforge.cli.shared.run_task import RunTask, train_and_show
from gameforge.errors import GameforgeError
from gameforge.experiments.seed_runs import seed_folder, seed_runs
from gameforge.play.pipeline import Pipeline
from gameforge.training.run_folder import FINISHED, RUN_FORMAT, same_run
from gameforge.training.run_report import read_run

CURVES = "curves.png"


def train_seeds(pipeline: Pipeline, folder: Path, task: RunTask, seeds: int) -> None:
    """Train with the seeds from the pipeline's own on; finished runs are kept, and interrupted ones resumed.

    Raises GameforgeError, before anything is trained, if the folder is a run, or holds runs of another pipeline.
    """
    if RUN_FORMAT.path(folder).exists():
        raise GameforgeError(
            f"{folder} is a run; runs with several seeds need a folder of their own",
            advice="use another folder",
            parameter="out",
        )
    pipelines = {seed: pipeline.with_seed(seed) for seed in range(pipeline.seed, pipeline.seed + seeds)}
    states = {seed: _state(seed_folder(folder, seed), one) for seed, one in pipelines.items()}
    console = table_console()
    for number, (seed, one) in enumerate(pipelines.items(), 1):
        if states[seed] == FINISHED:
            continue
        console.print(f"seed {seed}, {number} of {seeds}:")
        try:
            train_and_show(one, seed_folder(folder, seed), task, resume=bool(states[seed]))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"{number - 1} of {seeds} seeds are finished; repeat the command with --out {folder} to resume"
            ) from None
    found = seed_runs([read_run(seed_folder(folder, seed)) for seed in pipelines], pipeline.registry)
    console.print(comparison(found))
    if importlib.util.find_spec("matplotlib") is not None:
        from gameforge.cli.shared.seed_plot import plot_seeds

        plot_seeds(found, folder / CURVES)
    console.print(f"runs saved in {folder}", soft_wrap=True)


def _state(folder: Path, pipeline: Pipeline) -> str:
    """The state of the run in this folder, which must be of this pipeline; "" if there is none."""
    return str(same_run(folder, pipeline)["state"]) if RUN_FORMAT.path(folder).exists() else ""

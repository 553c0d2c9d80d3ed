"""Weights & Biases keeps the parameters and the figures of runs. Needs wandb.

    WANDB_MODE=offline gameforge --plugin wandb_runs.py run --game othello --out runs/a
    wandb sync runs/a/wandb/offline-run-*

In Python: `pipeline.run("runs/a", subscribers=[wandb_runs])`. A run that is resumed stays the same run in W&B.
"""

import wandb

from gameforge import hookimpl

tracked = {}


@hookimpl
def gameforge_run_started(run):
    if run.folder in tracked:  # interrupted in this process, and resumed
        tracked.pop(run.folder).finish()
    file = run.folder / "wandb_id.txt"
    tracked[run.folder] = wandb.init(
        project="gameforge",
        name=str(run.folder),
        id=file.read_text() if file.exists() else None,
        resume="allow",
        dir=run.folder,
        config=run.pipeline.settings,
        reinit="create_new",
    )
    file.write_text(tracked[run.folder].id)


@hookimpl
def gameforge_checkpoint(run, progress):
    tracked[run.folder].log(dict(progress.numbers), step=progress.session)


@hookimpl
def gameforge_run_finished(run, result):
    tracked[run.folder].summary.update(dict(result.summary))
    tracked.pop(run.folder).finish()

"""TensorBoard shows the figures of runs while they train. Needs tensorboardX; TensorBoard itself only shows them.

    gameforge --plugin tensorboard_runs.py run --game othello --out runs/a
    tensorboard --logdir runs

In Python: `pipeline.run("runs/a", subscribers=[tensorboard_runs])`. A run that is resumed takes back what it repeats.
"""

from tensorboardX import SummaryWriter

from gameforge import hookimpl

writers = {}


@hookimpl
def gameforge_run_started(run):
    folder = str(run.folder / "tensorboard")
    writers[run.folder] = SummaryWriter(folder, purge_step=len(run.earlier) + 1 if run.resumed else None)
    writers[run.folder].add_text("pipeline", f"```\n{(run.folder / 'pipeline.toml').read_text()}\n```")


@hookimpl
def gameforge_checkpoint(run, progress):
    for name, value in progress.numbers.items():
        writers[run.folder].add_scalar(name.replace(" ", "_"), value, progress.session)
    writers[run.folder].flush()


@hookimpl
def gameforge_run_finished(run):
    writers.pop(run.folder).close()

"""MLflow keeps the parameters, the figures and the trained players of runs. Needs mlflow or mlflow-skinny.

    MLFLOW_TRACKING_URI=http://localhost:5000 gameforge --plugin mlflow_runs.py run --game othello --out runs/a

In Python: `pipeline.run("runs/a", subscribers=[mlflow_runs])`. A run that is resumed stays the same run in MLflow,
where its state is "running" until it has finished.
"""

import mlflow

from gameforge import hookimpl


def id_file(run):
    """The file in the folder of a run that holds its identifier in MLflow."""
    return run.folder / "mlflow_id.txt"


@hookimpl
def gameforge_run_started(run):
    if id_file(run).exists():
        return
    experiment = mlflow.set_experiment("gameforge").experiment_id
    tracked = mlflow.MlflowClient().create_run(experiment, run_name=str(run.folder)).info.run_id
    id_file(run).write_text(tracked)
    parts = {kind: part for kind, part in run.pipeline.settings.items() if isinstance(part, dict)}
    parameters = {f"{kind}.{key}": value for kind, part in parts.items() for key, value in part.items()}
    mlflow.log_params({"seed": run.pipeline.seed, **parameters}, run_id=tracked)


@hookimpl
def gameforge_checkpoint(run, progress):
    figures = {name: float(value) for name, value in progress.numbers.items()}
    mlflow.log_metrics(figures, step=progress.session, run_id=id_file(run).read_text())


@hookimpl
def gameforge_run_finished(run):
    tracked = id_file(run).read_text()
    mlflow.log_artifacts(str(run.folder / "player"), "player", run_id=tracked)
    mlflow.MlflowClient().set_terminated(tracked)

"""Optuna searches for lambda and gamma of TD self-play, and ends trainings that fall behind the median of the others.

Needs Optuna (`pip install optuna`). The folder keeps the search, and a second call continues it.
"""

from pathlib import Path

import optuna
import typer

import gameforge as gf


class Pruning:
    """Reports the score after each session to Optuna, which may give the training up."""

    def __init__(self, trial):
        self.trial = trial

    @gf.hookimpl
    def gameforge_checkpoint(self, progress):
        self.trial.report(progress.numbers["yardstick_score"], progress.session)
        if self.trial.should_prune():
            raise optuna.TrialPruned


def main(trials: int = 10, sessions: int = 5, games: int = 40, out: Path = Path("searches/td")):
    """Search, then print the best score against the evaluator `material` and its parameters."""

    def score(trial):
        trace, gamma = trial.suggest_float("lambda", 0, 1), trial.suggest_float("gamma", 0.9, 1)
        learner = f"td:sessions={sessions},games={games},lambda={trace},gamma={gamma}"
        pipeline = gf.Pipeline(game="draughts", searcher="minimax:depth=1", learner=learner, oracle="none")
        yardstick = gf.Yardstick(evaluator="material", every=1, games=games)
        run = pipeline.run(out / f"trial-{trial.number}", yardstick=yardstick, subscribers=[Pruning(trial)])
        return run.strength.result.score

    out.mkdir(parents=True, exist_ok=True)
    kept = f"sqlite:///{out}/optuna.db"
    search = optuna.create_study(storage=kept, study_name="td", load_if_exists=True, direction="maximize")
    search.optimize(score, n_trials=trials)
    print(f"{search.best_value:.3f} with {search.best_params}")


if __name__ == "__main__":
    typer.run(main)

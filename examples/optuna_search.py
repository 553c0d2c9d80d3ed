"""Optuna searches for parameters of TD self-play; trainings that fall behind the median of the others are cut short.

Needs Optuna (`pip install optuna`). The search is kept in a file, and a second call continues it:

    python optuna_search.py --trials 20 --out searches/td
"""

from pathlib import Path

import optuna
import typer

import gameforge as gf


class Pruning:
    """Tells a trial the score against the yardstick after each session; ends the training if Optuna gives it up."""

    def __init__(self, trial):
        self.trial = trial

    @gf.hookimpl
    def gameforge_checkpoint(self, progress):
        self.trial.report(progress.numbers["yardstick_score"], progress.session)
        if self.trial.should_prune():
            raise optuna.TrialPruned


def main(trials: int = 10, sessions: int = 5, games: int = 40, match_games: int = 40, out: Path = Path("searches/td")):
    """Search, then print the best score against the evaluator `material` and its parameters."""

    def score(trial):
        trace, gamma = trial.suggest_float("lambda", 0, 1), trial.suggest_float("gamma", 0.9, 1)
        pipeline = gf.Pipeline(
            game="draughts",
            searcher="minimax:depth=1",
            learner=f"td:sessions={sessions},games={games},lambda={trace},gamma={gamma}",
            oracle="none",
        )
        yardstick = gf.Yardstick(evaluator="material", every=1, games=match_games)
        run = pipeline.run(out / f"trial-{trial.number}", yardstick=yardstick, subscribers=[Pruning(trial)])
        return run.strength.result.score

    out.mkdir(parents=True, exist_ok=True)
    study = optuna.create_study(
        study_name="td",
        storage=f"sqlite:///{out}/optuna.db",
        load_if_exists=True,
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=1),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4),
    )
    study.optimize(score, n_trials=trials)
    print(f"{study.best_value:.3f} with {study.best_params}")


if __name__ == "__main__":
    typer.run(main)

"""Experiments that repeat a paper: trials over seeds, statistics, and reports of claims."""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.experiments.report import (
        FEWEST_SEEDS,
        SHARE,
        Compared,
        Mark,
        Verdict,
        binomial_interval,
        comparison,
        differences,
        interval,
        interval_of_mean,
        judged,
        judged_same,
        mean_interval,
        mean_over_seeds,
        number,
        placement_test,
        prediction_interval,
        probability,
        sign_flip_test,
        table,
        treatments_test,
        verdict,
    )
    from gameforge.experiments.tally import (
        Tally,
        elo_interval_over_seeds,
        elo_text_over_seeds,
        interval_over_seeds,
        text_over_seeds,
    )
    from gameforge.experiments.trial import Training, Trial, TrialRun
    from gameforge.interfaces.experiment import Report, Result

__all__ = [
    "Compared",
    "FEWEST_SEEDS",
    "Mark",
    "Report",
    "Result",
    "SHARE",
    "Tally",
    "Training",
    "Trial",
    "TrialRun",
    "Verdict",
    "binomial_interval",
    "comparison",
    "differences",
    "elo_interval_over_seeds",
    "elo_text_over_seeds",
    "interval",
    "interval_of_mean",
    "interval_over_seeds",
    "judged",
    "judged_same",
    "mean_interval",
    "mean_over_seeds",
    "number",
    "placement_test",
    "prediction_interval",
    "probability",
    "sign_flip_test",
    "table",
    "text_over_seeds",
    "treatments_test",
    "verdict",
]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)

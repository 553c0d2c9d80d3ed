"""Experiments that repeat a paper: trials over seeds, statistics, and reports of claims."""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.experiments.report import Claim, Report, Verdict
    from gameforge.experiments.statistics import Sample, number, probability
    from gameforge.experiments.tally import Matches, Tally
    from gameforge.experiments.trial import Trial
    from gameforge.interfaces.learner import Numbers

__all__ = ["Claim", "Matches", "Numbers", "Report", "Sample", "Tally", "Trial", "Verdict"]
__all__ += ["number", "probability"]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)

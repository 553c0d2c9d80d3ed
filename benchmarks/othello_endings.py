"""Exact endings of Othello: the solver of the plugin beside `alphabeta` with `wpc`, which solves by bisection.

    python benchmarks/othello_endings.py PROBLEMS.obf

PROBLEMS.obf: problems in the form of the FFO test. Seconds of processor time on one pinned core, kernels compiled.
"""

import sys
import time
from pathlib import Path

from gameforge_othello.solver import Problem, read_problems, solve
from machine import pin

BY_SEARCH = "alphabeta"


def seconds(problem: Problem, searcher: str | None) -> float:
    """Processor time of one solution, which must have the lead that the file states."""
    began = time.process_time()
    found = solve(problem.state, searcher=searcher)
    spent = time.process_time() - began
    if found.lead != max(problem.leads.values(), default=found.lead):
        raise SystemExit(f"{problem}: the lead is not {found.lead}")
    return spent


def main() -> None:
    print(pin())
    problems = list(read_problems(Path(sys.argv[1])))
    for searcher in (None, BY_SEARCH):  # compiles
        seconds(problems[0], searcher)
    totals = [0.0, 0.0]
    for number, problem in enumerate(problems, 1):
        spent = [seconds(problem, searcher) for searcher in (None, BY_SEARCH)]
        totals = [total + one for total, one in zip(totals, spent, strict=True)]
        print(f"{number:3}   {spent[0]:8.3f} s   {spent[1]:8.3f} s", flush=True)
    print(f"all   {totals[0]:8.3f} s   {totals[1]:8.3f} s   ratio {totals[1] / totals[0]:.0f}")


if __name__ == "__main__":
    main()

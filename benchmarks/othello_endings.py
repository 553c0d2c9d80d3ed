"""Exact endings of Othello: the solver of the plugin, beside a searcher that solves by bisection if one is named.

    python benchmarks/othello_endings.py PROBLEMS.obf [alphabeta]

PROBLEMS.obf: problems in the form of the FFO test. Seconds of processor time on one pinned core, kernels compiled.
"""

import sys
import time
from pathlib import Path

from gameforge_othello.solver import Problem, read_problems, solve
from machine import pin


def seconds(problem: Problem, searcher: str | None) -> tuple[float, int]:
    """Processor time and nodes of one solution, which must have the lead that the file states."""
    began = time.process_time()
    found = solve(problem.state, searcher=searcher)
    spent = time.process_time() - began
    if found.lead != max(problem.leads.values(), default=found.lead):
        raise SystemExit(f"{problem}: the lead is not {found.lead}")
    return spent, found.nodes


def main() -> None:
    print(pin())
    problems = list(read_problems(Path(sys.argv[1])))
    searchers = [None, *sys.argv[2:]]
    for searcher in searchers:  # compiles
        seconds(problems[0], searcher)
    totals = [0.0] * len(searchers)
    for number, problem in enumerate(problems, 1):
        solutions = [seconds(problem, searcher) for searcher in searchers]
        totals = [total + spent for total, (spent, _) in zip(totals, solutions, strict=True)]
        print(
            f"{number:3}   " + "   ".join(f"{spent:8.3f} s {nodes:12,} nodes" for spent, nodes in solutions), flush=True
        )
    print("all   " + "   ".join(f"{total:8.3f} s" for total in totals))


if __name__ == "__main__":
    main()

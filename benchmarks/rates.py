"""How many of something a piece of work does in a second of processor time."""

import statistics
import time
from collections.abc import Callable


def rate(work: Callable[[], float], runs: int = 5) -> float:
    """Median of what `work` counts per second of processor time, after one warm-up run."""
    work()
    rates = []
    for _ in range(runs):
        began = time.process_time()
        count = work()
        rates.append(count / (time.process_time() - began))
    return statistics.median(rates)

"""PDN games read and replayed per second, on one core: median of 9 runs over a file, in processor time.

    python benchmarks/pdn.py FILE.pdn

The first line is for tokens only, the second for whole games, with every move matched to a legal one.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from gameforge_draughts.english_pdn import EnglishPdn
from gameforge_draughts.files import Archive
from gameforge_draughts.pdn_parsing import open_pdn, tokens
from gameforge_draughts.rules import Draughts
from machine import pin

RUNS = 9


def median_seconds(work: Callable[[], int]) -> tuple[int, float]:
    """(count of the last run, median seconds)."""
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        count = work()
        times.append(time.process_time() - begin)
    return count, statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    file = parser.parse_args().file

    def count_tokens() -> int:
        with open_pdn(file) as stream:
            return sum(1 for _ in tokens(stream))

    def count_games() -> int:
        with open_pdn(file) as stream:
            return sum(1 for _ in Archive(EnglishPdn(Draughts()), stream, file.name, print))

    print(pin())
    count_games()  # compiled before the clock starts
    for what, work in (("tokens", count_tokens), ("games", count_games)):
        count, seconds = median_seconds(work)
        print(f"{what:8}{count:10,} in {seconds:6.3f} s: {count / seconds:12,.0f} a second")


if __name__ == "__main__":
    main()

"""Memory of the server of the browser board under hours of work: its slope in MB an hour, which should be about 0.

    python benchmarks/soak.py [--minutes 60] [--sessions 10]

Sessions play games against the search and analyse positions, while one match after another is played and followed. Once
a minute, a line has the server's resident size, threads and open files. The slope is that of the straight line through
the sizes of the second half, by least squares: in the first, kernels are compiled and caches fill.
"""

import argparse
import asyncio
import itertools
import os
import statistics
import tempfile
import time
from pathlib import Path

from web import GAME, Server, ask, memory, play, serving

EVERY = 5.0
"""Seconds between two measurements."""
GAMES = 200
"""Games of each match."""


async def games(server: Server, end: float) -> int:
    """Play in a tab of its own, which is opened again after each game; return the number of games."""
    for number in itertools.count():
        if time.monotonic() >= end:
            return number
        async with server.tab() as tab:
            await play(tab, 20)
            await tab.send('{"id": 2, "do": "analyse", "game": "draughts", "player": "alphabeta + material"}')
            await tab.recv()
            await tab.send('{"cancel": 2}')
    raise AssertionError


async def matches(server: Server, end: float) -> int:
    """Play matches of short searches, one after another, each in a folder; return the number of their games."""
    fast = {"first": "random", "second": "alphabeta:depth=1 + material"}
    async with server.tab() as tab:
        for number in itertools.count():
            if time.monotonic() >= end:
                return number * GAMES
            answer = await ask(tab, "start-match", game=GAME, games=GAMES, out=f"match-{number}", **fast)
            assert answer.get("over"), answer
    raise AssertionError


async def sizes(server: Server, end: float) -> list[tuple[float, float]]:
    """Return (hours, MB) of the server, and print a line each minute."""
    found: list[tuple[float, float]] = []
    began, printed = time.monotonic(), 0.0
    while (now := time.monotonic()) < end:
        found.append(((now - began) / 3600, memory(server.process)))
        if now - began >= printed:
            printed += 60
            folder = Path(f"/proc/{server.process}")
            counts = (len(os.listdir(folder / name)) for name in ("task", "fd"))
            print(
                "{:6.1f} min {:7.1f} MB {:4d} threads {:4d} files".format((now - began) / 60, found[-1][1], *counts),
                flush=True,
            )
        await asyncio.sleep(EVERY)
    return found


async def soak(server: Server, minutes: float, sessions: int) -> None:
    end = time.monotonic() + 60 * minutes
    players = asyncio.gather(*(games(server, end) for _ in range(sessions)))
    played, in_matches, found = await asyncio.gather(players, matches(server, end), sizes(server, end))
    half = found[len(found) // 2 :]
    slope = statistics.linear_regression([hours for hours, _ in half], [size for _, size in half]).slope
    print(f"{sum(played):,} games of {sessions} sessions, {in_matches:,} games of matches, {minutes:g} minutes")
    print(
        f"{found[0][1]:.0f} MB at first, at most {max(size for _, size in found):.0f} MB; slope {slope:+.1f} MB an hour"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--sessions", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as runs, serving(f"--runs={runs}") as server:
        asyncio.run(soak(server, options.minutes, options.sessions))


if __name__ == "__main__":
    main()

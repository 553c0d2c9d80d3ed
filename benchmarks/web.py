"""Measure the server of the browser board: round trips, answers, many sessions, analysis and memory.

    python benchmarks/web.py [--games 1000] [--file GAMES.pdn]

It starts a server and speaks to it as pages do, without a browser. With a large file it also measures how the page
opens it and searches its games.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

GAME = "draughts"
SEARCH = 0.05
"""Seconds of a search."""
PLAYER = {"player": "alphabeta + material", "limits": {"time": SEARCH}}
SESSIONS = 20
MOVES = 10


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        return None


async def ask(tab: ClientConnection, name: str, **fields: object) -> dict[str, Any]:
    """Send a request and return its last answer."""
    await tab.send(json.dumps({"id": 1, "do": name, **fields}))
    while True:
        answer: dict[str, Any] = json.loads(await tab.recv())
        if answer.get("done", True):
            return answer


async def play(tab: ClientConnection, moves: int) -> list[float]:
    """Let the player move for both sides; return the seconds of each answer."""
    line: list[str] = []
    seconds = []
    for _ in range(moves):
        began = time.perf_counter()
        answer = await ask(tab, "think", game=GAME, moves=line, **PLAYER)
        seconds.append(time.perf_counter() - began)
        line.append(answer["move"])
    return seconds


def report(what: str, value: str) -> None:
    print(f"{what:<60}{value:>16}", flush=True)


def memory(process: int) -> float:
    """Return the resident size of a process, in MB."""
    with open(f"/proc/{process}/status") as file:
        found = re.search(r"VmRSS:\s+(\d+)", file.read())
    return int(found[1]) / 1024 if found else 0.0


@attrs.frozen
class Server:
    """A running server."""

    process: int
    address: str
    """Of its socket."""
    headers: dict[str, str]
    """Those of a page that it admits."""

    def tab(self) -> connect:
        """Open a connection as a page does."""
        origin = Origin(self.headers["Origin"])
        cookie = {"Cookie": self.headers["Cookie"]}
        return connect(self.address, additional_headers=cookie, origin=origin, open_timeout=60)


@contextlib.contextmanager
def serving(*options: str) -> Iterator[Server]:
    """Start a server, and end it with the block."""
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-m", "gameforge", "web", "--no-open", "--port=0", f"--game={GAME}", *options]
        environment = {**os.environ, "XDG_STATE_HOME": state}
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stderr is not None
            address = next(filter(None, (re.search(r"(http://([^/]+))/\S+", line) for line in server.stderr)), None)
            assert address is not None, "the server did not start"
            threading.Thread(target=server.stderr.read, daemon=True).start()
            try:
                urllib.request.build_opener(NoRedirect).open(address[0])
                raise AssertionError("no redirect")
            except urllib.error.HTTPError as answer:
                cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]
            yield Server(server.pid, f"ws://{address[2]}/socket", {"Cookie": cookie, "Origin": address[1]})
        finally:
            server.terminate()
            server.wait(30)


async def measure(server: Server, games: int) -> None:
    tab, process = server.tab, server.process
    async with tab() as one:
        await play(one, 4)  # warm
        times = []
        for _ in range(50):
            began = time.perf_counter()
            await ask(one, "show", game=GAME, moves=["11-15", "23-19", "8-11"])
            times.append(time.perf_counter() - began)
        report("a position, median of 50", f"{1000 * statistics.median(times):.1f} ms")
        beyond = [seconds - SEARCH for seconds in await play(one, 20)]
        report("answer beyond the search time, median of 20", f"{1000 * statistics.median(beyond):.1f} ms")
        await one.send(json.dumps({"id": 2, "do": "analyse", "game": GAME, "player": "alphabeta + material"}))
        began, updates = time.perf_counter(), 0
        while time.perf_counter() - began < 5:
            try:
                await asyncio.wait_for(one.recv(), 1)
                updates += 1
            except TimeoutError:
                pass
        await one.send('{"cancel": 2}')
        report("analysis, updates a second", f"{updates / 5:.1f}")
    tabs = [await tab() for _ in range(SESSIONS)]
    began = time.perf_counter()
    answers = await asyncio.gather(*(play(each, MOVES) for each in tabs))
    totals = [sum(each) for each in answers]
    report(f"{SESSIONS} sessions of {MOVES} moves, slowest beside fastest", f"{max(totals) / min(totals):.2f}")
    report("  longest answer", f"{max(map(max, answers)):.2f} s")
    for each in tabs:
        await each.close()
    report("memory of the server", f"{memory(process):.0f} MB")
    if games:
        async with tab() as one:
            for number in range(games):
                line: list[str] = []
                legal = (await ask(one, "show", game=GAME))["position"]["legal"]
                while legal and len(line) < 40:
                    line.append(legal[(number + len(line)) % len(legal)]["text"])
                    legal = (await ask(one, "show", game=GAME, moves=line))["position"]["legal"]
        report(f"memory after {games} games", f"{memory(process):.0f} MB")


async def measure_file(server: Server, path: Path) -> None:
    """Send a file of games as the page does, and look for games while and after it is read."""
    async with server.tab() as tab:
        await ask(tab, "show", game=GAME)
        began = time.perf_counter()
        address = f"{server.headers['Origin']}/games?game={GAME}&name={path.name}"
        request = urllib.request.Request(address, path.read_bytes(), server.headers)
        await asyncio.to_thread(urllib.request.urlopen, request)
        found = await ask(tab, "database-games", game=GAME)
        while not found["games"]:
            await asyncio.sleep(0.02)
            found = await ask(tab, "database-games", game=GAME)
        report(f"first games of {path.name}", f"{time.perf_counter() - began:.2f} s")
        while found["reading"]:
            await asyncio.sleep(0.5)
            found = await ask(tab, "database-games", game=GAME)
        report(f"  all {found['total']:,} different games", f"{time.perf_counter() - began:.1f} s")
        began = time.perf_counter()
        found = await ask(tab, "database-games", game=GAME, moves=["11-15", "22-18"], position=True)
        report(f"  the first 50 of {found['total']:,} with a position", f"{time.perf_counter() - began:.2f} s")
        report("  memory afterwards", f"{memory(server.process):.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the server of the browser board.")
    parser.add_argument("--games", type=int, default=1000, help="games after which memory is measured")
    parser.add_argument("--file", type=Path, help="large file of games of draughts")
    options = parser.parse_args()
    began = time.perf_counter()
    with serving() as server:
        report("until the address is printed", f"{time.perf_counter() - began:.2f} s")
        asyncio.run(measure(server, options.games))
        if options.file is not None:
            asyncio.run(measure_file(server, options.file))


if __name__ == "__main__":
    main()

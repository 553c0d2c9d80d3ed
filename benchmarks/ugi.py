"""The engine's side of UGI, for scripts that make the searches of other packages into opponents."""

import statistics
import sys
from collections.abc import Callable


def serve(name: str, find: Callable[[list[str]], tuple[str, float]]) -> None:
    """Answer the commands on standard input until `quit`, and report then how long the moves took.

    find: returns the engine's move after these moves from the initial position, and the seconds that it took.
    """
    moves: list[str] = []
    times: list[float] = []
    for line in sys.stdin:
        words = line.split()
        if words[0] == "quit":
            break
        if words[0] == "ugi":
            print("ugiok", flush=True)
        elif words[0] == "isready":
            print("readyok", flush=True)
        elif words[0] == "position":
            if words[1] != "startpos":
                raise ValueError(f"only games from the initial position: {line}")
            moves = words[3:]
        elif words[0] == "go":
            move, seconds = find(moves)
            times.append(seconds)
            print("bestmove", move, flush=True)
    if times:
        print(f"{name}: {len(times)} moves, mean {1000 * statistics.mean(times):.0f} ms", file=sys.stderr)

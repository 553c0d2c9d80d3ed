"""An engine for tests: it speaks UGI or GTP for a game, and misbehaves as its argument says."""

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gameforge.play.game import Position


def main(game_name: str, protocol: str, fault: str) -> None:
    if fault == "silent":
        time.sleep(600)
    if fault == "dies at once":
        print("no licence", file=sys.stderr, flush=True)
        sys.exit(3)
    if fault == "endless line":
        while True:
            sys.stdout.write("x" * 4096)
            sys.stdout.flush()
    if fault == "garbage":
        for _ in sys.stdin:
            say("\x1b[31mwhat?")
    told, goes = ["position", "startpos"], 0
    for line in sys.stdin:
        words = line.split()
        if words[0] == "quit":
            return
        if words[0] == "ugi":
            print("hello from the double", file=sys.stderr, flush=True)
            say("ugiok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "position":
            told = words
        elif words[0] == "go":
            goes += 1
            if fault == "half a line":
                sys.stdout.write("bestmo")
                sys.stdout.flush()
                os._exit(0)
            say("info depth 1 score cp 12 nodes 3")
            if fault == "illegal":
                say("bestmove illegal")
                continue
            position = _position(game_name, told)
            if fault == "crashes" and goes == 3 and position.turn == 0:  # the next process plays the other side
                os._exit(4)
            say(f"bestmove {position.legal_moves[0]}")


def _position(game_name: str, words: list[str]) -> "Position":
    """The position of a line `position ...`."""
    import gameforge as gf  # only here, since most faults need no game, and start faster without it

    game = gf.game(game_name)
    moves = words.index("moves") if "moves" in words else len(words)
    position = game.position() if words[1] == "startpos" else game.position(" ".join(words[2:moves]))
    for move in words[moves + 1 :]:
        position = position.play(move)
    return position


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

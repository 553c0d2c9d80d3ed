"""An engine for tests: it speaks UGI or GTP for a game, and misbehaves as its argument says."""

import os
import random
import sys
import time


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
    import gameforge as gf

    game = gf.game(game_name)
    position = game.position()
    rng = random.Random(os.getpid())
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
            position = game.position() if words[1] == "startpos" else game.position(" ".join(words[2 : _moves(words)]))
            for move in words[_moves(words) + 1 :]:
                position = position.play(move)
        elif words[0] == "go":
            if fault == "crashes" and rng.random() < 0.05:
                os._exit(4)
            if fault == "half a line":
                sys.stdout.write("bestmo")
                sys.stdout.flush()
                os._exit(0)
            say("info depth 1 score cp 12 nodes 3")
            say("bestmove illegal" if fault == "illegal" else f"bestmove {position.legal_moves[0]}")


def _moves(words: list[str]) -> int:
    return words.index("moves") if "moves" in words else len(words)


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

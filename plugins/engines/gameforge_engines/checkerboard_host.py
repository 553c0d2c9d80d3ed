"""The program that loads an engine for CheckerBoard, a shared library, and lets `CheckerBoardClient` call it.

It runs as a process of its own, without GameForge, so that a crash of the library ends nothing else. Each request and
each answer is a line of JSON. What the library prints goes to the standard error.

    {"command": "get gametype"} is answered by {"result": 1, "reply": "21"}
    {"board": [64 numbers], "color": 2, "seconds": 0.1, "info": 3} by {"result": 3, "board": [64 numbers], ...}

The interface is that of M. Fierz's CheckerBoard, version 2. board[x][y] is entry 8 * x + y; x counts from the left and
y from Black's side: square 4 is (0, 0) and square 29 (7, 7).
"""

import ctypes
import json
import os
import sys
import threading

_REPLY = 1 << 14
"""Bytes of a reply; the interface says 1024, and some engines write more."""


class Coor(ctypes.Structure):
    """A square."""

    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


class CBmove(ctypes.Structure):
    """A move, which engines for English draughts leave alone."""

    _fields_ = (
        ("jumps", ctypes.c_int),
        ("newpiece", ctypes.c_int),
        ("oldpiece", ctypes.c_int),
        ("start", Coor),
        ("end", Coor),
        ("path", Coor * 12),
        ("captured", Coor * 12),
        ("captured_pieces", ctypes.c_int * 12),
    )


def main(path: str) -> None:
    """Serve the library until the standard input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    library = ctypes.CDLL(os.path.abspath(path))
    library.getmove.argtypes = (
        ctypes.POINTER(ctypes.c_int),
        ctypes.c_int,
        ctypes.c_double,
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_int),
        ctypes.c_int,
        ctypes.c_int,
        ctypes.POINTER(CBmove),
    )
    for line in sys.stdin:
        asked = json.loads(line)
        answer = _command(library, asked["command"]) if "command" in asked else _move(library, asked)
        print(json.dumps(answer), file=out, flush=True)


def _command(library: ctypes.CDLL, text: str) -> dict[str, object]:
    """Call enginecommand; a library without it answers as one that does not know the command."""
    if not hasattr(library, "enginecommand"):
        return {"result": 0, "reply": "?"}
    reply = ctypes.create_string_buffer(_REPLY)
    command = ctypes.create_string_buffer(text.encode("latin-1", "replace"), _REPLY)
    result = library.enginecommand(command, reply)
    return {"result": result, "reply": reply.value.decode("latin-1")}


def _move(library: ctypes.CDLL, asked: dict[str, object]) -> dict[str, object]:
    """Call getmove; when its time is over, it is told to play now."""
    board = (ctypes.c_int * 64)(*asked["board"])  # type: ignore[misc]
    text, play_now, move = ctypes.create_string_buffer(_REPLY), ctypes.c_int(0), CBmove()
    seconds = float(str(asked["seconds"]))

    def remind() -> None:
        play_now.value = 1

    timer = threading.Timer(seconds, remind)
    timer.daemon = True
    timer.start()
    result = library.getmove(
        board, asked["color"], seconds, text, ctypes.byref(play_now), asked["info"], 0, ctypes.byref(move)
    )
    timer.cancel()
    return {
        "result": result,
        "board": list(board),
        "text": text.value.decode("latin-1"),
        "from": [move.start.x, move.start.y],
        "to": [move.end.x, move.end.y],
        "newpiece": move.newpiece,
        "captured": [[one.x, one.y] for one in move.captured[: max(0, min(12, move.jumps))]],
    }


if __name__ == "__main__":
    main(sys.argv[1])

"""Preparations in the background: an oracle that has to build a database first is opened by another process.

A person who wants to play or to analyse does not wait for minutes: the player does without the oracle, and a process of
low priority builds what it needs, which later commands find. It goes on when the command has ended. Matches and
trainings wait for their oracles instead, so that their results do not depend on what has been built before.
"""

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.play.game import Game, rules_text
from gameforge.play.knowledge import OracleHandle
from gameforge.storage.folder import locked

_PROGRAM = "from gameforge.play.preparing import serve; serve()"
_LOWEST = 19
"""Nice value of the process."""


def cache_folder() -> Path:
    """Return the folder of preparations that are under way; GAMEFORGE_CACHE (environment) moves it."""
    from gameforge.kernel.compile.cache import cache_root

    return cache_root().parent / "preparing"


def prepare(oracle: OracleHandle, game: Game, what: str, announce: Announce) -> bool:
    """Let another process open an oracle, and announce it; False if no process can be started or given the oracle.

    what: what the oracle has to build. If another process is building it already, the new one ends at once.
    """
    try:
        given = pickle.dumps((oracle, game))
    except Exception:  # an object of the caller's, of whatever kind
        return False
    name = hashlib.sha256(f"{oracle.spec} {rules_text(game.rules)}".encode()).hexdigest()[:16]
    folder = cache_folder() / name
    log = folder / "log.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as errors:
            process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        assert process.stdin is not None
        with process.stdin as stdin:
            stdin.write(given)
    except OSError:
        return False
    announce(
        f"oracle {oracle.spec} is not ready: it needs {what}. It is being built in the background, for later commands; "
        f"until then, the player plays without it (errors: {log})",
        0,
        0,
    )
    return True


def serve() -> None:
    """Open the oracle that the standard input describes, unless another process does so; sys.argv[1]: its folder."""
    if hasattr(os, "nice"):
        os.nice(_LOWEST)
    oracle, game = pickle.load(sys.stdin.buffer)
    try:
        with locked(Path(sys.argv[1])):
            oracle.functions(game)
    except GameforgeError as error:
        print(error, file=sys.stderr)

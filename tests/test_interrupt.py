"""Ctrl-C ends every command: exit code 130, one line, nothing half-written.

All this work would take hours or go on for ever, so that its end shows that it was interrupted, on a busy machine, too.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sleepy
from sleepy import evaluations
from toy_site import TOY

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.play.game import Position
from gameforge.play.perft import perft, playouts

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")

# A shell may have started pytest in the background, where children ignore SIGINT. Checkpoints may take all the time.
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from gameforge.cli.main import main
from gameforge.training import checkpoint
checkpoint.SHARE = 1
main()
"""


def interrupted(arguments: list[str], once: Callable[[], bool], **environment: str) -> tuple[int, str]:
    """(exit code, standard error) of a command that gets SIGINT `once`."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        stdout=subprocess.DEVNULL,  # a pipe that nobody reads would stop it
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(TOY.parent)} | environment,
    )
    try:
        deadline = time.monotonic() + 600
        while not once():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=600)
        return process.returncode, errors
    finally:
        process.kill()


def test_training(tmp_path: Path) -> None:
    out = tmp_path / "run"
    parts = ["--oracle=none", "--searcher=minimax:depth=1", "--learner=td:sessions=1000000,games=2,clone_points=0"]
    code, errors = interrupted(
        ["run", "--game=draughts", *parts, "--out", str(out)],
        (out / "checkpoint" / "manifest.json").exists,
    )
    assert code == 130, errors
    assert re.fullmatch(
        r"interrupted: the training has not finished; resume with: gameforge run --resume .*run\n", errors
    )
    assert json.loads((out / "run.json").read_text())["state"] == "interrupted"
    assert not (out / "player").exists()
    assert not [path for path in out.rglob("*") if path.name.startswith(".") or path.name.endswith(".tmp")]
    sessions = [json.loads(line)["session"] for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert sessions == list(range(1, len(sessions) + 1))
    games = (out / "games.pdn").read_text()
    assert games.endswith(("1-0\n\n", "0-1\n\n", "1/2-1/2\n\n"))
    assert games.count("[Event ") == games.count("[Result ")
    assert games.count('[Event "training') >= 2 * len(sessions)
    checkpoint = gf.player(out / "checkpoint")
    assert re.fullmatch(r"session \d+", checkpoint.name)
    assert 1 <= int(checkpoint.name.split()[1]) <= len(sessions)
    assert checkpoint.weights is not None
    assert np.isfinite(checkpoint.weights).all()


def analyse(position: Position, depth: int) -> object:
    return gf.player("draughts", searcher=f"minimax:depth={depth}", evaluator="material").analyse(position)


def interrupt_in_a_kernel(over: threading.Event) -> None:
    """Send SIGINT when the main thread waits for a kernel."""
    main = threading.main_thread().ident
    assert main is not None
    while not over.wait(0.01):
        frames = traceback.walk_stack(sys._current_frames()[main])
        if {"run_apart", "has_ended"} <= {frame.f_code.co_name for frame, _ in frames}:
            os.kill(os.getpid(), signal.SIGINT)
            return


@pytest.mark.parametrize(("work", "size"), [(perft, 40), (playouts, 10**12), (analyse, 40)])
def test_in_the_middle_of_a_kernel(work: Callable[[Position, int], object], size: int) -> None:
    position = gf.game("draughts").position()
    work(position, 1)  # from now on, the kernels are loaded
    over = threading.Event()
    watching = threading.Thread(target=interrupt_in_a_kernel, args=(over,))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        watching.start()
        with pytest.raises(KeyboardInterrupt):
            work(position, size)
    finally:
        over.set()
        watching.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_match(workers: str, tmp_path: Path) -> None:
    """Players that never make a move: the evaluator is plain Python and sleeps."""
    code, errors = interrupted(
        [
            "--plugin",
            sleepy.__file__,
            "match",
            *["minimax:depth=20 + sleepy"] * 2,
            "--game",
            "draughts",
            "--workers",
            workers,
        ],
        lambda: bool(evaluations(tmp_path)),
        SLEEPY=str(tmp_path),
    )
    assert code == 130, errors
    assert errors.splitlines()[-1] == "interrupted"
    assert "Traceback" not in errors


@pytest.mark.parametrize("module", ["gameforge.cli.main", "enum", "gameforge.cli.terminal"])
def test_while_the_command_line_is_imported(module: str) -> None:
    """SIGINT arrives when this module is looked for. Site-packages, which load some of them earlier, are left out."""
    source = f"""
import os, signal, sys
sys.path += {[path for path in sys.path if path]}
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.modules.pop({module!r}, None)
sys.meta_path.insert(0, Finder)
from gameforge.__main__ import main
main()
"""
    found = subprocess.run([sys.executable, "-S", "-c", source, "plugins"], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "interrupted\n")


def test_hardly_anything_is_imported_before_that() -> None:
    source = f"import sys; sys.path[:0] = {[path for path in sys.path if path]}; before = set(sys.modules)\n"
    source += "import gameforge.__main__; print(*sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-S", "-c", source], capture_output=True, text=True, check=True)
    assert not {"typing", "pathlib", "functools", "collections", "enum"} & {*found.stdout.split()}


LOST = """
import os, signal, time
from gameforge import Command, hookimpl

class Left:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def work():
    "Get SIGINT where Python reports KeyboardInterrupt and continues; end all the same."
    Left()
    for second in range(60):
        time.sleep(1)

@hookimpl
def gameforge_commands():
    return [Command("work", __name__ + ":work", "Work.")]
"""


def test_where_python_reports_exceptions_and_continues(tmp_path: Path) -> None:
    plugin = tmp_path / "lost.py"
    plugin.write_text(LOST)
    command = [sys.executable, "-c", COMMAND, "--plugin", str(plugin), "work"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "interrupted\n")


def test_where_python_releases_a_lock_that_it_does_not_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Python does so when Ctrl-C interrupts a wait. Other errors, raised while a command tidies up, are reported."""
    plugin = tmp_path / "waiting.py"
    plugin.write_text("""
import threading
from gameforge import Command, GameforgeError, hookimpl

def wait() -> None:
    try:
        raise KeyboardInterrupt
    finally:
        threading.Lock().release()

def tidy_up() -> None:
    try:
        raise KeyboardInterrupt
    finally:
        raise GameforgeError("the disk is full")

@hookimpl
def gameforge_commands():
    return [Command("wait", __name__ + ":wait", "Wait."), Command("tidy", __name__ + ":tidy_up", "Tidy up.")]
""")
    assert cli.run(["--plugin", str(plugin), "wait"]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert cli.run(["--plugin", str(plugin), "tidy"]) == 2
    assert capsys.readouterr().err == "error: the disk is full\n"


def test_while_a_plugin_defines_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Python 3.11 makes it a RuntimeError, which would be the plugin's."""
    plugin = tmp_path / "describing.py"
    plugin.write_text("""
class Descriptor:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

class Described:
    attribute = Descriptor()
""")
    assert cli.run(["--plugin", str(plugin), "plugins"]) == 130
    assert capsys.readouterr().err == "interrupted\n"

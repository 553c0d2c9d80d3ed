"""Code that must print the same with compiled functions and as plain Python."""

import contextlib
import io
import os
import subprocess
import sys

import numpy as np


def printed_uncompiled(code: str) -> str:
    """What the code prints in a process that compiles nothing; it may print no error."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,  # only against a process that never ends
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def both_ways(code: str) -> tuple[str, str]:
    """What the code prints, run in this process, and uncompiled; it may print no error."""
    printed, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors), np.errstate():  # it may change them
        exec(code, {"__name__": "code"})
    assert errors.getvalue() == ""
    return printed.getvalue(), printed_uncompiled(code)

"""Code that must print the same with compiled functions and as plain Python."""

import contextlib
import io
import os
import subprocess
import sys

import numpy as np


def both_ways(code: str) -> tuple[str, str]:
    """What the code prints, run in this process, and in one that compiles nothing; neither may print an error."""
    printed, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors), np.errstate():  # it may change them
        exec(code, {"__name__": "code"})
    assert errors.getvalue() == ""
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
    return printed.getvalue(), done.stdout

"""The notice that explains why a first run takes seconds; without rich, which quick commands do not load."""

import contextlib
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gameforge.cli.shared.console import Console

NOTICE = "compiling kernels (first run only)"
_printed: set[str] = set()
"""What this process has printed already: a command may prepare players, then play, and compile in both parts."""


def compilation_notice(console: "Console | None" = None) -> contextlib.AbstractContextManager[None]:
    """Print a notice when the first kernel of this process is compiled, on `console` or else on standard error.

    Print a warning, also only once, if the folder of compiled kernels cannot be written.
    """
    from gameforge.kernel.compile.jit import on_first_compilation

    def say_once(text: str) -> None:
        if text in _printed:
            return
        _printed.add(text)
        if console is None:
            print(text, file=sys.stderr)
        else:
            console.print(text, soft_wrap=True)

    problem = _cache_problem()
    if problem:
        say_once(problem)
    return on_first_compilation(lambda: say_once(NOTICE))


def _cache_problem() -> str:
    """Return a warning if compiled kernels cannot be kept in their folder; else ""."""
    from gameforge.kernel.compile.jit import cache_root

    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=root).close()
    except OSError as error:
        reason = error.strerror or error
        return (
            f"warning: the folder of compiled kernels, {root}, cannot be written ({reason}), so every command may "
            "compile them again; set GAMEFORGE_CACHE to another folder"
        )
    return ""

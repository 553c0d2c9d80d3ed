"""The notice that explains why a first run takes seconds; without rich, which quick commands do not load."""

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gameforge.cli.shared.console import Console


def compilation_notice(console: "Console | None" = None) -> contextlib.AbstractContextManager[None]:
    """Print a notice when the first kernel is compiled, on `console` or else on standard error."""
    from gameforge.kernel.compile.jit import on_first_compilation

    def say(text: str) -> None:
        if console is None:
            print(text, file=sys.stderr)
        else:
            console.print(text)

    return on_first_compilation(lambda: say("compiling kernels (first run only)"))

"""Helper threads of a search.

A search runs inside a kernel, perhaps inside a whole game, and a kernel cannot start threads. The context therefore has
a function `crew`, which returns to Python for a moment: crew(1) starts the helpers on the state at the start of the
caller's stack, crew(0) ends them. For a search with one thread it does nothing.
"""

import threading
from typing import Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.context import CREW_SIGNATURE, NODES, STOP, CompiledPlayer, Words

_0 = np.uint64(0)


@kernel
def assist(player: CompiledPlayer, state: Words) -> Any:
    """Run the search of a helper."""
    return player.search(player.context, at(state, _0), at(player.limits, _0), at(player.out, _0))


def _nobody(command: Any) -> Any:
    return 0


def crew_function(helpers: tuple[CompiledPlayer, ...], stack: Words | None = None) -> Any:
    """Make Context.crew for a search whose workspace is `stack`."""
    if not helpers or stack is None:
        return compiled_function("crew", _nobody, signature=CREW_SIGNATURE)
    words = int(helpers[0].context.rules.words)
    threads: list[threading.Thread] = []

    def crew(command: int) -> int:
        if command:
            state = stack[:words].copy()
            for helper in helpers:
                helper.context.control[:] = 0
                threads.append(threading.Thread(target=assist, args=(helper, state), name="gameforge-helper"))
            for thread in threads:
                thread.start()
            return 0
        for helper in helpers:
            helper.context.control[STOP] = 1
        while threads:
            threads.pop().join()
        return sum(int(helper.context.control[NODES]) for helper in helpers)

    return compiled_function("crew", crew, compiled=False, signature=CREW_SIGNATURE)

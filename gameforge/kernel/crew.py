"""Helper threads of a search.

A search runs inside a kernel, perhaps inside a whole game, and a kernel cannot start threads. The context therefore has
a function `crew`, which returns to Python for a moment: crew(1) starts the helpers on the state at the start of the
caller's stack, crew(0) ends them. What a component raised in a helper then counts as raised in the caller's thread,
where GameForge looks for it. For a search with one thread crew does nothing.
"""

import threading
from typing import Any

import numpy as np

from gameforge.kernel.bits import at
from gameforge.kernel.compile.failures import Failures
from gameforge.kernel.compile.functions import compiled_function, failures_of
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
    records = failures_of(helpers)
    threads: list[threading.Thread] = []
    raised: list[tuple[Failures, BaseException]] = []

    def work(helper: CompiledPlayer, state: Words) -> None:
        assist(helper, state)
        # Here and not in crew: once this thread has ended, another game's thread may get its identifier.
        for record in records:
            failure = record.take()
            if failure is not None:
                raised.append((record, failure))

    def crew(command: int) -> int:
        if command:
            state = stack[:words].copy()
            for helper in helpers:
                helper.context.control[:] = 0
                threads.append(threading.Thread(target=work, args=(helper, state), name="gameforge-helper"))
            for thread in threads:
                thread.start()
            return 0
        for helper in helpers:
            helper.context.control[STOP] = 1
        while threads:
            threads.pop().join()
        while raised:
            record, failure = raised.pop(0)
            record.fail(failure)
        return sum(int(helper.context.control[NODES]) for helper in helpers)

    return compiled_function("crew", crew, compiled=False, signature=CREW_SIGNATURE)

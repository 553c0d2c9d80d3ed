"""Searches that return to Python: for helper threads, or for the whole answer.

A search runs inside a kernel, perhaps inside a whole game, and a kernel cannot start threads. The context therefore has
a function `crew`, which returns to Python for a moment: crew(1) starts the helpers on the state at the start of the
caller's stack, crew(0) ends them. What a component raised in a helper then counts as raised in the caller's thread,
where GameForge looks for it. For a search with one thread crew does nothing.

A searcher in Python uses the same way: it offers no search function, so `search_by_crew` takes its place, and the
player's own `crew` finds the answer.
"""

import threading
import time

import numpy as np

from gameforge.interfaces.evaluator import PROVEN_WIN
from gameforge.interfaces.rules import DRAW, RUNNING, WIN
from gameforge.kernel import slots
from gameforge.kernel.answer import begin_statistics, write_answer, write_no_move
from gameforge.kernel.bits import U0, at
from gameforge.kernel.compile.functions import CompiledFunction, Failures, compiled_function, failures_of
from gameforge.kernel.compile.jit import kernel
from gameforge.kernel.context import CREW_SIGNATURE, CompiledPlayer, Context
from gameforge.kernel.types import IntegerArray, Limits, Score, WordArray, Words


@kernel
def assist(player: CompiledPlayer, state: WordArray) -> Score:
    """Run the search of a helper, or one within another search."""
    return player.search(player.context, at(state, U0), at(player.limits, U0), at(player.out, U0))


def _nobody(command: int) -> int:
    return 0


def crew_function(
    helpers: tuple[CompiledPlayer, ...], stack: WordArray | None = None, control: IntegerArray | None = None
) -> CompiledFunction:
    """Make Context.crew for a search whose workspace is `stack` and whose flags are `control`."""
    if not helpers or stack is None or control is None:
        return compiled_function("crew", _nobody, signature=CREW_SIGNATURE)
    words = int(helpers[0].context.rules.words)
    records = failures_of(helpers)
    threads: list[threading.Thread] = []
    raised: list[tuple[Failures, BaseException]] = []

    def work(helper: CompiledPlayer, state: WordArray) -> None:
        assist(helper, state)
        helper.context.control[slots.ELSEWHERE] = time.thread_time_ns()
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
            helper.context.control[slots.STOP] = 1
        while threads:
            threads.pop().join()
        control[slots.ELSEWHERE] += sum(int(helper.context.control[slots.ELSEWHERE]) for helper in helpers)
        while raised:
            record, failure = raised.pop(0)
            record.fail(failure)
        return sum(int(helper.context.control[slots.NODES]) for helper in helpers)

    return compiled_function("crew", crew, compiled=False, signature=CREW_SIGNATURE)


def search_by_crew(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Let crew(1) find the move for the state, which stands at the start of ctx.stack.

    `crew` returns the number of nodes, writes the score to ctx.scores[0], and the rest of the answer to the player's
    `out`. It is not called if the game is over. The workspace is a state and the moves (stack), and one score.
    """
    rules = ctx.rules
    for i in range(rules.words):
        ctx.stack[i] = s[i]
    n = rules.gen(at(rules.data, U0), s, at(ctx.stack, rules.words))
    code = rules.outcome(at(rules.data, U0), s, n)
    begin_statistics(out, U0)
    if code != RUNNING:
        write_no_move(out, U0)
        return 0.0 if code & 3 == DRAW else PROVEN_WIN if code & 3 == WIN else -PROVEN_WIN
    write_answer(out, ctx.stack[rules.words], U0, ctx.stack, U0)  # the answer if the crew fails
    ctx.scores[U0] = 0.0
    out[slots.OUT_NODES] = np.uint64(ctx.crew(1))
    return ctx.scores[U0]

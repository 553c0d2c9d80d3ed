"""Assembly: make what kernels read from what components offer.

Functions become Compiled... records, a player's parts a CompiledPlayer with its own workspace, and the lines of a book
the block that game.py follows.
"""

import mmap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions
from gameforge.interfaces.oracle import Gate, GatePlace, OracleFunctions
from gameforge.interfaces.rules import RUNNING, DrawRules, RulesFunctions, State
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import context as contexts
from gameforge.kernel import slots
from gameforge.kernel.abi import UNKNOWN
from gameforge.kernel.compile.functions import (
    CompiledFunction,
    PythonCall,
    compiled_function,
    failures_of,
    raise_failure,
    taken,
)
from gameforge.kernel.compile.launch import entry
from gameforge.kernel.context import CompiledEvaluator, CompiledOracles, CompiledPlayer, CompiledRules, Context
from gameforge.kernel.crew import assist, crew_function, search_by_crew
from gameforge.kernel.gameplay import GameWorkspace, replay
from gameforge.kernel.types import FloatArray, Floats, Score, Scores, Word, WordArray, Words
from gameforge.memory import require_memory, size_text


def block(data: NDArray[np.generic] | None, dtype: DTypeLike = np.uint64) -> NDArray[Any]:
    """Return a data block as kernels need it: contiguous, writable, with at least one element."""
    if data is None or len(data) == 0:
        return np.zeros(1, dtype)
    return np.require(data, dtype=dtype, requirements=["C", "W", "A"])


def rules_block(functions: RulesFunctions, calls: tuple[PythonCall, ...]) -> WordArray:
    """Return the first block of rules: the addresses of the Python functions that they call, and their data."""
    addresses = np.array([call.address for call in calls], np.uint64)
    return block(addresses if functions.data is None else np.concatenate([addresses, functions.data]))


def _no_key(rules: Words, s: Words) -> Word:
    return np.uint64(0)


def _never(rules: Words, before: Words, m: Word) -> Word:
    return np.uint64(0)


def _never_noisy(rules: Words, s: Words, moves: Words, n: Word) -> Word:
    return np.uint64(0)


def _never_ended(rules: Words, s: Words) -> int:
    return RUNNING


def _no_features(fd: Words, s: Words, x: Floats) -> None:
    return


def _no_forward(nd: Words, w: Floats, x: Floats) -> Score:
    return 0.0


def _no_backward(nd: Words, w: Floats, x: Floats, trace: Floats) -> None:
    return


def _even(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    """Score of every position for a searcher without an evaluator."""
    return 0.0


def _no_values(ed: Words, w: Floats, states: Words, n: Word, scores: Scores) -> None:
    return


def _no_refresh(ed: Words, w: Floats, s: Words, acc: Words) -> None:
    return


def _no_update(ed: Words, w: Floats, acc: Words, s: Words, m: Word, child_acc: Words) -> None:
    return


def _none_accumulated(ed: Words, w: Floats, acc: Words, x: Floats) -> Score:
    return 0.0


def _no_policy(ed: Words, w: Floats, s: Words, moves: Words, n: Word, x: Floats, logits: Scores) -> None:
    return


def _knows_nothing(od: Words, s: Words, out: Words) -> int:
    return UNKNOWN


_PLACEHOLDERS: dict[str, Callable[..., object]] = {
    "key": _no_key,
    "irreversible": _never,
    "retracts": _never,
    "noisy": _never_noisy,
    "ended": _never_ended,
    "features": _no_features,
    "forward": _no_forward,
    "backward": _no_backward,
    "evaluate": _even,
    "values": _no_values,
    "policy": _no_policy,
    "refresh": _no_refresh,
    "update": _no_update,
    "accumulated": _none_accumulated,
    "probe": _knows_nothing,
}
"""What stands for functions that a component lacks."""
_OF_RULES = ("gen", "play", "outcome", "key", "irreversible", "retracts", "noisy", "ended")
_ROW = 8
"""The inputs of a state begin at a multiple of this number of floats, so that they may hold words, too."""


def compiled_rules(functions: RulesFunctions) -> CompiledRules:
    """Compile the functions of rules; placeholders stand for those that they lack."""
    calls = tuple(PythonCall(function) for function in functions.calls)
    entries = {}
    for name in _OF_RULES:
        function = getattr(functions, name)
        if function is None:
            entries[name] = compiled_function(name, _PLACEHOLDERS[name])
        else:
            entries[name] = compiled_function(name, function, compiled=functions.compiles(name), calls=calls)
    return CompiledRules(
        **entries,
        data=rules_block(functions, calls),
        words=np.uint64(functions.words),
        max_moves=np.uint64(functions.max_moves),
        has_key=np.uint64(functions.key is not None),
        has_noisy=np.uint64(functions.noisy is not None),
        has_ended=np.uint64(functions.ended is not None),
    )


def compiled_evaluator(
    functions: NetFunctions | EvaluatorFunctions | None, weights: FloatArray | None = None
) -> CompiledEvaluator:
    """Compile an evaluator and give it its own inputs. The `weights` of a net are shared, not copied.

    Without an evaluator (None) every position has the score 0.
    """
    features, costly = None, False
    given: dict[str, tuple[Callable[..., object], bool]] = {}
    if isinstance(functions, NetFunctions):
        features = functions.features
        given["features"] = features.features, features.compiled
        given |= {
            "forward": (functions.forward, functions.compiled),
            "backward": (functions.backward, functions.compiled),
        }
    elif functions is not None:
        given["evaluate"] = functions.evaluate, functions.compiled
        for name in ("values", "policy", "refresh", "update", "accumulated"):
            if (optional := getattr(functions, name)) is not None:
                given[name] = optional, functions.compiled
        costly = functions.costly or not functions.compiled
        if functions.weights is not None:
            weights = functions.weights
        elif weights is not None and functions.vector is not None:
            weights = functions.vector.block(weights)
    entries = {}
    for name in contexts.EVALUATOR_FUNCTIONS:
        function, compiled = given.get(name, (_PLACEHOLDERS[name], True))
        entries[name] = compiled_function(name, function, compiled=compiled)
    inputs = (features.inputs if features else 0) + (functions.scratch if functions else 0)
    return CompiledEvaluator(
        is_net=np.uint64(features is not None),
        has_values=np.uint64("values" in given),
        has_policy=np.uint64("policy" in given),
        accumulator=np.uint64(functions.accumulator if isinstance(functions, EvaluatorFunctions) else 0),
        is_costly=np.uint64(costly),
        sign=np.float64(-1.0 if features and features.viewpoint == "just moved" else 1.0),
        **entries,
        features_data=block(features.data if features else None),
        data=block(functions.data if functions else None),
        weights=block(weights, np.float32),
        inputs=np.zeros(2 * _ROW * max(1, -(-inputs // _ROW)), np.float32),  # of two states (evaluate.py)
        accumulators=block(None),
    )


def with_inputs_of_its_own(evaluator: CompiledEvaluator) -> CompiledEvaluator:
    """Return the same evaluator for another thread."""
    return evaluator._replace(
        inputs=np.zeros_like(evaluator.inputs), accumulators=np.zeros_like(evaluator.accumulators)
    )


def compiled_oracles(oracles: tuple[OracleFunctions, ...]) -> CompiledOracles:
    """Compile oracles in the order in which they are consulted, gated ones last.

    All gates must be equal; `Parts` raises a GameforgeError otherwise.
    """
    everywhere = [oracle for oracle in oracles if oracle.gate is None]
    gated = [oracle for oracle in oracles if oracle.gate is not None]
    nothing = compiled_function("probe", _PLACEHOLDERS["probe"])
    probes = [compiled_function("probe", oracle.probe, compiled=oracle.compiled) for oracle in (*everywhere, *gated)]
    data = [block(oracle.data) for oracle in (*everywhere, *gated)]
    spare = contexts.MAX_ORACLES - len(oracles)
    return CompiledOracles(
        probes=tuple(probes + [nothing] * spare),
        data=tuple(data + [block(None)] * spare),
        size=np.uint64(len(everywhere)),
        gate=_compiled_gate(gated[0].gate if gated else None, len(gated)),
        out=np.zeros(slots.PROBE_SCRATCH + max((oracle.scratch for oracle in oracles), default=0), np.uint64),
    )


_GATE_PLACES: Mapping[GatePlace, np.uint64] = {
    "leaves": contexts.GATE_LEAVES,
    "root": contexts.GATE_ROOT,
    "searched": contexts.GATE_SEARCHED,
}


def _compiled_gate(gate: Gate | None, size: int) -> contexts.CompiledGate:
    if gate is None:
        return contexts.CompiledGate(contexts.GATE_NOWHERE, np.float64(0), np.float64(0), np.uint64(0))
    return contexts.CompiledGate(_GATE_PLACES[gate.at], np.float64(gate.low), np.float64(gate.high), np.uint64(size))


def search_function(functions: SearcherFunctions) -> CompiledFunction:
    """Compile the search function of a searcher."""
    search = functions.search or search_by_crew
    return compiled_function("search", search, signature=contexts.SEARCH_SIGNATURE, bare=functions.bare)


def compiled_player(
    rules: CompiledRules,
    search: CompiledFunction,
    functions: SearcherFunctions,
    evaluator: CompiledEvaluator,
    oracle: CompiledOracles,
    game: GameWorkspace,
    seed: int = 0,
    book: WordArray | None = None,
) -> CompiledPlayer:
    """Make a player for one thread, with its own workspace; it shares the record of the game with `game`."""
    accumulators = np.zeros(max(1, functions.accumulators * int(evaluator.accumulator)), np.uint64)
    context = Context(
        rules=rules,
        evaluator=with_inputs_of_its_own(evaluator)._replace(accumulators=accumulators),
        oracle=oracle._replace(out=np.zeros_like(oracle.out)),
        memory=zeros(functions.memory),
        history=game.history,
        played=game.played,
        draws=game.draws,
        counters=game.counters,
        crew=crew_function(()),
        stack=np.zeros(max(functions.stack, int(rules.words + rules.max_moves)), np.uint64),
        scores=np.zeros(max(1, functions.scores), np.float64),
        rng=np.array([seed], np.uint64),
        control=np.zeros(slots.CONTROLS, np.int64),
    )
    limits = np.array(functions.limits, np.int64)
    out = np.zeros(slots.STATISTICS + 1 + (3 * int(rules.max_moves) if functions.statistics else 0), np.uint64)
    player = CompiledPlayer(search=search, context=context, limits=limits, out=out, book=block(book))
    if functions.crew is not None:
        own = functions.crew(player, game)
        crew = compiled_function("crew", own, compiled=False, signature=contexts.CREW_SIGNATURE)
        return player._replace(context=context._replace(crew=crew))
    if functions.workers == 1:
        return player
    helpers = tuple(_helper(player, number) for number in range(1, functions.workers))
    return player._replace(context=context._replace(crew=crew_function(helpers, context.stack, context.control)))


def inner_search(outer: CompiledPlayer, functions: SearcherFunctions, game: GameWorkspace) -> Callable[[], float]:
    """Make a function that lets another searcher search within the search of a player, whose crew calls it.

    It searches the state at the start of the player's stack with the player's evaluator, oracles, random numbers and
    flags, writes the answer as the player's, and returns the score. The player's `memory` has one word for it: as long
    as that is 0, a game begins, and the other searcher's memory is cleared.
    """
    context = outer.context
    inner = compiled_player(game.rules, search_function(functions), functions, context.evaluator, context.oracle, game)
    inner = inner._replace(context=inner.context._replace(control=context.control, rng=context.rng))

    def search() -> float:
        if context.memory[0] == 0:
            inner.context.memory.fill(0)
            context.memory[0] = 1
        score = float(entry(assist)(inner, context.stack[: int(game.rules.words)].copy()))
        check(inner)
        outer.out[:] = inner.out
        return score

    return search


def _helper(player: CompiledPlayer, number: int) -> CompiledPlayer:
    """Make the player's helper for another thread: it has its own workspace and shares the memory."""
    context = player.context
    limits = player.limits.copy()
    limits[-1] = number
    return player._replace(
        context=context._replace(
            evaluator=with_inputs_of_its_own(context.evaluator),
            oracle=context.oracle._replace(out=np.zeros_like(context.oracle.out)),
            stack=np.zeros_like(context.stack),
            scores=np.zeros_like(context.scores),
            rng=context.rng + np.uint64(number),
            control=np.zeros_like(context.control),
        ),
        limits=limits,
        out=np.zeros_like(player.out),
    )


def game_workspace(rules: CompiledRules, draws: DrawRules) -> GameWorkspace:
    """Make the workspace for the games of one thread, whose players share its record of the game."""
    return GameWorkspace(
        rules=rules,
        draws=np.array([draws.repetition, draws.no_progress, draws.max_plies, draws.shuffle], np.int64),
        history=np.zeros(draws.max_plies + 2, np.uint64),
        states=np.zeros(3 * int(rules.words), np.uint64),
        moves=np.zeros(int(rules.max_moves), np.uint64),
        played=np.zeros(max(1, draws.max_plies), np.uint64),
        counters=np.zeros(slots.COUNTERS, np.int64),
        clocks=np.zeros(slots.CLOCKS, np.int64),
    )


def check(*compiled: object) -> None:
    """Pop and raise the exception that one of these functions (nested tuples) recorded in a kernel, in this thread.

    `interruptible` (kernel/compile/launch.py) does this for the kernels that it runs in threads of their own.
    """
    raise_failure(failures_of(compiled))


def take_failure(*compiled: object) -> BaseException | None:
    """Pop the exception that one of these functions (nested tuples) recorded in this thread; None without one."""
    return taken(failures_of(compiled))


class _Node:
    def __init__(self) -> None:
        self.moves: dict[int, _Node] = {}
        self.entries: Counter[int] = Counter()


def book_block(
    rules: CompiledRules, start: State, lines: Iterable[tuple[int, ...]], by_lines: bool = False
) -> WordArray:
    """Make a block for `book_place` from lines of legal moves.

    start: the state in which all lines begin. by_lines: a move has an entry for each line that continues with it,
    instead of one entry.
    """

    root = _Node()
    longest = 1
    for line in lines:
        node = root
        for move in line:
            node.entries[move] = node.entries[move] + 1 if by_lines else 1
            node = node.moves.setdefault(move, _Node())
        longest = max(longest, len(line))
    game = game_workspace(rules, DrawRules(max_plies=longest))
    begin = np.array(start, np.uint64)
    words = [0]

    def write(node: _Node, record: list[int]) -> int:
        if not node.moves:
            return 0
        entry(replay)(game, begin, np.array(record, np.uint64))
        place = len(words)
        words.extend([int(game.history[game.history[0]]), node.entries.total()] + [0, 0] * node.entries.total())
        begins = place + 2
        for move, after in node.moves.items():
            words[begins : begins + 2 * node.entries[move]] = [move, write(after, [*record, move])] * node.entries[move]
            begins += 2 * node.entries[move]
        return place

    words[0] = write(root, [])
    return np.array(words, np.uint64)


_LARGE = 1 << 20


def zeros(words: int) -> WordArray:
    """Return a block of zeros, of at least one word; GameforgeError if the system has no room for it.

    A large block is mapped from the system, so that it takes no time to make, however large it is. numpy.zeros takes
    large blocks from memory that the process has used before, which it must clear first: tens of milliseconds.
    """
    size = 8 * max(1, words)
    if size < _LARGE:
        return np.zeros(max(1, words), np.uint64)
    require_memory(size, "a searcher")  # the system gives more than it has, and kills whoever uses it
    try:
        return np.frombuffer(_mapped(size), np.uint64)
    except (OSError, OverflowError) as error:
        raise GameforgeError(f"a searcher needs {size_text(size)} of memory, more than is available") from error


def _mapped(size: int) -> mmap.mmap:
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows, where anonymous memory is private
        return mmap.mmap(-1, size)
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        mapping.madvise(mmap.MADV_HUGEPAGE)
    return mapping

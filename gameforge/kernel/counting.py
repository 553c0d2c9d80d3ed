"""Evaluators that count the positions that they score, for trainings whose number of them is limited.

Each function that scores is replaced by one with the same signature, which counts and calls it. What it needs for that
stands before the evaluator's data block, where no other function looks. An evaluator that is not counted is called
directly, and costs nothing more.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gameforge.kernel.abi import SIGNATURES
from gameforge.kernel.compile.functions import CompiledFunction, Function, compiled_function
from gameforge.kernel.compile.jit import COMPILED
from gameforge.kernel.context import CompiledEvaluator
from gameforge.kernel.types import Floats, Score, Scores, Word, WordArray, Words

_HEAD = 5
"""Words before the data block."""
_COUNT, _FORWARD, _EVALUATE, _VALUES, _ACCUMULATED = -1, -2, -3, -4, -5
"""Their places: the number of positions, and the addresses of the functions."""


if TYPE_CHECKING or not COMPILED:

    def _forward_at(address: Word, nd: Words, w: Floats, x: Floats) -> Score:
        """Call the function with this address; the others do the same with other signatures."""
        raise NotImplementedError

    def _evaluate_at(address: Word, ed: Words, w: Floats, s: Words, x: Floats) -> Score:
        raise NotImplementedError

    def _values_at(address: Word, ed: Words, w: Floats, states: Words, n: Word, scores: Scores) -> None:
        raise NotImplementedError

    def _accumulated_at(address: Word, ed: Words, w: Floats, acc: Words, x: Floats) -> Score:
        raise NotImplementedError

else:

    def _called(name):
        """Return the signature of an intrinsic that calls a function by its address, and its code."""
        signature = SIGNATURES[name]

        def codegen(context, builder, _, args):
            given = [context.get_value_type(kind) for kind in signature.args]
            is_void = signature.return_type == types.void
            result = ir.VoidType() if is_void else context.get_value_type(signature.return_type)
            function = builder.inttoptr(args[0], ir.FunctionType(result, given).as_pointer())
            found = builder.call(function, args[1:])
            return context.get_dummy_value() if is_void else found

        return signature.return_type(types.uint64, *signature.args), codegen

    @intrinsic
    def _forward_at(typing, address, nd, w, x):
        return _called("forward")

    @intrinsic
    def _evaluate_at(typing, address, ed, w, s, x):
        return _called("evaluate")

    @intrinsic
    def _values_at(typing, address, ed, w, states, n, scores):
        return _called("values")

    @intrinsic
    def _accumulated_at(typing, address, ed, w, acc, x):
        return _called("accumulated")


def _forward(nd: Words, w: Floats, x: Floats) -> Score:
    nd[_COUNT] += np.uint64(1)
    return _forward_at(nd[_FORWARD], nd, w, x)


def _evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    ed[_COUNT] += np.uint64(1)
    return _evaluate_at(ed[_EVALUATE], ed, w, s, x)


def _values(ed: Words, w: Floats, states: Words, n: Word, scores: Scores) -> None:
    ed[_COUNT] += n
    _values_at(ed[_VALUES], ed, w, states, n, scores)


def _accumulated(ed: Words, w: Floats, acc: Words, x: Floats) -> Score:
    ed[_COUNT] += np.uint64(1)
    return _accumulated_at(ed[_ACCUMULATED], ed, w, acc, x)


_COUNTING: dict[str, tuple[int, Callable[..., object]]] = {
    "forward": (_FORWARD, _forward),
    "evaluate": (_EVALUATE, _evaluate),
    "values": (_VALUES, _values),
    "accumulated": (_ACCUMULATED, _accumulated),
}


class EvaluationCount:
    """Counts the positions that evaluators score in searches and games, but not what a learner fits to them later."""

    def __init__(self) -> None:
        self._counts: list[WordArray] = []

    @property
    def total(self) -> int:
        """Number of positions so far."""
        return sum(int(count[0]) for count in self._counts)

    def counted(self, evaluator: CompiledEvaluator) -> CompiledEvaluator:
        """Return an evaluator that counts here what it scores; for one thread."""
        block = np.concatenate([np.zeros(_HEAD, np.uint64), evaluator.data])
        count = block[_HEAD + _COUNT :][:1]
        self._counts.append(count)
        entries: dict[str, Any] = {}
        for name, (place, counting) in _COUNTING.items():
            function = getattr(evaluator, name)
            if isinstance(function, Function):
                block[_HEAD + place] = function.__wrapper_address__()
                made = compiled_function(name, counting)
                entries[name] = Function(
                    name, SIGNATURES[name], made.__wrapper_address__(), (made, function), function.failures
                )
            else:
                entries[name] = _uncompiled(name, function, count)
        return evaluator._replace(data=block[_HEAD:], **entries)


def _uncompiled(name: str, function: CompiledFunction, count: WordArray) -> CompiledFunction:
    def called(*blocks: Any) -> object:
        count[0] += blocks[3] if name == "values" else np.uint64(1)
        return function(*blocks)

    return called

"""Compiled functions that call Python, for components whose positions are Python objects."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.rules import RulesFunctions
from gameforge.kernel.assembly import compiled_rules
from gameforge.kernel.compile.functions import call, list_from, number_from
from gameforge.testing.uncompiled import PlainRules

ONE = np.uint64(1)


def gen(rules: Any, s: Any, moves: Any) -> Any:
    return list_from(rules[0], s, np.int64(rules[2]), s[1], moves)


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    return number_from(rules[1], s, np.int64(rules[2]), n_moves)


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[0] + ONE, m


def steps(block: bytes, number: int) -> list[int]:
    return [*block, number]


def length(block: bytes, number: int) -> int:
    return number - len(block)


def functions(legal: Callable[[bytes, int], Any] = steps, result: Callable[[bytes, int], Any] = length) -> Any:
    """Rules of a game that only has a state: word 0 holds three bytes, word 1 a number."""
    return RulesFunctions(
        words=2,
        max_moves=8,
        gen=gen,
        play=play,
        outcome=outcome,
        calls=(legal, result),
        data=np.array([3], np.uint64),
    )


STATE = 0x030201, 1 << 63


def legal(functions: RulesFunctions) -> list[int]:
    rules, moves = compiled_rules(functions), np.zeros(8, np.uint64)
    n = call(rules.gen, rules.data, np.array(STATE, np.uint64), moves)
    return [int(move) for move in moves[:n]]


def code(functions: RulesFunctions) -> int:
    rules = compiled_rules(functions)
    return int(call(rules.outcome, rules.data, np.array(STATE, np.uint64), np.uint64(1)))


def test_a_function_gets_bytes_and_a_number_and_returns_a_list_or_a_number() -> None:
    assert legal(functions()) == [1, 2, 3, 1 << 63]
    assert code(functions()) == -2


def test_uncompiled_functions_call_the_same() -> None:
    plain = PlainRules(functions())
    assert plain.legal(STATE) == (1, 2, 3, 1 << 63)
    assert plain.code(STATE, 1) == -2


def test_what_it_raises_reaches_the_caller() -> None:
    def fails(block: bytes, number: int) -> list[int]:
        raise LookupError("the moves are lost")

    def explains(block: bytes, number: int) -> list[int]:
        raise GameforgeError("the file of the moves is missing")

    with pytest.raises(ComponentError, match=r"^call of .*test_python_calls raised LookupError: the moves are lost"):
        legal(functions(fails))
    with pytest.raises(GameforgeError, match=r"^the file of the moves is missing$"):
        legal(functions(explains))
    assert legal(functions()) == [1, 2, 3, 1 << 63]


@pytest.mark.parametrize("answer", [None, 7, (1, 2), ["a"], [-1], [1 << 64], [1.5]])
def test_an_answer_that_is_not_a_list_of_words_is_refused(answer: Any) -> None:
    with pytest.raises(ComponentError):
        legal(functions(lambda block, number: answer))


@pytest.mark.parametrize("answer", [None, [1], "a", 1 << 64])
def test_an_answer_that_is_not_an_integer_is_refused(answer: Any) -> None:
    with pytest.raises(ComponentError):
        code(functions(result=lambda block, number: answer))

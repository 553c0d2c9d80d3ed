"""Kernel functions that call helpers of another component."""

from typing import Any

import numpy as np

from gameforge.kernel.compile.cache import cache_folder
from gameforge.kernel.compile.functions import call, compiled_function, specialised
from gameforge.testing import toy


def helper(data: Any, s: Any, planes: Any) -> None:
    raise NotImplementedError


def evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    helper(ed, s, ed)
    return np.float64(ed[0])


def twice(data: Any, s: Any, planes: Any) -> None:
    planes[0] = s[0] * np.uint64(2)


def score(function: Any) -> float:
    nothing, data, words = np.zeros(1, np.float32), np.zeros(1, np.uint64), np.array([5], np.uint64)
    return float(call(compiled_function("evaluate", function), data, nothing, words, nothing))


def test_the_helper_is_called_by_its_name() -> None:
    assert score(specialised(evaluate, "helper", twice)) == 10.0
    assert score(specialised(evaluate, "helper", toy.cells)) == 31.0  # five stones as bits


def test_a_copy_is_made_once_and_the_function_stays() -> None:
    assert specialised(evaluate, "helper", twice) is specialised(evaluate, "helper", twice)
    assert specialised(evaluate, "helper", twice) is not specialised(evaluate, "helper", toy.cells)
    assert evaluate.__globals__["helper"] is helper


def test_machine_code_of_two_copies_lies_in_two_files() -> None:
    """In a folder by the sources of the helper, too."""
    one, other = specialised(evaluate, "helper", twice), specialised(evaluate, "helper", toy.cells)
    assert one.__qualname__ != other.__qualname__
    assert cache_folder(one) == cache_folder(specialised(evaluate, "helper", twice))

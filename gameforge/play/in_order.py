"""Independent work of learners, with its results in the order in which the work was handed out."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from gameforge.interfaces.learner import Work

Result = TypeVar("Result")


def each_in_order(
    work: Work, function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]
) -> Generator[Result, None, None]:
    """Yield function(site, *arguments[i]) in the order of i, each as soon as all before it have finished.

    Errors, and what closing the generator does, are those of `Work.each`.
    """
    early: dict[int, Result] = {}
    following = 0
    with contextlib.closing(work.each(function, arguments)) as finished:
        for i, result in finished:
            early[i] = result
            while following in early:
                yield early.pop(following)
                following += 1

"""The caller's callbacks during a training, whose exceptions end the run as they are."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Callbacks:
    """Remembers what callbacks raised, so that it is not taken for a crash of the learner that called them."""

    def __init__(self) -> None:
        self._raised: list[BaseException] = []

    def watched(self, callback: Callable[Given, Result]) -> Callable[Given, Result]:
        """Return the same callback, with its exceptions remembered."""

        @functools.wraps(callback)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            try:
                return callback(*args, **kwargs)
            except BaseException as error:
                self._raised.append(error)
                raise

        return call

    def raised(self, error: BaseException) -> bool:
        """Return whether this very exception came from a callback."""
        return any(error is one for one in self._raised)

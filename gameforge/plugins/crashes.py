"""Exceptions of components: a ComponentError names the component that raised, so that nobody searches in GameForge."""

from types import TracebackType

from gameforge.errors import ComponentError, GameforgeError
from gameforge.plugins.discovery import reason


def component_text(kind: str, component: object) -> str:
    """Return how messages name a component that is given as an object: its kind, module and class."""
    return f"{kind} {type(component).__module__}.{type(component).__qualname__}"


def crash(who: str, error: Exception) -> GameforgeError:
    """Return the error that says that `who` raised an exception, and where; a GameforgeError is returned unchanged."""
    return error if isinstance(error, GameforgeError) else ComponentError(f"{who} raised {reason(error)}")


class NamedCrashes:
    """A context manager: exceptions of a component become a ComponentError that names it as `who`.

    A GameforgeError is its own message, and what is not an Exception, such as KeyboardInterrupt, passes unchanged.
    """

    def __init__(self, who: str) -> None:
        self._who = who

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, GameforgeError):
            raise crash(self._who, error) from error

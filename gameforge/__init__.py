"""GameForge: two-player games of perfect information, played and learned by parts that fit together.

The names below are imported when they are first used: `import gameforge` costs next to nothing,
and a plugin can take `Component` and `hookimpl` from here without loading numba.
"""

import importlib
import importlib.metadata
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gameforge.api import game, match, oracle, player
    from gameforge.errors import GameforgeError
    from gameforge.interfaces.hooks import Command, Component, hookimpl
    from gameforge.play.pipeline import Pipeline
    from gameforge.runs import resume

    __version__: str

__all__ = [
    "Command",
    "Component",
    "GameforgeError",
    "Pipeline",
    "__version__",
    "game",
    "hookimpl",
    "match",
    "oracle",
    "player",
    "resume",
]

_TARGETS = {
    "Command": "gameforge.interfaces.hooks",
    "Component": "gameforge.interfaces.hooks",
    "GameforgeError": "gameforge.errors",
    "Pipeline": "gameforge.play.pipeline",
    "game": "gameforge.api",
    "hookimpl": "gameforge.interfaces.hooks",
    "match": "gameforge.api",
    "oracle": "gameforge.api",
    "player": "gameforge.api",
    "resume": "gameforge.runs",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.metadata.version("gameforge")
    if name not in _TARGETS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_TARGETS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(types.ModuleType):
    """Keeps `gameforge.interfaces.oracle` the function: importing the module of that name would replace it.

    `from gameforge.interfaces.oracle import ...` takes the module nevertheless.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _TARGETS and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

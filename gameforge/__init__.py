"""GameForge: a framework for playing and learning two-player games of perfect information, composed of plugins.

The public names are imported on first use: `import gameforge` is cheap, and a plugin can import
`Component` and `hookimpl` from here without loading numba.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gameforge.api import Pipeline, Yardstick, game, match, oracle, player
    from gameforge.errors import GameforgeError
    from gameforge.interfaces.hooks import Command, Component, hookimpl
    from gameforge.training.train import resume

    __version__: str

__all__ = [
    "Command",
    "Component",
    "GameforgeError",
    "Pipeline",
    "Yardstick",
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
    "Pipeline": "gameforge.api",
    "Yardstick": "gameforge.api",
    "game": "gameforge.api",
    "hookimpl": "gameforge.interfaces.hooks",
    "match": "gameforge.api",
    "oracle": "gameforge.api",
    "player": "gameforge.api",
    "resume": "gameforge.training.train",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("gameforge")
    if name not in _TARGETS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_TARGETS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

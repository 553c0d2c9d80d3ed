"""Retrograde analysis is a library for plugins with databases of endings: it offers no component of its own."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    """Return nothing: other plugins import the solver."""
    return []

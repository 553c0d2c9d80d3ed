"""What this plugin contributes."""

from gameforge.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return []

"""What this plugin contributes."""

from gameforge.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            kind="oracle",
            name="chinook",
            target="gameforge_egdb_chinook.oracle:Chinook",
            summary="win, loss or draw with up to 4 pieces, solved on first use; or from Chinook's files (path=DIR)",
            game="draughts",
        )
    ]

"""The plugin's contributions: the oracle `chinook` and the command `gameforge egdb`."""

from gameforge import Command, Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            kind="oracle",
            name="chinook",
            target="gameforge_egdb_chinook.oracle:Chinook",
            summary="exact values up to 4 pieces, solved on first use; from files (path=DIR) up to 8, or distances",
            game="draughts",
        )
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    about = "Build, check and probe endgame databases."
    return [Command("egdb", "gameforge_egdb_chinook.command:app", about, game="draughts")]

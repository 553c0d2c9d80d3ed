"""What the engines plugin offers. This module imports nothing that is slow to load."""

from gameforge import Command, Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "engine",
            "gameforge_engines.searcher:Engine",
            "an external program chooses the moves",
            runs_programs=True,
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [Command("engine", "gameforge_engines.command:engine", "Serve a player to programs by an engine protocol.")]

"""The plugin's contribution: the command `examples`."""

from gameforge import Command, hookimpl


@hookimpl
def gameforge_commands() -> list[Command]:
    return [
        Command(
            "examples",
            "gameforge_examples.command:app",
            "Make, count and filter training examples (labelled positions).",
        )
    ]

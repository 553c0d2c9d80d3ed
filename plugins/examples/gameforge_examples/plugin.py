"""The plugin's contribution: the command `examples`."""

from pathlib import Path
from typing import TYPE_CHECKING

from gameforge import Command, hookimpl

if TYPE_CHECKING:
    from gameforge import Registry
    from gameforge.interfaces import Announce


@hookimpl
def gameforge_commands() -> list[Command]:
    return [
        Command(
            "examples",
            "gameforge_examples.command:app",
            "Make, count and filter training examples (labelled positions).",
        )
    ]


@hookimpl
def gameforge_verify(path: Path, registry: "Registry", announce: "Announce") -> str | None:
    if path.name != "manifest.json":
        return None
    from gameforge_examples.verification import sound

    return sound(path.parent, registry, announce)

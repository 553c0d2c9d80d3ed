"""The plugin's contributions: the oracle `chinook` and the command `gameforge egdb`."""

from pathlib import Path
from typing import TYPE_CHECKING

from gameforge import Command, Component, hookimpl

if TYPE_CHECKING:
    from gameforge.interfaces import Announce


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


@hookimpl
def gameforge_verify(path: Path, announce: "Announce") -> str | None:
    from gameforge_retrograde.database_files import game_of

    published = path.suffix.lower() == ".idx" and path.with_suffix("").is_file()
    if not (published and not path.with_suffix(".json").exists()) and game_of(path) != "draughts":
        return None
    from gameforge_egdb_chinook import manifest, soundness

    [database] = manifest.databases(path)
    soundness.check_bytes(database)
    return f"database of endings, {soundness.sound(database, 1, announce)}"

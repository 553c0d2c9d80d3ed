"""Files and folders that survive a kill: atomic writes, locks, manifests, checked readers, room on disk."""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.storage import checkpoint, files, game_lines, stored
    from gameforge.storage.folder import Folder, ManifestFormat, locked

__all__ = ["Folder", "ManifestFormat", "checkpoint", "files", "game_lines", "locked", "stored"]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)

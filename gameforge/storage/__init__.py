"""Files and folders that survive a kill: atomic writes, locks, manifests, checked readers, room on disk."""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.storage.files import remove_temporaries_of, require_disk, require_memory, size_text, write_atomically
    from gameforge.storage.folder import Folder, ManifestFormat, locked
    from gameforge.storage.game_lines import comment_text, read_games_by_line, tag_text
    from gameforge.storage.states import kept, matching, pack, unpack
    from gameforge.storage.stored import file_name, packed_arrays, parse_json, read_arrays, read_as

__all__ = ["remove_temporaries_of", "require_disk", "require_memory", "size_text", "write_atomically"]
__all__ += ["Folder", "ManifestFormat", "locked"]
__all__ += ["comment_text", "read_games_by_line", "tag_text"]
__all__ += ["kept", "matching", "pack", "unpack"]
__all__ += ["file_name", "packed_arrays", "parse_json", "read_arrays", "read_as"]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)

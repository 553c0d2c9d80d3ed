"""Manifests: the JSON file of a folder that says what the folder is, in which version of its form."""

import json
from pathlib import Path
from typing import Any

from gameforge.errors import GameforgeError


def read_manifest(path: Path, format: str, schema: int, what: str) -> dict[str, Any]:
    """The manifest of a `what`, as "run"; format and schema are checked, the rest is the caller's.

    Raises GameforgeError if it is missing, damaged, of something else, or of another schema.
    """
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise GameforgeError(f"{path.parent} holds no {what}: there is no {path.name}") from None
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise GameforgeError(f"{path} is damaged: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != format:
        article = "an" if what[0] in "aeiou" else "a"
        raise GameforgeError(f"{path} is not the manifest of {article} {what}")
    if manifest.get("schema") != schema:
        raise GameforgeError(f"{path} has schema {manifest.get('schema')!r}; this GameForge reads schema {schema}")
    return manifest

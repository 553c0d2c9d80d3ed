"""How long the kernels of a command took to compile in earlier runs, kept beside their machine code.

The record holds seconds by command and function. It serves estimates only, so what cannot be read counts as missing,
and what cannot be written is not kept.
"""

import contextlib
from collections.abc import Mapping

import attrs

from gameforge.errors import GameforgeError
from gameforge.play.terminal import duration_text
from gameforge.storage.files import write_json
from gameforge.storage.stored import parse_json, read_as

_FILE = "seconds.json"
_LONGEST = 24 * 3600.0
"""Seconds; a record of more is damaged."""


@attrs.frozen
class _Record:
    commands: dict[str, dict[str, float]] = attrs.Factory(dict)
    """Seconds by command and function, each as it was measured last."""


def _read() -> _Record:
    from gameforge.kernel.compile.cache import cache_root

    try:
        return read_as(_Record, parse_json((cache_root() / _FILE).read_bytes()))
    except (OSError, ValueError, GameforgeError):
        return _Record()


def estimate_text(command: str) -> str:
    """Say how long all kernels take that the command has ever compiled; "" if less than a second, or not known."""
    seconds = sum(_read().commands.get(command, {}).values())
    return f"; at most {duration_text(seconds)}, judging by earlier runs" if 1 <= seconds <= _LONGEST else ""


def record_seconds(command: str, measured: Mapping[str, float]) -> None:
    """Keep the seconds that functions took; those that the command did not compile this time stay as they were."""
    from gameforge.kernel.compile.cache import cache_root

    commands = _read().commands
    commands[command] = {**commands.get(command, {}), **{name: round(took, 3) for name, took in measured.items()}}
    with contextlib.suppress(OSError, GameforgeError):
        write_json(cache_root() / _FILE, {"commands": commands})

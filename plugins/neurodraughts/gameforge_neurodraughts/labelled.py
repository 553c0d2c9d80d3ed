"""Files of labels and values, such as NeuroDraughts' creation and parameter files.

The program reads values in order and ignores the labels ([Lynch1997], section 9.1). This module also accepts any label,
except one of the format's labels in the place of another. The rest of a line after the value is a comment.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import attrs
from gameforge_draughts.neurodraughts.text_file import read_text

from gameforge.errors import GameforgeError


@attrs.frozen
class Entry:
    """One value of a file."""

    label: str
    least: float = -math.inf
    most: float = math.inf
    kind: Literal["integer", "number", "word"] = "number"


def read_labelled(path: Path, what: str, entries: Sequence[Entry]) -> dict[str, Any]:
    """The values by label; raises GameforgeError for missing, misplaced and out-of-range values.

    `what` is the kind of file, for error messages.
    """
    labels = [entry.label for entry in entries]
    found: dict[str, Any] = {}
    for entry, (line, label, text) in zip(entries, _pairs(path, what, labels), strict=True):
        where = f"{what} {path}, line {line}"
        name = _plain(label)
        if name != _plain(entry.label) and name in map(_plain, labels):
            raise GameforgeError(f"{where}: {label!r} stands where {entry.label!r} belongs")
        found[entry.label] = _value(entry, text, where)
    return found


def _plain(label: str) -> str:
    """A label in lower case without punctuation: `Gamma(Decay):` becomes `gamma`."""
    return label.partition("(")[0].rstrip(":").lower()


def _pairs(path: Path, what: str, labels: Sequence[str]) -> list[tuple[int, str, str]]:
    """(line, label, value) of each entry: the first two words of each line, or all words in pairs."""
    lines = read_text(path, what).splitlines()
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
    if len(rows) == len(labels) and all(len(words) >= 2 for _, words in rows):
        return [(number, words[0], words[1]) for number, words in rows]
    flat = [(number, word) for number, words in rows for word in words]
    if len(flat) != 2 * len(labels):
        raise GameforgeError(f"{what} {path}: must hold {len(labels)} labels, each with a value: {', '.join(labels)}")
    return [(*flat[i], flat[i + 1][1]) for i in range(0, len(flat), 2)]


def _value(entry: Entry, text: str, where: str) -> Any:
    if entry.kind == "word":
        return text
    value: float
    try:
        value = int(text) if entry.kind == "integer" else float(text)
    except ValueError:
        value = math.nan
    if not (entry.least <= value <= entry.most and math.isfinite(value)):
        number = "a whole number" if entry.kind == "integer" else "a number"
        limits = f"from {entry.least:g} to {entry.most:g}" if entry.most < math.inf else f"from {entry.least:g} on"
        raise GameforgeError(f"{where}: {entry.label} is {text[:40]!r}; it must be {number} {limits}")
    return value

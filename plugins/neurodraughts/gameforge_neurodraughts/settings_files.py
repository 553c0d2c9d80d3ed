"""NeuroDraughts' files of settings: creation files, parameter files, and feature files.

Creation files describe new networks; parameter files hold the learning parameters ([Lynch1997], section 9.1). The
program reads their values in order and ignores the labels. This module also accepts any label, except one of the
format's labels in the place of another. The rest of a line after the value is a comment. Feature files, one line per
feature with its name and number of bits, belong to later versions (docs/readings.md, "Programs that descend from the
originals").
"""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs
from gameforge_draughts.feature_terms import FEATURES, canonical
from gameforge_draughts.files import read_text

from gameforge import GameforgeError
from gameforge.storage import stored


@attrs.frozen
class Entry:
    """One value of a file."""

    label: str
    least: float = -math.inf
    most: float = math.inf
    kind: Literal["integer", "number", "word"] = "number"


def read_labelled(path: Path, what: str, entries: Mapping[str, Entry]) -> dict[str, Any]:
    """The values by our names; raises GameforgeError for missing, misplaced and out-of-range values.

    `what` is the kind of file, for error messages.
    """
    labels = [entry.label for entry in entries.values()]
    found: dict[str, Any] = {}
    for (ours, entry), (line, label, text) in zip(entries.items(), _pairs(path, what, labels), strict=True):
        where = f"{what} {path}, line {line}"
        name = _plain(label)
        if name != _plain(entry.label) and name in map(_plain, labels):
            raise GameforgeError(f"{where}: {label!r} stands where {entry.label!r} belongs")
        found[ours] = _value(entry, text, where)
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
        limits = f"from {entry.least:,.15g} to {entry.most:,.15g}"
        raise GameforgeError(f"{where}: {entry.label} is {text[:40]!r}; it must be {number} {limits}")
    return value


_WEIGHT = 100.0
_CREATION = {
    "inputs": Entry("NumInputs", -1, 100_000, "integer"),
    "hidden": Entry("NumHidden", 1, 1024, "integer"),
    "direct": Entry("DirectLinks", 0, 1, "integer"),
    "seed": Entry("NetworkSeed", 0, 2**31 - 1, "integer"),
    "low": Entry("LowRange", -_WEIGHT, _WEIGHT),
    "high": Entry("HighRange", -_WEIGHT, _WEIGHT),
    "name": Entry("NetworkName", kind="word"),
}


@attrs.frozen(kw_only=True)
class Creation:
    """The seven values of a creation file."""

    inputs: int
    """-1 binary map, 0 direct map, else a feature map (network.py)."""
    hidden: int
    direct: bool = attrs.field(converter=bool)
    seed: int
    low: float
    high: float
    name: str


_BEGINNING = 1 << 12
"""Bytes in which a file shows what it is."""


def is_creation_file(path: Path) -> bool:
    """Whether the first word is that of a creation file; a network file begins with the network's name."""
    try:
        with stored.open_file(path) as stream:
            words = stream.readline(_BEGINNING).decode().split()
    except (OSError, UnicodeError):
        return False
    return bool(words) and words[0].rstrip(":").lower() == "numinputs"


def read_creation(path: Path) -> Creation:
    """Read a creation file; raises GameforgeError for missing, misplaced and out-of-range values."""
    return Creation(**read_labelled(path, "creation file", _CREATION))


_RATE = 1000.0
"""Largest rate that the learners take."""
_PARAMETERS = {
    "rate1": Entry("LRate1", 0, _RATE),
    "rate2": Entry("LRate2", 0, _RATE),
    "momentum": Entry("Momentum", 0, 1),
    "gamma": Entry("Gamma(Decay)", 0, 1),
    "lambda": Entry("Lambda(TD?)", 0, 1),
}
"""The learners' names of the entries. For them, too, a rate of 0 means 1/inputs or 1/hidden."""


def read_parameters(path: Path) -> dict[str, float]:
    """Parameters of the learners `td` and `expert`; GameforgeError for missing, misplaced and out-of-range values."""
    return read_labelled(path, "parameter file", _PARAMETERS)


def read_features(path: Path) -> tuple[str, ...]:
    """The names of the used features, in the order of the inputs, which may differ from that of the file.

    Raises GameforgeError for unknown names, and for a number of bits other than the feature's or 0.
    """
    lines = read_text(path, "feature file").splitlines()
    bits = {feature.name: int(feature.bits) for feature in FEATURES}
    used = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words:
            continue
        where = f"feature file {path}, line {number}"
        if len(words) != 2 or not re.fullmatch("[0-9]{1,9}", words[1]):
            raise GameforgeError(f"{where}: {line.strip()[:60]!r} must be a feature's name and its bits, 0 for unused")
        try:
            (name,) = canonical(words[:1])
        except GameforgeError as error:
            raise GameforgeError(f"{where}: {error}") from None
        if int(words[1]) not in (0, bits[name]):
            raise GameforgeError(f"{where}: {name} has {words[1]} bits; it must have {bits[name]}, or 0 for unused")
        if int(words[1]):
            used.append(name)
    try:
        return canonical(used)
    except GameforgeError as error:
        raise GameforgeError(f"feature file {path}: {error}") from None

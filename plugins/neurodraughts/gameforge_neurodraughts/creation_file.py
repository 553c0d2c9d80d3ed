"""Creation files, which describe new networks ([Lynch1997], section 9.1)."""

from pathlib import Path
from typing import Any

import attrs

from gameforge_neurodraughts.labelled import Entry, read_labelled

_WEIGHT = 100.0
_ENTRIES = (
    Entry("NumInputs", -1, 100_000, "integer"),
    Entry("NumHidden", 1, 1024, "integer"),
    Entry("DirectLinks", 0, 1, "integer"),
    Entry("NetworkSeed", 0, 2**31 - 1, "integer"),
    Entry("LowRange", -_WEIGHT, _WEIGHT),
    Entry("HighRange", -_WEIGHT, _WEIGHT),
    Entry("NetworkName", kind="word"),
)


@attrs.frozen(kw_only=True)
class Creation:
    """The seven values of a creation file."""

    inputs: int
    """-1 binary map, 0 direct map, else a feature map (inputs.py)."""
    hidden: int
    direct: bool
    seed: int
    low: float
    high: float
    name: str


def is_creation_file(path: Path) -> bool:
    """Whether the first word is that of a creation file; a network file begins with the network's name."""
    try:
        with path.open(encoding="utf-8") as stream:
            words = stream.readline().split()
    except (OSError, UnicodeError):
        return False
    return bool(words) and words[0].rstrip(":").lower() == "numinputs"


def read_creation(path: Path) -> Creation:
    """Read a creation file; raises GameforgeError for missing, misplaced and out-of-range values."""
    values: dict[str, Any] = read_labelled(path, "creation file", _ENTRIES)
    return Creation(
        inputs=values["NumInputs"],
        hidden=values["NumHidden"],
        direct=bool(values["DirectLinks"]),
        seed=values["NetworkSeed"],
        low=values["LowRange"],
        high=values["HighRange"],
        name=values["NetworkName"],
    )

"""Feature files: one line per feature, with its name and its number of bits.

Later versions of the program use them (docs/readings.md, "Programs that descend from the originals").
"""

from pathlib import Path

from gameforge_draughts.features.catalogue import FEATURES, canonical
from gameforge_draughts.neurodraughts.text_file import read_text

from gameforge.errors import GameforgeError


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
        if len(words) != 2 or not words[1].isdecimal():
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

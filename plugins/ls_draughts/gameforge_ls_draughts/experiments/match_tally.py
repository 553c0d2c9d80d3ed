"""The tally of a pairing, from the results that match folders keep."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.tally import Tally


def match_tally(matches: Sequence[Mapping[str, Any]]) -> Tally:
    """All matches, of different seeds, as one."""
    counts = ("wins", "draws", "losses", "loops", "distinct")
    return Tally.total(
        Tally(pairs=tuple(match["pentanomial"]), **{key: match[key] for key in counts}) for match in matches
    )

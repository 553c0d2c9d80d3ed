"""The tally of a pairing, from the stored results of its matches."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.tally import Tally


def match_tally(matches: Sequence[Mapping[str, Any]]) -> Tally:
    """The sum of all matches, which have different seeds."""
    counts = ("wins", "draws", "losses", "loops", "distinct", "distinct_pairs")
    return Tally.total(
        Tally(pairs=tuple(match["pentanomial"]), **{key: match[key] for key in counts}) for match in matches
    )

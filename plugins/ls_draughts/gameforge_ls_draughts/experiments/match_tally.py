"""Tallies of matches, from their stored results."""

from collections.abc import Iterable, Mapping
from typing import Any

from gameforge.experiments.tally import Tally

_COUNTS = ("wins", "draws", "losses", "loops", "distinct", "distinct_pairs")


def match_tally(match: Mapping[str, Any]) -> Tally:
    """The tally of one match."""
    return Tally(pairs=tuple(match["pentanomial"]), **{key: match[key] for key in _COUNTS})


def tallies(matches: Iterable[Mapping[str, Any]]) -> list[Tally]:
    """The tallies of matches, such as those of a pairing seed by seed."""
    return [match_tally(match) for match in matches]

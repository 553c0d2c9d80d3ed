"""The limits of an analysis without an end, which searches again and again."""

from collections.abc import Container, Iterator, Mapping

_DEEPEST = 60
_SIMULATIONS = 64
"""Simulations of the first step of a searcher that counts them; each step doubles them."""
_DOUBLINGS = 24


def growing_limits(known: Container[str]) -> Iterator[Mapping[str, int]]:
    """Yield the limits of one search after the other; no limits, once, if none of the searcher's limits can grow.

    known: names of the limits that the searcher has.
    """
    if "depth" in known:
        yield from ({"depth": depth} for depth in range(1, _DEEPEST + 1))
    elif "simulations" in known:
        yield from ({"simulations": _SIMULATIONS << i} for i in range(_DOUBLINGS))
    else:
        yield {}

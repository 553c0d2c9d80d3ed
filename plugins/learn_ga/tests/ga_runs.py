"""Trainings of the toys by the learner `ga`."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import toy_contest

import gameforge as gf
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry

TOYS = Path(toy_contest.__file__)
SMALL = {"population": 6, "generations": 4, "flips": 1, "games": 4, "inner": {"use": "ready"}}


@functools.cache
def registry() -> Registry:
    """Discovered once a test process."""
    return Registry(load([TOYS]))


def pipeline(changes: Mapping[str, Any] | None = None, seed: int = 5, **parts: Any) -> gf.Pipeline:
    """The toys, with these parameters of the learner and perhaps other parts."""
    learner = {"use": "ga", **SMALL, **(changes or {})}
    given = {"game": "auction", "searcher": "oneply", "evaluator": "sum", "features": "digits", "learner": learner}
    return gf.Pipeline(registry=registry(), seed=seed, **(given | parts))

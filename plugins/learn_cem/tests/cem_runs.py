"""Trainings of the toys by the learner `cem`."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import toy_contest

import gameforge as gf
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry

TOYS = Path(toy_contest.__file__)
SMALL = {"iterations": 4, "samples": 6, "games": 4, "openings": "random:0", "tune": {"searcher": {"aim": [0, 1]}}}


@functools.cache
def registry() -> Registry:
    """Discovered once a test process."""
    return Registry(load([TOYS]))


def pipeline(changes: Mapping[str, Any] | None = None, seed: int = 5, **parts: Any) -> gf.Pipeline:
    """The toys, with these parameters of the learner and perhaps other parts."""
    learner = {"use": "cem", **SMALL, **(changes or {})}
    return gf.Pipeline(
        registry=registry(),
        seed=seed,
        **({"game": "target", "searcher": "thrower", "evaluator": "none", "learner": learner} | parts),
    )

"""Hashes of positions."""

from typing import Any

import numpy as np

from gameforge.kernel.compile.jit import inline
from gameforge.kernel.context import CompiledRules

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(29)


@inline
def mix(h: Any, word: Any) -> Any:
    """Fold one more word into a hash, by multiply-xorshift, in which every input bit affects every output bit."""
    h = (h ^ word) * _FIRST
    h ^= h >> _SHIFT
    return h * _SECOND


@inline
def finish(h: Any) -> Any:
    """The hash after the last word."""
    return h ^ (h >> np.uint64(32))


@inline
def position_key(rules: CompiledRules, data: Any, s: Any) -> Any:
    """Return the rules' own key of a state, or a hash of all its words if the rules have none."""
    if rules.has_key:
        return rules.key(data, s)
    h = np.uint64(0)
    for i in range(rules.words):
        h = mix(h, s[i])
    return finish(h)

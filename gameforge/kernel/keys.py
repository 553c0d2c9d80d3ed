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
    """Fold one more word into a hash: multiply-xorshift, by which every input bit reaches every output bit."""
    h = (h ^ word) * _FIRST
    h ^= h >> _SHIFT
    return h * _SECOND


@inline
def finish(h: Any) -> Any:
    """The hash after the last word."""
    return h ^ (h >> np.uint64(32))


@inline
def position_key(rules: CompiledRules, data: Any, s: Any) -> Any:
    """The rules' own key, or a hash of all words where they have none."""
    if rules.has_key:
        return rules.key(data, s)
    h = np.uint64(0)
    for i in range(rules.words):
        h = mix(h, s[i])
    return finish(h)

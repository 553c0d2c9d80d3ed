"""The factor by which all tables of the searches hash words."""

import numpy as np

SCATTER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio. The product with a word wraps around; its high bits are a hash of the word."""

"""Solved values, computed once, and a separate cache folder for each test."""

from pathlib import Path

import numpy as np
import pytest
from gameforge_egdb_chinook import oracle, solving, soundness
from numpy.typing import NDArray

from gameforge.interfaces.oracle import silent


@pytest.fixture(scope="session")
def solved() -> NDArray[np.uint8]:
    """Values of all positions with up to 4 pieces, read-only."""
    values = solving.solve(4, 2, silent)
    values.flags.writeable = False
    return values


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of the oracle during a test; compiled kernels stay in their usual folder."""
    folder = tmp_path / "cache"
    for module in (oracle, soundness):
        monkeypatch.setattr(module, "cache_folder", lambda: folder)
    return folder

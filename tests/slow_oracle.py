"""An oracle for tests that has to build a file before it can be opened, as databases are built on first use."""

import os
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.oracle import Announce, OracleFunctions, silent
from gameforge.interfaces.rules import Rules


def knows_nothing(od: Any, s: Any, out: Any) -> int:
    return 0


@attrs.frozen(kw_only=True)
class SlowOracle:
    """It knows nothing, and writes the priority of the process that built it into the file."""

    file: str

    def missing(self, rules: Rules) -> str:
        return "" if Path(self.file).exists() else "a file (3 min, 412 MB)"

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        if not Path(self.file).exists():
            whole = Path(f"{self.file}.part")
            whole.write_text(str(os.nice(0)), encoding="utf-8")
            whole.rename(self.file)
        data = np.zeros(1, np.uint64)
        return OracleFunctions(
            probe=knows_nothing, data=data, covers="nothing", why_not=lambda state: "it knows nothing", compiled=False
        )

"""The files of the thesis' examples (Lynch 1997, section 9.1)."""

from pathlib import Path

import numpy as np

CREATION = """NumInputs:\t37\t-1 = BinaryMap, 0 = DirectMap
NumHidden:\t12\tHow many hidden units
DirectLinks:\t1\tUse Direct In-Out Links
NetworkSeed:\t210476\tSeed for Random numbers
LowRange:\t-0.2\tLow Range of Random Numbers
HighRange:\t+0.2\tHigh Range of Random Numbers
NetworkName:\tFeatureNetwork\tGive your Network a Name
"""
PARAMETERS = """LRate1:\t0.0\tLearning Rate for 1 st Layer (also in-out layer)
LRate2:\t0.0\tLearning Rate for 2 nd Layer (hid-out)
Momentum:\t0.9\tMomentum Term
Gamma(Decay):\t0.98\tTD Decay
Lambda(TD?):\t0.1\tEligibility Trace value.
"""
BOARDS = f"""2
{"1 " * 12}{"0 " * 8}{"2 " * 12}-0.1 +0.1 4
{"0 " * 9}3 {"0 " * 20}4 0 -0.5 +0.5 3
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def network_of(inputs: int, hidden: int, *, direct: bool = True, seed: int = 1) -> str:
    """A network file of numbers with four decimals."""
    rng = np.random.default_rng(seed)
    rows = [rng.uniform(-0.2, 0.2, hidden) for _ in range(inputs + 1)] + [rng.uniform(-0.2, 0.2, hidden + 1)]
    rows += [rng.uniform(-0.2, 0.2, inputs + 1)] if direct else []
    lines = [" ".join(f"{weight:.4f}" for weight in row) for row in rows]
    return "\n".join(["SuperNetwork", f"{inputs} {hidden} {int(direct)}", *lines]) + "\n"

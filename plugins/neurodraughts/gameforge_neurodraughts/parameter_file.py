"""Parameter files: how a network learns ([Lynch1997], section 9.1)."""

from pathlib import Path

from gameforge_neurodraughts.labelled import Entry, read_labelled

_PARAMETERS = {
    "rate1": Entry("LRate1", 0),
    "rate2": Entry("LRate2", 0),
    "momentum": Entry("Momentum", 0, 1),
    "gamma": Entry("Gamma(Decay)", 0, 1),
    "lambda": Entry("Lambda(TD?)", 0, 1),
}
"""The learners' names of the entries. A rate of 0 is 1/inputs or 1/hidden for them, too."""


def read_parameters(path: Path) -> dict[str, float]:
    """Parameters of the learners `td` and `expert`; GameforgeError for what is missing, misplaced or out of range."""
    values = read_labelled(path, "parameter file", tuple(_PARAMETERS.values()))
    return {name: values[entry.label] for name, entry in _PARAMETERS.items()}

"""Parameter files, which hold the learning parameters of a network ([Lynch1997], section 9.1)."""

from pathlib import Path

from gameforge_neurodraughts.labelled import Entry, read_labelled

_PARAMETERS = {
    "rate1": Entry("LRate1", 0),
    "rate2": Entry("LRate2", 0),
    "momentum": Entry("Momentum", 0, 1),
    "gamma": Entry("Gamma(Decay)", 0, 1),
    "lambda": Entry("Lambda(TD?)", 0, 1),
}
"""The learners' names of the entries. For them, too, a rate of 0 means 1/inputs or 1/hidden."""


def read_parameters(path: Path) -> dict[str, float]:
    """Parameters of the learners `td` and `expert`; GameforgeError for missing, misplaced and out-of-range values."""
    values = read_labelled(path, "parameter file", tuple(_PARAMETERS.values()))
    return {name: values[entry.label] for name, entry in _PARAMETERS.items()}

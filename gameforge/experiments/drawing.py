"""Figures of matplotlib as files: PNG, SVG and PDF, which are the same for the same figures."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = (".png", ".svg", ".pdf")
"""The endings of files of figures."""
DPI = 100
CURVES_DPI = 120
"""Of learning curves, which have small panels."""
_UNDATED = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def figure_file(figure: "Figure", suffix: str, dpi: int = DPI) -> bytes:
    """Return a figure as a file of the kind with this ending; dpi: pixels an inch of a PNG file."""
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.hashsalt": "gameforge"}):  # or the names in the file would be random
        figure.savefig(file, format=suffix.removeprefix("."), dpi=dpi, metadata=_UNDATED[suffix])
    return file.getvalue()

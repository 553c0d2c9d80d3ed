"""Figures of matplotlib as PNG files."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_png(figure: "Figure", dpi: int) -> bytes:
    """Return a figure as a PNG file with this number of pixels an inch."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return file.getvalue()

"""Helpers for games on a board of rows and columns: names of cells, texts of moves and positions, pictures, symmetries.

Rules offer them as their capabilities (gameforge.interfaces.capabilities):

    GRID = Grid(rows=6, columns=5)
    drawing = GridDrawing(grid=GRID, board=board)
"""

from gameforge.grid.board import (
    Grid,
    GridDrawing,
    GridPositions,
    GridSymmetries,
    Image,
    MoveTexts,
    svg_document,
    svg_text,
)

__all__ = ["Grid", "GridSymmetries", "Image"]
__all__ += ["GridDrawing", "svg_document", "svg_text"]
__all__ += ["GridPositions", "MoveTexts"]

"""The parts of SVG pictures that do not depend on the board: the document, and text."""

from collections.abc import Iterable


def svg_document(width: int, height: int, parts: Iterable[str]) -> str:
    """Return a stand-alone SVG document of this size, in pixels, with each part on a line of its own."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    return "\n".join([head, *parts, "</svg>"])


def svg_text(x: int, y: int, text: str, colour: str, *, size: int = 13, anchor: str = "") -> str:
    """Return a line of text, `size` pixels high, with its baseline at y.

    anchor: which point of the text is at x: its `start`, which is the default, or its `middle`.
    """
    where = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}"{where} fill="{colour}">{text}</text>'

"""Men and kings in SVG pictures, on the boards of all kinds of draughts."""

_FILL, _EDGE, _GROOVE = ("#fbf8ef", "#2b2b2b"), ("#55524a", "#000000"), ("#b9b3a3", "#6a6a6a")
"""Colours of White's pieces and of Black's."""
_CROWN = "M-10 8 L-12 -6 L-5 0 L0 -9 L5 0 L12 -6 L10 8 Z"


def svg_piece(x: int, y: int, *, is_black: bool, is_king: bool) -> str:
    """Return a disc around a point, with a groove for a man and a crown in the other colour for a king."""
    man = f'<circle r="12" fill="none" stroke="{_GROOVE[is_black]}" stroke-width="1.5"/>'
    crown = f'<path d="{_CROWN}" fill="{_FILL[not is_black]}"/>'
    disc = f'<circle r="17" fill="{_FILL[is_black]}" stroke="{_EDGE[is_black]}" stroke-width="1.5"/>'
    return f'<g transform="translate({x} {y})">{disc}{crown if is_king else man}</g>'

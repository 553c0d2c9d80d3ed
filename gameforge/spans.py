"""Spans of time in words."""


def span(seconds: float) -> str:
    """In seconds below 100, in minutes below 100, else in hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"

"""Durations in words."""


def duration_text(seconds: float) -> str:
    """The duration in seconds below 100, in minutes below 100, in hours below 100, else in days."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 100 * 3600 else f"{seconds / (24 * 3600):.1f} days"

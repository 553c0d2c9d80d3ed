"""Durations as text."""


def duration_text(seconds: float) -> str:
    """Format a duration in the smallest of seconds, minutes, hours and days that keeps the number below 100."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 100 * 3600 else f"{seconds / (24 * 3600):.1f} days"

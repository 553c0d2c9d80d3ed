"""Figures of trainings and matches as short text: their names, values, rates and durations."""

Figure = float | int | bool | str


def figure_text(value: Figure | None) -> str:
    """Format a figure with four significant digits, but all digits before the decimal point."""
    if value is None or value is False:
        return "" if value is None else "no"
    if value is True:
        return "yes"
    if isinstance(value, float):
        return f"{value:.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return str(value)


def counted(number: int, one: str, many: str = "") -> str:
    """Format a number of things: `1 game`, `1,045 games`; `many` is the plural if it is not formed with s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def rate_text(games: int, seconds: float) -> str:
    """Format the speed of games in the unit of second, minute and hour that gives a number above 1."""
    rate = games / seconds if seconds > 0 else 0.0
    for unit, length in (("s", 1), ("min", 60), ("h", 3600)):
        if rate * length >= 1 or unit == "h":
            number = rate * length
            return f"{number:.0f} games/{unit}" if number >= 10 else f"{number:.1f} games/{unit}"
    raise AssertionError("hours are the last unit")


def results_text(wins: int, draws: int, losses: int) -> str:
    """Format results as `+12 =3 -5`."""
    return f"+{wins} ={draws} -{losses}"

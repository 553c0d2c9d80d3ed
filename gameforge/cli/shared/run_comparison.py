"""The table that compares runs: settings that differ, then the figures; several seeds of a pipeline are one column."""

from collections.abc import Sequence

from rich.table import Table

from gameforge.experiments.seed_runs import SeedRuns
from gameforge.storage.differences import differences


def comparison(found: Sequence[SeedRuns]) -> Table:
    """Make a table with a column for each run or group of seeds."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    for one in found:
        table.add_column(one.title, justify="right", overflow="fold")
    for key, values in differences([one.settings for one in found]).items():
        table.add_row(key, *("-" if value is None else str(value) for value in values))
    table.add_section()
    table.add_row("state", *(one.state for one in found))
    table.add_row("games", *(str(one.games) for one in found))
    figures = [one.figures for one in found]
    for key in dict.fromkeys(key for one in figures for key in one):
        texts = (one.figure_text(key, own[key]) if key in own else "-" for one, own in zip(found, figures, strict=True))
        table.add_row(key, *texts)
    if any(len(one.runs) > 1 for one in found):
        table.caption = "means over seeds, with 95 % intervals (Student's t)"
    return table

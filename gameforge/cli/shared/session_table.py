"""The table of a training's sessions: which columns it has, and which of them fit the width of the terminal."""

from collections.abc import Mapping, Sequence

import attrs
from rich.table import Table

from gameforge.cli.shared.figures_text import Figure, figure_text, results_text
from gameforge.play.arena.elo import CONFIDENCE
from gameforge.training.run_report import figure_name

Row = Mapping[str, Figure]
_GAP = 2
"""Spaces between columns."""
_RESULTS = ("wins", "draws", "losses")
_RARELY_NEEDED = ("mean_plies", "games_per_second", "probes", "hits")
"""Figures that are the first to be left out."""
_DEVIATION, _DEVIATION_KEY = " deviation", "_deviation"
_YARDSTICK, _SCORE, _ELO = "yardstick", "_score", "_elo"


@attrs.frozen
class Column:
    """A column with the text of its cells."""

    heading: str
    cells: tuple[str, ...]

    @property
    def width(self) -> int:
        """The width in which no word of the heading and no cell is cut; headings may have several lines."""
        return max(map(len, (*self.heading.split(), *self.cells)))


def session_table(rows: Sequence[Row], width: int) -> Table:
    """Make a table of sessions that is at most `width` wide, unless even its first column is wider.

    Columns that do not fit are left out, those that the learner reports last first.
    """
    table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="bold", pad_edge=False)
    chosen = fitting(columns(rows), width)
    for column in chosen:
        table.add_column(column.heading, justify="right", width=column.width, no_wrap=False)
    for cells in zip(*(column.cells for column in chosen), strict=True):
        table.add_row(*cells)
    return table


def heading_lines(rows: Sequence[Row], width: int) -> int:
    """Return the number of lines of the table's heading, at most."""
    return max((len(column.heading.split()) for column in fitting(columns(rows), width)), default=0)


def columns(rows: Sequence[Row]) -> list[Column]:
    """Return all columns, the most important ones first: session, results, yardstick, then as reported.

    A match with a score and an Elo difference has one column.
    """
    keys = list(dict.fromkeys(key for row in rows for key in row))
    left = [key for key in keys if key != "session" and not key.startswith(f"{_YARDSTICK}_")]
    left.sort(key=_RARELY_NEEDED.__contains__)
    found = [Column("session", tuple(figure_text(row.get("session")) for row in rows))]
    if all(key in keys for key in _RESULTS):
        found.append(Column("won drawn lost", tuple(map(_results, rows))))
        left = [key for key in left if key not in _RESULTS]
    if any(key.startswith(f"{_YARDSTICK}_") for key in keys):
        found.append(_match_column(_YARDSTICK, rows))
    for key in left:
        match = key.removesuffix(_SCORE)
        if key != match and match + _ELO in keys:
            found.append(_match_column(match, rows))
        elif key.endswith(_ELO) and key.removesuffix(_ELO) + _SCORE in keys:
            continue  # in the column of the match
        elif _deviation_of(key, keys) is None and not _is_superfluous(key, keys, rows):
            found.append(Column(figure_name(key), tuple(_with_deviation(key, row) for row in rows)))
    return found


def fitting(all_columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns that fit into a width; a narrow one may take the place of a wide one."""
    chosen: list[Column] = []
    room = width
    for column in all_columns:
        if not chosen or column.width <= room:
            chosen.append(column)
            room -= column.width + _GAP
    return chosen


def _is_superfluous(key: str, keys: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether a counter is the same as an earlier one, or as the number of games, in all of several rows."""
    counts = [row[key] for row in rows if key in row]
    if len(counts) < 2 or not all(type(count) is int for count in counts):
        return False
    games = [
        sum(int(row[result]) for result in _RESULTS) if all(result in row for result in _RESULTS) else None
        for row in rows
        if key in row
    ]
    earlier = ([row.get(other) for row in rows if key in row] for other in keys[: keys.index(key)])
    return counts == games or any(counts == other for other in earlier) or not any(counts)


def _results(row: Row) -> str:
    if not all(key in row for key in _RESULTS):
        return ""
    return results_text(*(int(row[key]) for key in _RESULTS))


def _match_column(match: str, rows: Sequence[Row]) -> Column:
    """The Elo differences of a match in each session, with their 95 % errors; scores where these are infinite."""

    def cell(row: Row) -> str:
        if match + _ELO in row:
            return _with_deviation(match + _ELO, row)
        return f"score {float(row[match + _SCORE]):.2f}" if match + _SCORE in row else ""

    return Column(f"{figure_name(match)} Elo", tuple(map(cell, rows)))


def _deviation_of(key: str, keys: Sequence[str]) -> str | None:
    """The figure of which this one is the deviation."""
    for suffix in (_DEVIATION, _DEVIATION_KEY):
        if key.endswith(suffix) and key.removesuffix(suffix) in keys:
            return key.removesuffix(suffix)
    return None


def _with_deviation(key: str, row: Row) -> str:
    """A figure with its standard deviation; an Elo difference with its 95 % error."""
    figure, deviation = row.get(key), row.get(key + _DEVIATION, row.get(key + _DEVIATION_KEY))
    if figure is None or deviation is None:
        return figure_text(figure)
    if key.endswith(_ELO):
        return f"{float(figure):+.0f} +- {CONFIDENCE * float(deviation):.0f}"
    return f"{figure_text(figure)} ({float(deviation):.2g})"

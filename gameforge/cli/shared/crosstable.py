"""The crosstable of a tournament, in one table or, if that is too wide, in several."""

from collections.abc import Sequence

from rich.table import Table

from gameforge.play.arena.tournament import TournamentResult

_GAP = 2
"""Spaces between columns."""


def crosstables(result: TournamentResult, width: int) -> list[Table]:
    """Make tables with the ratings, and with wins, draws and losses of each player against each rank.

    If one table would be wider than `width`, the ratings get a table of their own, and the results as many as needed.
    """
    ranks = range(1, len(result.players) + 1)
    cells = [[result.cell(name, other) for other in result.players] for name in result.players]
    wide = [max(len(str(rank)), *(len(row[rank - 1]) for row in cells)) + _GAP for rank in ranks]
    ratings = [
        (
            str(rank),
            name,
            f"{rating.elo:+.0f}",
            f"{rating.error:.0f}",
            f"{result.score(name):g}",
            str(result.games(name)),
        )
        for rank, name, rating in zip(ranks, result.players, result.ratings, strict=True)
    ]
    headings = ("", "player", "Elo", "+-", "points", "games")
    own = sum(max(map(len, column)) + _GAP for column in zip(headings, *ratings, strict=True))
    if own + sum(wide) <= width:
        whole = [(*rating, *row) for rating, row in zip(ratings, cells, strict=True)]
        return [_table((*headings, *map(str, ranks)), whole)]
    left = max(map(len, map(str, ranks))) + _GAP
    return [_table(headings, ratings), *(_part(cells, part) for part in _parts(wide, width - left))]


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Divide the columns into groups that fit into the room; a column that is too wide is a group of its own."""
    parts: list[list[int]] = [[]]
    for i, width in enumerate(widths):
        if parts[-1] and sum(widths[j] for j in parts[-1]) + width > room:
            parts.append([])
        parts[-1].append(i)
    return parts


def _part(cells: Sequence[Sequence[str]], part: Sequence[int]) -> Table:
    """Make a table of the results against some of the ranks."""
    rows = [(str(rank), *(row[i] for i in part)) for rank, row in enumerate(cells, 1)]
    return _table(("", *(str(i + 1) for i in part)), rows)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), header_style="bold")
    for heading in headings:
        is_name = heading == "player"
        table.add_column(heading, justify="left" if is_name else "right", no_wrap=not is_name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table

"""Matches and tournaments in the terminal: their progress while they are played, and the crosstable at the end.

The progress shows results, Elo, sequential test, speed and time left. A crosstable that is too wide is split.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from rich.table import Table

from gameforge.cli.console import Console, Paced, columns_that_fit
from gameforge.cli.figures import counted, rate_text, results_text
from gameforge.interfaces.games import GameRecord
from gameforge.play.arena import Sprt
from gameforge.play.arena.counts import MatchCounts
from gameforge.play.arena.elo import elo_text, independent
from gameforge.play.arena.tournament import TournamentResult
from gameforge.play.terminal import duration_text

_EARLIER = 0.5
"""Seconds in which the games of a resumed match are reported; the speed is measured after them."""
_REFRESH = 0.1
"""Smallest time between two updates of the status line, in seconds: thousands of games may finish in a second."""


class MatchProgress:
    """The state of a match, or of the matches of a tournament, one after the other."""

    def __init__(self, games: int, sprt: Sprt | None = None, matches: int = 1, paced: Paced | None = None) -> None:
        """games: maximum number of games of all matches. sprt: the test that can end the match early."""
        self._games, self._sprt, self._matches = games, sprt, matches
        self._paced = paced or Paced()
        self._match, self._done = 1, 0
        self._counts = MatchCounts()
        """The games of the current match."""
        self._earlier: tuple[int, float] | None = None
        """Number of games and time when the measurement of the speed began."""

    def begin(self, match: int) -> None:
        """Begin the match of this number, from 1."""
        self._match, self._counts = match, MatchCounts()

    def add(self, record: GameRecord) -> None:
        """Add a finished game of the current match."""
        self._counts.add(record)
        self._done += 1
        if self._earlier is None or self._paced.seconds < _EARLIER:
            self._earlier = self._done, self._paced.seconds

    def lines(self) -> tuple[str, str]:
        """Return the state of the match, and that of the work."""
        return self._state(), self._speed()

    def _state(self) -> str:
        losses, draws, wins = self._counts.results
        parts = [f"match {self._match} of {self._matches}"] if self._matches > 1 else []
        pairs = independent(self._counts.pentanomial, self._counts.distinct.pairs)
        parts += [results_text(wins, draws, losses), elo_text(pairs)]
        if self._sprt is not None:
            test = self._sprt
            parts.append(f"LLR {test.llr(pairs):.2f} ({test.lower:.2f}, {test.upper:.2f})")
        return "  ".join(parts)

    def _speed(self) -> str:
        at_most = "at most " if self._sprt is not None else ""
        parts = [f"{self._done:,} of {at_most}{counted(self._games, 'game')}"]
        if self._earlier is not None and self._done > self._earlier[0]:
            done, seconds = self._done - self._earlier[0], self._paced.seconds - self._earlier[1]
            left = seconds / done * (self._games - self._done)
            parts += [rate_text(done, seconds), f"{at_most}{duration_text(left)} left"]
        return ", ".join(parts)


@contextlib.contextmanager
def shown(console: Console, progress: MatchProgress) -> Iterator[Callable[[GameRecord], None]]:
    """Show the progress in a status of two lines, or print it now and then where the output is not a terminal.

    Yields what is to be called with every finished game.
    """
    lines = Paced()
    updated = 0.0
    with console.status(progress.lines()[1]) as status:

        def game_finished(record: GameRecord) -> None:
            nonlocal updated
            progress.add(record)
            if not console.is_terminal:
                if lines.due():
                    console.print("; ".join(progress.lines()), soft_wrap=True)
            elif lines.seconds >= updated + _REFRESH:
                updated = lines.seconds
                status.update("\n".join(progress.lines()))

        yield game_finished


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
    return [_table(headings, ratings), *(_part(cells, part) for part in columns_that_fit(wide, width - left))]


def _part(cells: Sequence[Sequence[str]], part: Sequence[int]) -> Table:
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

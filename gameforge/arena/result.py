"""The result of a match."""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from gameforge.arena import elo
from gameforge.arena.elo import Pentanomial, Sprt
from gameforge.arena.played import MatchCounts, PlayedGames, repeats_text
from gameforge.config.settings import Json
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.display import Tabular, score_figure
from gameforge.records.game_records import game_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@attrs.frozen(repr=False)
class MatchResult(Tabular):
    """The games of a match and figures from them, for the player named first."""

    players: tuple[str, str]
    """Names of the two players."""
    games: Sequence[GameRecord]
    """In pairs with the same opening; the first player has the first side in the first game of each pair.

    Those of a long match are in a file, from which each is read when it is used.
    """
    sprt: Sprt | None = None
    """The test that could end the match early."""

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each game, as `gameforge match --export` writes them."""
        return list(game_rows(self.games))

    def plot(self) -> "Figure":
        """Draw the score of the first player after each pair of games, with its 95 % interval from distinct pairs.

        Raises GameforgeError if matplotlib is not installed, or if no pair has been played.
        """
        counts, scores, intervals = MatchCounts(), [], []
        for game in self.games:
            counts.add(game)
            if counts.games % 2 == 0:
                scores.append(counts.score)
                intervals.append(elo.score_interval(elo.independent(counts.pentanomial, counts.distinct.pairs)))
        if not scores:
            raise GameforgeError("the match has no pair of games yet, so there is nothing to draw")
        return score_figure(str(self), range(2, 2 * len(scores) + 1, 2), scores, intervals)

    @functools.cached_property
    def counts(self) -> MatchCounts:
        """The games, counted."""
        return self.games.counts if isinstance(self.games, PlayedGames) else MatchCounts.of(self.games)

    @property
    def wins(self) -> int:
        """Games that the first player won."""
        return self.counts.results[2]

    @property
    def draws(self) -> int:
        """Drawn games."""
        return self.counts.results[1]

    @property
    def losses(self) -> int:
        """Games that the first player lost."""
        return self.counts.results[0]

    @property
    def loops(self) -> int:
        """Number of draws for a reason that the game counts as a loop."""
        return self.counts.loops

    @property
    def distinct(self) -> int:
        """Number of distinct games (opening and moves)."""
        return self.counts.distinct.games

    @property
    def distinct_pairs(self) -> int:
        """Effective number of independent pairs, on which intervals are based (DistinctGames.pairs)."""
        return self.counts.distinct.pairs

    @property
    def repeats(self) -> bool:
        """Whether fewer than half of the games are distinct."""
        return bool(self.repeats_text)

    @property
    def repeats_text(self) -> str:
        """A sentence that warns of repeated games; empty if half of the games or more are distinct."""
        text = repeats_text(self.players, self.distinct, len(self.games))
        return text and f"{text}, so the error bars come from the distinct ones"

    @property
    def forfeits(self) -> tuple[int, int]:
        """Numbers of games that the first and the second player lost by a crash, an illegal move or on time.

        Games that a program ended by other rules are among them if they count as lost (`disputes`).
        """
        first, second = self.counts.forfeits
        return first, second

    @property
    def disputes(self) -> int:
        """Number of games that a program ended by other rules than those of the match, such as by its own draw rule."""
        return self.counts.disputes

    @property
    def seconds_per_move(self) -> tuple[float, float]:
        """Mean seconds per search of the first and the second player; nan without searches."""
        return self.counts.per_search(self.counts.seconds)

    @property
    def processor_per_move(self) -> tuple[float, float]:
        """Mean seconds of processor time per search, likewise, with those of helper threads and of an engine."""
        return self.counts.per_search(self.counts.processor)

    @property
    def score(self) -> float:
        """Share of the points, in [0, 1]; nan before the first game."""
        return self.counts.score

    @property
    def pentanomial(self) -> Pentanomial:
        """Numbers of pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""
        return self.counts.pentanomial

    @property
    def independent_pairs(self) -> tuple[float, ...]:
        """The pentanomial, scaled to the number of distinct pairs; intervals follow from it."""
        return elo.independent(self.pentanomial, self.distinct_pairs)

    @property
    def elo(self) -> float:
        """Elo difference that corresponds to the score; infinite at 0 and 1."""
        return elo.elo(self.score)

    @property
    def elo_error(self) -> float:
        """Half the width of the 95 % interval of `elo`, from the spread of the distinct pairs."""
        return elo.elo_error(self.independent_pairs)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """95 % interval of `elo`; an end that the games do not determine is infinite."""
        return elo.elo_interval(self.independent_pairs)

    @property
    def elo_text(self) -> str:
        """The Elo difference with its error, such as `Elo +52 +- 20`."""
        return elo.elo_text(self.independent_pairs)

    @property
    def normalized_elo(self) -> float:
        """Elo difference in units of the spread of a game's score; nan without spread."""
        return elo.normalized_elo(self.pentanomial)

    @property
    def llr(self) -> float | None:
        """Log-likelihood ratio of the SPRT, from distinct pairs; None if the match had no such test."""
        return None if self.sprt is None else self.sprt.llr(self.independent_pairs)

    @property
    def accepted(self) -> str | None:
        """The hypothesis that the SPRT accepted, `H0` or `H1`; None if it accepted neither."""
        return None if self.sprt is None else self.sprt.accepted(self.independent_pairs)

    @property
    def numbers(self) -> dict[str, Json]:
        """The figures as a JSON object; numbers that are not finite become null."""
        found: dict[str, Json] = {
            "players": list(self.players),
            "games": len(self.games),
            **{key: getattr(self, key) for key in ("wins", "draws", "losses", "loops", "distinct", "distinct_pairs")},
            "forfeits": list(self.forfeits),
            "disputes": self.disputes,
            "pentanomial": list(self.pentanomial),
            **{key: _finite(getattr(self, key)) for key in ("score", "elo", "elo_error", "normalized_elo")},
            "elo_interval": [_finite(end) for end in self.elo_interval],
            "seconds_per_move": [_finite(seconds) for seconds in self.seconds_per_move],
            "processor_per_move": [_finite(seconds) for seconds in self.processor_per_move],
        }
        if self.sprt is not None:
            found["sprt"] = attrs.asdict(self.sprt) | {"llr": self.llr, "accepted": self.accepted}
        return found

    def __repr__(self) -> str:
        return f"<MatchResult {' - '.join(self.players)}: +{self.wins} ={self.draws} -{self.losses}>"

    def __str__(self) -> str:
        forfeits = "".join(
            f"; {name} forfeited {n}" + (f" ({late} on time)" if late else "")
            for name, n, late in zip(self.players, self.forfeits, self.counts.late, strict=True)
            if n
        )
        if self.disputes:
            how = "drawn" if self.counts.disputes_drawn else "lost"
            forfeits += f"; {self.disputes} of the games ended by other rules, counted as {how}"
        loops = f"{self.loops} {'loop' if self.loops == 1 else 'loops'}"
        return (
            f"{self.players[0]} - {self.players[1]}: {self.wins} won, {self.draws} drawn ({loops}), "
            f"{self.losses} lost; {self.elo_text}; "
            f"{self.distinct} distinct of {len(self.games)} games{forfeits}"
        )


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None

"""The plan of a study: its trials, how many are finished, and how many games and seconds the others need."""

import statistics
from collections.abc import Sequence
from typing import Self

import attrs

from gameforge.experiments.schedule import Key
from gameforge.play.display import counted, duration_text
from gameforge.studies.budget import games_of
from gameforge.studies.measures import FixedOpponent, League
from gameforge.studies.trials import Finished
from gameforge.studies.variants import Variant


@attrs.frozen(kw_only=True)
class PlannedVariant:
    """The trials of a variant."""

    name: str
    games: int | None
    """Training games of a trial; None: its learner does not know."""
    finished: int
    """Number of its trials that are finished."""
    left: int
    """Number of its trials that are left."""
    seconds: float | None
    """Estimated seconds of a trial: the median of those that are finished; None without any."""


@attrs.frozen(kw_only=True)
class Plan:
    """The trials of a study and their cost."""

    variants: tuple[PlannedVariant, ...]
    seeds: int
    matches: int
    """Number of matches of the league that are left."""
    measured: int
    """Games of all matches that are left, those of the league or each trial's last one against the yardstick."""

    @property
    def trials(self) -> int:
        """Number of trials that are left."""
        return sum(one.left for one in self.variants)

    @property
    def games(self) -> int | None:
        """Training games of the trials that are left; None if a learner does not know."""
        known = [one.left * one.games for one in self.variants if one.games is not None]
        return sum(known) if len(known) == len(self.variants) else None

    @property
    def seconds(self) -> float | None:
        """Estimated seconds of the trials that are left, one after another; None if a variant has no finished one."""
        known = [one.left * one.seconds for one in self.variants if one.left and one.seconds is not None]
        return sum(known) if len(known) == sum(one.left > 0 for one in self.variants) else None

    def limited_to(self, seconds: float | None) -> Self:
        """Return the plan for trainings that end when something else is used up: nobody knows their games.

        seconds: the processor time of a training; None if it is not known.
        """
        variants = [attrs.evolve(one, games=None, seconds=one.seconds or seconds) for one in self.variants]
        return attrs.evolve(self, variants=tuple(variants))

    def __str__(self) -> str:
        lines = [_line(one) for one in self.variants]
        games = "an unknown number of" if self.games is None else f"{self.games:,}"
        cost = "unknown until each variant has a finished trial"
        if self.seconds is not None:
            without = ", without the matches of the league" if self.matches else ""
            cost = f"about {duration_text(self.seconds)} one after another{without}"
        lines += [
            f"{counted(len(self.variants), 'variant')}, {counted(self.seeds, 'seed')}: "
            f"{counted(self.trials, 'trial')} left, {games} training games",
            f"{self.measured:,} games to measure the trained players, and those during the trainings"
            if not self.matches
            else f"{counted(self.matches, 'match', 'matches')} of the league, {self.measured:,} games",
            f"time: {cost}",
        ]
        return "\n".join(lines)


def make_plan(
    variants: Sequence[Variant],
    left: Sequence[Key],
    finished: Finished,
    seeds: int,
    league: League | None,
    yardstick: FixedOpponent | None,
) -> Plan:
    """Plan the trials that are left, beside those that a folder has finished."""
    names = [variant.name for variant in variants]
    matches = sum(name not in names for _, name in left)
    each = league.games if league is not None else yardstick.games if yardstick is not None else 0
    planned = []
    for variant in variants:
        seconds = [one.seconds for one in finished.of(variant).values()]
        own = sum(name == variant.name for _, name in left)
        planned.append(
            PlannedVariant(
                name=variant.name,
                games=games_of(variant.pipeline),
                finished=seeds - own,
                left=own,
                seconds=statistics.median(seconds) if seconds else None,
            )
        )
    measured = each * (matches if league is not None else sum(one.left for one in planned))
    return Plan(variants=tuple(planned), seeds=seeds, matches=matches, measured=measured)


def _line(one: PlannedVariant) -> str:
    games = "" if one.games is None else f", {one.games:,} training games each"
    seconds = "" if one.seconds is None else f", about {duration_text(one.seconds)} each"
    return f"{one.name}: {counted(one.left, 'trial')} left, {one.finished} finished{games}{seconds}"

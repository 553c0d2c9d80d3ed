"""Sizes of the experiment at a given scale."""

import attrs

from gameforge.experiments.report import table
from gameforge_ls_draughts.experiments.published import LOOP_GAMES

SESSIONS, LOOP_SESSIONS = 4, 10
_WHOLE = {"population": 50, "generations": 50, "games": 400, "fixed": 200}


@attrs.frozen
class Sizes:
    """Population, generations and training games, all shrunk by the same factor."""

    population: int
    generations: int
    """All generations, with the first."""
    games: int
    """Training games of a session of an individual, which has SESSIONS."""
    fixed: int
    """Training games of a session of NeuroDraughts, which has LOOP_SESSIONS."""

    @classmethod
    def at(cls, scale: float) -> "Sizes":
        """Sizes at a scale. The work of a genetic algorithm is a product of three sizes, so each shrinks by its cube
        root.

        They never fall below 4 individuals, 3 generations and 10 games.
        """
        factor = scale ** (1 / 3)
        least = {"population": 4, "generations": 3, "games": 10, "fixed": 10}
        return cls(**{name: max(least[name], round(whole * factor)) for name, whole in _WHOLE.items()})

    def generation(self, published: int) -> int:
        """The generation that corresponds to one of the 50 published, which are counted from 0."""
        return max(1, min(self.generations - 1, round(published * self.generations / _WHOLE["generations"])))

    @property
    def individuals(self) -> int:
        """Number of individuals that a genetic algorithm trains."""
        return self.population * self.generations

    @property
    def training_games(self) -> int:
        """Training games of one genetic algorithm."""
        return self.individuals * SESSIONS * self.games

    def text(self, repeats: int) -> str:
        """A table of the paper's sizes and ours."""
        whole = Sizes(**_WHOLE)
        rows = [
            (what, f"{paper:,}", f"{ours:,}")
            for what, paper, ours in (
                ("population", whole.population, self.population),
                ("generations", whole.generations, self.generations),
                (
                    f"training games of an individual ({SESSIONS} sessions)",
                    SESSIONS * whole.games,
                    SESSIONS * self.games,
                ),
                ("games that train all of a genetic algorithm", whole.training_games, self.training_games),
                (
                    f"games that train NeuroDraughts, {LOOP_SESSIONS} sessions",
                    LOOP_SESSIONS * whole.fixed,
                    LOOP_SESSIONS * self.fixed,
                ),
                ("training games in which loops are counted, always", LOOP_GAMES, LOOP_GAMES),
                ("trainings in which they are counted, for each player", 1, repeats),
            )
        ]
        return table(("", "published", "here"), rows)

"""Published figures, and the sizes of the experiment at a given scale.

[Neto2009], sections 5 and 6 (for the results of [Neto2007]) and 7 (matches, loops).
"""

from collections.abc import Mapping

import attrs

NEURODRAUGHTS, ORIGINAL, EXTENDED = "NeuroDraughts", "original", "extended"
"""The players: 12 fixed features; the best choice of 15; the same with an endgame database."""
PLAYERS = (NEURODRAUGHTS, ORIGINAL, EXTENDED)
CONTROL = "control"
"""Not in the paper: the best of as many nets as the original's, all with the 12 fixed features."""

LOOP_GAMES = 2000
LOOPS: Mapping[str, int] = {NEURODRAUGHTS: 1045, ORIGINAL: 759, EXTENDED: 172}
"""Loop draws in LOOP_GAMES training games ([Neto2009], figure 5)."""
AT_MOST = 0.25
"""Largest share of NeuroDraughts' loops at which the extended player confirms the result; the paper has 16.46 %."""

PAIRINGS = ((ORIGINAL, NEURODRAUGHTS), (EXTENDED, NEURODRAUGHTS), (EXTENDED, ORIGINAL))
CONTROLLED = (ORIGINAL, CONTROL)
"""The pairing that shows whether the choice of features helps, and not the choice among many nets."""
MATCHES: Mapping[tuple[str, str], tuple[int, int, int, int]] = {
    PAIRINGS[0]: (5, 8, 1, 2),
    PAIRINGS[1]: (6, 8, 0, 3),
    PAIRINGS[2]: (3, 10, 1, 7),
}
"""Won, drawn and lost by the first, and how many of the draws were loops."""

GENERATIONS: Mapping[int, tuple[int, int, int]] = {9: (1, 6, 0), 25: (2, 5, 0)}
"""2007: won, drawn and lost against NeuroDraughts by the best individual of a generation, in 7 games."""
LOOPS_2007: Mapping[int, int] = {9: 3, 25: 2}
"""Number of these draws that were loops in won endings."""

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

    @property
    def fixed_games(self) -> int:
        """Training games of NeuroDraughts."""
        return LOOP_SESSIONS * self.fixed

    def rows(self, repeats: int) -> list[Mapping[str, object]]:
        """The paper's sizes and ours."""
        whole = Sizes(**_WHOLE)
        sizes = {
            "population": (whole.population, self.population),
            "generations": (whole.generations, self.generations),
            f"training games of an individual ({SESSIONS} sessions)": (SESSIONS * whole.games, SESSIONS * self.games),
            "games that train all of a genetic algorithm": (whole.training_games, self.training_games),
            f"games that train NeuroDraughts, {LOOP_SESSIONS} sessions": (whole.fixed_games, self.fixed_games),
            "training games in which loops are counted, always": (LOOP_GAMES, LOOP_GAMES),
            "trainings in which they are counted, for each player": (1, repeats),
        }
        return [{"": what, "published": f"{paper:,}", "here": f"{ours:,}"} for what, (paper, ours) in sizes.items()]

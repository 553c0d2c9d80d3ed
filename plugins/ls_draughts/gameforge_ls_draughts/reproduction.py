"""The experiment `ls-draughts`: three players, their matches and their loops ([Neto2009], section 7)."""

from collections.abc import Mapping, Sequence

import attrs

from gameforge import OracleHandle, Pipeline, Player, Workshop, oracle
from gameforge.experiments import Numbers, Report, Trial
from gameforge.interfaces import Opening
from gameforge_ls_draughts import published as paper
from gameforge_ls_draughts.counts import counted, match_numbers
from gameforge_ls_draughts.report import ls_report
from gameforge_ls_draughts.settings import (
    MATCHES,
    MOST,
    PUBLISHED_DEPTH,
    YEAR_2007,
    LSDraughtsSettings,
    Variation,
    database,
    loops_of,
    pieces_of,
)

FIXED, CHOOSING = "neurodraughts-2009", "ls-draughts"
"""Presets: the 12 features, trained with 10 x 200 games; the genetic algorithm."""
BALLOTS, BALLOT_GAMES = "3move", 312
FIRST_MOVES = 7
_VARIED = 1
"""Number of trainings of each variation, from the same initial weights as the first training of `loops extended`."""
_RATE, _BRANCHING = 127.0, 3.0
"""Approximate games per second of one core at the published depth, and the factor of one more ply."""


@attrs.frozen(kw_only=True)
class LSDraughts(LSDraughtsSettings):
    """Two genetic algorithms and NeuroDraughts, their loops and the matches of their best players."""

    title = "LS-Draughts: three players, their matches and their loops"
    source = "Neto, Julia and Caixeta 2009, sections 6 and 7"
    seeds = 1
    least_scale = 0.0005
    """Four individuals in four generations."""

    @property
    def conditions(self) -> Mapping[str, float]:
        return {name: self.seconds(name, 1.0) for name in self.names}

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        stages: dict[str, Sequence[str]] = {loops_of(name): (name,) for name in (paper.ORIGINAL, paper.EXTENDED)}
        stages |= {MATCHES: (*paper.PLAYERS, paper.CONTROL), YEAR_2007: (paper.NEURODRAUGHTS, paper.ORIGINAL)}
        for one in self.variations:
            stages[one.name] = paper.PLAYERS
            if one.adjudicate and one.oracle == database(MOST) and self.pieces != MOST:
                stages[one.name] = (*paper.PLAYERS, pieces_of(MOST))  # where that database is built
        return stages

    def seconds(self, condition: str, scale: float) -> float:
        sizes, rate = paper.Sizes.at(scale), _RATE * _BRANCHING ** (PUBLISHED_DEPTH - self.depth)
        if condition == paper.NEURODRAUGHTS:
            return sizes.fixed_games / rate
        if condition in (*paper.PLAYERS, paper.CONTROL):
            return sizes.training_games / rate
        if condition == MATCHES:
            return (len(paper.PAIRINGS) + 1) * (BALLOT_GAMES + 2 * FIRST_MOVES) / rate
        if condition == YEAR_2007:
            return len(paper.GENERATIONS) * (BALLOT_GAMES + 2 * FIRST_MOVES) / rate
        costs = {one.name: one.cost for one in self.variations}
        trainings = costs[condition] * _VARIED if condition in costs else self.repeats
        return trainings * paper.LOOP_GAMES / rate

    def run(self, trial: Trial) -> Numbers:
        name, sizes = trial.condition, paper.Sizes.at(trial.scale)
        if name == paper.NEURODRAUGHTS:
            learner = {"sessions": paper.LOOP_SESSIONS, "games": sizes.fixed}
            return dict(trial.run(trial.pipeline(FIXED, self._search, {"learner": learner}), name).summary)
        if name in (*paper.PLAYERS, paper.CONTROL):
            return self._evolved(trial, sizes)
        if name == MATCHES:
            pairs = (*paper.PAIRINGS, paper.CONTROLLED)
            return {_versus(*pair): self._match(trial, *map(trial.player, pair)) for pair in pairs}
        if name == YEAR_2007:
            return self._generations(trial, sizes)
        for player in paper.PLAYERS:
            if name == loops_of(player):
                known = self.known if player == paper.EXTENDED else "none"
                pipeline = self._trained_again(trial, player, {"oracle": known})
                return {"trainings": counted(trial, pipeline, self.repeats, self._endings(trial))}
        return self._varied(trial, next(one for one in self.variations if one.name == name))

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        return ls_report(self, results, paper.Sizes.at(scale), scale)

    @property
    def _search(self) -> Numbers:
        return {"searcher": {"depth": self.depth, "ties": self.ties}}

    def _evolved(self, trial: Trial, sizes: paper.Sizes) -> Numbers:
        """Run a genetic algorithm, with or without the database, or the control."""
        learner = {
            "population": sizes.population,
            "generations": sizes.generations - 1,
            "inner": {"sessions": paper.SESSIONS, "games": sizes.games},
            "select": trial.condition != paper.CONTROL,
        }
        changes = {"learner": learner, "oracle": self.known if trial.condition == paper.EXTENDED else "none"}
        if trial.condition == paper.CONTROL:
            changes["evaluator"] = {"features": {"set": "neurodraughts"}}
        run = trial.run(trial.pipeline(CHOOSING, self._search, changes), trial.condition)
        reported = ("best", "fitness", "mean_fitness", "features", "tournament_draws", "tournament_loops")
        sessions = [{key: session[key] for key in reported} for session in run.sessions]
        return {**run.summary, "generations": sessions}

    def _trained_again(self, trial: Trial, player: str, changes: Mapping[str, object]) -> Pipeline:
        """The pipeline of the loop trainings with a player's features."""
        pipeline = trial.pipeline(FIXED, self._search, changes)
        if player == paper.NEURODRAUGHTS:
            return pipeline
        evaluator = trial.player(player).spec["evaluator"]
        return Pipeline.from_settings({**pipeline.settings, "evaluator": evaluator}, trial.registry)

    def _match(self, trial: Trial, first: Player, second: Player) -> Numbers:
        """One game from each first move with each colour, and the ballots."""
        name, start = _versus(first.name, second.name), first.game.position()
        moves = [Opening(str(move), start.state, (move.code,)) for move in start.legal_moves]
        games = trial.match(first, second, 2 * len(moves), f"{name}, first moves", openings=moves)
        ballots = trial.match(first, second, BALLOT_GAMES, f"{name}, ballots", openings=BALLOTS)
        winners = [game.outcome.winner for game in games.games[::2]]
        return {
            "first_moves": match_numbers(games),
            "as_black": [winners.count(0), winners.count(None), winners.count(1)],
            "ballots": match_numbers(ballots),
        }

    def _generations(self, trial: Trial, sizes: paper.Sizes) -> Numbers:
        """The best individuals of two generations of the original, for the rows of [Neto2007]."""
        found = {}
        for published in paper.GENERATIONS:
            generation = sizes.generation(published)
            folder = trial.folder / paper.ORIGINAL / "generations" / f"best-of-generation-{generation}"
            best = Workshop(trial.registry).load(folder)
            best = Player(best.parts, best.weights, f"generation {generation}", best.spec)
            played = self._match(trial, best, trial.player(paper.NEURODRAUGHTS))
            found[str(published)] = {"generation": generation, **played}
        return found

    def _varied(self, trial: Trial, variation: Variation) -> Numbers:
        """Loops of a variation's trainings, and matches of the extended player with its search against the two
        others."""
        player_settings = variation.player(self.depth, self.ties, self.known)
        learner = {"learner": {"adjudicate": variation.adjudicate}}
        pipeline = self._trained_again(trial, variation.features, player_settings | learner)
        trainings = counted(trial, pipeline, _VARIED, self._endings(trial))
        if variation.adjudicate or variation.features == paper.NEURODRAUGHTS:
            return {"trainings": trainings}
        trained = trial.player(paper.EXTENDED)
        playing = Pipeline.from_settings({**trained.spec, **player_settings, "learner": "none"}, trial.registry)
        parts = playing.parts(workers=trial.workers)
        player = Player(parts, trained.weights, variation.name, playing.settings)
        played = {}
        for opponent in map(trial.player, (paper.NEURODRAUGHTS, paper.ORIGINAL)):
            folder = f"{_versus(player.name, opponent.name)}, ballots"
            ballots = trial.match(player, opponent, BALLOT_GAMES, folder, openings=BALLOTS)
            played[opponent.name] = match_numbers(ballots)
        return {"trainings": trainings, "ballots": played}

    def _endings(self, trial: Trial) -> OracleHandle:
        """The first of the extended player's databases, which knows which endings were won."""
        first = {key: value for key, value in self.known[0].items() if key != "use"}
        return oracle("chinook", **first, workers=trial.workers, registry=trial.registry)


def _versus(first: str, second: str) -> str:
    return f"{first} - {second}"

"""The experiment `ls-draughts`: three players, their matches and their loops (seed 000, section 7)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.api import oracle
from gameforge.errors import GameforgeError
from gameforge.experiments.trial import Trial
from gameforge.interfaces.experiment import Report, Result
from gameforge.interfaces.games import Opening
from gameforge.play.arena.match_folder import result_table
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge.play.saved_players import load_player, player_spec
from gameforge_ls_draughts.experiments.loops import counted
from gameforge_ls_draughts.experiments.published import (
    EXTENDED,
    GENERATIONS,
    LOOP_GAMES,
    NEURODRAUGHTS,
    ORIGINAL,
    PAIRINGS,
    PLAYERS,
)
from gameforge_ls_draughts.experiments.sizes import LOOP_SESSIONS, SESSIONS, Sizes
from gameforge_ls_draughts.experiments.variations import MOST, Variation, database, pieces_of, variations

FIXED, CHOOSING = "neurodraughts-2009", "ls-draughts"
"""Presets: of the 12 features, trained by 10 x 200 games; of the genetic algorithm."""
BALLOTS, BALLOT_GAMES = "3move", 312
FIRST_MOVES = 7
PLAYED, YEAR_2007 = "matches", "2007"
"""Conditions."""
_VARIED = 1
"""Trainings of each variation: from the weights of the first one in which the extended player's loops are counted."""
_RATE, _DEPTH, _BRANCHING = 127.0, 5, 3.0
"""Games a second of one core at so many plies, and by how much one ply more or less changes it, about."""

_at_least_1: Any = attrs.validators.ge(1)
_built: Any = attrs.validators.and_(attrs.validators.ge(2), attrs.validators.le(MOST))


def loops_of(name: str) -> str:
    """The condition in which a player's loops are counted."""
    return f"loops {name}"


@attrs.frozen(kw_only=True)
class LSDraughts:
    """Two genetic algorithms and NeuroDraughts, and what the paper asks of their best players.

    * `pieces`: of the database of the extended player; the paper had all of 6 pieces, 4 against 3 and 4 against 4.
    * `repeats`: trainings from new weights in which each player's loops are counted; the paper made one.
    * `beyond`: also with alphabeta, larger databases and games that end where the database knows.
    * `distances`: databases with distances (manifests that `egdb build --format` wrote), for `beyond`.
    * `depth`: of every search, in plies.
    """

    pieces: int = attrs.field(
        default=4, validator=attrs.validators.and_(attrs.validators.ge(2), attrs.validators.le(MOST))
    )
    repeats: int = attrs.field(default=3, validator=_at_least_1)
    beyond: bool = False
    distances: tuple[str, ...] = ()
    depth: int = attrs.field(default=_DEPTH, validator=_at_least_1)

    title = "LS-Draughts: three players, their matches and their loops"
    source = "Neto, Julia and Caixeta 2009, sections 6 and 7"
    seeds = 1

    def __attrs_post_init__(self) -> None:
        if self.distances and not self.beyond:
            raise GameforgeError("ls-draughts: distances are a part of what is beyond the paper; add beyond=true")
        for path in self.distances:  # hours before they are needed
            if not Path(path).exists():
                raise GameforgeError(f"ls-draughts: distances: there is no file or folder {path}")
        names = [Path(path).stem for path in self.distances]
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise GameforgeError(f"ls-draughts: distances: two are called {twice}, by which the report names them")

    @property
    def variations(self) -> tuple[Variation, ...]:
        """Beyond the paper; names are conditions."""
        return tuple(variations(self.pieces, self.distances)) if self.beyond else ()

    @property
    def conditions(self) -> Mapping[str, float]:
        return {name: self.seconds(name, 1.0) for name in self._names()}

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        stages: dict[str, Sequence[str]] = {loops_of(name): (name,) for name in (ORIGINAL, EXTENDED)}
        stages |= {PLAYED: PLAYERS, YEAR_2007: (NEURODRAUGHTS, ORIGINAL)}
        for one in self.variations:
            stages[one.name] = PLAYERS
            if one.adjudicate and one.oracle == database(MOST) and self.pieces != MOST:
                stages[one.name] = (*PLAYERS, pieces_of(MOST))  # where that database is built
        return stages

    def _names(self) -> Iterator[str]:
        yield from PLAYERS
        yield from map(loops_of, PLAYERS)
        yield from (PLAYED, YEAR_2007)
        yield from (one.name for one in self.variations)

    def seconds(self, condition: str, scale: float) -> float:
        """Of one core."""
        sizes, rate = Sizes.at(scale), _RATE * _BRANCHING ** (_DEPTH - self.depth)
        if condition == NEURODRAUGHTS:
            return LOOP_SESSIONS * sizes.fixed / rate
        if condition in PLAYERS:
            return sizes.training_games / rate
        if condition == PLAYED:
            return len(PAIRINGS) * (BALLOT_GAMES + 2 * FIRST_MOVES) / rate
        if condition == YEAR_2007:
            return len(GENERATIONS) * (BALLOT_GAMES + 2 * FIRST_MOVES) / rate
        costs = {one.name: one.cost for one in self.variations}
        trainings = costs[condition] * _VARIED if condition in costs else self.repeats
        return trainings * LOOP_GAMES / rate

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """The figures of one stage."""
        name, sizes = trial.condition, Sizes.at(trial.scale)
        if name == NEURODRAUGHTS:
            learner = {"sessions": LOOP_SESSIONS, "games": sizes.fixed}
            return dict(trial.run(trial.pipeline(FIXED, self._search, {"learner": learner}), name).summary)
        if name in PLAYERS:
            return self._evolved(trial, sizes)
        if name == PLAYED:
            return {_versus(*pair): self._match(trial, *map(trial.player, pair)) for pair in PAIRINGS}
        if name == YEAR_2007:
            return self._generations(trial, sizes)
        for player in PLAYERS:
            if name == loops_of(player):
                known = [database(self.pieces)] if player == EXTENDED else "none"
                pipeline = self._trained_again(trial, player, {"oracle": known})
                return {"trainings": counted(trial, pipeline, self.repeats, self._endings(trial))}
        return self._varied(trial, next(one for one in self.variations if one.name == name))

    def report(self, results: Sequence[Result], scale: float) -> Report:
        from gameforge_ls_draughts.experiments.report import report

        return report(self, results, Sizes.at(scale))

    @property
    def _search(self) -> Mapping[str, Any]:
        return {"searcher": {"depth": self.depth}}

    def _evolved(self, trial: Trial, sizes: Sizes) -> Mapping[str, Any]:
        """A genetic algorithm, with the database or without."""
        learner = {
            "population": sizes.population,
            "generations": sizes.generations,
            "inner": {"sessions": SESSIONS, "games": sizes.games},
        }
        known = [database(self.pieces)] if trial.condition == EXTENDED else "none"
        run = trial.run(trial.pipeline(CHOOSING, self._search, {"learner": learner, "oracle": known}), trial.condition)
        told = ("best", "fitness", "mean_fitness", "features", "tournament_draws", "tournament_loops")
        sessions = [{key: session[key] for key in told} for session in run.sessions]
        return {**run.summary, "generations": sessions}

    def _trained_again(self, trial: Trial, player: str, changes: Mapping[str, Any]) -> Pipeline:
        """The pipeline of the loop trainings with a player's features."""
        pipeline = trial.pipeline(FIXED, self._search, changes)
        if player == NEURODRAUGHTS:
            return pipeline
        return Pipeline.from_settings(
            {**pipeline.settings, "evaluator": trial.player(player).spec["evaluator"]}, trial.registry
        )

    def _match(self, trial: Trial, first: Player, second: Player) -> Mapping[str, Any]:
        """One game from each first move with each colour, and the ballots."""
        name = _versus(first.name, second.name)
        rules = first.game.rules
        start = first.game.position()
        moves = [Opening(str(move), rules.initial(), (move.code,)) for move in start.legal_moves]
        games = trial.match(first, second, 2 * len(moves), f"{name}, first moves", openings=moves)
        ballots = trial.match(first, second, BALLOT_GAMES, f"{name}, ballots", openings=BALLOTS)
        winners = [game.outcome.winner for game in games.games[::2]]
        return {
            "first_moves": result_table(games) | {"seconds_per_move": None},
            "as_black": [winners.count(0), winners.count(None), winners.count(1)],
            "ballots": result_table(ballots) | {"seconds_per_move": None},
        }

    def _generations(self, trial: Trial, sizes: Sizes) -> Mapping[str, Any]:
        """The best individuals of two generations of the original, as told of 2007."""
        found = {}
        for published in GENERATIONS:
            generation = sizes.generation(published)
            folder = trial.folder / ORIGINAL / "generations" / f"best-of-generation-{generation}"
            best = load_player(folder, trial.registry)
            best = Player(best.parts, best.weights, f"generation {generation}", best.spec)
            played = self._match(trial, best, trial.player(NEURODRAUGHTS))
            found[str(published)] = {"generation": generation, **played}
        return found

    def _varied(self, trial: Trial, variation: Variation) -> Mapping[str, Any]:
        """Loops of trainings, and matches of the player that was trained as printed against the two others."""
        tables = variation.player(self.depth, self.pieces)
        learner = {"learner": {"adjudicate": variation.adjudicate}}
        pipeline = self._trained_again(trial, variation.features, tables | learner)
        trainings = counted(trial, pipeline, _VARIED, self._endings(trial))
        if variation.adjudicate or variation.features == NEURODRAUGHTS:
            return {"trainings": trainings}
        trained = trial.player(EXTENDED)
        playing = Pipeline.from_settings({**trained.spec, **tables, "learner": "none"}, trial.registry)
        player = Player(
            playing.parts(workers=trial.workers), trained.weights, variation.name, player_spec(playing.settings)
        )
        played = {}
        for opponent in map(trial.player, (NEURODRAUGHTS, ORIGINAL)):
            folder = f"{_versus(player.name, opponent.name)}, ballots"
            ballots = trial.match(player, opponent, BALLOT_GAMES, folder, openings=BALLOTS)
            played[opponent.name] = result_table(ballots) | {"seconds_per_move": None}
        return {"trainings": trainings, "ballots": played}

    def _endings(self, trial: Trial) -> OracleHandle:
        """Of the extended player's database, for people."""
        return oracle("chinook", pieces=self.pieces, workers=trial.workers, registry=trial.registry)


def _versus(first: str, second: str) -> str:
    return f"{first} - {second}"

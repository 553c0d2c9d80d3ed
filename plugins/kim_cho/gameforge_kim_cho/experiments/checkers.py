"""The experiment `kim-cho-checkers`: speciated evolutions with and without knowledge, and their players' matches."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.api import player
from gameforge.experiments.trial import Trial, TrialRun
from gameforge.interfaces.experiment import Report, Result
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Player
from gameforge_kim_cho.experiments.checkers_report import (
    AGAINST_SIMPLE,
    BOTH,
    ENDGAME,
    EVERYWHERE,
    GATED,
    KNOWLEDGE,
    OPENING,
    PLAIN,
    SAME_NET,
    SIMPLE,
    SIMPLE_BOTH,
    WITHOUT,
    checkers_report,
)
from gameforge_kim_cho.experiments.evolving import curves, evolution, first_generation, generations
from gameforge_kim_cho.experiments.strength import (
    OPENINGS,
    PAIRED,
    TD,
    controls,
    ladder,
    played,
    strength,
    trained_by_td,
)

SPECIATED_PRESET, SIMPLE_PRESET = "kim-cho-speciated", "kim-cho-simple"
GENERATIONS = 50
EVOLUTIONS = (SIMPLE, SIMPLE_BOTH, *KNOWLEDGE)
MATCHES = "matches"
ENSEMBLES = ("average", "max", "min")
FROM_THE_START = 0
"""Openings of matches that begin at the initial position: no random plies."""


@attrs.frozen(kw_only=True)
class KimChoCheckers:
    """Speciated evolutions without knowledge, with the opening book, with the gated endgame database, and with both.

    The representatives of the species play together by majority vote. * `games`: games of each match. * `pieces`:
    pieces of the database. * `population`, `species`, `clusters`: settings of the evolutions. * `piece_diff`: whether
    the nets have a link from the sum of the inputs to the output, as in Anaconda; the paper uses Anaconda's net without
    mentioning the link. * `td_games`: training games of the TD-trained opponent.
    """

    games: int = attrs.field(default=200, validator=PAIRED)
    pieces: int = attrs.field(default=4, validator=[attrs.validators.ge(2), attrs.validators.le(6)])
    population: int = attrs.field(default=100, validator=PAIRED)
    species: int = attrs.field(default=8, validator=attrs.validators.ge(1))
    clusters: str = attrs.field(default="linkage", validator=attrs.validators.in_(("linkage", "means")))
    piece_diff: bool = False
    td_games: int = attrs.field(default=2000, validator=attrs.validators.ge(20))

    title = "Speciated evolution of checkers players, with opening and endgame knowledge"
    source = "Kim and Cho 2007, section 4.1: 50 generations of 100 nets, 30 games a match between kinds of knowledge"
    seeds = 5
    least_scale = 0.04
    """Two generations."""
    after = dict.fromkeys(EVOLUTIONS, (TD,)) | {MATCHES: EVOLUTIONS}

    @property
    def conditions(self) -> Mapping[str, float]:
        evolving = self.population * 8.0
        return {TD: self.td_games / 60} | dict.fromkeys(EVOLUTIONS, evolving) | {MATCHES: self.games * 1.5}

    def seconds(self, condition: str, scale: float) -> float:
        """Only the evolutions depend on the scale."""
        whole = self.conditions[condition]
        if condition in (TD, MATCHES):
            return whole
        return whole * generations(GENERATIONS, scale) / GENERATIONS + self.games

    def run(self, trial: Trial) -> Mapping[str, Any]:
        if trial.condition == TD:
            pipeline = trial.pipeline(SPECIATED_PRESET)
            run = trained_by_td(trial, pipeline.settings["game"], pipeline.settings["searcher"], self.td_games)
            return {"games": self.td_games, "clones": run.summary.get("clones")}
        if trial.condition == MATCHES:
            return {"matches": self._matches(trial), "database": self._same_net(trial)}
        preset, changes = self._evolution(trial.condition)
        pipeline, name = evolution(trial, preset, changes), trial.condition
        run = trial.run(pipeline, name)
        champion, first = run.player, first_generation(trial, name, preset, changes)
        found = {
            "games": run.summary["games"],
            "generations": len(run.sessions),
            "curves": curves(run),
            "matches": strength(trial, champion, first, pipeline, name, self.games),
            "controls": controls(trial, champion, first, pipeline, name, self.games),
        }
        return found if name in (SIMPLE, SIMPLE_BOTH) else found | self._together(trial, pipeline, run, champion)

    def _evolution(self, condition: str) -> tuple[str, Mapping[str, Any]]:
        """The preset of a condition, and the settings that override it."""
        evaluator = {"piece_diff": self.piece_diff}
        if condition in (SIMPLE, SIMPLE_BOTH):
            learner: dict[str, Any] = {"population": self.population}
            return SIMPLE_PRESET, {"learner": learner, "oracle": self._oracles(condition), "evaluator": evaluator}
        learner = {"population": self.population, "species": self.species, "clusters": self.clusters}
        return SPECIATED_PRESET, {"learner": learner, "oracle": self._oracles(condition), "evaluator": evaluator}

    def _oracles(self, condition: str) -> list[dict[str, Any]]:
        book = {"use": "book", "lines": "kim-cho"}
        database = {"use": "gated", "oracle": {"use": "chinook", "pieces": self.pieces}}
        return [
            *([book] if condition in (OPENING, BOTH, SIMPLE_BOTH) else []),
            *([database] if condition in (ENDGAME, BOTH, SIMPLE_BOTH) else []),
        ]

    def _voters(self, trial: Trial, run: TrialRun, pipeline: Pipeline, name: str) -> Player:
        """The representatives of the species as one player. The members use the database, the vote uses the book."""
        books = [oracle for oracle in pipeline.settings["oracle"] if oracle["use"] == "book"]
        searcher = {"use": "vote", "players": [str(run.folder)]}
        return player(
            pipeline.settings["game"],
            searcher=searcher,
            evaluator="none",
            oracle=books or "none",
            name=name,
            registry=trial.registry,
        )

    def _together(self, trial: Trial, pipeline: Pipeline, run: TrialRun, champion: Player) -> dict[str, Any]:
        """Matches of the representatives: as a vote, with one evaluator combined from theirs, and each by itself."""
        voters = self._voters(trial, run, pipeline, "vote")
        rungs = ladder(trial, pipeline)
        name = trial.condition
        combined = {}
        for combine in ENSEMBLES:
            evaluator = {"use": "ensemble", "players": [str(run.folder)], "combine": combine}
            others = {key: pipeline.settings[key] for key in ("searcher", "oracle")}
            combined[combine] = player(
                pipeline.settings["game"], evaluator=evaluator, name=combine, registry=trial.registry, **others
            )
        species = run.summary["species"]
        return {
            "alone": {
                one.name: played(trial, one, f"{name}, {one.name}", {"champion": champion}, self.games)["champion"]
                for one in run.generations
            },
            "species": {key: species[key] for key in ("representatives", "members")},
            "vote": played(trial, voters, f"{name}, vote", rungs, self.games),
            "vote against single": played(trial, voters, f"{name}, vote", {"champion": champion}, self.games),
            "ensembles": {
                combine: played(trial, one, f"{name}, {combine}", {"champion": champion}, self.games)
                for combine, one in combined.items()
            },
        }

    def _matches(self, trial: Trial) -> dict[str, Any]:
        """Matches between all kinds of knowledge, as single champions and as voters."""
        runs = {}
        for condition in KNOWLEDGE:
            preset, changes = self._evolution(condition)
            runs[condition] = evolution(trial, preset, changes)
        trained = {condition: trial.run(pipeline, condition) for condition, pipeline in runs.items()}
        voters = {name: self._voters(trial, trained[name], runs[name], name) for name in KNOWLEDGE}
        champions = {name: trained[name].player for name in KNOWLEDGE}
        found: dict[str, Any] = {}
        for kind, players in (("vote", voters), ("champion", champions)):
            found[kind] = {}
            for one, other in itertools.combinations((BOTH, ENDGAME, OPENING, PLAIN), 2):
                booked = {one, other} & {
                    OPENING,
                    BOTH,
                }  # a book begins at the initial position and chooses among its moves at random
                openings = FROM_THE_START if booked else OPENINGS
                tallies = played(trial, players[one], f"{kind} {one}", {other: players[other]}, self.games, openings)
                found[kind][f"{one} - {other}"] = tallies[other]
        rivals = {f"{name}, voters": one for name, one in voters.items()} | {SIMPLE_BOTH: trial.player(SIMPLE_BOTH)}
        simple = {SIMPLE: trial.player(SIMPLE)}
        found[AGAINST_SIMPLE] = {
            name: played(trial, one, f"{AGAINST_SIMPLE} {name}", simple, self.games)[SIMPLE]
            for name, one in rivals.items()
        }
        return found

    def _same_net(self, trial: Trial) -> dict[str, Any]:
        """Matches of the champion that evolved without knowledge: with the gated database, with it everywhere,
        without."""
        preset, changes = self._evolution(PLAIN)
        weights = trial.player(PLAIN).weights
        oracles = {GATED: self._oracles(ENDGAME), EVERYWHERE: [self._oracles(ENDGAME)[0]["oracle"]], WITHOUT: []}
        players = {
            name: Player(evolution(trial, preset, changes, {"oracle": given}).parts(), weights, name)
            for name, given in oracles.items()
        }
        return {
            f"{one} - {other}": played(trial, players[one], one, {other: players[other]}, self.games)[other]
            for one, other in SAME_NET
        }

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return checkers_report(results, scale)

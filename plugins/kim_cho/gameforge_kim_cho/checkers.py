"""The experiment `kim-cho-checkers`: speciated evolutions with and without knowledge, and their players' matches."""

import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gameforge import Pipeline, Player, player
from gameforge.experiments import Claim, Matches, Numbers, Report, Tally, Trial, Verdict
from gameforge.interfaces import kinds
from gameforge_kim_cho import evolved_players as evolved

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIMPLE, PLAIN, OPENING, ENDGAME, BOTH = "simple", "speciated", "opening", "endgame", "opening+endgame"
KNOWLEDGE = (PLAIN, OPENING, ENDGAME, BOTH)
SIMPLE_BOTH = "simple, opening+endgame"
"""Not in the paper: what knowledge brings to an evolution without species."""
PUBLISHED: Mapping[tuple[str, str], tuple[int, int, int]] = {
    (BOTH, OPENING): (14, 6, 10),
    (BOTH, ENDGAME): (9, 10, 11),
    (ENDGAME, OPENING): (13, 5, 12),
}
"""Wins, losses and draws of the first player in 30 games; the paper prints the last from the other side, 5/13/12."""
AGAINST_SIMPLE = "against simple"
"""Matches of the voters of each kind, and of the simple champion with knowledge, against the simple champion."""
EVEN_WITHIN = 0.05
"""Points a game within which the mean score must lie, with its interval, for two players to be called even."""
TOGETHER = "vote"
GATED, EVERYWHERE, WITHOUT = "database behind the gate", "database everywhere", "no database"
SAME_NET = ((GATED, WITHOUT), (EVERYWHERE, WITHOUT), (GATED, EVERYWHERE))

Between = Mapping[str, Matches]
"""Matches by the names of the players."""

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
    mentioning the link. * `at`: which scores the gate of the database judges, a parameter of `gated`. * `stepped`: when
    the king's value moves, a parameter of `evolve`. * `td_games`: training games of the TD-trained opponent.
    """

    games: int = attrs.field(default=200, validator=evolved.PAIRED)
    pieces: int = attrs.field(default=4, validator=kinds.within(2, 6))
    population: int = attrs.field(default=100, validator=evolved.PAIRED)
    species: int = attrs.field(default=8, validator=kinds.at_least(1))
    clusters: str = attrs.field(default="linkage", validator=attrs.validators.in_(("linkage", "means")))
    piece_diff: bool = False
    at: str = attrs.field(default="leaves", validator=attrs.validators.in_(("leaves", "root", "searched")))
    stepped: str = attrs.field(default="drawn", validator=attrs.validators.in_(("drawn", "always")))
    td_games: int = attrs.field(default=2000, validator=kinds.at_least(20))

    title = "Speciated evolution of checkers players, with opening and endgame knowledge"
    source = "Kim and Cho 2007, section 4.1: 50 generations of 100 nets, 30 games a match between kinds of knowledge"
    seeds = 5
    least_scale = 0.04
    """Two generations."""
    after = dict.fromkeys(EVOLUTIONS, (evolved.TD,)) | {MATCHES: EVOLUTIONS}

    @property
    def conditions(self) -> Mapping[str, float]:
        evolving = self.population * 8.0
        return {evolved.TD: self.td_games / 60} | dict.fromkeys(EVOLUTIONS, evolving) | {MATCHES: self.games * 1.5}

    def seconds(self, condition: str, scale: float) -> float:
        """Only the evolutions depend on the scale."""
        whole = self.conditions[condition]
        if condition in (evolved.TD, MATCHES):
            return whole
        return evolved.seconds(whole, GENERATIONS, scale, self.games)

    def run(self, trial: Trial) -> Numbers:
        name = trial.condition
        if name == evolved.TD:
            return evolved.trained_by_td(trial, SPECIATED_PRESET, self.td_games)
        if name == MATCHES:
            return {"matches": self._matches(trial), "database": self._same_net(trial)}
        preset, changes = self._evolution(name)
        pipeline = evolved.evolution(trial, preset, changes)
        run = trial.run(pipeline, name)
        found = {
            "games": run.summary["games"],
            "generations": len(run.sessions),
            **evolved.measured(trial, pipeline, preset, changes, self.games),
        }
        return found if name in (SIMPLE, SIMPLE_BOTH) else found | self._together(trial, pipeline)

    def _evolution(self, condition: str) -> tuple[str, Mapping[str, object]]:
        """The preset of a condition, and the settings that override it."""
        simple = condition in (SIMPLE, SIMPLE_BOTH)
        learner: dict[str, object] = {"population": self.population, "stepped": self.stepped}
        if not simple:
            learner |= {"species": self.species, "clusters": self.clusters}
        evaluator = {"piece_diff": self.piece_diff}
        changes = {"learner": learner, "oracle": self._oracles(condition), "evaluator": evaluator}
        return SIMPLE_PRESET if simple else SPECIATED_PRESET, changes

    def _oracles(self, condition: str) -> list[dict[str, Any]]:
        book = {"use": "book", "lines": "kim-cho"}
        database = {"use": "gated", "at": self.at, "oracle": {"use": "chinook", "pieces": self.pieces}}
        return [
            *([book] if condition in (OPENING, BOTH, SIMPLE_BOTH) else []),
            *([database] if condition in (ENDGAME, BOTH, SIMPLE_BOTH) else []),
        ]

    def _voters(self, trial: Trial, folder: Path, pipeline: Pipeline, name: str) -> Player:
        """The representatives of the species as one player. The members use the database, the vote uses the book.

        folder: that of their run.
        """
        books = [oracle for oracle in pipeline.settings["oracle"] if oracle["use"] == "book"]
        return player(
            pipeline.settings["game"],
            searcher={"use": "vote", "players": [str(folder)]},
            evaluator="none",
            oracle=books or "none",
            name=name,
            registry=trial.registry,
        )

    def _together(self, trial: Trial, pipeline: Pipeline) -> dict[str, Numbers]:
        """Matches of the representatives: as a vote, with one evaluator combined from theirs, and each by itself."""
        name, settings = trial.condition, pipeline.settings
        run = trial.run(pipeline, name)
        champion = {"champion": run.player}
        voters = self._voters(trial, run.folder, pipeline, "vote")
        combined = {
            combine: player(
                settings["game"],
                searcher=settings["searcher"],
                evaluator={"use": "ensemble", "players": [str(run.folder)], "combine": combine},
                oracle=settings["oracle"],
                name=combine,
                registry=trial.registry,
            )
            for combine in ENSEMBLES
        }
        species = run.summary["species"]
        return {
            "alone": {
                one.name: evolved.played(trial, one, f"{name}, {one.name}", champion, self.games)["champion"]
                for one in run.generations
            },
            "species": {key: species[key] for key in ("representatives", "members")},
            "vote": evolved.played(trial, voters, f"{name}, vote", evolved.ladder(trial, pipeline), self.games),
            "vote against single": evolved.played(trial, voters, f"{name}, vote", champion, self.games),
            "ensembles": {
                combine: evolved.played(trial, one, f"{name}, {combine}", champion, self.games)
                for combine, one in combined.items()
            },
        }

    def _matches(self, trial: Trial) -> dict[str, Numbers]:
        """Matches between all kinds of knowledge, as single champions and as voters."""
        runs = {condition: evolved.evolution(trial, *self._evolution(condition)) for condition in KNOWLEDGE}
        trained = {condition: trial.run(pipeline, condition) for condition, pipeline in runs.items()}
        voters = {name: self._voters(trial, trained[name].folder, runs[name], name) for name in KNOWLEDGE}
        champions = {name: trained[name].player for name in KNOWLEDGE}
        found: dict[str, Numbers] = {}
        for kind, players in (("vote", voters), ("champion", champions)):
            tallies = {}
            for one, other in itertools.combinations((BOTH, ENDGAME, OPENING, PLAIN), 2):
                # a book begins at the initial position and chooses among its moves at random
                openings = FROM_THE_START if {one, other} & {OPENING, BOTH} else evolved.OPENINGS
                opponent = {other: players[other]}
                met = evolved.played(trial, players[one], f"{kind} {one}", opponent, self.games, openings)
                tallies[f"{one} - {other}"] = met[other]
            found[kind] = tallies
        rivals = {f"{name}, voters": one for name, one in voters.items()} | {SIMPLE_BOTH: trial.player(SIMPLE_BOTH)}
        simple = {SIMPLE: trial.player(SIMPLE)}
        found[AGAINST_SIMPLE] = {
            name: evolved.played(trial, one, f"{AGAINST_SIMPLE} {name}", simple, self.games)[SIMPLE]
            for name, one in rivals.items()
        }
        return found

    def _same_net(self, trial: Trial) -> Numbers:
        """Matches of the champion that evolved without knowledge: with the gated database, with it everywhere,
        without."""
        preset, changes = self._evolution(PLAIN)
        weights = trial.player(PLAIN).weights
        oracles = {GATED: self._oracles(ENDGAME), EVERYWHERE: [self._oracles(ENDGAME)[0]["oracle"]], WITHOUT: []}
        players = {
            name: Player(evolved.evolution(trial, preset, changes, {"oracle": given}).parts(), weights, name)
            for name, given in oracles.items()
        }
        return {
            f"{one} - {other}": evolved.played(trial, players[one], one, {other: players[other]}, self.games)[other]
            for one, other in SAME_NET
        }

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        by, met = {name: results[name] for name in EVOLUTIONS}, results[MATCHES]
        league = [one["matches"] for one in met]
        between = {kind: evolved.by_seed(league, kind) for kind in ("vote", "champion")}
        begun = by[PLAIN][0]
        return Report.of(
            f"{len(league)} seed{'s' if len(league) > 1 else ''}; each evolution has {begun['generations']} "
            f"generations ({begun['games']:,} games with the species' leagues), the published ones have 50. Scores are "
            f"points a game; their intervals come from the pairs of games, from {Report.FEWEST_SEEDS} seeds on from "
            "the means of the seeds.\n",
            claims(by, between["vote"], evolved.by_seed(met, "database")),
            "All kinds of knowledge against each other. The voters are the representatives of the species. If one of "
            "the two players has the book, games begin at the initial position. Otherwise, and in all matches against "
            "other players, they begin with the three-move ballots, where books are of little use:\n",
            _league(between["vote"], between["champion"]),
            "Against the champion of the simple evolution, without knowledge: the voters of each kind, and the simple "
            "champion that evolved with both kinds of knowledge:\n",
            _by_name(league, AGAINST_SIMPLE),
            "One net, the champion that evolved without knowledge, plays with and without the database:\n",
            _by_name(met, "database"),
            *(part for name, trials in by.items() for part in _section(name, trials)),
            "## One player of the species' representatives\n",
            "The representatives against the champion of the same evolution, by vote, and by one search with the "
            "average, the maximum and the minimum of their scores:\n",
            _together(by),
            "Each representative alone against the same champion, in the order of their species' points:\n",
            _alone(by),
            scale=scale,
            numbers={
                AGAINST_SIMPLE: evolved.pooled(league, AGAINST_SIMPLE),
                "same net": evolved.pooled(met, "database"),
                "between": {kind: evolved.pooled(league, kind) for kind in between},
            },
            figures={
                "fitness": lambda figure: _fitness(figure, by),
                "knowledge": lambda figure: _knowledge(figure, between),
                "ladder": lambda figure: _ladder(figure, by),
            },
        )


def claims(by: Mapping[str, evolved.Trials], voters: Between, same_net: Between) -> list[Claim]:
    """The published matches, the claims that the source makes in words, and results that it does not give."""
    pairs = zip(voters[f"{ENDGAME} - {PLAIN}"].seeds, voters[f"{BOTH} - {OPENING}"].seeds, strict=True)
    endgame = Matches(map(Tally.total, pairs))
    vote = evolved.by_seed(by[PLAIN], "vote against single")["champion"]
    species, simple = (evolved.by_seed(by[name], "matches")[evolved.MATERIAL] for name in (PLAIN, SIMPLE))
    return [
        *(
            _judged(
                f"{one} against {other}, won/lost/drawn",
                "/".join(map(str, (wins, losses, draws))),
                voters[f"{one} - {other}"],
                even=abs(wins - losses) <= 1,
            )
            for (one, other), (wins, losses, draws) in PUBLISHED.items()
        ),
        _judged("players with the endgame database against those without", "better", endgame),
        Claim("one net with the gated database against itself without", "", same_net[f"{GATED} - {WITHOUT}"]),
        _judged("species' representatives together against the best single net", "better", vote),
        Claim("against material with the same search: speciated, simple", "", f"{species}; {simple}"),
        Claim("search depth", "", "4 plies"),
    ]


def _judged(what: str, published: str, ours: Matches, even: bool = False) -> Claim:
    """A claim that the player is better, or even, judged by its scores in the matches of each seed.

    From five seeds on the seeds are the units, so that repeated games within a match do no harm. With fewer, the claim
    is not informative if fewer than half of the games are different.
    """
    scores = ours.scores
    verdict = scores.near(0.5, EVEN_WITHIN) if even else scores.above(0.5)
    if not scores.enough and ours.total.repeats:
        verdict = Verdict.NOT_INFORMATIVE
    return Claim(what, published, f"{ours.total.result}: {ours}", verdict)


def _league(vote: Between, champion: Between) -> Iterator[Mapping[str, object]]:
    for name, ours in vote.items():
        theirs = champion[name]
        yield {
            "": name,
            "voters": ours.total.result,
            "distinct": ours.total.distinct,
            "score (95 %)": ours,
            "champions": theirs.total.result,
            "their distinct": theirs.total.distinct,
            "their score (95 %)": theirs,
        }


def _by_name(trials: evolved.Trials, key: str) -> Iterator[Mapping[str, object]]:
    """The matches in a trial, over seeds."""
    for name, found in evolved.by_seed(trials, key).items():
        total = found.total
        yield {"": name, "won/lost/drawn": total.result, "distinct": total.distinct, "score (95 %)": found}


def _section(name: str, trials: evolved.Trials) -> Iterator[str | list[Mapping[str, object]]]:
    """The parts of the report about one evolution."""
    yield from (f"## {name[0].upper()}{name[1:]}\n", "The champion:\n", evolved.match_rows(trials, "matches"))
    if TOGETHER in trials[0]:
        sizes = [sorted(map(len, trial["species"]["members"]), reverse=True) for trial in trials]
        yield from ("The representatives by vote:\n", evolved.match_rows(trials, TOGETHER))
        yield f"Sizes of the species: {'; '.join(', '.join(map(str, found)) for found in sizes)}.\n"
    yield from evolved.control_parts(trials)


def _together(by: Mapping[str, evolved.Trials]) -> Iterator[Mapping[str, object]]:
    for name in KNOWLEDGE:
        met = {"vote": evolved.by_seed(by[name], "vote against single")["champion"]}
        met |= {combine: evolved.by_seed(by[name], "ensembles", combine)["champion"] for combine in ENSEMBLES}
        yield {"": name, **met, "distinct games": Tally.total(one.total for one in met.values()).distinct_text}


def _alone(by: Mapping[str, evolved.Trials]) -> Iterator[Mapping[str, object]]:
    """Scores of the single voters, which indicate what to expect of their majority."""
    for name in KNOWLEDGE:
        for seed, trial in enumerate(by[name], 1):
            tallies = list(map(Tally.read, trial["alone"].values()))
            scores = [one.score for one in tallies]
            yield {
                "": name,
                "seed": seed,
                "scores": ", ".join(f"{score:.2f}" for score in scores),
                "mean": f"{statistics.fmean(scores):.2f}",
                "distinct games": Tally.total(tallies).distinct_text,
            }


def _fitness(figure: "Figure", by: Mapping[str, evolved.Trials]) -> None:
    best, diversity = figure.subplots(1, 2)
    for name, trials in by.items():
        evolved.curve(best, [trial["curves"]["mean_fitness"] for trial in trials], name)
        evolved.curve(diversity, [trial["curves"]["diversity"] for trial in trials], name)
    best.set(xlabel="generation", ylabel="mean points of the survivors")
    diversity.set(xlabel="generation", ylabel="mean difference of two nets' scores")
    diversity.legend(fontsize=7)


def _knowledge(figure: "Figure", between: Mapping[str, Between]) -> None:
    """Draw ours for the three matches of the table, and mark the published scores, which are of 30 games each."""
    axes = figure.subplots()
    names = [f"{one} - {other}" for one, other in PUBLISHED]
    evolved.bars(axes, names, {"ours, voters": between["vote"], "ours, champions": between["champion"]})
    scores = [(wins + draws / 2) / (wins + losses + draws) for wins, losses, draws in PUBLISHED.values()]
    axes.plot(range(len(names)), scores, "kD", markersize=5, label="published, 30 games")
    axes.legend(fontsize=7)


def _ladder(figure: "Figure", by: Mapping[str, evolved.Trials]) -> None:
    groups = {name: evolved.by_seed(trials, "matches") for name, trials in by.items()}
    groups[evolved.FIRST_BEST] = evolved.by_seed(by[PLAIN], "controls", evolved.FIRST_BEST)
    groups[evolved.SHUFFLED] = evolved.by_seed(by[PLAIN], "controls", evolved.SHUFFLED)
    evolved.bars(figure.subplots(), [evolved.MATERIAL, *evolved.LADDER, evolved.TD], groups)

"""The experiment `ls-draughts`: three players, their matches and their loops ([Neto2009], section 7), and its report.

`LSDraughts` trains the players and lets them play. The report has the paper's figures and ours, the matches, and a
figure of the loops. A section goes beyond the paper, if the trials have variations.
"""

import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from gameforge import OracleHandle, Pipeline, Player, Workshop, oracle
from gameforge.experiments import Claim, Matches, Numbers, Report, Sample, Tally, Trial, Verdict, number
from gameforge.interfaces import Opening
from gameforge_ls_draughts import published as paper
from gameforge_ls_draughts.counts import FEW, counted, match_numbers, matches
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

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Trials = Sequence[Numbers]
"""Figures of one condition, seed by seed."""
Ballots = Mapping[tuple[str, str], Matches]
"""Matches from the ballots, by players."""
Counts = Mapping[str, Sample]
"""Loop draws by player: of each training, or the means of each seed's trainings."""
FIXED, CHOOSING = "neurodraughts-2009", "ls-draughts"
"""Presets: the 12 features, trained with 10 x 200 games; the genetic algorithm."""
BALLOTS, BALLOT_GAMES = "3move", 312
FIRST_MOVES = 7
_VARIED = 1
"""Number of trainings of each variation, from the same initial weights as the first training of `loops extended`."""
_RATE, _BRANCHING = 240.0, 3.0
"""Approximate games per second of one core at the published depth, and the factor of one more ply."""
_OPPONENTS = paper.NEURODRAUGHTS, paper.ORIGINAL  # of the variations
_DESCRIPTIVE = (
    f"With fewer than {Report.FEWEST_SEEDS} seeds all of this describes these players, not the methods that made them: "
    "nets that differ by nothing but their seed differ in strength and in loops as well.\n"
)
_UNITS = {False: "the openings, not of other trainings", True: "the means of the seeds"}
"""What the error bars of matches come from, by whether there are enough seeds for a verdict."""


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


def ls_report(
    settings: LSDraughtsSettings, results: Mapping[str, Sequence[Numbers]], sizes: paper.Sizes, scale: float
) -> Report:
    """The whole report, for any number of seeds."""
    met = results[MATCHES]
    plain = {name: results[loops_of(name)] for name in paper.PLAYERS}
    loops = {name: Sample(loops_in(trials)) for name, trials in plain.items()}
    means = {name: Sample(statistics.fmean(loops_in([one])) for one in trials) for name, trials in plain.items()}
    ballots = {
        pair: matches(one[" - ".join(pair)]["ballots"] for one in met) for pair in (*paper.PAIRINGS, paper.CONTROLLED)
    }
    varied = {one.name: results[one.name] for one in settings.variations}
    enough = len(met) >= Report.FEWEST_SEEDS
    seeds = ", ".join(str(seed) for seed in range(1, len(met) + 1))
    shown = _ordered(loops) and _ratio(loops, paper.EXTENDED, paper.NEURODRAUGHTS) <= paper.AT_MOST
    return Report.of(
        _verdict(loops, ballots),
        "" if enough else _DESCRIPTIVE,
        "" if varied or shown else "`ls-draughts:beyond=true` measures what else may reduce the loops.\n",
        "Sizes at this scale. Tournament games of an individual (10), matches and loop trainings are unaffected.\n",
        sizes.rows(settings.repeats),
        f"The extended player has {_database(settings)} (the paper: 6 pieces, 4 against 3, 4 against 4). "
        f"Depth of every search in plies: {settings.depth}.\n",
        [
            *_loop_claims(loops, means),
            *_method_claims(ballots),
            *_match_claims(met, ballots),
            *_claims_2007(results[YEAR_2007]),
            *_chosen(results),
        ],
        "## Loops\n",
        f"Loop draws in {paper.LOOP_GAMES:,} training games by the number of pieces on the board at the end, means of "
        "the trainings. Won endings are those that the extended player's database (its first, if it has several) calls "
        "won for a side:\n",
        _pieces(plain),
        "## Matches\n",
        f"From the {sum(ballots[paper.CONTROLLED].seeds[0].pairs)} ballots, each with both colours, won, drawn and "
        f"lost by the first; the error bar is that of {_UNITS[enough]}:\n",
        _ballots(ballots),
        *(beyond_parts(settings.variations, varied, plain, met) if varied else ()),
        f"Seeds: {seeds}; loop trainings have, for a seed S, the seeds S, S + 1,000,000, ... "
        f"({settings.repeats} of them).\n",
        scale=scale,
        numbers={
            "sizes": attrs.asdict(sizes),
            "loops": {name: list(counts) for name, counts in loops.items()},
            "order": _ordered(loops),
            "ballots": {
                " - ".join(pair): {**each.total.numbers, "elo": each.total.elo, "interval": each.elo_interval}
                for pair, each in ballots.items()
            },
            "beyond": beyond_numbers(varied),
        },
        figures={"loops": lambda figure: _draw(figure, loops, means, beyond_numbers(varied))},
    )


def loops_in(trials: Trials) -> list[int]:
    """Loop draws of each training, seed by seed."""
    return [training["loops"] for trial in trials for training in trial["trainings"]]


def _spread(values: Sample) -> str:
    """The mean, and the range of the values."""
    return values.mean_text if len(values) == 1 else f"{values.mean_text} ({values.range_text})"


def _ordered(loops: Counts) -> bool:
    return loops[paper.NEURODRAUGHTS].mean > loops[paper.ORIGINAL].mean > loops[paper.EXTENDED].mean


def _ratio(loops: Counts, name: str, to: str) -> float:
    return loops[name].mean / max(loops[to].mean, 1e-9)


def _verdict(loops: Counts, ballots: Ballots) -> str:
    """The paper's two questions, answered by our figures."""
    share = _ratio(loops, paper.EXTENDED, paper.NEURODRAUGHTS)
    means = ", ".join(f"{name} {loops[name].mean_text}" for name in paper.PLAYERS)
    shares = ", ".join(
        f"{name} {_ratio(loops, name, paper.NEURODRAUGHTS):.0%}" for name in (paper.ORIGINAL, paper.EXTENDED)
    )
    strength: dict[str, list[str]] = {"stronger, error bar clear of zero,": [], "weaker, error bar clear of zero,": []}
    stronger, weaker, neither = [*strength, "neither stronger nor weaker beyond the error bar"]
    for (first, to), each in ballots.items():
        if first == paper.EXTENDED:
            low, high = each.elo_interval
            how = stronger if low > 0 else weaker if high < 0 else neither
            strength.setdefault(how, []).append(f"{to} ({each.elo_text} Elo)")
    found = "; ".join(f"{how} than {' and '.join(those)}" for how, those in strength.items() if those)
    return (
        f"**The mean loops in {paper.LOOP_GAMES:,} training games {'stand' if _ordered(loops) else 'do not stand'} in "
        f"the published order**: {means}; by those of {paper.NEURODRAUGHTS}: {shares}, the extended player's "
        f"{'at most' if share <= paper.AT_MOST else 'more than'} a quarter. **The extended player is** {found}. "
        "(Only the original meets a control with as many nets.)\n"
    )


def _database(settings: LSDraughtsSettings) -> str:
    if settings.databases:
        return f"the databases {', '.join(f'`{path}`' for path in settings.databases)}"
    return f"all endings of {settings.pieces} pieces"


def _loop_claims(loops: Counts, means: Counts) -> Iterator[Claim]:
    """The counts, which are not judged alone, and their order, which is judged over seeds."""
    for name in paper.PLAYERS:
        what, ours = f"loop draws of {paper.LOOP_GAMES:,}, {name}", _spread(loops[name])
        yield Claim(what, number(paper.LOOPS[name]), ours, Verdict.NOT_INFORMATIVE)
    for name, to in paper.PAIRINGS:
        limit = paper.AT_MOST if (name, to) == (paper.EXTENDED, paper.NEURODRAUGHTS) else 1.0
        fewer = Sample(limit * count for count in means[to]) - means[name]
        yield Claim(
            f"loop draws of {name} by those of {to}" + (f", at most {limit:.0%}" if limit < 1 else ""),
            f"{paper.LOOPS[name] / paper.LOOPS[to]:.2%}",
            f"{_ratio(loops, name, to):.2%}",
            fewer.above(),
        )


def _method_claims(ballots: Ballots) -> list[Claim]:
    """The paper's two questions over seeds, and the first again with the control.

    They are judged by scores, which are finite where all games of a seed were won. The first holds only if the chosen
    features also beat the best of as many nets with the fixed ones.
    """

    def claim(what: str, published: str, pair: tuple[str, str], verdict: Verdict = Verdict.UNAVAILABLE) -> Claim:
        each = ballots[pair]
        elo, seeds = f"{each.total.elo:+.0f}", len(each.seeds)
        ours = f"{each.elo_text if each.scores.enough else elo}, {seeds} seed{'s' if seeds > 1 else ''}"
        return Claim(f"{what}: Elo {' - '.join(pair)}", published, ours, verdict)

    chosen, controlled, database = (
        ballots[pair].scores.above(0.5) for pair in (paper.PAIRINGS[0], paper.CONTROLLED, paper.PAIRINGS[2])
    )
    if chosen is Verdict.HOLDS and controlled is not Verdict.HOLDS:
        chosen = Verdict.NOT_SHOWN  # as many nets with fixed features have an equal one among them
    return [
        claim("the choice of features makes a stronger player", "yes", paper.PAIRINGS[0], chosen),
        claim("the same against the best of as many nets with the 12 fixed features", "", paper.CONTROLLED),
        claim("the database makes a stronger player", "yes", paper.PAIRINGS[2], database),
    ]


def _won(won: float, drawn: float, lost: float, loops: float | None = None) -> str:
    text = f"{number(won)} - {number(drawn)} - {number(lost)}"
    return text if loops is None else f"{text}, {number(loops)} loops"


def _match_claims(met: Trials, ballots: Ballots) -> Iterator[Claim]:
    """14 games between two deterministic players, of which each pair of nets has this one result; and the ballots."""
    for pair in paper.PAIRINGS:
        name = " - ".join(pair)
        played = [one[name]["first_moves"] for one in met]
        ours = "; ".join(_won(one["wins"], one["draws"], one["losses"], one["loops"]) for one in played)
        what = f"14 games {name}: won - drawn - lost"
        yield Claim(what, _won(*paper.MATCHES[pair]), ours, Verdict.NOT_INFORMATIVE)
    for pair, each in ballots.items():
        yield Claim(f"Elo from the ballots {' - '.join(pair)}", "", each.elo_text)


def _claims_2007(trials: Trials) -> Iterator[Claim]:
    for published, result in paper.GENERATIONS.items():
        found = [one[str(published)] for one in trials]
        here = found[0]["generation"]
        yield Claim(
            f"2007, 7 games: best of generation {published} (here {here}) - NeuroDraughts",
            _won(*result, paper.LOOPS_2007[published]),
            "; ".join(_won(*one["as_black"]) for one in found),
            Verdict.NOT_INFORMATIVE,
        )
        elo = matches(one["ballots"] for one in found).elo_text
        yield Claim(f"the same, both colours from the ballots, Elo of generation {here}", "", elo)


def _chosen(found: Mapping[str, Trials]) -> Iterator[Claim]:
    """Results of the genetic algorithms, and figures that the paper does not give."""
    for name in (paper.ORIGINAL, paper.EXTENDED):
        chosen = "; ".join(", ".join(one["features"]) for one in found[name])
        yield Claim(f"features of the best, {name}", "", chosen)
    trainings = {name: [one for trial in found[loops_of(name)] for one in trial["trainings"]] for name in paper.PLAYERS}
    for what, those in {"loop training": trainings[paper.EXTENDED], "genetic algorithm": found[paper.EXTENDED]}.items():
        hits, probes = (Sample(one.get(key, 0) for one in those).mean_text for key in ("hits", "probes"))
        yield Claim(f"database hits in a {what}, extended", "", f"{hits} of {probes} positions")
    for name, those in trainings.items():
        distinct = Sample(one["distinct"] for one in those)
        yield Claim(f"distinct games of {paper.LOOP_GAMES:,}, {name}", "", _spread(distinct))


def _pieces(found: Mapping[str, Trials]) -> Iterator[Mapping[str, object]]:
    few = {f"{low + 1} to {high}": str(high) for low, high in itertools.pairwise((1, *FEW))} | {"more": "more"}
    counts = {"all loops": "loops", "won endings": "spoilt", "all draws": "draws"}
    for name, trials in found.items():
        trainings = [training for trial in trials for training in trial["trainings"]]
        pieces = [one["by_pieces"] for one in trainings]
        yield {
            "": name,
            **{heading: Sample(one[key] for one in pieces).mean_text for heading, key in few.items()},
            **{heading: Sample(one[key] for one in trainings).mean_text for heading, key in counts.items()},
            "plies a game": Sample((one["plies"] for one in trainings), digits=1).mean_text,
            "clones": Sample((one["clones"] for one in trainings), digits=1).mean_text,
        }


def _ballots(ballots: Ballots) -> Iterator[Mapping[str, object]]:
    """Games of all seeds; the interval is over seeds if there are enough of them."""
    for pair, each in ballots.items():
        total = each.total
        results = {"won": total.wins, "drawn": total.draws, "lost": total.losses, "of these loops": total.loops}
        yield {"": " - ".join(pair), **results, "distinct": total.distinct, "Elo (95 %)": each.elo_text}


def beyond_numbers(varied: Mapping[str, Trials]) -> dict[str, Numbers]:
    """By condition: figures of each training, and the matches against each opponent, seed by seed."""
    found: dict[str, Numbers] = {}
    for name, trials in varied.items():
        trainings = [training for trial in trials for training in trial["trainings"]]
        found[name] = {
            **{key: [one.get(key, 0) for one in trainings] for key in ("loops", "spoilt", "draws", "hits")},
            "more": [one["by_pieces"]["more"] for one in trainings],
            "ballots": {to: [trial["ballots"][to] for trial in trials if "ballots" in trial] for to in _OPPONENTS},
        }
    return found


def beyond_parts(
    variations: Sequence[Variation], varied: Mapping[str, Trials], plain: Mapping[str, Trials], met: Trials
) -> list[str | list[Mapping[str, object]]]:
    """The section about the variations, with a row for each.

    plain: loop trainings of the published players; met: their matches.
    """
    published = {paper.NEURODRAUGHTS: "as published", paper.EXTENDED: "as published"}
    found = beyond_numbers({**{name: plain[name] for name in published}, **varied})
    ballots = {name: numbers["ballots"] for name, numbers in found.items()}
    ballots[paper.EXTENDED] = {to: [one[f"{paper.EXTENDED} - {to}"]["ballots"] for one in met] for to in _OPPONENTS}
    says = published | {one.name: one.says for one in variations}
    base = Sample(found[paper.NEURODRAUGHTS]["loops"]).mean
    rows: list[Mapping[str, object]] = []
    for name, numbers in found.items():
        loops, spoilt, more = (Sample(numbers[key]) for key in ("loops", "spoilt", "more"))
        games = {to: matches(ballots[name][to]) for to in _OPPONENTS if ballots[name][to]}
        total = Tally.total(one.total for one in games.values()) if games else None
        rows.append(
            {
                "": name,
                "loops": loops.mean_text,
                f"by those of {paper.NEURODRAUGHTS}": f"{loops.mean / max(base, 1e-9):.0%}",
                "in won endings": spoilt.mean_text,
                f"more than {FEW[-1]} pieces": more.mean_text,
                "loops in matches": f"{total.loops} of {total.games}" if total else "",
                "distinct games in matches": total.distinct if total else "",
                **{f"Elo against {to} (95 %)": games[to].elo_text if games else "" for to in _OPPONENTS},
                "what is changed": says[name],
            }
        )
    return [
        "## Beyond the paper\n",
        f"Loop draws in {paper.LOOP_GAMES:,} training games with the extended player's features (where "
        f"{paper.NEURODRAUGHTS} is named: with its features). Won endings are those that the extended player's "
        "database knows. Matches from the ballots: the extended player's net, as it was trained, with the changed "
        "search, against the others as they are:\n",
        rows,
        _explanation(found),
    ]


def _explanation(found: Mapping[str, Numbers]) -> str:
    """The reading of the paper whose result is closest to the published figure."""
    ended = found[f"adjudicated, {pieces_of(MOST)}"]
    left, more = (Sample(ended[key]).mean for key in ("loops", "more"))
    return (
        f"If a training game ends where a database of {MOST} pieces knows its result, {number(left)} loops are left, "
        f"and {number(more)} of them with more than 8 pieces, where the paper's database of 8 would not have known "
        f"either; it reports {paper.LOOPS[paper.EXTENDED]}.\n"
    )


def _draw(figure: "Figure", loops: Counts, means: Counts, varied: Mapping[str, Numbers]) -> None:
    """Draw a bar for the mean of the trainings, a dot for each, and a red line for the published count.

    The 95 % interval of the seeds' means is drawn if there are enough for a verdict.
    """
    shown = {**loops, **{name: Sample(one["loops"]) for name, one in varied.items()}}
    enough = means[paper.NEURODRAUGHTS].enough
    axes = figure.subplots()
    for i, (name, values) in enumerate(shown.items()):
        axes.barh([i], [values.mean], color="tab:blue" if name in paper.PLAYERS else "tab:gray", alpha=0.5)
        if enough and name in paper.PLAYERS:
            axes.plot(means[name].interval, [i] * 2, color="tab:blue", linewidth=3)
        axes.plot(values.values, [i] * len(values), "o", color="black", markersize=4)
        if name in paper.PLAYERS:
            axes.plot([paper.LOOPS[name]] * 2, [i - 0.4, i + 0.4], color="tab:red", linewidth=2)
    axes.set_yticks(range(len(shown)), list(shown))
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    interval = ", its 95 % interval over seeds" if enough else ""
    axes.set_xlabel(
        f"loop draws in {paper.LOOP_GAMES:,} training games: mean{interval},\ntrainings, and the published count (red)"
    )

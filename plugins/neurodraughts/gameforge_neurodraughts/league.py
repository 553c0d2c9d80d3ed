"""The experiment `lambda-league`: nets that differ only in lambda, and a league of their last clones.

[Lynch1997], section 7: one seed, five nets, 100 sequences of 10 games with a test after each, two games between any two
of the last clones. The report compares our leagues with the thesis'.
"""

import functools
import itertools
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gameforge import Player, Position, experiments, match
from gameforge.experiments import Numbers, Report, Sample, Trial, number, probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAMBDAS = (0.0, 0.1, 0.2, 0.3, 0.4)
THESIS = ((0, 2, 2, 2, 4), (2, 0, 1, 4, 1), (2, 3, 0, 2, 2), (2, 0, 2, 0, 2), (0, 3, 2, 2, 0))
"""Points of the row's net against the column's (section 7)."""
BEST, WORST = LAMBDAS.index(0.0), LAMBDAS.index(0.3)
FAIR = 2 * (len(LAMBDAS) - 1)
"""Points of a net if lambda makes no difference."""
RANGE = (0.0, 2.0 * FAIR)
"""Points of a net that loses all its games, and of one that wins them."""
GENERATIONS = 5
"""Generation that most nets reached."""
ALIKE = 1.0
"""Difference in the mean balance of pieces up to which two sessions count as equally good."""
SIGNIFICANT = 0.05
ORDERS = 10_000
"""Number of random orders that estimate a distribution. Their seed is fixed, so that reports are reproducible."""

Points = Sequence[Sequence[int]]
Trials = Sequence[Numbers]
"""Figures of one condition, seed by seed."""

PRESET = "neurodraughts"
SESSIONS = 100
PROGRAMS: Mapping[str, Mapping[str, object]] = {
    "clean bits, true gradient": {},
    "legacy bits, legacy trace": {"evaluator": {"legacy_trace": True, "features": {"coder": "legacy"}}},
}
"""Conditions: the preset, and the preset with two mistakes of the surviving programs."""
OPENINGS = "2move"
"""Openings of the wide league, each played twice, because two deterministic games measure little."""


class LambdaLeague:
    """The league of the thesis, once for each seed, and a wide league of the same clones."""

    title = "League of five lambdas"
    source = "Lynch 1997, section 7: lambda 0.0 best, 0.3 worst, in one league"
    seeds = 24
    least_scale = GENERATIONS / SESSIONS
    """A session for each generation of which the thesis says that most nets reached it."""
    conditions = dict.fromkeys(PROGRAMS, 15.0)

    def run(self, trial: Trial) -> Numbers:
        """Points of each clone against each other clone, distinct games, and figures of their training."""
        players, sessions = zip(*(self._trained(trial, lambda_) for lambda_ in LAMBDAS), strict=True)
        start = players[0].game.position()
        openings = players[0].game.openings
        assert openings is not None
        games = 2 * len(openings.get(OPENINGS))
        points, distinct = play_league(trial, players, 2, [start])
        wide_points, wide_distinct = play_league(trial, players, games, OPENINGS)
        return {
            "points": points,
            "distinct": distinct,
            "wide_games": games,
            "wide_points": wide_points,
            "wide_distinct": wide_distinct,
            "training": [
                {key: [session.get(key) for session in those] for key in ("cloned", "balance", "mean_plies")}
                for those in sessions
            ],
        }

    def _trained(self, trial: Trial, lambda_: float) -> tuple[Player, Sequence[Numbers]]:
        """The last clone, and the figures of its training's sessions."""
        learner = {"lambda": lambda_, "sessions": trial.scaled(SESSIONS), "result": "clone"}
        made = trial.train(trial.pipeline(PRESET, PROGRAMS[trial.condition], {"learner": learner}))
        return made.player(made.trained.weights, f"{lambda_}"), made.sessions

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        by = {name: _Section(trials) for name, trials in results.items()}
        return Report.of(
            *(part for name, section in by.items() for part in section.parts(name, scale)),
            numbers={name: section.numbers for name, section in by.items()},
            figures={
                f"totals-{i}": functools.partial(section.draw, title=name)
                for i, (name, section) in enumerate(by.items(), 1)
            },
        )


def play_league(
    trial: Trial, players: Sequence[Player], games: int, openings: str | Sequence[Position]
) -> tuple[list[list[int]], int]:
    """(points[i][j]: points of i against j, where a win is 2 and a draw 1; distinct games of all pairings).

    Notifies the user if fewer than half of a pairing's games are distinct.
    """
    distinct = 0
    points = [[0] * len(players) for _ in players]
    for i, j in itertools.combinations(range(len(players)), 2):
        played = match(players[i], players[j], games, openings=openings, game_finished=trial.game_finished)
        points[i][j] = 2 * played.wins + played.draws
        points[j][i] = 2 * played.losses + played.draws
        distinct += played.distinct
        if played.repeats:
            names = " and ".join(played.players)
            trial.notice(
                f"league of lambdas: only {played.distinct} of {games} games between {names} are distinct; repeated "
                "games add no evidence"
            )
    return points, distinct


class League:
    """The totals of the nets in the leagues of all seeds, each of `games` games a pairing."""

    def __init__(self, points: Iterable[Points], games: int) -> None:
        self.games = games
        self.totals = [[sum(row) for row in league] for league in points]
        """For each seed, the points of each net."""
        self.high, self.low = placement_test(self.totals, BEST)[0], placement_test(self.totals, WORST)[1]
        """p of at least as many points of the thesis' best net, and of at most as many of its worst."""
        self.differ = treatments_test(self.totals)

    def column(self, i: int) -> list[int]:
        """Points of a net, seed by seed."""
        return [totals[i] for totals in self.totals]

    def scaled(self, i: int) -> Sample:
        """The same, as points of two games a pairing."""
        points = self.column(i) if self.games == 2 else [2 * total / self.games for total in self.column(i)]
        return Sample(points, RANGE, 2)

    def placed(self, i: int, end: Callable[[Sequence[int]], int]) -> str:
        """Number of leagues in which the net had the most (or fewest) points, and in how many of them it shared the
        place."""
        hits = [totals for totals in self.totals if totals[i] == end(totals)]
        shared = sum(totals.count(totals[i]) > 1 for totals in hits)
        return f"{len(hits)} ({shared} shared)" if shared else str(len(hits))

    def rows(self, single: bool) -> Iterator[Mapping[str, object]]:
        """The nets' points; single: whether they are from two games a pairing, as those of the thesis."""
        for i, lambda_ in enumerate(LAMBDAS):
            points, seeds = self.scaled(i), Sample(self.column(i)).range_text
            yield {
                "lambda": lambda_,
                **({"thesis": sum(THESIS[i])} if single else {}),
                "ours, mean": points.mean_text,
                "95 %": points.interval_text,
                **({"seeds from, to": seeds} if single else {}),
                "first": self.placed(i, max),
                "last": self.placed(i, min),
            }

    def verdict(self, games: str, length: str) -> str:
        """Whether the leagues confirm the sentence of the thesis."""
        how, sentence = f"{games} games a pairing{length}", '"0.0 best, 0.3 worst"'
        if len(self.totals) < Report.FEWEST_SEEDS:
            found = f"Fewer than {Report.FEWEST_SEEDS} leagues of {how} cannot confirm {sentence}"
        else:
            verb = "confirm" if max(self.high, self.low) < SIGNIFICANT else "do not confirm"
            found = f"{len(self.totals)} leagues of {how} {verb} {sentence}"
        return (
            f"{found}. If lambda made no difference, 0.0 would score at least this many points with "
            f"p = {probability(self.high)}, 0.3 at most this many with p = {probability(self.low)} "
            f"(exact, one-sided), and the five would differ as much as they do with p = {probability(self.differ)}.\n"
        )

    @property
    def numbers(self) -> dict[str, object]:
        """The totals and the tests, for programs."""
        columns = {str(lambda_): self.column(i) for i, lambda_ in enumerate(LAMBDAS)}
        means = {name: statistics.fmean(own) for name, own in columns.items()}
        tests = {"p_best": self.high, "p_worst": self.low, "p_differ": self.differ}
        return {"totals": columns, "means": means, **tests}


class _Section:
    """The report of one condition: leagues of two games a pairing and wide ones, and the clonings."""

    def __init__(self, trials: Trials) -> None:
        self.trials = trials
        self.league = League((trial["points"] for trial in trials), 2)
        self.wide = League((trial["wide_points"] for trial in trials), trials[0]["wide_games"])

    def parts(self, name: str, scale: float) -> list[str | Iterable[Mapping[str, object]]]:
        """The parts of the report about the condition of this name."""
        games, length = self.wide.games, "" if scale == 1 else f" at scale {scale:g}"
        return [
            f"## {name[0].upper()}{name[1:]}\n",
            "Totals (2 points a win, 1 a draw, two games a pairing):\n",
            self.league.rows(single=True),
            "Points of the row's net against the column's: our mean over the seeds / the thesis:\n",
            self._pairings(),
            self.league.verdict("two", length),
            self._distinct("distinct", 2),
            self._spread(),
            f"The same clones from more openings, {games} games a pairing. Points are scaled to two games:\n",
            self.wide.rows(single=False),
            self.wide.verdict(str(games), length),
            self._distinct("wide_distinct", games),
            self._generations(),
            *self._clonings(),
        ]

    @property
    def numbers(self) -> dict[str, object]:
        return {"league": self.league.numbers, "wide": self.wide.numbers | {"games": self.wide.games}}

    def _pairings(self) -> list[Mapping[str, object]]:
        def cell(i: int, j: int) -> str:
            mean = Sample((trial["points"][i][j] for trial in self.trials), digits=2).mean_text
            return "" if i == j else f"{mean} / {THESIS[i][j]}"

        size = range(len(LAMBDAS))
        return [{"lambda": LAMBDAS[i], **{str(LAMBDAS[j]): cell(i, j) for j in size}} for i in size]

    def _spread(self) -> str:
        """How often a single league shows differences as large as those of the thesis by chance."""
        leagues, published = self.league.totals, max(map(sum, THESIS)) - min(map(sum, THESIS))
        hits = sum(max(totals) - min(totals) >= published for totals in leagues)
        low, high = experiments.Sample.binomial_interval(hits, len(leagues))
        ours = "1 league" if len(leagues) == 1 else f"{len(leagues)} leagues"
        return (
            f"In the thesis the first and the last of the league are {published} points apart. They are at least as "
            f"far apart in {hits} of our {ours} of two games a pairing ({low:.0%} to {high:.0%}), whichever "
            "net is first.\n"
        )

    def _distinct(self, key: str, games: int) -> str:
        """How many games of the leagues are distinct; `games`: games per pairing."""
        pairings = len(LAMBDAS) * (len(LAMBDAS) - 1) // 2
        distinct, played = sum(trial[key] for trial in self.trials), games * pairings * len(self.trials)
        return f"{distinct:,} of the {played:,} games are distinct, counted within each pairing.\n"

    def _generations(self) -> str:
        by_seed = [[sum(map(bool, one["cloned"])) for one in trial["training"]] for trial in self.trials]
        clones = [number for each in by_seed for number in each]
        hits = [sum(number >= GENERATIONS for number in each) for each in by_seed]
        shares = Sample((100 * found / len(LAMBDAS) for found in hits), (0, 100))
        return (
            f'"Most reached 5th generation": our nets were cloned {statistics.fmean(clones):.1f} times on average '
            f"(median {statistics.median(clones):g}, {min(clones)} to {max(clones)}), {sum(hits)} of {len(clones)} "
            f"nets five times or more; in percent of a seed's nets: {shares}.\n"
        )

    def _clonings(self) -> list[str | list[Mapping[str, object]]]:
        """The thesis' figure 9: after a cloning the balance of pieces falls and games get longer."""
        rows: list[Mapping[str, object]] = []
        kinds = ((_changes, ""), (changes_beyond, ", beyond equally good sessions"))
        keys = (("balance", "falls", "piece balance"), ("mean_plies", "rises", "plies a game"))
        for (changes_of, beyond), (key, expected, name) in itertools.product(kinds, keys):
            means = [statistics.fmean(changes) for trial in self.trials if (changes := list(changes_of(trial, key)))]
            if means:
                signs = [(mean > 0) - (mean < 0) for mean in means]
                found = Sample(means, digits=1)
                rows.append(
                    {
                        "": f"{name}{beyond}",
                        "thesis": expected,
                        "ours, mean": found.mean_text,
                        "95 %": found.interval_text,
                        "seeds up : down": f"{signs.count(1)} : {signs.count(-1)}",
                        "p (signs)": probability(Sample(signs).p),
                    }
                )
        text = (
            "Changes from the session before a cloning to the one after it, as a mean of each seed's clonings. Nets "
            "are cloned after good sessions, and the session after a good one is worse anyway. So the last rows have "
            "the changes beyond those after other sessions of the same seed whose balance was the same within "
            f"{number(ALIKE)} piece:\n"
        )
        return [text, rows] if rows else []

    def draw(self, figure: "Figure", title: str) -> None:
        """Draw the points of each net in the leagues of all seeds, and the thesis' totals."""
        left, right = figure.subplots(1, 2, sharey=True)
        figure.suptitle(title)
        for axes, league, how in ((left, self.league, "two games"), (right, self.wide, f"{self.wide.games} games")):
            for i in range(len(LAMBDAS)):
                league.scaled(i).draw(axes, i, upright=True, spread=0.6)
            axes.axhline(FAIR, color="gray", linewidth=0.8)
            axes.set_xticks(range(len(LAMBDAS)), [str(lambda_) for lambda_ in LAMBDAS])
            axes.set_title(f"{how} a pairing")
            axes.set_xlabel("lambda (seeds, mean, its 95 % interval)")
        left.plot(range(len(LAMBDAS)), [sum(row) for row in THESIS], "D", color="tab:red", markersize=6, label="thesis")
        left.legend()
        left.set_ylabel("points of a league (2 games a pairing)")


def _changes(trial: Numbers, key: str) -> Iterator[float]:
    """Change of the figure at each cloning, from its session to the next."""
    for one in trial["training"]:
        values = one[key]
        for session, cloned in enumerate(one["cloned"][:-1]):
            if cloned and values[session] is not None:
                yield values[session + 1] - values[session]


def changes_beyond(trial: Numbers, key: str) -> Iterator[float]:
    """The same changes, less the mean change after sessions with a similar balance that led to no cloning.

    A cloning that no such session resembles is left out.
    """
    found = [
        (one["balance"][i], cloned, one[key][i + 1] - one[key][i])
        for one in trial["training"]
        for i, cloned in enumerate(one["cloned"][:-1])
        if None not in (one["balance"][i], one[key][i], one[key][i + 1])
    ]
    for balance, cloned, change in found:
        alike = [other for near, was, other in found if not was and abs(near - balance) <= ALIKE]
        if cloned and alike:
            yield change - statistics.fmean(alike)


def placement_test(blocks: Points, column: int) -> tuple[float, float]:
    """Exact one-sided p-values of a column's sum (as high, as low), if each block's values are in random order.

    `blocks[i][j]`: value of treatment j in repetition i, an integer. column: the treatment.
    """
    ways = {0: 1}  # to reach each sum by taking one value of each block
    for block in blocks:
        longer: dict[int, int] = {}
        for (total, count), value in itertools.product(ways.items(), block):
            longer[total + value] = longer.get(total + value, 0) + count
        ways = longer
    observed, number = sum(block[column] for block in blocks), sum(ways.values())
    high = sum(count for total, count in ways.items() if total >= observed)
    low = sum(count for total, count in ways.items() if total <= observed)
    return high / number, low / number


def treatments_test(blocks: Sequence[Sequence[float]]) -> float:
    """Estimated p-value of column sums that differ as much as these, if each block's values are in random order.

    The statistic is the variance of the sums (Friedman's test, 1937, on values instead of ranks). Its distribution is
    estimated from ORDERS random orders.
    """
    values = np.asarray(blocks, np.float64)
    rng = np.random.default_rng(0)
    drawn = rng.permuted(np.broadcast_to(values, (ORDERS, *values.shape)), axis=2).sum(axis=1).var(axis=1)
    as_much = np.count_nonzero(drawn >= values.sum(axis=0).var() - 1e-9)
    return float((1 + as_much) / (1 + ORDERS))

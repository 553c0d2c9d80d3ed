"""The experiment `lambda-league`: nets that differ only in lambda, and a league of their last clones.

[Lynch1997], section 7: one seed, five nets, 100 sequences of 10 games with a test after each, two games between any two
of the last clones. The report compares our leagues with the thesis'.
"""

import functools
import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gameforge import Player, match, repeats_text
from gameforge.experiments import (
    FEWEST_SEEDS,
    Report,
    Result,
    Training,
    Trial,
    binomial_interval,
    interval,
    interval_of_mean,
    mean_interval,
    mean_over_seeds,
    number,
    placement_test,
    probability,
    sign_flip_test,
    table,
    treatments_test,
)

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
SIGNIFICANT = 0.05

Points = Sequence[Sequence[int]]
Trials = Sequence[Mapping[str, Any]]
"""Figures of one condition, seed by seed."""

PRESET = "neurodraughts"
SESSIONS = 100
PROGRAMS: Mapping[str, Mapping[str, Any]] = {
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

    def run(self, trial: Trial) -> Mapping[str, Any]:
        """Points of each clone against each other clone, distinct games, and figures of their training."""
        trained = [self._trained(trial, lambda_) for lambda_ in LAMBDAS]
        players = [one.player(one.trained.weights, f"{lambda_}") for one, lambda_ in zip(trained, LAMBDAS, strict=True)]
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
                {key: [session.get(key) for session in one.sessions] for key in ("cloned", "balance", "mean_plies")}
                for one in trained
            ],
        }

    def _trained(self, trial: Trial, lambda_: float) -> Training:
        learner = {"lambda": lambda_, "sessions": trial.scaled(SESSIONS), "result": "clone"}
        return trial.train(trial.pipeline(PRESET, PROGRAMS[trial.condition], {"learner": learner}))

    def report(self, results: Sequence[Result], scale: float) -> Report:
        return league_report(results, scale)


def play_league(trial: Trial, players: Sequence[Player], games: int, openings: Any) -> tuple[list[list[int]], int]:
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
        repeats = repeats_text(played.players, played.distinct, games)
        if repeats:
            trial.notice(f"league of lambdas: {repeats}")
    return points, distinct


def league_report(results: Sequence[Result], scale: float = 1.0) -> Report:
    """The thesis' league and ours for each condition, their significance, and the effects of clonings.

    scale: length of the trainings, relative to those of the thesis; verdicts name it if it is not 1.
    """
    names = list(dict.fromkeys(result.condition for result in results))
    conditions = {name: [result.numbers for result in results if result.condition == name] for name in names}
    return Report(
        text="\n".join(
            f"## {name[0].upper()}{name[1:]}\n\n{_section(trials, scale)}" for name, trials in conditions.items()
        ),
        numbers={name: _numbers(trials) for name, trials in conditions.items()},
        figures={
            f"totals-{i}": functools.partial(_draw, trials=trials, title=name)
            for i, (name, trials) in enumerate(conditions.items(), 1)
        },
    )


def _leagues(trials: Trials) -> tuple[Points, Points, int]:
    """(totals of the leagues, of the wide leagues, games of a pairing of these), seed by seed."""
    league, wide = ([_totals(trial[key]) for trial in trials] for key in ("points", "wide_points"))
    return league, wide, trials[0]["wide_games"]


def _section(trials: Trials, scale: float) -> str:
    league, wide, games = _leagues(trials)
    length = "" if scale == 1 else f" at scale {scale:g}"
    parts = [
        "Totals (2 points a win, 1 a draw, two games a pairing):\n",
        _totals_table(league),
        "Points of the row's net against the column's: our mean over the seeds / the thesis:\n",
        _pairings(trials),
        _verdict(league, f"two games a pairing{length}"),
        _distinct(trials, "distinct", 2),
        _spread(league),
        f"The same clones from more openings, {games} games a pairing. Points are scaled to two games:\n",
        _wide_table(wide, games),
        _verdict(wide, f"{games} games a pairing{length}"),
        _distinct(trials, "wide_distinct", games),
        _generations(trials),
        _clonings(trials),
    ]
    return "\n".join(part for part in parts if part)


def _totals(points: Points) -> list[int]:
    return [sum(row) for row in points]


def _column(leagues: Points, i: int) -> list[int]:
    return [totals[i] for totals in leagues]


def _totals_table(leagues: Points) -> str:
    rows = []
    for i, lambda_ in enumerate(LAMBDAS):
        own = _column(leagues, i)
        rows.append(
            (
                lambda_,
                sum(THESIS[i]),
                number(statistics.fmean(own), 2),
                interval_of_mean(own, 2, RANGE),
                interval(min(own), max(own)),
                _placed(leagues, i, max),
                _placed(leagues, i, min),
            )
        )
    return table(("lambda", "thesis", "ours, mean", "95 %", "seeds from, to", "first", "last"), rows)


def _placed(leagues: Points, i: int, end: Any) -> str:
    """Number of leagues in which the net had the most (or fewest) points, and in how many of them it shared the
    place."""
    hits = [totals for totals in leagues if totals[i] == end(totals)]
    shared = sum(totals.count(totals[i]) > 1 for totals in map(list, hits))
    return f"{len(hits)} ({shared} shared)" if shared else str(len(hits))


def _pairings(trials: Trials) -> str:
    def cell(i: int, j: int) -> str:
        mean = statistics.fmean(trial["points"][i][j] for trial in trials)
        return "" if i == j else f"{number(mean, 2)} / {THESIS[i][j]}"

    size = range(len(LAMBDAS))
    return table(("lambda", *map(str, LAMBDAS)), [(LAMBDAS[i], *(cell(i, j) for j in size)) for i in size])


def _wide_table(leagues: Points, games: int) -> str:
    rows = []
    for i, lambda_ in enumerate(LAMBDAS):
        own = [2 * total / games for total in _column(leagues, i)]
        spread = interval_of_mean(own, 2, RANGE)
        placed = (_placed(leagues, i, max), _placed(leagues, i, min))
        rows.append((lambda_, number(statistics.fmean(own), 2), spread, *placed))
    return table(("lambda", "ours, mean", "95 %", "first", "last"), rows)


def _verdict(leagues: Points, how: str) -> str:
    """Whether the leagues confirm the sentence of the thesis."""
    high, low = placement_test(leagues, BEST)[0], placement_test(leagues, WORST)[1]
    any_difference = treatments_test(leagues)
    if len(leagues) < FEWEST_SEEDS:
        verdict = f'Fewer than {FEWEST_SEEDS} leagues of {how} cannot confirm "0.0 best, 0.3 worst"'
    else:
        verb = "confirm" if high < SIGNIFICANT and low < SIGNIFICANT else "do not confirm"
        verdict = f'{len(leagues)} leagues of {how} {verb} "0.0 best, 0.3 worst"'
    return (
        f"{verdict}. If lambda made no difference, 0.0 would score at least this many points with "
        f"p = {probability(high)}, 0.3 at most this many with p = {probability(low)} "
        f"(exact, one-sided), and the five would differ as much as they do with p = {probability(any_difference)}.\n"
    )


def _spread(leagues: Points) -> str:
    """How often a single league shows differences as large as those of the thesis by chance."""
    published = max(map(sum, THESIS)) - min(map(sum, THESIS))
    hits = sum(max(totals) - min(totals) >= published for totals in leagues)
    low, high = binomial_interval(hits, len(leagues))
    ours = "1 league" if len(leagues) == 1 else f"{len(leagues)} leagues"
    return (
        f"In the thesis the first and the last of the league are {published} points apart. They are at least as far "
        f"apart in {hits} of our {ours} of two games a pairing ({low:.0%} to {high:.0%}), whichever "
        "net is first.\n"
    )


def _distinct(trials: Trials, key: str, games: int) -> str:
    """How many games of the leagues are distinct; `games`: games per pairing."""
    pairings = len(LAMBDAS) * (len(LAMBDAS) - 1) // 2
    distinct, played = sum(trial[key] for trial in trials), games * pairings * len(trials)
    return f"{distinct:,} of the {played:,} games are distinct, counted within each pairing.\n"


def _generations(trials: Trials) -> str:
    by_seed = [[sum(map(bool, one["cloned"])) for one in trial["training"]] for trial in trials]
    clones = [number for each in by_seed for number in each]
    hits = [sum(number >= GENERATIONS for number in each) for each in by_seed]
    shares = mean_over_seeds([100 * found / len(LAMBDAS) for found in hits], within=(0, 100))
    return (
        f'"Most reached 5th generation": our nets were cloned {statistics.fmean(clones):.1f} times on average (median '
        f"{statistics.median(clones):g}, {min(clones)} to {max(clones)}), {sum(hits)} of {len(clones)} nets five times "
        f"or more; in percent of a seed's nets: {shares}.\n"
    )


def _changes(trial: Mapping[str, Any], key: str) -> Iterator[float]:
    """Change of the figure at each cloning, from its session to the next."""
    for one in trial["training"]:
        values = one[key]
        for session, cloned in enumerate(one["cloned"][:-1]):
            if cloned and values[session] is not None:
                yield values[session + 1] - values[session]


def _clonings(trials: Trials) -> str:
    """The thesis' figure 9: after a cloning the balance of pieces falls and games get longer."""
    rows = []
    for key, expected, name in (("balance", "falls", "piece balance"), ("mean_plies", "rises", "plies a game")):
        means = [statistics.fmean(changes) for trial in trials if (changes := list(_changes(trial, key)))]
        if means:
            signs = [(mean > 0) - (mean < 0) for mean in means]
            cells = (number(statistics.fmean(means), 1), interval_of_mean(means, 1))
            rows.append(
                (name, expected, *cells, f"{signs.count(1)} : {signs.count(-1)}", probability(sign_flip_test(signs)))
            )
    if not rows:
        return ""
    text = "Changes from the session before a cloning to the one after it, as a mean of each seed's clonings:\n\n"
    return text + table(("", "thesis", "ours, mean", "95 %", "seeds up : down", "p (signs)"), rows)


def _numbers(trials: Trials) -> dict[str, Any]:
    league, wide, games = _leagues(trials)
    return {"league": _tested(league), "wide": _tested(wide) | {"games": games}}


def _tested(leagues: Points) -> dict[str, Any]:
    return {
        "totals": {str(lambda_): _column(leagues, i) for i, lambda_ in enumerate(LAMBDAS)},
        "means": {str(lambda_): statistics.fmean(_column(leagues, i)) for i, lambda_ in enumerate(LAMBDAS)},
        "p_best": placement_test(leagues, BEST)[0],
        "p_worst": placement_test(leagues, WORST)[1],
        "p_differ": treatments_test(leagues),
    }


def _draw(figure: Any, trials: Trials, title: str) -> None:
    """Draw totals by lambda: a dot for each seed, the mean with its interval, and the thesis' totals."""
    league, wide, games = _leagues(trials)
    axes = figure.subplots(1, 2, sharey=True)
    figure.suptitle(title)
    for ax, leagues, unit, how in ((axes[0], league, 1.0, "two games"), (axes[1], wide, 2 / games, f"{games} games")):
        for i in range(len(LAMBDAS)):
            own = [total * unit for total in _column(leagues, i)]
            places = [i + (k - (len(own) - 1) / 2) * 0.6 / len(own) for k in range(len(own))]
            ax.plot(places, own, "o", color="tab:blue", alpha=0.5, markersize=4)
            ax.plot([i], [statistics.fmean(own)], "_", color="black", markersize=30, markeredgewidth=2)
            if len(own) > 1:
                ax.plot([i, i], mean_interval(own, RANGE), color="black", linewidth=6, alpha=0.25)
        ax.axhline(FAIR, color="gray", linewidth=0.8)
        ax.set_xticks(range(len(LAMBDAS)), [str(lambda_) for lambda_ in LAMBDAS])
        ax.set_title(f"{how} a pairing")
        ax.set_xlabel("lambda (seeds, mean, its 95 % interval)")
    axes[0].plot(range(len(LAMBDAS)), [sum(row) for row in THESIS], "D", color="tab:red", markersize=6, label="thesis")
    axes[0].legend()
    axes[0].set_ylabel("points of a league (2 games a pairing)")

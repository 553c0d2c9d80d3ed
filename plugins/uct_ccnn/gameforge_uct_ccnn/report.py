"""The report of `uct-ccnn`: the paper's claims and tables compared with ours, and the curves."""

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments import (
    FEWEST_SEEDS,
    SHARE,
    Compared,
    Mark,
    Report,
    Result,
    Verdict,
    binomial_interval,
    comparison,
    judged,
    mean_interval,
    mean_over_seeds,
    number,
    table,
    verdict,
)
from gameforge_uct_ccnn.matches import OPPONENT_DEPTH, tally, together
from gameforge_uct_ccnn.settings import UctCcnnSettings
from gameforge_uct_ccnn.stages import BY_EXAMPLES, NETS, PRINTED, PRINTED_PRIOR, ways

Numbers = Mapping[str, Any]


def ccnn_report(settings: UctCcnnSettings, results: Sequence[Result], scale: float) -> Report:
    """The whole report. Matches are summed over the seeds, other figures are means over them."""
    by_condition: dict[str, list[Numbers]] = {}
    for result in results:
        by_condition.setdefault(result.condition, []).append(result.numbers)
    first = {condition: numbers[0] for condition, numbers in by_condition.items()}
    everybody = (*NETS, *PRINTED.values()) if settings.tables else ()
    matches = {
        condition: {name: together([numbers[name] for numbers in by_condition[condition]]) for name in first[condition]}
        for condition in (*(f"{name} at heights" for name in everybody), "equal depth", "uct")
    }
    opponent = _opponent(settings, first)
    shown = _shown(settings, matches, by_condition)
    nets = net_rows(settings, by_condition)
    tables = [_table(settings, name, matches, opponent) for name in NETS if settings.tables]
    text = "\n".join(
        [
            _introduction(settings, first, opponent),
            f"## {'Matches' if settings.setting.paper is None else 'What the paper says, and what we find'}\n",
            comparison(shown, scale),
            "## Cp, examples and nets\n",
            comparison(nets, scale),
            *(f"{heading}\n\n{comparison(rows, scale)}" for heading, rows in tables),
            "## All matches\n",
            _all_matches(matches),
        ]
    )
    rows = [*shown, *nets, *(row for _, rows in tables for row in rows)]
    heights = {name: matches[f"{name} at heights"] for name in everybody}
    curves = {f"{name} budget": by_condition[f"{name} net"] for name in NETS}
    figures: dict[str, Callable[[Any], None]] = {"training": lambda figure: draw_training(figure, curves)}
    if settings.tables:
        figures["heights"] = lambda figure: draw_heights(figure, heights, settings.setting.heights)
    numbers = {"rows": [attrs.asdict(row) for row in rows], "matches": matches}
    return Report(text=text, numbers=numbers, figures=figures)


def _opponent(settings: UctCcnnSettings, first: Mapping[str, Numbers]) -> str:
    """The opponent in words, such as `alpha-beta of 3 plies with the evaluator wpc`."""
    evaluator = first["cp"]["opponent"]
    if evaluator:
        return f"alpha-beta of {OPPONENT_DEPTH} plies with the evaluator `{evaluator}`"
    return f"UCT without an evaluator, {number(settings.match_simulations)} simulations a move"


def _introduction(settings: UctCcnnSettings, first: Mapping[str, Numbers], opponent: str) -> str:
    setting = settings.setting
    budgets = " and ".join(number(first[f"{name} examples"]["simulations"]) for name in NETS)
    replaced = (
        "The game is not one of the paper's; our own player is the opponent:"
        if setting.paper is None
        else f"The paper's program {setting.paper.replaced} is not available; our own player takes its place:"
    )
    return f"""\
Game: {settings.game}. {replaced} {opponent}. The paper's
budgets, 200 and 600 seconds a move on a machine that we do not have, are {budgets} simulations here, in the
same ratio of 1 : 3. There are two nets for each budget: one is trained on the examples of the winner of each match, as
printed ([Rezende2017], section 3.2), the other on those of both sides.
NeuralMinimax is alpha-beta with the net, without quiescence; ties are broken at random. Random openings have
{setting.plies} plies, and each is played with both colours. Intervals come from the seeds (Student's t) or, with fewer
than {FEWEST_SEEDS}, from the openings: those of scores from the pairs of games, those of shares of wins are exact
([Clopper1934]). Shares of wins from the initial position have none, since few of these games differ.
"""


def _share(match: Numbers) -> str:
    found, (low, high) = tally(match), match["interval"]
    score = f"{100 * match['score']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{found.wins} won, {found.draws} drawn, {found.losses} lost: {score}"


def _shown(
    settings: UctCcnnSettings, matches: Mapping[str, Mapping[str, Numbers]], by_seed: Mapping[str, Sequence[Numbers]]
) -> list[Compared]:
    """The paper's claims, judged by the scores of each seed in matches from random openings; then the other matches."""

    def ahead(condition: str, name: str) -> list[float]:
        return [numbers[name]["score"] - 0.5 for numbers in by_seed[condition]]

    def claim(what: str, published: str, condition: str, name: str) -> Compared:
        return claim_row(settings, what, published, _share(matches[condition][name]), verdict(ahead(condition, name)))

    depth = f"both {OPPONENT_DEPTH} plies"
    against = depth if by_seed["cp"][0]["opponent"] else f"{OPPONENT_DEPTH} plies"
    rows = []
    for examples, nets in BY_EXAMPLES.items():
        what = f"longer budget's net against the shorter one's, {examples} examples, {depth}"
        rows.append(claim(what, "more wins", "equal depth", f"{nets['longer']}, {nets['shorter']}"))
    simulations = f"{next(iter(matches['uct'].values()))['simulations']:,} simulations each"
    for i, way in enumerate((PRINTED_PRIOR, *ways(settings))):
        examples = "winner's examples" if way == PRINTED_PRIOR else "both sides' examples"
        what = f"UCT with the net ({way.partition(',')[0]}) against UCT without, {examples}, {simulations}"
        if i < 2:
            rows.append(claim(what, "a higher win rate (abstract)", "uct", way))
        else:
            rows.append(plain_row(what, "", _share(matches["uct"][way])))
    for budget in NETS:
        for examples, nets in BY_EXAMPLES.items():
            what = f"{budget} budget's net against the opponent, {examples} examples, {against}"
            rows.append(plain_row(what, "", _share(matches["equal depth"][f"{nets[budget]}, opponent"])))
    what = f"longer budget's net of both sides' against that of the winner's examples, {depth}"
    rows.append(plain_row(what, "", _share(matches["equal depth"][f"longer, {PRINTED['longer']}"])))
    return rows


def _table(
    settings: UctCcnnSettings, name: str, matches: Mapping[str, Mapping[str, Numbers]], opponent: str
) -> tuple[str, list[Compared]]:
    """One of the paper's tables, with the nets of both filters: heading and rows."""
    setting, rows = settings.setting, []
    nets = {examples: matches[f"{both[name]} at heights"] for examples, both in BY_EXAMPLES.items()}
    for begins in (False, True):
        key = "begins" if begins else "follows"
        for place, height in enumerate(setting.heights):
            ours = "; ".join(
                f"{examples} {_result(found[f'start {height}'], key)}, random openings "
                f"{_result(found[f'random {height}'], key, with_interval=True)}"
                for examples, found in nets.items()
            )
            what = f"{'begins' if begins else 'does not begin'}, height {height}"
            if setting.paper is None:
                rows.append(plain_row(what, "", ours))
                continue
            wins = setting.paper.wins[list(NETS).index(name)][begins][place]
            rows.append(Compared(what=what, published=f"{wins} of 100", ours=ours, mark=Mark.NOT_INFORMATIVE))
    number_of_table = "" if setting.paper is None else f"Table {setting.paper.tables[list(NETS).index(name)]}: "
    heading = (
        f"## {number_of_table}{name} budget's nets against the opponent\n\nThe opponent is {opponent}. Wins, with "
        "draws and losses in brackets, of the net of the winner's examples, as printed, and of both sides'."
    )
    if setting.paper is not None:
        start = nets["winner's"][f"start {setting.heights[-1]}"]
        heading += (
            " From the start both players are deterministic except for ties, so a few games decide a row, in the paper "
            f"(mostly 0 or 100 of 100) and here: {start['distinct']} of {start['games']} games of the printed net are "
            f"different at height {setting.heights[-1]}. The rows are therefore not informative."
        )
    return heading, rows


def _result(match: Numbers, side: str, with_interval: bool = False) -> str:
    """Won games of a side with draws and losses, and perhaps the interval of the share that is won."""
    wins, draws, losses = match[side]
    games = wins + draws + losses
    share = f"; {_interval(wins, games, match['win_shares'][side])} %" if with_interval else ""
    return f"{wins} of {games} ({draws} d, {losses} l{share})"


def _interval(wins: int, games: int, by_seed: Sequence[float]) -> str:
    """Interval of the share of wins, in percent: over the seeds if a verdict has enough of them, else over openings."""
    enough = len(by_seed) >= FEWEST_SEEDS
    low, high = mean_interval(by_seed, SHARE) if enough else binomial_interval(wins, games)
    return f"{100 * low:.0f} to {100 * high:.0f}"


def _all_matches(matches: Mapping[str, Mapping[str, Numbers]]) -> str:
    """A table of all matches, with their simulations and numbers of distinct games."""
    rows = []
    for condition, found in matches.items():
        for name, one in found.items():
            counts = tally(one)
            low, high = one["interval"]
            simulations = f"{one['simulations']:,}" if one["simulations"] else "-"
            rows.append(
                (
                    f"{condition}: {name}",
                    f"{counts.wins}-{counts.draws}-{counts.losses}",
                    f"{100 * one['score']:.1f}",
                    f"{100 * low:.1f} to {100 * high:.1f}",
                    simulations,
                    f"{one['distinct']} of {one['games']}",
                )
            )
    headings = ("match", "won-drawn-lost", "score %", "95 %", "simulations a move", "distinct games")
    return table(headings, rows) + (
        "\nAlpha-beta runs no simulations; it searches as many plies as the number in the row, or 3. `start` is from "
        "the initial position; `random`, like all other matches, from random openings.\n"
    )


_MSE = "train_mse by neuron", "test_mse by neuron"


def net_rows(settings: UctCcnnSettings, by_seed: Mapping[str, Sequence[Numbers]]) -> list[Compared]:
    """Means over the seeds; claims about the errors hold if they hold for each seed, and fail if they do for none."""
    paper = settings.setting.paper
    cp = [numbers["cp"] for numbers in by_seed["cp"]]
    rows = [
        plain_row(
            "Cp", "lost" if paper else "", number(cp[0], 3) if settings.cp is not None else mean_over_seeds(cp, 3)
        )
    ]
    for budget, name in (net for nets in BY_EXAMPLES.values() for net in nets.items()):
        if name in NETS:
            made = {key: [one[key] for one in by_seed[f"{name} examples"]] for key in ("kept", "examples", "matches")}
            kept = (
                f"{mean_over_seeds(made['kept'])} of {number(statistics.fmean(made['examples']))}, "
                f"{number(statistics.fmean(made['matches']))} matches"
            )
            what = f"{name} budget: both sides' examples without duplicates"
            rows.append(plain_row(what, "about 150,000" if paper else "", kept))
        neurons = "" if paper is None else f"{paper.neurons[list(NETS).index(budget)]}"
        rows += _errors(settings, name, neurons, by_seed[f"{name} net"])
    lowest = [[min(numbers[_MSE[1]]) for numbers in by_seed[f"{PRINTED[name]} net"]] for name in NETS]
    falls = paper is None or paper.error_falls
    fell = [(shorter - longer) * (1 if falls else -1) for shorter, longer in zip(*lowest, strict=True)]
    errors = " and ".join(mean_over_seeds(one, 4) for one in lowest)
    rows.append(
        claim_row(
            settings,
            "lowest test error, shorter and longer budget, winner's examples",
            "falls" if falls else "rises",
            f"{errors} (of values from -1 to 1, halved, squared: FANN's)",
            verdict(fell),
        )
    )
    return rows


def _errors(settings: UctCcnnSettings, name: str, neurons: str, nets: Sequence[Numbers]) -> list[Compared]:
    """Rows about the errors of a net by its number of hidden units; neurons: the published number."""
    trains, tests = ([net[key] for net in nets] for key in _MSE)
    best = [min(range(len(test)), key=test.__getitem__) for test in tests]
    most = [len(test) - 1 for test in tests]
    rises = [sum(after > before for before, after in itertools.pairwise(train)) for train in trains]
    digits = 0 if len(nets) == 1 else 1
    units = mean_over_seeds(best, digits)
    ends = [mean_over_seeds([curve[place] for curve in curves], 4) for curves in (trains, tests) for place in (0, -1)]
    train = f"{ends[0]} to {ends[1]}, rises {mean_over_seeds(rises, digits)} {'time' if rises == [1] else 'times'}"
    least = mean_over_seeds(list(map(min, tests)), 4)
    test = f"{ends[2]}, {least} with {units} units, {ends[3]} with {max(most)}"
    return [
        plain_row(f"{name} net: hidden units with the lowest test error", neurons, f"{units} of {max(most)}"),
        claim_row(
            settings,
            f"{name} net: training error falls with every unit",
            "yes",
            train,
            _each([not count for count in rises]),
        ),
        claim_row(
            settings,
            f"{name} net: test error has a minimum and rises after it",
            "yes",
            test,
            _each([place < end for place, end in zip(best, most, strict=True)]),
        ),
    ]


def _each(seeds: Sequence[bool]) -> Verdict | None:
    """The verdict about a claim that is true or false of each seed; None for too few seeds."""
    if len(seeds) < FEWEST_SEEDS:
        return None
    return Verdict.HOLDS if all(seeds) else Verdict.NOT_SHOWN if any(seeds) else Verdict.FAILS


def claim_row(settings: UctCcnnSettings, what: str, published: str, ours: str, verdict: Verdict | None) -> Compared:
    """The row of a claim of the paper, which is about its own games only."""
    return plain_row(what, "", ours) if settings.setting.paper is None else judged(what, published, ours, verdict)


def plain_row(what: str, published: str, ours: str) -> Compared:
    """The row of a figure that is reported without a verdict; `published` may be empty."""
    return Compared(what=what, published=published, ours=ours, mark=Mark.UNAVAILABLE)


def draw_training(figure: Any, nets: Mapping[str, Sequence[Numbers]]) -> None:
    """Draw training and test error by number of hidden units, as in [Rezende2017], figures 6 and 7.

    nets: those of each seed, by the title of their axes. Several seeds are drawn as their mean, with its 95 % interval
    as a band.
    """
    for place, (title, seeds) in enumerate(nets.items(), 1):
        axes = figure.add_subplot(1, len(nets), place)
        units = min((net["neurons by neuron"] for net in seeds), key=len)  # that all seeds have
        means = {}
        for part in ("train", "test"):
            errors = list(zip(*(net[f"{part}_mse by neuron"][: len(units)] for net in seeds), strict=True))
            means[part] = [statistics.fmean(one) for one in errors]
            (line,) = axes.plot(units, means[part], label=part)
            if len(seeds) > 1:
                low, high = zip(*map(mean_interval, errors), strict=True)
                axes.fill_between(units, low, high, alpha=0.2, linewidth=0, color=line.get_color())
        best = min(zip(means["test"], units, strict=True))[1]
        axes.axvline(best, color="gray", linewidth=0.8, linestyle=":", label=f"lowest test error: {best}")
        axes.set(title=title, xlabel="hidden units", ylabel="mean squared error")
        axes.legend()


def draw_heights(figure: Any, nets: Mapping[str, Mapping[str, Numbers]], heights: Sequence[int]) -> None:
    """Draw the score against the opponent by height."""
    for place, (opened, title) in enumerate((("start", "from the start"), ("random", "random openings")), 1):
        axes = figure.add_subplot(1, 2, place)
        for name, found in nets.items():
            tallies = [found[f"{opened} {height}"] for height in heights]
            scores = [100 * one["score"] for one in tallies]
            reach = [
                [100 * one["score"] - 100 * one["interval"][0] for one in tallies],
                [100 * one["interval"][1] - 100 * one["score"] for one in tallies],
            ]
            axes.errorbar(heights, scores, reach if opened == "random" else None, marker="o", capsize=3, label=name)
        axes.axhline(50, color="gray", linewidth=0.8)
        axes.set(title=title, xlabel="plies of NeuralMinimax", ylabel="score %", ylim=(-3, 103), xticks=list(heights))
        axes.legend()

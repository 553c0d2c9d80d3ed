"""The experiment `uct-ccnn`: from the rules of a game to players with a net ([Rezende2017]).

Cp of UCT by the cross-entropy method; examples by UCT against itself with a shorter and a longer budget; a
cascade-correlation net from each; NeuralMinimax with these nets at several heights, and UCT with and without them.
stages.py does this work. The report below compares the paper's claims and tables with ours, and draws the curves.
"""

import itertools
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from gameforge import experiments
from gameforge.experiments import Claim, Numbers, Report, Sample, Trial, Verdict, number
from gameforge_uct_ccnn import stages
from gameforge_uct_ccnn.settings import UctCcnnSettings
from gameforge_uct_ccnn.stages import BY_EXAMPLES, NETS, OPPONENT_DEPTH, PRINTED, PRINTED_PRIOR, tally, together, ways

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matches = Mapping[str, Mapping[str, Numbers]]
"""Matches over all seeds, by condition and name."""
Trials = Mapping[str, Sequence[Numbers]]
"""Figures by condition, seed by seed."""


@attrs.frozen(kw_only=True)
class UctCcnn(UctCcnnSettings):
    """The paper's experiments for a game. The scale reduces the numbers of matches, hidden units and
    games."""

    title = "UCT-CCNN: a value net from the rules of a game alone"
    source = "Rezende and Chaimowicz, SBGames 2017, tables 2 to 5 (counts recovered from their intervals) and abstract"
    seeds = 1
    least_scale = 0.01
    """One game of each row of the tables."""

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition: self.seconds(condition, 1.0) for condition in stages.wanted(self)}

    @property
    def after(self) -> Mapping[str, Sequence[str]]:
        return {condition: stages.STAGES[condition].after for condition in stages.wanted(self)}

    def seconds(self, condition: str, scale: float) -> float:
        return stages.STAGES[condition].seconds(self, scale)

    def run(self, trial: Trial) -> Numbers:
        return stages.STAGES[trial.condition].run(self, trial)

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        return ccnn_report(self, results, scale)


def ccnn_report(settings: UctCcnnSettings, by: Trials, scale: float) -> Report:
    """The whole report. Matches are summed over the seeds, other figures are means over them."""
    setting = settings.setting
    first = {condition: numbers[0] for condition, numbers in by.items()}
    everybody = (*NETS, *PRINTED.values()) if settings.tables else ()
    matches = {
        condition: {name: together([numbers[name] for numbers in by[condition]]) for name in first[condition]}
        for condition in (*(f"{name} at heights" for name in everybody), "equal depth", "uct")
    }
    opponent = _opponent(settings, first)
    heights = {name: matches[f"{name} at heights"] for name in everybody}
    curves = {f"{name} budget": by[f"{name} net"] for name in NETS}
    figures: dict[str, Callable[[Figure], None]] = {"training": lambda figure: draw_training(figure, curves)}
    if settings.tables:
        figures["heights"] = lambda figure: draw_heights(figure, heights, setting.heights)

    def asked(claims: Iterable[Claim]) -> list[Claim]:
        """The claims, or plain figures if the game is not one of the paper's."""
        return [one if setting.paper else Claim(one.what, "", one.ours) for one in claims]

    tables = [(name, asked(_table(settings, name, heights))) for name in NETS if settings.tables]
    return Report.of(
        _introduction(settings, first, opponent),
        f"## {'Matches' if setting.paper is None else 'What the paper says, and what we find'}\n",
        asked(_shown(settings, matches, by)),
        "## Cp, examples and nets\n",
        asked(net_claims(settings, by)),
        *(part for name, claims in tables for part in (_heading(settings, name, heights, opponent), claims)),
        "## All matches\n",
        _all_matches(matches),
        "Alpha-beta runs no simulations; it searches as many plies as the number in the row, or 3. `start` is from the "
        "initial position; `random`, like all other matches, from random openings.\n",
        scale=scale,
        numbers={"matches": matches},
        figures=figures,
    )


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
    fewest = Report.FEWEST_SEEDS
    return f"""\
Game: {settings.game}. {replaced} {opponent}. The paper's
budgets, 200 and 600 seconds a move on a machine that we do not have, are {budgets} simulations here, in the
same ratio of 1 : 3. There are two nets for each budget: one is trained on the examples of the winner of each match, as
printed ([Rezende2017], section 3.2), the other on those of both sides.
NeuralMinimax is alpha-beta with the net, without quiescence; ties are broken at random. Random openings have
{setting.plies} plies, and each is played with both colours. Intervals come from the seeds (Student's t) or, with fewer
than {fewest}, from the openings: those of scores from the pairs of games, those of shares of wins are exact
([Clopper1934]). Shares of wins from the initial position have none, since few of these games differ.
"""


def _share(match: Numbers) -> str:
    found, (low, high) = tally(match), match["interval"]
    score = f"{100 * match['score']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{found.wins} won, {found.draws} drawn, {found.losses} lost: {score}"


def _shown(settings: UctCcnnSettings, matches: Matches, by: Trials) -> Iterator[Claim]:
    """The paper's claims, judged by the scores of each seed in matches from random openings; then the other matches."""

    def claim(what: str, published: str, condition: str, name: str) -> Claim:
        scores = Sample(numbers[name]["score"] for numbers in by[condition])
        verdict = scores.above(0.5) if published else Verdict.UNAVAILABLE
        return Claim(what, published, _share(matches[condition][name]), verdict)

    depth = f"both {OPPONENT_DEPTH} plies"
    against = depth if by["cp"][0]["opponent"] else f"{OPPONENT_DEPTH} plies"
    for examples, nets in BY_EXAMPLES.items():
        what = f"longer budget's net against the shorter one's, {examples} examples, {depth}"
        yield claim(what, "more wins", "equal depth", f"{nets['longer']}, {nets['shorter']}")
    simulations = f"{next(iter(matches['uct'].values()))['simulations']:,} simulations each"
    for way in (PRINTED_PRIOR, *ways(settings)):  # section 4.2, which says how the net is used, is missing in our copy
        examples = "winner's examples" if way == PRINTED_PRIOR else "both sides' examples"
        what = f"UCT with the net ({way.partition(',')[0]}) against UCT without, {examples}, {simulations}"
        yield claim(what, "a higher win rate (abstract)", "uct", way)
    for budget in NETS:
        for examples, nets in BY_EXAMPLES.items():
            what = f"{budget} budget's net against the opponent, {examples} examples, {against}"
            yield claim(what, "", "equal depth", f"{nets[budget]}, opponent")
    what = f"longer budget's net of both sides' against that of the winner's examples, {depth}"
    yield claim(what, "", "equal depth", f"longer, {PRINTED['longer']}")


def _table(settings: UctCcnnSettings, name: str, heights: Matches) -> Iterator[Claim]:
    """The rows of one of the paper's tables, with the nets of both filters."""
    setting, budget = settings.setting, list(NETS).index(name)
    nets = {examples: heights[both[name]] for examples, both in BY_EXAMPLES.items()}
    for begins, key in ((False, "follows"), (True, "begins")):
        for place, height in enumerate(setting.heights):
            ours = "; ".join(
                f"{examples} {_result(found[f'start {height}'], key)}, random openings "
                f"{_result(found[f'random {height}'], key, with_interval=True)}"
                for examples, found in nets.items()
            )
            what = f"{'begins' if begins else 'does not begin'}, height {height}"
            wins = setting.paper.wins[budget][begins][place] if setting.paper else 0
            yield Claim(what, f"{wins} of 100", ours, Verdict.NOT_INFORMATIVE)


def _heading(settings: UctCcnnSettings, name: str, heights: Matches, opponent: str) -> str:
    paper, last = settings.setting.paper, settings.setting.heights[-1]
    start = heights[PRINTED[name]][f"start {last}"]
    return (
        f"## {f'Table {paper.tables[list(NETS).index(name)]}: ' if paper else ''}{name} budget's nets against the "
        f"opponent\n\nThe opponent is {opponent}. Wins, with draws and losses in brackets, of the net of the winner's "
        "examples, as printed, and of both sides'."
        + (
            " From the start both players are deterministic except for ties, so a few games decide a row, in the paper "
            f"(mostly 0 or 100 of 100) and here: {start['distinct']} of {start['games']} games of the printed net are "
            f"different at height {last}. The rows are therefore not informative."
            if paper
            else ""
        )
        + "\n"
    )


def _result(match: Numbers, side: str, with_interval: bool = False) -> str:
    """Won games of a side with draws and losses, and perhaps the interval of the share that is won.

    The interval is over the seeds if a verdict has enough of them, else over the openings.
    """
    wins, draws, losses = match[side]
    games = wins + draws + losses
    share = ""
    if with_interval:
        shares = Sample(match["win_shares"][side], (0, 1))
        low, high = shares.interval if shares.enough else experiments.Sample.binomial_interval(wins, games)
        share = f"; {100 * low:.0f} to {100 * high:.0f} %"
    return f"{wins} of {games} ({draws} d, {losses} l{share})"


def _all_matches(matches: Matches) -> Iterator[Mapping[str, object]]:
    """All matches, with their simulations and numbers of distinct games."""
    for condition, found in matches.items():
        for name, one in found.items():
            counts, (low, high) = tally(one), one["interval"]
            yield {
                "match": f"{condition}: {name}",
                "won-drawn-lost": f"{counts.wins}-{counts.draws}-{counts.losses}",
                "score %": f"{100 * one['score']:.1f}",
                "95 %": f"{100 * low:.1f} to {100 * high:.1f}",
                "simulations a move": f"{one['simulations']:,}" if one["simulations"] else "-",
                "distinct games": f"{one['distinct']} of {one['games']}",
            }


_MSE = "train_mse by neuron", "test_mse by neuron"


def net_claims(settings: UctCcnnSettings, by: Trials) -> Iterator[Claim]:
    """Means over the seeds; claims about the errors hold if they hold for each seed, and fail if they do for none."""
    paper = settings.setting.paper
    cp = Sample((numbers["cp"] for numbers in by["cp"]), digits=3)
    yield Claim("Cp", "lost", cp.mean_text if settings.cp is not None else cp)
    for budget, name in (net for nets in BY_EXAMPLES.values() for net in nets.items()):
        if name in NETS:
            kept, examples, matches = (
                Sample(one[key] for one in by[f"{name} examples"]) for key in ("kept", "examples", "matches")
            )
            ours = f"{kept} of {examples.mean_text}, {matches.mean_text} matches"
            yield Claim(f"{name} budget: both sides' examples without duplicates", "about 150,000", ours)
        neurons = f"{paper.neurons[list(NETS).index(budget)]}" if paper else ""
        yield from _errors(name, neurons, by[f"{name} net"])
    shorter, longer = (
        Sample((min(numbers[_MSE[1]]) for numbers in by[f"{PRINTED[name]} net"]), digits=4) for name in NETS
    )
    falls = paper is None or paper.error_falls
    yield Claim(
        "lowest test error, shorter and longer budget, winner's examples",
        "falls" if falls else "rises",
        f"{shorter} and {longer} (of values from -1 to 1, halved, squared: FANN's)",
        (shorter - longer if falls else longer - shorter).above(),
    )


def _errors(name: str, neurons: str, nets: Sequence[Numbers]) -> Iterator[Claim]:
    """Claims about the errors of a net by its number of hidden units; neurons: the published number."""
    trains, tests = ([net[key] for net in nets] for key in _MSE)
    digits = 0 if len(nets) == 1 else 1
    best = Sample((min(range(len(test)), key=test.__getitem__) for test in tests), digits=digits)
    most = [len(test) - 1 for test in tests]
    rises = Sample(
        (sum(after > before for before, after in itertools.pairwise(train)) for train in trains), digits=digits
    )
    first, last, start, end = (
        Sample((curve[place] for curve in curves), digits=4) for curves in (trains, tests) for place in (0, -1)
    )
    least = Sample(map(min, tests), digits=4)
    yield Claim(f"{name} net: hidden units with the lowest test error", neurons, f"{best} of {max(most)}")
    yield Claim(
        f"{name} net: training error falls with every unit",
        "yes",
        f"{first} to {last}, rises {rises} {'time' if list(rises) == [1] else 'times'}",
        Sample(not count for count in rises).every(),
    )
    yield Claim(
        f"{name} net: test error has a minimum and rises after it",
        "yes",
        f"{start}, {least} with {best} units, {end} with {max(most)}",
        Sample(place < last for place, last in zip(best, most, strict=True)).every(),
    )


def draw_training(figure: "Figure", nets: Mapping[str, Sequence[Numbers]]) -> None:
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
                low, high = zip(*(Sample(one).interval for one in errors), strict=True)
                axes.fill_between(units, low, high, alpha=0.2, linewidth=0, color=line.get_color())
        best = min(zip(means["test"], units, strict=True))[1]
        axes.axvline(best, color="gray", linewidth=0.8, linestyle=":", label=f"lowest test error: {best}")
        axes.set(title=title, xlabel="hidden units", ylabel="mean squared error")
        axes.legend()


def draw_heights(figure: "Figure", nets: Mapping[str, Mapping[str, Numbers]], heights: Sequence[int]) -> None:
    """Draw the score against the opponent by height."""
    for place, (opened, title) in enumerate((("start", "from the start"), ("random", "random openings")), 1):
        axes = figure.add_subplot(1, 2, place)
        for name, found in nets.items():
            tallies = [found[f"{opened} {height}"] for height in heights]
            scores = [100 * one["score"] for one in tallies]
            ends = [[abs(100 * one["interval"][end] - 100 * one["score"]) for one in tallies] for end in (0, 1)]
            axes.errorbar(heights, scores, ends if opened == "random" else None, marker="o", capsize=3, label=name)
        axes.axhline(50, color="gray", linewidth=0.8)
        axes.set(title=title, xlabel="plies of NeuralMinimax", ylabel="score %", ylim=(-3, 103), xticks=list(heights))
        axes.legend()

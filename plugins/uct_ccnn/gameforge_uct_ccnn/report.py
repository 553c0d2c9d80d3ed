"""The report of `uct-ccnn`: the paper's claims and tables compared with ours, and the curves."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments.report import FEWEST_SEEDS, Compared, Mark, comparison, number, table, verdict
from gameforge.experiments.statistics import SHARE, binomial_interval, mean_interval
from gameforge.interfaces.experiment import Report, Result
from gameforge_uct_ccnn.curves import draw_heights, draw_training
from gameforge_uct_ccnn.matches import tally, together
from gameforge_uct_ccnn.net_rows import net_rows
from gameforge_uct_ccnn.players import OPPONENT_DEPTH
from gameforge_uct_ccnn.rows import claim_row, plain_row
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

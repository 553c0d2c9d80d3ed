"""The report of `uct-ccnn`: the paper's claims and tables compared with ours, and the curves."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments.report import Compared, Mark, comparison, number, table
from gameforge.experiments.statistics import binomial_interval
from gameforge.interfaces.experiment import Report, Result
from gameforge_uct_ccnn.curves import draw_heights, draw_training
from gameforge_uct_ccnn.matches import tally, together
from gameforge_uct_ccnn.opponents import SETTINGS
from gameforge_uct_ccnn.settings import UctCcnnSettings
from gameforge_uct_ccnn.stages import NETS, OPPONENT_DEPTH, WINNER, ways

Numbers = Mapping[str, Any]
_SIDES = {
    "winner": "The examples are those of the winner of each match, as in the paper.",
    "both": (
        "The examples are those of both sides of each match; the paper keeps only the winner's, which is a row here."
    ),
}
_MSE = "train_mse by neuron", "test_mse by neuron"


def ccnn_report(settings: UctCcnnSettings, results: Sequence[Result]) -> Report:
    """The whole report. Matches are summed over the seeds; everything else is shown for the first seed."""
    by_condition: dict[str, list[Numbers]] = {}
    for result in results:
        by_condition.setdefault(result.condition, []).append(result.numbers)
    first = {condition: numbers[0] for condition, numbers in by_condition.items()}
    matches = {
        condition: {name: together([numbers[name] for numbers in by_condition[condition]]) for name in first[condition]}
        for condition in ("shorter at heights", "longer at heights", "equal depth", "uct")
    }
    shown = _shown(settings, matches)
    nets = _nets(settings, first)
    tables = [_table(settings, name, matches[f"{name} at heights"]) for name in NETS]
    text = "\n".join(
        [
            _introduction(settings, first),
            "## What the paper says, and what we find\n",
            comparison(shown),
            "## Cp, examples and nets\n",
            comparison(nets),
            *(f"{heading}\n\n{comparison(rows)}" for heading, rows in tables),
            "## All matches\n",
            _all_matches(settings, matches),
        ]
    )
    rows = [*shown, *nets, *(row for _, rows in tables for row in rows)]
    heights = {name: matches[f"{name} at heights"] for name in NETS}
    curves = {name: first[f"{name} net"] for name in NETS}
    return Report(
        text=text,
        numbers={"rows": [attrs.asdict(row) for row in rows], "matches": matches},
        figures={
            "training": lambda figure: draw_training(figure, curves),
            "heights": lambda figure: draw_heights(figure, heights, SETTINGS[settings.game].heights),
        },
    )


def _introduction(settings: UctCcnnSettings, first: Mapping[str, Numbers]) -> str:
    setting = SETTINGS[settings.game]
    budgets = " and ".join(number(first[f"{name} examples"]["simulations"]) for name in NETS)
    return f"""\
Game: {settings.game}. The paper's program {setting.replaced} is not available; our own player takes its place,
alpha-beta of {OPPONENT_DEPTH} plies with the evaluator `{setting.opponent}`. The paper's budgets, 200 and 600 seconds a
move on a machine that we do not have, are {budgets} simulations here, in the same ratio of 1 : 3.
{_SIDES[settings.sides]}
NeuralMinimax is alpha-beta with the net, without quiescence; ties are broken at random. Random openings have
{setting.plies} plies, and each is played with both colours. Intervals of shares of wins are exact ([Clopper1934]);
those of scores come from the pairs of games.
"""


def _share(match: Numbers) -> str:
    found, (low, high) = tally(match), match["interval"]
    score = f"{100 * match['score']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{found.wins} won, {found.draws} drawn, {found.losses} lost: {score}"


def _above_half(match: Numbers) -> bool:
    low: float = match["interval"][0]
    return low > 0.5


def _shown(settings: UctCcnnSettings, matches: Mapping[str, Mapping[str, Numbers]]) -> list[Compared]:
    """The paper's claims, tested by matches from random openings with clear error bars."""
    equal, uct = matches["equal depth"], matches["uct"]
    claims = [
        ("longer budget's net against the shorter one's, both 3 plies", "more wins", equal["longer, shorter"]),
        ("longer budget's net against the opponent, both 3 plies", "wins at some heights", equal["longer, opponent"]),
    ]
    rows = [
        Compared(what=what, published=published, ours=_share(found), mark=Mark.ORDERING, holds=_above_half(found))
        for what, published, found in claims
    ]
    for i, way in enumerate(ways(settings)):
        found = uct[way]
        simulations = f"{found['simulations']:,} simulations a move each"
        what = f"UCT with the net ({way}) against UCT without, {simulations}"
        if i == 0:
            row = Compared(
                what=what,
                published="a higher win rate (abstract)",
                ours=_share(found),
                mark=Mark.ORDERING,
                holds=_above_half(found),
            )
        else:
            row = Compared(what=what, ours=_share(found), mark=Mark.UNAVAILABLE)
        rows.append(row)
    more = {
        "shorter budget's net against the opponent, both 3 plies": "shorter, opponent",
        "net of the winner's examples alone (longer budget) against the opponent, both 3 plies": f"{WINNER}, opponent",
        "longer budget's net against that net, both 3 plies": f"longer, {WINNER}",
    }
    rows += [Compared(what=what, ours=_share(equal[key]), mark=Mark.UNAVAILABLE) for what, key in more.items()]
    return rows


def _nets(settings: UctCcnnSettings, first: Mapping[str, Numbers]) -> list[Compared]:
    setting = SETTINGS[settings.game]
    rows = [Compared(what="Cp", published="lost", ours=f"{first['cp']['cp']:.3f}", mark=Mark.UNAVAILABLE)]
    for name, neurons in zip(NETS, setting.neurons, strict=True):
        made, net = first[f"{name} examples"], first[f"{name} net"]
        train, test = (net[key] for key in _MSE)
        best = min(range(len(test)), key=test.__getitem__)
        rises = sum(after > before for before, after in itertools.pairwise(train))
        rows += [
            Compared(
                what=f"{name} budget: examples after the filter",
                published="about 150,000",
                ours=f"{made['kept']:,} of {made['examples']:,}, {made['matches']:,} matches",
                mark=Mark.UNAVAILABLE,
            ),
            Compared(
                what=f"{name} budget: hidden units of the net with the lowest test error",
                published=f"{neurons}",
                ours=f"{best} of {len(test) - 1}",
                mark=Mark.UNAVAILABLE,
            ),
            Compared(
                what=f"{name} budget: training error falls with every unit",
                published="yes",
                ours=f"{train[0]:.4f} to {train[-1]:.4f}, rises {rises} {'time' if rises == 1 else 'times'}",
                mark=Mark.ORDERING,
                holds=rises == 0,
            ),
            Compared(
                what=f"{name} budget: test error has a minimum and rises after it",
                published="yes",
                ours=f"{test[0]:.4f}, {test[best]:.4f} with {best} units, {test[-1]:.4f} with {len(test) - 1}",
                mark=Mark.ORDERING,
                holds=best < len(test) - 1,
            ),
        ]
    shorter, longer = (min(first[f"{name} net"][_MSE[1]]) for name in NETS)
    falls = settings.game == "othello"
    rows.append(
        Compared(
            what="lowest test error, shorter and longer budget",
            published="falls" if falls else "rises",
            ours=f"{shorter:.4f} and {longer:.4f} (of values from -1 to 1, halved, squared: FANN's)",
            mark=Mark.ORDERING,
            holds=(longer < shorter) == falls,
        )
    )
    return rows


def _table(settings: UctCcnnSettings, name: str, found: Mapping[str, Numbers]) -> tuple[str, list[Compared]]:
    """One of the paper's tables: heading and rows."""
    setting = SETTINGS[settings.game]
    i = list(NETS).index(name)
    rows = []
    for begins in (False, True):
        key = "begins" if begins else "follows"
        for place, height in enumerate(setting.heights):
            start, opened = found[f"start {height}"], found[f"random {height}"]
            published = setting.published[i][begins][place]
            wins, n = start[key][0], sum(start[key])
            rows.append(
                Compared(
                    what=f"{'begins' if begins else 'does not begin'}, height {height}",
                    published=f"{published} of 100 ({_interval(published or 0, 100)} %)",
                    ours=f"{_result(start[key])}; random openings {_result(opened[key])}",
                    mark=Mark.ORDERING,
                    holds=(wins * 2 > n) == ((published or 0) > 50),
                )
            )
    heading = (
        f"## Table {setting.tables[i]}: {name} budget's net against the opponent of {OPPONENT_DEPTH} plies\n\n"
        "Wins, with draws and losses in brackets. The order holds if more than half of the games from the start are "
        f"won, or not, as in the paper. From the start {start['distinct']} of {start['games']} games are different at "
        f"height {setting.heights[-1]}: both players are deterministic except for ties."
    )
    return heading, rows


def _result(counts: Sequence[int]) -> str:
    wins, draws, losses = counts
    return f"{wins} of {sum(counts)} ({draws} d, {losses} l; {_interval(wins, sum(counts))} %)"


def _interval(hits: int, trials: int) -> str:
    low, high = binomial_interval(hits, trials)
    return f"{100 * low:.0f} to {100 * high:.0f}"


def _all_matches(settings: UctCcnnSettings, matches: Mapping[str, Mapping[str, Numbers]]) -> str:
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

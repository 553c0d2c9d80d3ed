"""The report of the experiment `ls-draughts`: the paper's figures and ours, the matches, and a figure of the loops."""

import functools
import itertools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gameforge.experiments import (
    FEWEST_SEEDS,
    Compared,
    Mark,
    Report,
    Result,
    Tally,
    Verdict,
    comparison,
    elo_interval_over_seeds,
    elo_text_over_seeds,
    interval,
    judged,
    mean_interval,
    number,
    table,
    verdict,
)
from gameforge_ls_draughts.experiments.counts import FEW, tallies
from gameforge_ls_draughts.experiments.published import (
    AT_MOST,
    CONTROLLED,
    EXTENDED,
    GENERATIONS,
    LOOP_GAMES,
    LOOPS,
    LOOPS_2007,
    MATCHES,
    NEURODRAUGHTS,
    ORIGINAL,
    PAIRINGS,
    PLAYERS,
    Sizes,
)
from gameforge_ls_draughts.experiments.settings import MATCHES as PLAYED_MATCHES
from gameforge_ls_draughts.experiments.settings import YEAR_2007, LSDraughtsSettings, loops_of
from gameforge_ls_draughts.experiments.variations import beyond_numbers, beyond_text

Numbers = Sequence[Mapping[str, Any]]
"""Figures of one condition, seed by seed."""
_DESCRIPTIVE = (
    f"With fewer than {FEWEST_SEEDS} seeds all of this describes these players, not the methods that made them: nets "
    "that differ by nothing but their seed differ in strength and in loops as well.\n"
)
_UNITS = {False: "the openings, not of other trainings", True: "the means of the seeds"}
"""What the error bars of matches come from, by whether there are enough seeds for a verdict."""


def ls_report(settings: LSDraughtsSettings, results: Sequence[Result], sizes: Sizes, scale: float) -> Report:
    """The whole report, for any number of seeds."""
    found = {name: [one.numbers for one in results if one.condition == name] for name in settings.names}
    plain = {name: found[loops_of(name)] for name in PLAYERS}
    loops = {name: loops_in(trials) for name, trials in plain.items()}
    by_seed = {
        pair: tallies([one[" - ".join(pair)]["ballots"] for one in found[PLAYED_MATCHES]])
        for pair in (*PAIRINGS, CONTROLLED)
    }
    matches = {
        to: [one[f"{EXTENDED} - {to}"]["ballots"] for one in found[PLAYED_MATCHES]] for to in (NEURODRAUGHTS, ORIGINAL)
    }
    rows = [
        *_loop_rows(plain),
        *method_rows(by_seed),
        *match_rows(found[PLAYED_MATCHES]),
        *ballot_rows(by_seed),
        *rows_2007(found[YEAR_2007]),
    ]
    rows += _chosen_rows(found)
    varied = {one.name: found[one.name] for one in settings.variations}
    parts = [
        _verdict(loops, by_seed),
        "" if len(found[PLAYED_MATCHES]) >= FEWEST_SEEDS else _DESCRIPTIVE,
        "`ls-draughts:beyond=true` measures what else may reduce the loops.\n" if not (varied or _shown(loops)) else "",
        "Sizes at this scale. Tournament games of an individual (10), matches and loop trainings are unaffected.\n",
        sizes.text(settings.repeats),
        f"The extended player has {_database(settings)} (the paper: 6 pieces, 4 against 3, 4 against 4). "
        f"Depth of every search in plies: {settings.depth}.\n",
        comparison(rows, scale),
        "## Loops\n",
        f"Loop draws in {LOOP_GAMES:,} training games by the number of pieces on the board at the end, means of the "
        "trainings. Won endings are those that the extended player's database (its first, if it has several) calls "
        "won for a side:\n",
        _pieces(plain),
        "## Matches\n",
        f"From the {sum(by_seed[CONTROLLED][0].pairs)} ballots, each with both colours, won, drawn and lost by the "
        f"first; the error bar is that of {_UNITS[len(found[PLAYED_MATCHES]) >= FEWEST_SEEDS]}:\n",
        ballots_table(by_seed),
        beyond_text(settings.variations, varied, plain, matches) if varied else "",
        _seeds(results, settings.repeats),
    ]
    return Report(
        text="\n".join(part for part in parts if part),
        numbers={
            "sizes": attrs.asdict(sizes),
            "loops": loops,
            "order": _ordered(loops),
            "ballots": {
                " - ".join(pair): Tally.total(each).numbers
                | {"elo": Tally.total(each).elo, "interval": elo_interval_over_seeds(each)}
                for pair, each in by_seed.items()
            },
            "beyond": beyond_numbers(varied),
        },
        figures={
            "loops": functools.partial(
                draw_loops,
                loops=loops,
                seeds={name: [statistics.fmean(loops_in([one])) for one in trials] for name, trials in plain.items()},
                varied=beyond_numbers(varied),
            )
        },
    )


def loops_in(trials: Numbers) -> list[int]:
    """Loop draws of each training, seed by seed."""
    return [training["loops"] for trial in trials for training in trial["trainings"]]


def spread(values: Sequence[float], digits: int = 0) -> str:
    """The mean, and the range of the values."""
    mean = number(statistics.fmean(values), digits)
    return mean if len(values) == 1 else f"{mean} ({interval(min(values), max(values), digits)})"


def _ordered(loops: Mapping[str, Sequence[float]]) -> bool:
    means = [statistics.fmean(loops[name]) for name in PLAYERS]
    return means[0] > means[1] > means[2]


def _shown(loops: Mapping[str, Sequence[float]]) -> bool:
    """Whether our loops confirm the paper's result."""
    return _ordered(loops) and _ratio(loops, EXTENDED, NEURODRAUGHTS) <= AT_MOST


def _ratio(loops: Mapping[str, Sequence[float]], name: str, to: str) -> float:
    return statistics.fmean(loops[name]) / max(statistics.fmean(loops[to]), 1e-9)


def _verdict(loops: Mapping[str, Sequence[float]], by_seed: Mapping[tuple[str, str], Sequence[Tally]]) -> str:
    """The paper's two questions, answered by our figures."""
    share = _ratio(loops, EXTENDED, NEURODRAUGHTS)
    means = ", ".join(f"{name} {number(statistics.fmean(loops[name]))}" for name in PLAYERS)
    order = "stand in the published order" if _ordered(loops) else "do not stand in the published order"
    shares = ", ".join(f"{name} {_ratio(loops, name, NEURODRAUGHTS):.0%}" for name in (ORIGINAL, EXTENDED))
    met = {pair[1]: each for pair, each in by_seed.items() if pair[0] == EXTENDED}
    ends = {to: elo_interval_over_seeds(each) for to, each in met.items()}
    judged = {
        "stronger, error bar clear of zero, than": [to for to, (low, _) in ends.items() if low > 0],
        "weaker, error bar clear of zero, than": [to for to, (_, high) in ends.items() if high < 0],
        "neither stronger nor weaker beyond the error bar than": [
            to for to, (low, high) in ends.items() if low <= 0 <= high
        ],
    }
    strength = "; ".join(
        f"{how} {' and '.join(f'{to} ({elo_text_over_seeds(met[to])} Elo)' for to in those)}"
        for how, those in judged.items()
        if those
    )
    return (
        f"**The mean loops in {LOOP_GAMES:,} training games {order}**: {means}; by those of {NEURODRAUGHTS}: {shares}, "
        f"the extended player's {'at most' if share <= AT_MOST else 'more than'} a quarter. **The extended player is** "
        f"{strength}. (Only the original meets a control with as many nets.)\n"
    )


def _database(settings: LSDraughtsSettings) -> str:
    if settings.databases:
        return f"the databases {', '.join(f'`{path}`' for path in settings.databases)}"
    return f"all endings of {settings.pieces} pieces"


def _loop_rows(trials: Mapping[str, Numbers]) -> list[Compared]:
    """The counts, which are not judged alone, and their order, which is judged over seeds."""
    loops = {name: loops_in(trials[name]) for name in PLAYERS}
    means = {name: [statistics.fmean(loops_in([one])) for one in trials[name]] for name in PLAYERS}
    rows = [
        Compared(
            what=f"loop draws of {LOOP_GAMES:,}, {name}",
            published=number(LOOPS[name]),
            ours=spread(loops[name]),
            mark=Mark.NOT_INFORMATIVE,
        )
        for name in PLAYERS
    ]
    for name, to in ((ORIGINAL, NEURODRAUGHTS), (EXTENDED, NEURODRAUGHTS), (EXTENDED, ORIGINAL)):
        limit = AT_MOST if (name, to) == (EXTENDED, NEURODRAUGHTS) else 1.0
        fewer = [limit * b - a for a, b in zip(means[name], means[to], strict=True)]
        rows.append(
            judged(
                f"loop draws of {name} by those of {to}" + (f", at most {limit:.0%}" if limit < 1 else ""),
                f"{LOOPS[name] / LOOPS[to]:.2%}",
                f"{_ratio(loops, name, to):.2%}",
                verdict(fewer),
            )
        )
    return rows


def _chosen_rows(found: Mapping[str, Numbers]) -> list[Compared]:
    """Results of the genetic algorithms, and figures that the paper does not give."""
    rows = []
    for name in (ORIGINAL, EXTENDED):
        chosen = "; ".join(", ".join(one["features"]) for one in found[name])
        rows.append(Compared(what=f"features of the best, {name}", ours=chosen, mark=Mark.UNAVAILABLE))
    trainings = [training for trial in found[f"loops {EXTENDED}"] for training in trial["trainings"]]
    looked_up = {"loop training": trainings, "genetic algorithm": found[EXTENDED]}
    for what, those in looked_up.items():
        hits, probes = (statistics.fmean(one.get(key, 0) for one in those) for key in ("hits", "probes"))
        ours = f"{number(hits)} of {number(probes)} positions"
        rows.append(Compared(what=f"database hits in a {what}, extended", ours=ours, mark=Mark.UNAVAILABLE))
    for name in PLAYERS:
        distinct = [training["distinct"] for trial in found[f"loops {name}"] for training in trial["trainings"]]
        what = f"distinct games of {LOOP_GAMES:,}, {name}"
        rows.append(Compared(what=what, ours=spread(distinct), mark=Mark.UNAVAILABLE))
    return rows


def _pieces(found: Mapping[str, Numbers]) -> str:
    headings = [
        "",
        *(f"{few + 1} to {most}" for few, most in itertools.pairwise((1, *FEW))),
        "more",
        "all loops",
        "won endings",
        "all draws",
        "plies a game",
        "clones",
    ]
    rows = []
    for name, trials in found.items():
        trainings = [training for trial in trials for training in trial["trainings"]]
        pieces = [statistics.fmean(one["by_pieces"][key] for one in trainings) for key in (*map(str, FEW), "more")]
        others = [statistics.fmean(one[key] for one in trainings) for key in ("loops", "spoilt", "draws")]
        plies, clones = (statistics.fmean(one[key] for one in trainings) for key in ("plies", "clones"))
        rows.append((name, *map(number, pieces + others), number(plies, 1), number(clones, 1)))
    return table(headings, rows)


def _seeds(results: Sequence[Result], repeats: int) -> str:
    seeds = sorted({one.seed for one in results})
    return (
        f"Seeds: {', '.join(map(str, seeds))}; loop trainings have, for a seed S, the seeds S, S + 1,000,000, ... "
        f"({repeats} of them).\n"
    )


Ballots = Mapping[tuple[str, str], Sequence[Tally]]
"""Matches from the ballots by players, seed by seed."""


def method_rows(by_seed: Ballots) -> list[Compared]:
    """The paper's two questions over seeds, and the first again with the control.

    They are judged by scores, which are finite where all games of a seed were won. The first holds only if the chosen
    features also beat the best of as many nets with the fixed ones.
    """
    asked = {
        PAIRINGS[0]: ("the choice of features makes a stronger player", "yes"),
        CONTROLLED: ("the same against the best of as many nets with the 12 fixed features", ""),
        PAIRINGS[2]: ("the database makes a stronger player", "yes"),
    }
    over = {pair: [one.score - 0.5 for one in by_seed[pair]] for pair in asked}
    controlled = verdict(over[CONTROLLED])
    rows = []
    for pair, (what, published) in asked.items():
        named = f"{what}: Elo {pair[0]} - {pair[1]}"
        if published:
            found = verdict(over[pair])
            if pair == PAIRINGS[0] and found is Verdict.HOLDS and controlled is not Verdict.HOLDS:
                found = Verdict.NOT_SHOWN  # as many nets with fixed features have an equal one among them
            rows.append(judged(named, published, _elos(by_seed[pair]), found))
        else:
            rows.append(Compared(what=named, ours=_elos(by_seed[pair]), mark=Mark.UNAVAILABLE))
    return rows


def _elos(each: Sequence[Tally]) -> str:
    """Elo difference of the mean score, with its interval over seeds if there are enough of them."""
    seeds = "1 seed" if len(each) == 1 else f"{len(each)} seeds"
    return f"{elo_text_over_seeds(each) if len(each) >= FEWEST_SEEDS else f'{Tally.total(each).elo:+.0f}'}, {seeds}"


def _won(won: float, drawn: float, lost: float, loops: float | None = None) -> str:
    text = f"{number(won)} - {number(drawn)} - {number(lost)}"
    return text if loops is None else f"{text}, {number(loops)} loops"


def match_rows(matches: Numbers) -> list[Compared]:
    """14 games between two deterministic players: each pair of nets can only give this one result."""
    rows = []
    for pair in PAIRINGS:
        played = [one[" - ".join(pair)]["first_moves"] for one in matches]
        ours = "; ".join(_won(one["wins"], one["draws"], one["losses"], one["loops"]) for one in played)
        rows.append(
            Compared(
                what=f"14 games {pair[0]} - {pair[1]}: won - drawn - lost",
                published=_won(*MATCHES[pair]),
                ours=ours,
                mark=Mark.NOT_INFORMATIVE,
            )
        )
    return rows


def ballot_rows(by_seed: Ballots) -> list[Compared]:
    return [
        Compared(
            what=f"Elo from the ballots {pair[0]} - {pair[1]}", ours=elo_text_over_seeds(each), mark=Mark.UNAVAILABLE
        )
        for pair, each in by_seed.items()
    ]


def rows_2007(trials: Numbers) -> list[Compared]:
    rows = []
    for published, result in GENERATIONS.items():
        found = [one[str(published)] for one in trials]
        rows += [
            Compared(
                what=f"2007, 7 games: best of generation {published} (here {found[0]['generation']}) - NeuroDraughts",
                published=_won(*result, LOOPS_2007[published]),
                ours="; ".join(_won(*one["as_black"]) for one in found),
                mark=Mark.NOT_INFORMATIVE,
            ),
            Compared(
                what=f"the same, both colours from the ballots, Elo of generation {found[0]['generation']}",
                ours=elo_text_over_seeds(tallies([one["ballots"] for one in found])),
                mark=Mark.UNAVAILABLE,
            ),
        ]
    return rows


def ballots_table(by_seed: Ballots) -> str:
    """Games of all seeds; the interval is over seeds if there are enough of them."""
    total = {pair: Tally.total(each) for pair, each in by_seed.items()}
    rows = [
        (" - ".join(pair), one.wins, one.draws, one.losses, one.loops, one.distinct, elo_text_over_seeds(by_seed[pair]))
        for pair, one in total.items()
    ]
    return table(("", "won", "drawn", "lost", "of these loops", "distinct", "Elo (95 %)"), rows)


def draw_loops(
    figure: Any,
    loops: Mapping[str, Sequence[float]],
    seeds: Mapping[str, Sequence[float]],
    varied: Mapping[str, Mapping[str, Any]],
) -> None:
    """Draw a bar for the mean of the trainings, a dot for each, and a red line for the published count.

    seeds: mean of the trainings of each seed; their 95 % interval is drawn if there are enough for a verdict.
    """
    shown = {**{name: loops[name] for name in PLAYERS}, **{name: one["loops"] for name, one in varied.items()}}
    enough = len(seeds[PLAYERS[0]]) >= FEWEST_SEEDS
    axes = figure.subplots()
    for i, (name, values) in enumerate(shown.items()):
        axes.barh([i], [statistics.fmean(values)], color="tab:blue" if name in PLAYERS else "tab:gray", alpha=0.5)
        if enough and name in PLAYERS:
            axes.plot(mean_interval(seeds[name]), [i] * 2, color="tab:blue", linewidth=3)
        axes.plot(values, [i] * len(values), "o", color="black", markersize=4)
        if name in PLAYERS:
            axes.plot([LOOPS[name]] * 2, [i - 0.4, i + 0.4], color="tab:red", linewidth=2)
    axes.set_yticks(range(len(shown)), list(shown))
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    interval = ", its 95 % interval over seeds" if enough else ""
    axes.set_xlabel(
        f"loop draws in {LOOP_GAMES:,} training games: mean{interval},\ntrainings, and the published count (red)"
    )

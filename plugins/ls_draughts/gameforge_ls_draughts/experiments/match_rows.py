"""Rows and tables of the report of `ls-draughts` that come from matches."""

from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.report import FEWEST_SEEDS, Compared, Mark, Verdict, judged, number, table, verdict
from gameforge.experiments.tally import Tally, elo_text_over_seeds
from gameforge_ls_draughts.experiments.match_tally import tallies
from gameforge_ls_draughts.experiments.published import CONTROLLED, GENERATIONS, LOOPS_2007, MATCHES, PAIRINGS

Numbers = Sequence[Mapping[str, Any]]
"""Figures of one condition, seed by seed."""
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

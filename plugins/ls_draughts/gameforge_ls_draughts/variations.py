"""Beyond the paper: the extended player's features, trained and played with another search or more knowledge.

Each variation changes the pipeline of the extended player. One of them may explain the published figure: games that end
as soon as the database knows the result are one reading of "anticipates the result of the game". The report has a
section about them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.experiments import Numbers, Sample, Tally, number
from gameforge_ls_draughts.counts import FEW, matches
from gameforge_ls_draughts.published import EXTENDED, LOOP_GAMES, LOOPS, NEURODRAUGHTS, ORIGINAL

BLIND, SEEING = "alphabeta without draws", "alphabeta"
_SEARCHERS: Mapping[str, Mapping[str, object]] = {
    "minimax": {"use": "minimax"},
    SEEING: {"use": "alphabeta", "quiescence": False, "selective": False, "convert": False},
    BLIND: {"use": "alphabeta", "quiescence": False, "draws": False, "selective": False},
}
"""Searchers that evaluate the same boards as minimax. alphabeta prefers near wins and, unless `draws` is off, scores a
position that recurs in its line as a draw."""


@attrs.frozen(kw_only=True)
class Variation:
    """A pipeline whose loops are counted."""

    name: str
    says: str
    features: str = EXTENDED
    """Whose features are trained."""
    searcher: str = "minimax"
    """One of _SEARCHERS."""
    oracle: Mapping[str, object] | None = None
    """Replaces the experiment's database; empty: none."""
    adjudicate: bool = False
    cost: float = 1.0
    """Approximate cost relative to a training of the paper."""

    def player(self, depth: int, ties: str, known: Sequence[Mapping[str, object]]) -> dict[str, object]:
        """Searcher and oracles, as settings of a pipeline. known: the experiment's databases."""
        oracles = known if self.oracle is None else [self.oracle] if self.oracle else []
        return {
            "searcher": {**_SEARCHERS[self.searcher], "depth": depth, "ties": ties},
            "oracle": [dict(one) for one in oracles] or "none",
        }


MOST = 6
"""Pieces of the largest database that the experiment builds."""


def database(pieces: int) -> dict[str, object]:
    """Settings of the database of all endings with up to this many pieces: wins, losses and draws."""
    return {"use": "chinook", "pieces": pieces}


def variations(known: int, distances: Sequence[str]) -> Iterator[Variation]:
    """The variations by name, which is also the name of a condition of the experiment.

    known: pieces of the experiment's own database. distances: databases with distances, one condition each.
    """
    for features, whose in ((NEURODRAUGHTS, f"{NEURODRAUGHTS}, "), (EXTENDED, "")):
        yield Variation(
            name=f"{whose}{SEEING}, no database",
            says="alphabeta to the same depth, without the database",
            features=features,
            searcher=SEEING,
            oracle={},
            cost=2.0,
        )
    yield Variation(name=SEEING, says="the same with the database", searcher=SEEING, cost=2.0)
    yield Variation(name=BLIND, says="the same, without recognising repetitions in its line", searcher=BLIND, cost=2.0)
    yield Variation(name="no database", says="minimax with the same features, without the database", oracle={})
    for pieces in sorted({4, 5, MOST} - {known}):
        yield Variation(name=pieces_of(pieces), says=f"a database of {pieces} pieces", oracle=database(pieces))
    for pieces in sorted({known, MOST}):
        yield Variation(
            name=f"adjudicated, {pieces_of(pieces)}",
            says=f"a training game ends where a database of {pieces} pieces knows its result",
            oracle=database(pieces),
            adjudicate=True,
            cost=0.8,
        )
    for path in distances:
        yield Variation(
            name=f"distances {Path(path).stem}",
            says=f"wins and losses by the distances of {Path(path).stem}",
            oracle={"use": "chinook", "path": path},
        )


def pieces_of(number: int) -> str:
    """Name of the condition with a database of this many pieces."""
    return f"{number} pieces"


Trials = Sequence[Numbers]
"""Figures of one condition, seed by seed."""
OPPONENTS = (NEURODRAUGHTS, ORIGINAL)


def beyond_numbers(varied: Mapping[str, Trials]) -> dict[str, Numbers]:
    """By condition: figures of each training, and the matches against each opponent, seed by seed."""
    found: dict[str, Numbers] = {}
    for name, trials in varied.items():
        trainings = [training for trial in trials for training in trial["trainings"]]
        found[name] = {
            **{key: [one.get(key, 0) for one in trainings] for key in ("loops", "spoilt", "draws", "hits")},
            "more": [one["by_pieces"]["more"] for one in trainings],
            "ballots": {to: [trial["ballots"][to] for trial in trials if "ballots" in trial] for to in OPPONENTS},
        }
    return found


def beyond_parts(
    variations: Sequence[Variation], varied: Mapping[str, Trials], plain: Mapping[str, Trials], met: Trials
) -> list[str | list[Mapping[str, object]]]:
    """The section about the variations, with a row for each.

    plain: loop trainings of the published players; met: their matches.
    """
    published = {NEURODRAUGHTS: "as published", EXTENDED: "as published"}
    found = beyond_numbers({**{name: plain[name] for name in published}, **varied})
    ballots = {name: numbers["ballots"] for name, numbers in found.items()}
    ballots[EXTENDED] = {to: [one[f"{EXTENDED} - {to}"]["ballots"] for one in met] for to in OPPONENTS}
    says = published | {one.name: one.says for one in variations}
    base = Sample(found[NEURODRAUGHTS]["loops"]).mean
    rows: list[Mapping[str, object]] = []
    for name, numbers in found.items():
        loops, spoilt, more = (Sample(numbers[key]) for key in ("loops", "spoilt", "more"))
        games = {to: matches(ballots[name][to]) for to in OPPONENTS if ballots[name][to]}
        total = Tally.total(one.total for one in games.values()) if games else None
        rows.append(
            {
                "": name,
                "loops": loops.mean_text,
                f"by those of {NEURODRAUGHTS}": f"{loops.mean / max(base, 1e-9):.0%}",
                "in won endings": spoilt.mean_text,
                f"more than {FEW[-1]} pieces": more.mean_text,
                "loops in matches": f"{total.loops} of {total.games}" if total else "",
                "distinct games in matches": total.distinct if total else "",
                **{f"Elo against {to} (95 %)": games[to].elo_text if games else "" for to in OPPONENTS},
                "what is changed": says[name],
            }
        )
    return [
        "## Beyond the paper\n",
        f"Loop draws in {LOOP_GAMES:,} training games with the extended player's features (where {NEURODRAUGHTS} "
        "is named: with its features). Won endings are those that the extended player's database knows. Matches "
        "from the ballots: the extended player's net, as it was trained, with the changed search, against the "
        "others as they are:\n",
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
        f"either; it reports {LOOPS[EXTENDED]}.\n"
    )

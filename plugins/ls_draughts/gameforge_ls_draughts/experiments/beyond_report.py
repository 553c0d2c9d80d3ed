"""Report of the stages beyond the paper: loops with another search or more knowledge."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.experiments.report import number, table
from gameforge.experiments.tally import Tally, elo_text_over_seeds
from gameforge_ls_draughts.experiments.loops import FEW
from gameforge_ls_draughts.experiments.match_tally import tallies
from gameforge_ls_draughts.experiments.published import EXTENDED, LOOP_GAMES, LOOPS, NEURODRAUGHTS, ORIGINAL
from gameforge_ls_draughts.experiments.variations import MOST, Variation, pieces_of

Numbers = Sequence[Mapping[str, Any]]
OPPONENTS = (NEURODRAUGHTS, ORIGINAL)


def beyond_numbers(varied: Mapping[str, Numbers]) -> dict[str, dict[str, Any]]:
    """By condition: figures of each training, and the matches against each opponent, seed by seed."""
    found: dict[str, dict[str, Any]] = {}
    for name, trials in varied.items():
        trainings = [training for trial in trials for training in trial["trainings"]]
        found[name] = {key: [one.get(key, 0) for one in trainings] for key in ("loops", "spoilt", "draws", "hits")}
        found[name]["more"] = [one["by_pieces"]["more"] for one in trainings]
        found[name]["ballots"] = {
            opponent: [trial["ballots"][opponent] for trial in trials if "ballots" in trial] for opponent in OPPONENTS
        }
    return found


def beyond_text(
    variations: Sequence[Variation],
    varied: Mapping[str, Numbers],
    plain: Mapping[str, Numbers],
    matches: Mapping[str, Numbers],
) -> str:
    """A row per variation. plain: loop trainings of the published players; matches: of the extended one."""
    trials = {NEURODRAUGHTS: plain[NEURODRAUGHTS], EXTENDED: plain[EXTENDED], **varied}
    found = beyond_numbers(trials)
    found[EXTENDED]["ballots"] = matches
    says = {NEURODRAUGHTS: "as published", EXTENDED: "as published"} | {one.name: one.says for one in variations}
    base = statistics.fmean(found[NEURODRAUGHTS]["loops"])
    rows = []
    for name, numbers in found.items():
        loops, spoilt, more = (statistics.fmean(numbers[key]) for key in ("loops", "spoilt", "more"))
        met = [tallies(numbers["ballots"][opponent]) for opponent in OPPONENTS if numbers["ballots"].get(opponent)]
        games = [Tally.total(each) for each in met]
        total = Tally.total(games)
        played = (
            [f"{total.loops} of {total.games}", total.distinct, *map(elo_text_over_seeds, met)] if met else [""] * 4
        )
        counts = (number(loops), f"{loops / max(base, 1e-9):.0%}", number(spoilt), number(more))
        rows.append((name, *counts, *played, says[name]))
    headings = (
        "",
        "loops",
        f"by those of {NEURODRAUGHTS}",
        "in won endings",
        f"more than {FEW[-1]} pieces",
        "loops in matches",
        "distinct games in matches",
        *(f"Elo against {opponent} (95 %)" for opponent in OPPONENTS),
        "what is changed",
    )
    return "\n".join(
        (
            "## Beyond the paper\n",
            f"Loop draws in {LOOP_GAMES:,} training games with the extended player's features (where {NEURODRAUGHTS} "
            "is named: with its features). Won endings are those that the extended player's database knows. Matches "
            "from the ballots: the extended player's net, as it was trained, with the changed search, against the "
            "others as they are:\n",
            table(headings, rows),
            _explanation(found),
        )
    )


def _explanation(found: Mapping[str, Mapping[str, Any]]) -> str:
    """The reading of the paper whose result is closest to the published figure."""
    ended = found[f"adjudicated, {pieces_of(MOST)}"]
    left, more = statistics.fmean(ended["loops"]), statistics.fmean(ended["more"])
    return (
        f"If a training game ends where a database of {MOST} pieces knows its result, {number(left)} loops are left, "
        f"and {number(more)} of them with more than 8 pieces, where the paper's database of 8 would not have known "
        f"either; it reports {LOOPS[EXTENDED]}.\n"
    )

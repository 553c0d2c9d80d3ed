"""What remains of the loops with another search or more knowledge."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from gameforge.markdown import number, table
from gameforge_ls_draughts.experiments.loops import FEW
from gameforge_ls_draughts.experiments.published import EXTENDED, LOOP_GAMES, LOOPS, NEURODRAUGHTS
from gameforge_ls_draughts.experiments.variations import MOST, Variation, pieces_of

Numbers = Sequence[Mapping[str, Any]]


def beyond_numbers(varied: Mapping[str, Numbers]) -> dict[str, dict[str, Any]]:
    """By condition: loops of each training, those with more than 8 pieces, and the match."""
    found: dict[str, dict[str, Any]] = {}
    for name, trials in varied.items():
        trainings = [training for trial in trials for training in trial["trainings"]]
        found[name] = {
            "loops": [one["loops"] for one in trainings],
            "more": [one["by_pieces"]["more"] for one in trainings],
            "draws": [one["draws"] for one in trainings],
            "hits": [one.get("hits", 0) for one in trainings],
            "ballots": [trial["ballots"] for trial in trials if "ballots" in trial],
        }
    return found


def beyond_text(
    variations: Sequence[Variation], varied: Mapping[str, Numbers], loops: Mapping[str, Sequence[float]]
) -> str:
    """A row a variation."""
    base = statistics.fmean(loops[NEURODRAUGHTS])
    rows = [
        ("NeuroDraughts", *_cells(loops[NEURODRAUGHTS], base), "", "", "", "", "as published"),
        ("extended", *_cells(loops[EXTENDED], base), "", "", "", "", "as published"),
    ]
    found = beyond_numbers(varied)
    for one in variations:
        numbers = found[one.name]
        games = sum(match["games"] for match in numbers["ballots"])
        played = f"{sum(match['loops'] for match in numbers['ballots'])} of {games}" if games else ""
        elo = "; ".join(_elo(match) for match in numbers["ballots"])
        rest = (number(statistics.fmean(numbers["more"])), number(statistics.fmean(numbers["hits"])), played, elo)
        rows.append((one.name, *_cells(numbers["loops"], base), *rest, one.says))
    headings = (
        "",
        "loops",
        "of NeuroDraughts'",
        f"with more than {FEW[-1]} pieces",
        "database hits",
        "loops in a match",
        "Elo (95 %)",
        "what is changed",
    )
    parts = [
        "## Beyond the paper\n",
        f"Loop draws in {LOOP_GAMES:,} training games with the extended player's features (where NeuroDraughts is "
        "named: with its features), and a match over the ballots of the extended player, as it was trained, with the "
        "changed search against NeuroDraughts:\n",
        table(headings, rows),
        _explanation(found),
    ]
    return "\n".join(part for part in parts if part)


def _cells(values: Sequence[float], base: float) -> tuple[str, str]:
    mean = statistics.fmean(values)
    return number(mean), f"{mean / max(base, 1e-9):.0%}"


def _elo(match: Mapping[str, Any]) -> str:
    low, high = (float("nan") if end is None else end for end in match["elo_interval"])
    return f"{float('nan') if match['elo'] is None else match['elo']:+.0f} ({low:+.0f} to {high:+.0f})"


def _explanation(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Which reading of the paper comes to its figure."""
    ended = found[f"adjudicated, {pieces_of(MOST)}"]
    left, more = statistics.fmean(ended["loops"]), statistics.fmean(ended["more"])
    return (
        f"If a training game ends where a database of {MOST} pieces knows its result, {number(left)} loops are left, "
        f"and {number(more)} of them with more than 8 pieces, where the paper's database of 8 would not have known "
        f"either; it reports {LOOPS[EXTENDED]}.\n"
    )

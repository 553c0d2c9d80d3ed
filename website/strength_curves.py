"""Curves of the strong players' trainings, from the tables of docs/results/strength-notes.md.

`python website/strength_curves.py` draws docs/results/strength-curves.svg again.
"""

import hashlib
import itertools
import math
import re

import attrs
import matplotlib
from elsewhere import DOCS, ROOT
from matplotlib.figure import Figure

PAGE = ROOT / DOCS / "results" / "strength-notes.md"
PICTURE = PAGE.with_name("strength-curves.svg")
_TABLE = re.compile(r"^\| (\w+), generation \| games .*\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)
_ELO = re.compile(r"([+-]\d+|0) \+- (\d+) \(")
_SHARE = re.compile(r"([\d.]+) % \(")


@attrs.frozen
class Generation:
    """A generation of a training."""

    games: int
    """Games of self-play until its end."""
    gained: float
    """Elo over the last accepted player, in the gate's match; 0 if it was rejected."""
    deviation: float
    """Standard deviation of this; 0 where the table has only a score."""


def trainings() -> dict[str, list[Generation]]:
    """Return the generations of each training of the section Training, by game; those that were tried instead are left
    out."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Training\n")[1].split("\n## ")[0]
    found = {}
    for game, rows in _TABLE.findall(section):
        cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows.splitlines()]
        found[game] = [_generation(row) for row in cells if row[0][0].isdigit()]
    return found


def _generation(row: list[str]) -> Generation:
    games, gate = int(row[1].replace(",", "")), row[4]
    if "rejected" in gate:
        return Generation(games, 0.0, 0.0)
    if elo := _ELO.match(gate):
        return Generation(games, float(elo[1]), float(elo[2]))
    share = _SHARE.match(gate)
    assert share is not None, gate
    score = float(share[1]) / 100
    return Generation(games, 400 * math.log10(score / (1 - score)), 0.0)


def digest() -> str:
    """Tells the figures of the tables from others."""
    return hashlib.sha256(repr(trainings()).encode()).hexdigest()


def draw() -> None:
    matplotlib.rcParams["svg.hashsalt"] = "strength"
    figure = Figure(figsize=(10, 3.2), layout="constrained")
    for axes, (game, generations) in zip(figure.subplots(1, 3), trainings().items(), strict=True):
        games = [one.games / 1000 for one in generations]
        elo = list(itertools.accumulate(one.gained for one in generations))
        errors = [math.sqrt(sum(one.deviation**2 for one in generations[: i + 1])) for i in range(len(elo))]
        axes.errorbar(games, elo, errors, marker="o", capsize=3)
        axes.set(title=game, xlabel="thousand games", ylim=(0, None), xlim=(0, None))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("Elo over the teacher")
    figure.savefig(PICTURE, metadata={"Date": None, "Creator": None, "Description": digest()})


if __name__ == "__main__":
    draw()

"""Compute figures of docs/results again: `python website/recompute.py`.

`python website/recompute.py pack FOLDER FILE.jsonl.xz` publishes the trials of an experiment's folder.

A table of docs/results that stands below the line `<!-- recomputed from NAME.jsonl.xz -->` must consist of rows of the
report that the trials in docs/results/trials/NAME.jsonl.xz make; rows and last columns may be left out, and figures may
be bold. The p-values of docs/results/index.md must be those of its intervals.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
from elsewhere import ROOT

from gameforge.config import Spec
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.experiments.archive import ENDING, read_archive, write_archive
from gameforge.experiments.report import Report
from gameforge.experiments.reproduction import EXPERIMENT_FORMAT, by_condition, create_experiment
from gameforge.experiments.statistics import LEVEL, holm, probability

PAGES = ROOT / "docs" / "results"
TRIALS = PAGES / "trials"
_TABLE = re.compile(r"^<!-- recomputed from (\S+) -->\n((?:\|.*\n)+)", re.MULTILINE)
_RULE = re.compile(r"[|\s:-]+")


@attrs.frozen
class Table:
    """A table of a page that comes from published trials."""

    page: Path
    archive: str
    """Name of the archive."""
    rows: tuple[str, ...]
    """The heading and the rows, without emphasis."""


def archives() -> list[Path]:
    """Return the published archives."""
    return sorted(TRIALS.glob(f"*{ENDING}"))


def tables() -> list[Table]:
    """Return the tables of all pages that name an archive."""
    found = ((page, _TABLE.finditer(page.read_text(encoding="utf-8"))) for page in sorted(PAGES.glob("*.md")))
    return [Table(page, match[1], tuple(rows_of(match[2]))) for page, matches in found for match in matches]


def rows_of(text: str) -> Iterator[str]:
    """Yield the rows of the tables of a text, headings included, without emphasis and without the rules below them."""
    for line in text.splitlines():
        if line.startswith("|") and not _RULE.fullmatch(line):
            yield " ".join(line.replace("**", "").split())


def report_of(archive: Path) -> Report:
    """Make the report of the trials in an archive, whatever version of GameForge ran them."""
    kept = read_archive(archive, EXPERIMENT_FORMAT)
    name, parameters, scale = (kept.manifest[key] for key in ("experiment", "parameters", "scale"))
    assert isinstance(name, str), "the manifest names an experiment"
    assert isinstance(parameters, dict), "the manifest has a table of parameters"
    assert isinstance(scale, (int, float)), "the manifest has a scale"
    experiment = create_experiment(default_registry(), Spec(name, parameters))
    order = list(experiment.conditions)
    trials = sorted(kept.trials, key=lambda trial: (trial.seed, order.index(trial.condition)))
    return experiment.report(by_condition(trials), float(scale))


def differences(archive: Path) -> list[str]:
    """Return a sentence for each row of the pages that the trials of an archive do not make."""
    made = set(rows_of(report_of(archive).text))
    mine = [table for table in tables() if table.archive == archive.name]
    if not mine:
        return [f"no table of docs/results is recomputed from {archive.name}"]
    return [
        f"{table.page.relative_to(ROOT)}: the trials in {archive.name} do not make the row {row}"
        for table in mine
        for row in table.rows
        if not any(one.startswith(row.removesuffix("|")) for one in made)
    ]


_FIGURE = re.compile(r"([+-]?)([\d.,]+) \(([-+\d.,]+) to ([-+\d.,]+)\)")
_EVEN, _SEEDS = re.compile(r"even: ([\d.]+)"), re.compile(r"(\d+) seeds")
_P = "p (Holm)"


def p_value(figure: str) -> float:
    """Return the two-sided p-value (Student's t) of the first figure in a cell such as `0.46 (0.36 to 0.56), 5 seeds`.

    The figure is compared with the value called even, or with 0.
    """
    from scipy.stats import t

    found, seeds, even = _FIGURE.search(figure), _SEEDS.search(figure), _EVEN.search(figure)
    assert found, f"docs/results/index.md: no figure with an interval in {figure!r}"
    assert seeds, f"docs/results/index.md: no number of seeds in {figure!r}"
    mean, low, high = (float(text.replace(",", "")) for text in (found[1] + found[2], found[3], found[4]))
    freedom = int(seeds[1]) - 1
    error = max(high - mean, mean - low) / t.ppf((1 + LEVEL) / 2, freedom)  # one end may be cut off
    return float(2 * t.sf(abs(mean - float(even[1] if even else 0)) / error, freedom))


def corrected(page: str) -> list[tuple[str, str, str]]:
    """Return for each row of the index with a p-value its claim, that value, and the one that it should have."""
    found = []
    for part in page.split("\n\n"):
        rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in part.splitlines() if line.startswith("|")]
        if rows and rows[0][-1] == _P:
            judged = [row for row in rows[2:] if row[-1]]
            values = holm([p_value(row[-2]) for row in judged])
            found += [(row[0], row[-1], probability(p)) for row, p in zip(judged, values, strict=True)]
    return found


def main() -> None:
    """Compare all tables, or pack a folder."""
    if sys.argv[1:2] == ["pack"] and len(sys.argv) == 4:
        write_archive(Path(sys.argv[3]), Path(sys.argv[2]), EXPERIMENT_FORMAT)
        return
    if sys.argv[1:]:
        sys.exit(f"usage: {sys.argv[0]} [pack FOLDER FILE{ENDING}]")
    wrong = []
    for archive in archives():
        found = differences(archive)
        wrong += found
        rows = sum(len(table.rows) for table in tables() if table.archive == archive.name)
        print(f"{archive.name}: {rows} rows on the pages, {len(found)} of them different")
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    wrong += [f"docs/results/index.md: {claim}: p is {own}, not {p}" for claim, p, own in corrected(index) if p != own]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    try:
        main()
    except GameforgeError as error:
        sys.exit(f"error: {error}")

"""Reports: paragraphs, tables, and claims of a paper beside our figures.

They are written in Markdown, with figures as files, and their tables once more in LaTeX.

An experiment declares claims as rows of data: what the source says, the figure that it gives, our figure, and the
verdict of the test. `Report.of` puts them and the rows of other tables between paragraphs, and hands the claims to
programs as well.
"""

import enum
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import attrs

from gameforge.interfaces.learner import Numbers
from gameforge.play.display import figure_file
from gameforge.storage.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPORT, TABLES = "report.md", "tables.tex"
_FEWEST_SEEDS = 5
"""Number of seeds from which a report gives a verdict about a method."""


class Verdict(enum.StrEnum):
    """What our figures say about a published one."""

    HOLDS = "holds"
    """They are in the published order beyond chance."""
    NOT_SHOWN = "not shown"
    """They do not differ beyond chance."""
    FAILS = "does not hold"
    """They contradict the order beyond chance."""
    UNAVAILABLE = "unavailable in the source"
    """The source gives no figure to compare with, or not the conditions behind it."""
    NOT_INFORMATIVE = "not informative"
    """The claim cannot fail, either figure comes from a few games between deterministic players, or the interval is too
    wide to tell a difference from none."""
    DESCRIPTIVE = f"descriptive: fewer than {_FEWEST_SEEDS} seeds"
    """The figures may be in the published order, but so few trainings do not show a property of the method."""

    @property
    def is_ordering(self) -> bool:
        """Whether our figures were tested against the published order."""
        return self in (Verdict.HOLDS, Verdict.NOT_SHOWN, Verdict.FAILS)


@attrs.frozen
class Claim:
    """What a source claims, the figure that it gives, our figure, and how they compare."""

    what: str
    """The claim, or the name of the figure, in words."""
    published: str
    """The published figure; empty if the source gives none."""
    ours: str = attrs.field(converter=str)
    """Our figure, with its interval."""
    verdict: Verdict = Verdict.UNAVAILABLE
    """The result of the test."""

    def __attrs_post_init__(self) -> None:
        if not self.published and self.verdict is not Verdict.UNAVAILABLE:
            raise ValueError(f"claim {self.what!r}: nothing was published, so it cannot be {self.verdict!s}")

    @property
    def mark(self) -> str:
        """How our figure compares with the published one, apart from the verdict about an order."""
        return "qualitative ordering" if self.verdict.is_ordering else str(self.verdict)

    @property
    def numbers(self) -> dict[str, str | None]:
        """The claim for programs."""
        verdict = self.verdict if self.verdict.is_ordering else None
        found = {"what": self.what, "published": self.published, "ours": self.ours}
        return {**found, "mark": self.mark, "verdict": verdict}

    def row(self, scale: float) -> "Row":
        """The claim as a row of a table; the mark of an ordering names the scale if trials are shorter than published.

        What short trainings show need not be true of whole ones.
        """
        length = "" if scale == 1 else f" at scale {scale:g}"
        mark = f"{self.mark}{length}: {self.verdict}" if self.verdict.is_ordering else self.mark
        return {"": self.what, "published": self.published or "-", "ours": self.ours, "mark": mark}


Row = Mapping[str, object]
"""A row of a table: the cell below each heading."""


@attrs.frozen(kw_only=True)
class Report:
    """The results of an experiment or a study."""

    text: str
    """The report in Markdown, without its title: our figures beside the published ones, and which agree."""
    numbers: Numbers = attrs.field(factory=dict)
    """The same figures for programs, JSON-serialisable."""
    figures: Mapping[str, "Callable[[Figure], None]"] = attrs.field(factory=dict)
    """Functions that draw into a matplotlib Figure, by file name without suffix."""
    tables: Sequence[tuple[str, Sequence[Row]]] = ()
    """The tables of the text, each after its caption: the heading and the paragraph above it."""
    FEWEST_SEEDS: ClassVar[int] = _FEWEST_SEEDS
    """With fewer seeds there is no verdict about a method."""

    @classmethod
    def of(
        cls,
        *parts: str | Iterable[Claim | Row],
        numbers: Numbers | None = None,
        scale: float = 1.0,
        figures: Mapping[str, "Callable[[Figure], None]"] | None = None,
    ) -> "Report":
        """Make a report of paragraphs, tables and claims.

        parts: texts, each of which ends with a line break, and claims or rows, which become tables; claims have a mark
        in every row. Empty parts are left out. numbers: what programs get besides the claims. scale: length of the
        trials, relative to what was published.
        """
        found: list[str | list[Claim | Row]] = [part if isinstance(part, str) else list(part) for part in parts]
        claims = [one.numbers for part in found for one in part if isinstance(one, Claim)]
        texts: list[str] = []
        tables: list[tuple[str, list[Row]]] = []
        heading = above = ""
        for part in found:
            if not part:
                continue
            if isinstance(part, str):
                texts.append(part)
                if part.startswith("#"):
                    heading, above = part.strip("# \n"), ""
                else:
                    above = _last_paragraph(part)
            else:
                rows = [one.row(scale) if isinstance(one, Claim) else one for one in part]
                texts.append(table(rows))
                tables.append((": ".join(filter(None, (heading, above))) or "Results", rows))
                above = ""
        judged = {"rows": claims} if claims else {}
        return cls(text="\n".join(texts), numbers={**judged, **(numbers or {})}, figures=figures or {}, tables=tables)

    def write(self, folder: Path, heading: str, endings: Sequence[str]) -> str:
        """Write the figures, if matplotlib is installed, the tables in LaTeX, and then `report.md`; return its text.

        heading: the first lines. endings: those of the files of each figure; the text shows the first of them.
        """
        images = "".join(f"\n![{name}]({name}{endings[0]})\n" for name in self._draw(folder, endings))
        text = f"{heading}\n{self.text.strip()}\n{images}"
        if self.tables:
            tables = "\n\n".join(latex(rows, caption) for caption, rows in self.tables)
            write_atomically(folder / TABLES, f"{tables}\n".encode())
        write_atomically(folder / REPORT, text.encode())
        return text

    def _draw(self, folder: Path, endings: Sequence[str]) -> list[str]:
        """Draw the figures into files; return the names of those that were drawn."""
        if importlib.util.find_spec("matplotlib") is None:
            return []
        from matplotlib.figure import Figure

        for name, draw in self.figures.items():
            figure = Figure(figsize=(9, 5), layout="constrained")
            draw(figure)
            for ending in endings:
                write_atomically(folder / f"{name}{ending}", figure_file(figure, ending))
        return list(self.figures)


def table(rows: Iterable[Row]) -> str:
    """Return a Markdown table of rows by their headings, which are those of the first row; `|` in cells is escaped.

    The first column is left-aligned, the others are right-aligned.
    """
    found = list(rows)
    rule = ["---", *["---:"] * (len(found[0]) - 1)]
    lines: list[Iterable[object]] = [found[0], rule, *(row.values() for row in found)]
    cells = ([str(cell).replace("|", r"\|").replace("\n", " ") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def latex(rows: Sequence[Row], caption: str) -> str:
    """Return a table as LaTeX, without packages: a `table` with a caption."""
    head, *body = (" & ".join(map(_escaped, line)) + r" \\" for line in (rows[0], *(row.values() for row in rows)))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            f"\\caption{{{_escaped(caption)}}}",
            f"\\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}",
            *(r"\hline", head, r"\hline", *body, r"\hline"),
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


_ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPED |= {sign: f"\\{sign}" for sign in "&%$#_{}"} | {sign: f"${sign}$" for sign in "<>|"}


def _escaped(text: object) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in str(text))


def _last_paragraph(text: str) -> str:
    """Return the last paragraph of a text in one line, without a colon at its end."""
    return " ".join(text.strip().rpartition("\n\n")[2].split()).removesuffix(":")

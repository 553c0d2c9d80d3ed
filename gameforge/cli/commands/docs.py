"""`gameforge docs`: open the documentation.

The built site comes first; a checkout in which it was not built has the Markdown pages.
"""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli.options import OpenBrowser
from gameforge.errors import GameforgeError, near

BUILT = Path(__file__).resolve().parents[2] / "documentation"
"""Where `mkdocs build` writes the site; a wheel built afterwards contains it."""
SOURCES = BUILT.parents[1] / "docs"
"""The pages as Markdown, in a checkout."""


def docs(
    page: Annotated[str, typer.Argument(help="Page to open, such as playing or results/strength.")] = "index",
    open_browser: OpenBrowser = True,
) -> None:
    """Open the documentation in a browser and print where it is."""
    found = _page(BUILT, page, ".html") or _page(SOURCES, page, ".md")
    if found is None:
        raise GameforgeError(
            "this installation has no documentation; it is in the folder docs of GameForge's source distribution"
        )
    if open_browser and found.suffix == ".html":
        webbrowser.open(found.as_uri())
    print(found)


def _page(folder: Path, page: str, suffix: str) -> Path | None:
    """The file of a page; None if the folder does not exist, GameforgeError if it lacks the page."""
    if not folder.is_dir():
        return None
    pages = {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob(f"*{suffix}"))}
    if page not in pages:
        raise GameforgeError(f"the documentation has no page {page!r}{near(page, pages)}")
    return pages[page]

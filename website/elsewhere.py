"""Pages of the site that lie outside `docs/`, and how links between files become links between pages."""

import functools
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs/"
_LINK = re.compile(r"(\[[^\]]*\])\(([^)\s]+)\)")


@functools.cache
def pages_elsewhere() -> Mapping[str, str]:
    """Map each page outside `docs/`, by its path in the repository, to its path on the site."""
    pages = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
    for readme in sorted(ROOT.glob("plugins/*/README.md")):
        pages[_in_repository(readme)] = f"plugins/{readme.parent.name}.md"
    for other in sorted(ROOT.glob("plugins/*/*.md")):
        pages.setdefault(_in_repository(other), f"plugins/{other.parent.name}-{other.stem.lower()}.md")
    for other in sorted(ROOT.glob("examples/*/README.md")):
        pages[_in_repository(other)] = f"examples/{other.parent.name}.md"
    return pages


def on_site(path: str) -> str | None:
    """Return where a file of the repository is on the site, or None if it is not there."""
    if path == "README.md":
        return "index.md"
    if path.startswith(DOCS):
        return path.removeprefix(DOCS)
    return pages_elsewhere().get(path)


def rewritten(prose: str, source: str) -> str:
    """Return text of the file `source` with its links adapted to the site.

    A link to a file that has no page, such as a script, becomes its path.
    """

    def link(match: re.Match[str]) -> str:
        text, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        name, hash_, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
        page = on_site(path)
        if page is None:
            return f"{text[1:-1]} (`{path}`)" if (ROOT / path).exists() else match[0]
        here = posixpath.dirname(on_site(source) or source)
        return f"{text}({posixpath.relpath(page, here or '.')}{hash_}{anchor})"

    return _LINK.sub(link, prose)


def _in_repository(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()

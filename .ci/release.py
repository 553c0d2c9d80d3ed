"""The checklist of a release, which refuses to go on at the first point that does not hold: python .ci/release.py

It checks the checkout and what `mkdocs build --strict` and `python -m build` made of it, changes nothing, and ends with
the one command that publishes: pushing the tag starts the workflow `release`.
"""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

LARGEST_WHEEL = 5_000_000
"""Bytes that a wheel may have."""


class Refused(Exception):
    """A point of the checklist that does not hold; the message says what to do."""


def require(holds: bool, otherwise: str) -> None:
    """Raise Refused, which says what to do, unless a point holds."""
    if not holds:
        raise Refused(otherwise)


class Release:
    """The release that a checkout is about to become."""

    def __init__(self, root: Path) -> None:
        self.root = root
        project = tomllib.loads(self.text("pyproject.toml"))["project"]
        self.name: str = project["name"]
        self.version: str = project["version"]

    def text(self, file: str) -> str:
        """Return the text of a file of the checkout."""
        return (self.root / file).read_text(encoding="utf-8")

    def git(self, *arguments: str) -> str:
        """Return what git prints."""
        return subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=True).stdout

    def the_version_is_final(self) -> None:
        final = re.fullmatch(r"\d+\.\d+\.\d+", self.version)
        require(final is not None, f"{self.version} is not a final version; write one into pyproject.toml")

    def an_owner_is_named(self) -> None:
        placeholder = re.search(r'^OWNER = "OWNER"$', self.text("hatch_build.py"), re.MULTILINE)
        require(placeholder is None, "OWNER in hatch_build.py is a placeholder; name the account of the repository")

    def the_changelog_has_the_version(self) -> None:
        newest = re.search(r"^## (\S+)(?: - (\d{4}-\d\d-\d\d))?$", self.text("CHANGELOG.md"), re.MULTILINE)
        found = newest is not None and newest[1] == self.version and newest[2] is not None
        require(found, f"the first section of CHANGELOG.md must be `## {self.version} - YEAR-MONTH-DAY`")

    def the_citation_has_the_version_and_its_date(self) -> None:
        entries = dict(re.findall(r"^(version|date-released): (\S+)$", self.text("CITATION.cff"), re.MULTILINE))
        require(entries.get("version") == self.version, f"CITATION.cff must have `version: {self.version}`")
        (date,) = re.findall(rf"^## {re.escape(self.version)} - (\S+)$", self.text("CHANGELOG.md"), re.MULTILINE)[:1]
        require(entries.get("date-released") == date, f"CITATION.cff must have `date-released: {date}`")

    def everything_is_committed_on_main(self) -> None:
        require(not self.git("status", "--porcelain").strip(), "the checkout has changes; commit them")
        require(self.git("branch", "--show-current").strip() == "main", "this is not the branch main; change to it")

    def the_tag_is_new(self) -> None:
        exists = self.git("tag", "--list", f"v{self.version}").strip()
        require(not exists, f"v{self.version} exists; choose a new version")

    def the_distributions_are_built(self) -> None:
        wheels = list((self.root / "dist").glob(f"{self.name.replace('-', '_')}-{self.version}-*.whl"))
        require(len(wheels) == 1, "dist has no wheel of this version; run `mkdocs build --strict && python -m build`")
        require((self.root / "dist" / f"{self.name}-{self.version}.tar.gz").exists(), "dist has no source distribution")
        size = wheels[0].stat().st_size
        require(size <= LARGEST_WHEEL, f"the wheel has {size:,} bytes; {LARGEST_WHEEL:,} are allowed")
        files = zipfile.ZipFile(wheels[0]).namelist()
        require("gameforge/documentation/index.html" in files, "the wheel has no documentation; run mkdocs before it")
        packages = {file.partition("/")[0] for file in files if file.startswith("gameforge") and "/" in file}
        untyped = sorted(one for one in packages if ".dist-info" not in one and f"{one}/py.typed" not in files)
        require(not untyped, f"no py.typed in {', '.join(untyped)}; add the empty file")

    def points(self) -> tuple[Callable[[], None], ...]:
        """Return the points of the checklist, in their order."""
        return (
            self.the_version_is_final,
            self.an_owner_is_named,
            self.the_changelog_has_the_version,
            self.the_citation_has_the_version_and_its_date,
            self.everything_is_committed_on_main,
            self.the_tag_is_new,
            self.the_distributions_are_built,
        )


def main(root: Path) -> int:
    """Go through the points; return 0 if all hold, else 2."""
    release = Release(root)
    for point in release.points():
        name = point.__name__.replace("_", " ")
        try:
            point()
        except Refused as refused:
            print(f"refused, {name}: {refused}", file=sys.stderr)
            return 2
        print(f"yes, {name}")
    print(f"publish with: git tag -a v{release.version} -m {release.version} && git push origin v{release.version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parents[1]))

"""What the build adds to `pyproject.toml`: the built-in plugins, the addresses of the project, and the README.

Each folder `plugins/NAME` with `gameforge_NAME/plugin.py` is a built-in plugin, so a new one needs nothing but its
folder. The metadata hook makes the entry points, the build hook puts the packages into the wheel, and into the path of
an editable installation. An index shows the README without the repository around it, so its links are made absolute.
pip builds with this file in an environment of its own, so it imports nothing but hatchling.
"""

import re
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

OWNER = "OWNER"
"""Account that holds the repository: a placeholder, which whoever publishes GameForge sets here and nowhere else."""
REPOSITORY = f"https://github.com/{OWNER}/gameforge"
SITE = f"https://{OWNER.lower()}.github.io/gameforge"
URLS = {
    "Documentation": SITE,
    "Source": REPOSITORY,
    "Issues": f"{REPOSITORY}/issues",
    "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
}
_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|mailto:|#)([^)\s]+\))")


def with_absolute_links(markdown: str, tag: str) -> str:
    """Return a page of the repository with links that work anywhere: to the files of a tag, pictures as raw files."""

    def absolute(link: re.Match[str]) -> str:
        return f"{link[1]}{REPOSITORY}/{'raw' if link[1].startswith('!') else 'blob'}/{tag}/{link[2]}"

    return _LINK.sub(absolute, markdown)


def built_in_plugins(root: Path) -> dict[str, Path]:
    """Return the package of each built-in plugin by the plugin's name."""
    found = {file.parent.name.removeprefix("gameforge_"): file.parent for file in root.glob("plugins/*/*/plugin.py")}
    return {name: package for name, package in sorted(found.items()) if package.parent.name == name}


class Metadata(MetadataHookInterface):
    """Makes an entry point for each plugin, the project's addresses, and the page of the index."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them to the project's metadata."""
        root = Path(self.root)
        plugins = built_in_plugins(root)
        metadata["entry-points"] = {"gameforge": {name: f"gameforge_{name}.plugin" for name in plugins}}
        metadata["urls"] = URLS
        page = with_absolute_links((root / "README.md").read_text(encoding="utf-8"), f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": page}


class Packages(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the plugins' packages beside `gameforge`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the packages to a wheel; an editable wheel gets a .pth file with their folders."""
        packages = built_in_plugins(Path(self.root)).values()
        if version == "editable":
            with tempfile.NamedTemporaryFile("w", suffix=".pth", delete=False, encoding="utf-8") as paths:
                paths.write("".join(f"{package.parent}\n" for package in packages))
            build_data["force_include_editable"][paths.name] = "gameforge_plugins.pth"
        else:
            build_data["force_include"].update({str(package): package.name for package in packages})

"""Finds the built-in plugins for the build: each folder `plugins/NAME` with `gameforge_NAME/plugin.py` is one.

So a new built-in plugin needs nothing but its folder. The metadata hook makes the entry points, the build hook puts
the packages into the wheel, and into the path of an editable installation. pip builds with this file in an environment
of its own, so it imports nothing but hatchling.
"""

import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


def built_in_plugins(root: Path) -> dict[str, Path]:
    """Return the package of each built-in plugin by the plugin's name."""
    found = {file.parent.name.removeprefix("gameforge_"): file.parent for file in root.glob("plugins/*/*/plugin.py")}
    return {name: package for name, package in sorted(found.items()) if package.parent.name == name}


class EntryPoints(MetadataHookInterface):
    """Makes an entry point for each plugin."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the entry points to the project's metadata."""
        plugins = built_in_plugins(Path(self.root))
        metadata["entry-points"] = {"gameforge": {name: f"gameforge_{name}.plugin" for name in plugins}}


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

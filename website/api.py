"""Which modules the Python reference describes, and on which page."""

from collections.abc import Sequence
from pathlib import Path

import attrs
from elsewhere import ROOT


@attrs.frozen
class ApiPage:
    """A page of the Python reference."""

    title: str
    introduction: str
    modules: Sequence[str]
    """Modules, or packages followed by `.*` for all of their modules."""


PAGES = {
    "python": ApiPage(
        "The main functions",
        "What `import gameforge as gf` offers: `gf.game`, `gf.player`, `gf.match`, `gf.oracle`, `gf.Pipeline`, "
        "`gf.Yardstick`, `gf.resume`, and for plugins `gf.Component`, `gf.Command` and `gf.hookimpl`.",
        ["gameforge.api", "gameforge.errors"],
    ),
    "games-and-players": ApiPage(
        "Games, positions and players",
        "Objects that the main functions return.",
        [
            "gameforge.play.game",
            "gameforge.play.player",
            "gameforge.play.pipeline",
            "gameforge.play.knowledge",
            "gameforge.play.saved_players",
            "gameforge.play.analysis",
            "gameforge.play.perft",
            "gameforge.play.records",
        ],
    ),
    "matches": ApiPage(
        "Matches and statistics",
        "Matches, tournaments, ratings and tests.",
        [
            "gameforge.play.arena.match",
            "gameforge.play.arena.result",
            "gameforge.play.arena.elo",
            "gameforge.play.arena.sprt",
            "gameforge.play.arena.tournament",
            "gameforge.play.arena.openings",
            "gameforge.play.arena.workspace",
            "gameforge.play.arena.contests",
        ],
    ),
    "training": ApiPage(
        "Runs and experiments",
        "Trainings, their folders, and experiments that compare them.",
        [
            "gameforge.training.train",
            "gameforge.training.run",
            "gameforge.training.yardstick",
            "gameforge.training.work",
            "gameforge.experiments.trial",
            "gameforge.experiments.report",
            "gameforge.experiments.tally",
        ],
    ),
    "interfaces": ApiPage(
        "Interfaces of components",
        "What a component of each kind must offer. [Writing a plugin](../writing-a-plugin.md) shows each in use.",
        ["gameforge.interfaces.*"],
    ),
    "toolbox": ApiPage(
        "Tools for plugins",
        "Boards of rows and columns, the contract kit, checks of parameters, files, and the retrograde solver.",
        [
            "gameforge.grid.*",
            "gameforge.testing",
            "gameforge.testing.contract",
            "gameforge.testing.perft_file",
            "gameforge.testing.playthrough",
            "gameforge.testing.uncompiled",
            "gameforge.config.parameters",
            "gameforge.config.settings",
            "gameforge.config.toml",
            "gameforge.config.validation",
            "gameforge.discovery.registry",
            "gameforge.storage.*",
            "gameforge_retrograde.*",
        ],
    ),
    "kernel": ApiPage(
        "Compiled code",
        "What functions that are compiled may call, and the signatures that the kernel expects.",
        ["gameforge.kernel.*", "gameforge.kernel.compile.*"],
    ),
}


def modules(page: ApiPage) -> list[str]:
    """Return the modules of a page."""
    found = []
    for name in page.modules:
        if name.endswith(".*"):
            plugin = name.split(".")[0].removeprefix("gameforge_")
            base = ROOT if plugin == "gameforge" else ROOT / "plugins" / plugin
            folder = base / Path(*name[:-2].split("."))
            found += [f"{name[:-1]}{file.stem}" for file in sorted(folder.glob("*.py")) if file.stem != "__init__"]
        else:
            found.append(name)
    return found

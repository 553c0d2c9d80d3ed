"""The gallery shows everything that GameForge draws: boards, plots, and the figures of experiments.

tests/test_docs.py runs its commands, which must make its pictures.
"""

import ast
import re
from pathlib import Path

import gallery
import pytest
import recompute
from elsewhere import ROOT

from gameforge.config import Spec
from gameforge.discovery.registry import default_registry
from gameforge.experiments.archive import ENDING
from gameforge.experiments.reproduction import by_condition, create_experiment
from gameforge.experiments.schedule import TRIALS, FinishedTrial
from gameforge.storage.stored import read_as, read_log

PAGE = gallery.PAGE.read_text(encoding="utf-8")
COMPONENTS = [(offer.plugin, offer.what) for offer in default_registry().plugins.components]
EXPERIMENTS = sorted(what.name for _, what in COMPONENTS if what.kind == "experiment")
COMMAND = re.compile(r"^gameforge reproduce '?(?P<spec>(?P<name>[\w-]+)[^' ]*)'? .*--scale (?P<scale>\S+)", re.M)
AXES = {"axhline", "axvline", "bar", "barh", "errorbar", "fill_between", "imshow", "plot", "scatter"}
"""Methods of matplotlib's axes that draw."""


def drawing(source: str) -> bool:
    """Whether a module draws into matplotlib's axes, or offers pictures of positions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == "svg" and ("<svg" in source or "svg_document(" in source):
            return True
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in AXES and ("axis" in source or "axes" in source):
            return True
    return False


def sources() -> list[Path]:
    """The modules of GameForge and its plugins."""
    return sorted([*(ROOT / "gameforge").rglob("*.py"), *(ROOT / "plugins").glob("*/gameforge_*/**/*.py")])


def test_the_code_of_each_picture_is_named() -> None:
    draws = {path.relative_to(ROOT).as_posix() for path in sources() if drawing(path.read_text(encoding="utf-8"))}
    table = PAGE.partition("## Which code draws what")[2]
    named = set(re.findall(r"`((?:gameforge|plugins)/[\w/]+\.py)`", table))
    named |= {path for path in draws if f"`{Path(path).name}`" in table}
    assert len(draws) > 15
    assert draws - named == set(), "docs/gallery.md: no picture, or no row below, for what these modules draw"
    assert named - draws == set(), "docs/gallery.md: these modules draw nothing"


def test_what_draws_is_recognised() -> None:
    assert drawing("def f(axes):\n    axes.plot([1])\n")
    assert drawing("class A:\n    def svg(self, state):\n        return '<svg/>'\n")
    assert not drawing("units.scatter(1)\ndef svg(self, state): ...\n")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_figure_of_an_experiment_is_shown(name: str) -> None:
    """The report, of the stored trials, says which figures there are."""
    commands = [command for command in COMMAND.finditer(PAGE) if command["name"] == name]
    archive = recompute.TRIALS / f"{name}{ENDING}"
    if not commands and archive.exists() and not recompute.report_of(archive).figures:
        return
    assert commands, f"docs/gallery.md: no figure of the experiment {name}"
    trials = read_log(ROOT / "website" / "trials" / name / TRIALS, lambda stored: read_as(FinishedTrial, stored))
    for command in commands:
        experiment = create_experiment(default_registry(), Spec.parse(command["spec"]))
        figures = experiment.report(by_condition(trials), float(command["scale"])).figures
        missing = [figure for figure in figures if f"{name}/{figure}.png" not in gallery.pictures()]
        assert missing == [], f"docs/gallery.md: {name} draws figures that are not shown"


def test_each_game_with_a_picture_of_its_own_is_shown() -> None:
    """Each plugin of games has a board on the page."""
    shown = set(re.findall(r"^gameforge .*board .*--game ([\w-]+).* --out", PAGE, re.MULTILINE))
    missing = {path.parts[-3] for path in (ROOT / "plugins").glob("*/gameforge_*/drawing.py")}
    missing -= {plugin for plugin, what in COMPONENTS if what.kind == "rules" and what.name in shown}
    assert missing == set(), "docs/gallery.md: no board of the games of these plugins"

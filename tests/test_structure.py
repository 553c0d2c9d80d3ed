"""The structure of the tree: no import cycles, few loose modules, plugins of one shape, lists in pyproject.toml."""

import ast
import functools
import graphlib
import importlib.metadata
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from built_in import BUILT_IN as PLUGINS

ROOT = Path(__file__).parents[1]
CORE = ROOT / "gameforge"
with (ROOT / "pyproject.toml").open("rb") as file:
    PROJECT: dict[str, Any] = tomllib.load(file)


def packages() -> Iterator[Path]:
    yield CORE
    for name, folder in PLUGINS.items():
        yield folder / f"gameforge_{name}"


def modules() -> dict[str, Path]:
    """Every module of the core and of the built-in plugins, by its dotted name."""
    found = {}
    for package in packages():
        for path in package.rglob("*.py"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: set[str]) -> set[str]:
    """The known modules that a file imports, wherever the import stands: also in functions and for the type checker."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & known or {str(node.module)}
            if inner - known:
                found.add(str(node.module))
    return found & known


@functools.cache
def import_graph() -> dict[str, set[str]]:
    """The modules that each module of the core and of the built-in plugins imports."""
    known = modules()
    return {name: imports(path, set(known)) - {name} for name, path in known.items()}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """A cycle of the graph, its first node also its last; empty without one."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        ring: list[str] = error.args[1]
        return ring
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert sum(map(len, import_graph().values())) > 1000
    assert cycle(import_graph()) == []


@pytest.mark.parametrize(
    "source", ["import b", "from b import x", "def f():\n    import b", "if TYPE_CHECKING:\n    from b import x"]
)
def test_a_cycle_is_seen_wherever_its_import_stands(source: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(source)
    (tmp_path / "b.py").write_text("from a import y")
    graph = {name: imports(tmp_path / f"{name}.py", {"a", "b"}) for name in ("a", "b")}
    assert set(cycle(graph)) == {"a", "b"}


NEEDS = {
    "draughts_family": {"draughts", "retrograde"},
    "egdb_chinook": {"draughts", "retrograde"},
    "eval_cascade": {"examples"},
    "eval_subboard": {"draughts"},
    "learn_regress": {"examples"},
    "morris": {"retrograde"},
    "neurodraughts": {"draughts", "eval_mlp"},
    "search_vote": {"eval_mixed"},
    "uct_ccnn": {"examples"},
}
"""Plugins that need another one: a game, examples, members, the retrograde solver; their READMEs say so, too."""


@pytest.mark.parametrize("name", [None, *PLUGINS])
def test_a_plugin_is_imported_only_by_those_that_need_it(name: str | None) -> None:
    """The core imports none."""
    package = f"gameforge_{name}" if name else "gameforge"
    inside = [used for module, used in import_graph().items() if module.split(".")[0] == package]
    packages_used = {other.split(".")[0] for used in inside for other in used}
    assert packages_used - {"gameforge", package} == {f"gameforge_{other}" for other in NEEDS.get(name or "", ())}


def test_the_core_has_few_loose_modules() -> None:
    assert len(list(CORE.glob("*.py"))) <= 8


def test_every_package_of_the_core_is_a_layer() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    [layers] = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    assert not any(":" in layer for layer in layers)
    listed = {name.strip() for layer in layers for name in layer.split("|")}
    there = {path.stem for path in CORE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert listed == there - {"__init__"}


def test_the_pages_list_the_layers_in_their_order() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    [layers] = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    wanted = [{name.strip() for name in layer.split("|")} for layer in layers[1:]]  # all but __main__
    listing = re.search(r"```text\ngameforge/\n(.*?)^plugins/", (ROOT / "README.md").read_text(), re.S | re.M)
    assert listing
    assert [set(re.findall(r"(?:^|  )(\w+)(?:\.py|/(?= ))", line)) for line in listing[1].splitlines()] == wanted
    [line] = re.findall(r"^cli > .*$", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    assert [set(layer.split(", ")) for layer in line.split(" > ")] == wanted


@pytest.mark.parametrize("name", PLUGINS)
def test_plugins_have_one_shape(name: str) -> None:
    package = PLUGINS[name] / f"gameforge_{name}"
    assert (package / "__init__.py").is_file()
    assert (PLUGINS[name] / "README.md").is_file()
    assert list((PLUGINS[name] / "tests").glob("test_*.py"))


GAME_FILES = {"rules", "movegen", "notation", "drawing", "cells", "evaluation"}
"""Games may add `board`, `openings`, `endgames` and `files`; the draughts family uses the files of draughts."""
GAMES = [name for name, folder in PLUGINS.items() if (folder / f"gameforge_{name}" / "movegen.py").exists()]
"""Not interop_openspiel, whose games are OpenSpiel's."""


@pytest.mark.parametrize("name", GAMES)
def test_games_keep_the_same_things_in_the_same_files(name: str) -> None:
    assert {path.stem for path in (PLUGINS[name] / f"gameforge_{name}").iterdir()} >= GAME_FILES


def test_the_build_finds_every_plugin() -> None:
    """An editable installation lists them as it was made: after a new plugin, install again."""
    points = importlib.metadata.distribution("gameforge").entry_points.select(group="gameforge")
    assert {point.name: point.value for point in points} == {name: f"gameforge_{name}.plugin" for name in PLUGINS}


@pytest.mark.parametrize("name", PLUGINS)
def test_plugins_are_typed(name: str) -> None:
    assert (PLUGINS[name] / f"gameforge_{name}" / "py.typed").is_file()

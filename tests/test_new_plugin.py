"""New plugins pass their own tests, are found by their entry point, and fulfil the contract of their kind."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from plugin_site import Site

from gameforge.cli.command_group import OWN
from gameforge.discovery.scaffold import KINDS, write_plugin
from gameforge.errors import GameforgeError
from gameforge.testing.contract import KINDS as CHECKED


def process(folder: Path, *arguments: str) -> str:
    """Run Python in this folder successfully; return its output."""
    words = [sys.executable, *arguments]
    done = subprocess.run(words, cwd=folder, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(site: Site, folder: Path) -> None:
    """Do what discovery needs of `pip install -e`: the package, and metadata with the entry point."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = site.folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    entries = "".join(f"{name} = {value}\n" for name, value in project["entry-points"]["gameforge"].items())
    (info / "entry_points.txt").write_text(f"[gameforge]\n{entries}")
    for package in folder.glob("gameforge_*"):
        (site.folder / package.name).symlink_to(package)


def test_a_new_game(site: Site) -> None:
    """It is written with tests, which pass."""
    done = site.run("new-plugin", "rules", "my-game")
    assert done.returncode == 0, done.stderr
    folder = site.folder / "my-game"
    written = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert written == [
        "README.md",
        "gameforge_my_game/__init__.py",
        "gameforge_my_game/perft.txt",
        "gameforge_my_game/plugin.py",
        "gameforge_my_game/preset.toml",
        "gameforge_my_game/rules.py",
        "pyproject.toml",
        "tests/test_gameforge_my_game.py",
    ]
    assert done.stdout.splitlines()[len(written) :] == [
        "next:",
        "  cd my-game",
        "  pip install -e '.[test]'",
        "  pytest",
        "  gameforge check rules my-game",
        "  gameforge run --game my-game --out runs/first",
        "  gameforge play --game my-game runs/first",
    ]
    assert "6 passed" in process(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    process(folder, "-m", "ruff", "check", ".")
    process(folder, "-m", "ruff", "format", "--check", ".")


def test_a_package_is_a_repository_of_its_own(tmp_path: Path) -> None:
    plain = write_plugin("searcher", "my-search", tmp_path / "plain")
    files = write_plugin("searcher", "my-search", tmp_path / "package", package=True)
    added = {str(file) for file in files} - {str(file) for file in plain}
    assert added == {".github/workflows/release.yml", ".github/workflows/tests.yml", ".gitignore", "CHANGELOG.md"}
    workflow = (tmp_path / "package" / ".github" / "workflows" / "tests.yml").read_text()
    assert "python-version: ${{ matrix.python }}" in workflow
    assert "run: gameforge check searcher my-search" in workflow


def test_a_new_game_is_checked_counted_drawn_trained_and_played(site: Site) -> None:
    """Once it is installed."""
    write_plugin("rules", "my-game", site.folder / "my-game")
    install(site, site.folder / "my-game")
    small = ("learner.generations=1", "learner.games=20", "learner.gate.games=40", "learner.gate.elo1=100")
    settings = [part for setting in small for part in ("--set", setting)]
    called = site.commands(
        ("check", "rules", "my-game"),
        ("perft", "--game", "my-game", "--depth", "1", "--divide", "--fen", "5/2o2/5/5/3x1/5 o"),
        ("board", "--game", "my-game"),
        ("run", "--game", "my-game", *settings, "--match-games", "2", "--out", "first"),
        ("match", "first", "uct:simulations=50", "--games", "2"),
        ("analyze", "--game", "my-game", "--player", "first"),
    )
    assert [code for code, _ in called] == [0] * len(called), called
    checked, counted, drawn = (output.splitlines() for _, output in called[:3])
    for line in ("move texts are read back: ", "cells follow the symmetries: ", "pictures are svg: "):
        assert any(one.startswith(f"  passed   {line}") for one in checked)
    doubtful = [line for line in checked if line.startswith("  WARNING")]
    assert len(doubtful) == 1  # the plugin's own test of that reason has a position for it
    assert "random games ended with 'no move left'" in doubtful[0]
    assert counted[-4:] == ["c5-b6: 1", "c5-c6: 1", "c5-d6: 1", "total: 3"]
    assert (drawn[0], drawn[-1]) == ("6 x x x x x", "white (o) to move")


def test_every_other_kind(site: Site) -> None:
    """The tests that come with a new plugin hold its component to the contract of its kind."""
    kinds = [kind for kind in KINDS if kind != "rules"]
    folders = [site.folder / kind for kind in kinds]
    for kind, folder in zip(kinds, folders, strict=True):
        write_plugin(kind, f"my-{kind}", folder)
        install(site, folder)
    pythonpath = " ".join(map(str, folders))
    tests = process(
        site.folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", f"pythonpath={pythonpath}", *kinds
    )
    assert "11 passed" in tests
    process(site.folder, "-m", "ruff", "check", *kinds)
    process(site.folder, "-m", "ruff", "format", "--check", *kinds)
    (listed, plugins), (checked, output) = site.commands(
        ("plugins", "--json"), ("check", "learner", "my-learner:steps=2,games=2")
    )
    assert (listed, checked) == (0, 0), output
    assert {(kind, f"my-{kind}") for kind in kinds} <= {
        (one["kind"], one["name"]) for one in json.loads(plugins)["components"]
    }
    assert "checks: " in output


def test_there_is_a_template_for_each_kind_with_a_contract() -> None:
    assert (*KINDS, "player") == CHECKED, "a player is trained; no template can make one"
    assert {"check", "new-plugin"} <= {command.name for command in OWN}


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("rule", "nim", "there is no template for 'rule' (did you mean 'rules'?); known: rules, features, evaluator"),
        ("rules", "Nim", "'Nim' cannot be the name of a component; allowed: lowercase letters and digits"),
        ("rules", "3d", "'3d' cannot be the name of a component"),
        ("rules", "../nim", "'../nim' cannot be the name of a component"),
        ("rules", "none", "'none' cannot be the name of a component"),
        ("searcher", "search-minimax", "there is already a package gameforge_search_minimax; choose another name"),
    ],
)
def test_invalid_names(kind: str, name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(GameforgeError) as caught:
        write_plugin(kind, name, tmp_path / "new")
    assert str(caught.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match=r"already exists; choose another folder with out=\.\.\.$"):
        write_plugin("rules", "nim", tmp_path)
    with pytest.raises(GameforgeError, match=r"cannot create .*: the folder .* does not exist"):
        write_plugin("rules", "nim", tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


class TestCheckCommand:
    def test_a_failure_is_an_error(self, site: Site) -> None:
        site.module(
            "broken",
            "from gameforge import Component, hookimpl\n"
            "from gameforge.interfaces import Drawing\n"
            "from gameforge.testing import Pile\n"
            "class Empty(Drawing):\n"
            "    def diagram(self, state): return ''\n"
            "class Broken(Pile):\n"
            "    drawing = Empty()\n"
            "@hookimpl\n"
            "def gameforge_components():\n"
            "    return [Component('rules', 'broken', 'broken:Broken', 'no diagram')]\n",
        )
        done = site.run("--plugin", "broken.py", "check", "rules", "broken")
        assert done.returncode == 2
        assert "  FAILED   diagrams are drawn: the diagram of state (0xc, 0x0) is ''" in done.stdout
        assert done.stderr.splitlines()[-1] == "error: rules broken failed 1 of 18 checks: diagrams are drawn"

    def test_json(self, site: Site) -> None:
        done = site.run("check", "book", "book", "--game", "draughts", "--json")
        assert done.returncode == 0, done.stderr
        assert '"name": "lines are legal", "status": "passed"' in done.stdout

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("check", "rulse", "draughts"), "error: kind 'rulse' has no contract (did you mean 'rules'?); known:"),
            (("check", "rules", "draugts"), "error: unknown game 'draugts' (did you mean 'draughts'?)"),
            (("check", "searcher", "minimax", "--game", "dame"), "error: unknown game 'dame'"),
            (
                ("check", "features", "netfeaturemap", "--game", "othello"),
                "error: features 'netfeaturemap' exists for draughts, not for othello; known for othello: ",
            ),
        ],
    )
    def test_unknown_names(self, arguments: tuple[str, ...], message: str, site: Site) -> None:
        done = site.run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(message)

"""Tests of discovery: what is found, and that a broken plugin does not affect the others."""

import sys
from pathlib import Path
from typing import Any

import pytest
from plugin_site import Site

from gameforge import hookimpl
from gameforge.cli.command_group import plugin_commands
from gameforge.discovery.loading import import_target, load
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import Component

GOOD = """
from gameforge import Command, Component, hookimpl

@hookimpl
def gameforge_components():
    return [Component("rules", "{name}", "{name}:Rules", "a game")]

@hookimpl
def gameforge_commands():
    return [Command("{name}-command", "{name}:command", "a command")]

heard = []

@hookimpl
def gameforge_run_started(run):
    heard.append(run)
"""

BROKEN = {
    "import_error": (
        "import no_such_module_at_all",
        "ModuleNotFoundError: No module named 'no_such_module_at_all' (import_error.py, line 1)",
    ),
    "raises": ("raise RuntimeError('no luck')", "RuntimeError: no luck (raises.py, line 1)"),
    "exits": ("import sys; sys.exit(3)", "SystemExit: 3 (exits.py, line 1)"),
    "not_python": ("def (", "SyntaxError: invalid syntax (not_python.py, line 1)"),
    "hook_raises": (
        "from gameforge import hookimpl\n@hookimpl\ndef gameforge_components():\n    return 1 / 0",
        "ZeroDivisionError: division by zero (hook_raises.py, line 4)",
    ),
    "hook_exits": (
        "from gameforge import hookimpl\n@hookimpl\ndef gameforge_commands():\n    raise SystemExit",
        "SystemExit (hook_exits.py, line 4)",
    ),
    "garbage": (
        "from gameforge import hookimpl\n@hookimpl\ndef gameforge_components():\n    return 'rules'",
        "gameforge_components returned 'rules', not a list of Component",
    ),
    "wrong_items": (
        "from gameforge import hookimpl\n@hookimpl\ndef gameforge_commands():\n    return [('play', 'x:y')]",
        "gameforge_commands returned [('play', 'x:y')], not a list of Command",
    ),
    "nothing": (
        "from gameforge import hookimpl\n@hookimpl\ndef gameforge_components(): pass",
        "gameforge_components returned None, not a list of Component",
    ),
    "bad_kind": (
        "from gameforge import Component, hookimpl\n@hookimpl\ndef gameforge_components():\n"
        "    return [Component('rulez', 'x', 'x:X', 's')]",
        "ValueError: kind 'rulez' is not one of rules, features, evaluator, searcher, learner, oracle, book, "
        "experiment, preset, player (bad_kind.py, line 4)",
    ),
    "typo": (
        "from gameforge import hookimpl\n@hookimpl\ndef gameforge_component(): return []",
        "there is no hook 'gameforge_component' (did you mean 'gameforge_components'?)",
    ),
    "unmarked": ("def gameforge_components(): return []", "gameforge_components is not marked with @hookimpl"),
    "empty": ("", "it implements no hook"),
    "twice": (
        "from gameforge import Component, hookimpl\n@hookimpl\ndef gameforge_components():\n"
        "    return 2 * [Component('rules', 'x', 'x:X', 's')]",
        "it offers the component rules x twice",
    ),
}


def good(name: str) -> str:
    return GOOD.replace("{name}", name)


def allow(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setenv("GAMEFORGE_PLUGINS", ",".join(names))


def test_plugin_is_found_with_its_origin(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("toy", good("toy"))
    allow(monkeypatch, "toy")
    plugins = load()
    assert plugins.components == [(Component("rules", "toy", "toy:Rules", "a game"), "toy", "dist-toy 1.0", False)]
    assert [(offer.what.name, offer.plugin) for offer in plugins.commands] == [("toy-command", "toy")]
    assert plugins.failures == []


@pytest.mark.parametrize("name", BROKEN)
def test_broken_plugin_is_one_failure(name: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    source, reason = BROKEN[name]
    site.install(name, source)
    site.install("toy", good("toy"))
    allow(monkeypatch, name, "toy")
    plugins = load()
    assert [(f.name, f.origin, f.reason) for f in plugins.failures] == [(name, f"dist-{name} 1.0", reason)]
    assert [offer.plugin for offer in plugins.components] == ["toy"]
    assert [plugin for plugin, _ in plugins.manager.list_name_plugin()] == ["toy"]


def test_wrong_arguments_of_an_event_are_a_failure(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("toy", "from gameforge import hookimpl\n@hookimpl\ndef gameforge_run_started(rum): pass")
    allow(monkeypatch, "toy")
    (failure,) = load().failures
    assert "rum" in failure.reason
    assert "gameforge_run_started" in failure.reason
    assert "\n" not in failure.reason


def test_gameforge_s_own_plugins_come_first(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another plugin cannot take the name of one of them, nor of one of their commands."""
    source = good("aaa").replace("aaa-command", "examples")
    site.install("aaa", source)
    site.install("rival", good("rival"), entry="examples")
    allow(monkeypatch, "aaa", "examples")
    plugins = load()
    assert [(offer.plugin, offer.own) for offer in plugins.commands] == [("examples", True), ("aaa", False)]
    assert [(failure.origin, failure.reason) for failure in plugins.failures] == [
        ("dist-rival 1.0", "another plugin has the same name")
    ]
    commands, ignored = plugin_commands(plugins)
    assert [offer.plugin for offer in commands["examples"]] == ["examples"]
    assert [failure.reason for failure in ignored] == [
        "its command 'examples' is ignored, because examples has a command of the same name"
    ]


def test_second_plugin_with_the_same_name_is_a_failure(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("one", good("one"), entry="toy")
    site.install("two", good("two"), entry="toy")
    allow(monkeypatch, "toy")
    plugins = load()
    assert len(plugins.components) == 1
    assert [failure.reason for failure in plugins.failures] == ["another plugin has the same name"]


def test_entry_point_to_a_missing_module_is_a_failure(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("toy", "")
    (site.folder / "toy.py").unlink()
    allow(monkeypatch, "toy")
    assert load().failures[0].reason == "ModuleNotFoundError: No module named 'toy'"


def test_allow_list_does_not_import_others(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("wanted", good("wanted"))
    site.install("unwanted", "raise RuntimeError")
    allow(monkeypatch, " wanted", "")
    plugins = load()
    assert [offer.plugin for offer in plugins.components] == ["wanted"]
    assert plugins.failures == []
    assert "unwanted" not in sys.modules


def test_empty_allow_list_means_no_plugin(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("toy", good("toy"))
    monkeypatch.setenv("GAMEFORGE_PLUGINS", "")
    plugins = load()
    assert (plugins.components, plugins.commands, plugins.failures) == ([], [], [])


def test_unknown_name_in_allow_list(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("toyshop", good("toyshop"))
    allow(monkeypatch, "toyshpo")
    with pytest.raises(GameforgeError, match=r"^GAMEFORGE_PLUGINS names the plugin 'toyshpo', which is not installed"):
        load()
    with pytest.raises(GameforgeError, match=r"did you mean 'toyshop'\?"):
        load()


class TestFile:
    @pytest.fixture(autouse=True)
    def no_entry_points(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GAMEFORGE_PLUGINS", "")

    def write(self, folder: Path, name: str, source: str) -> Path:
        path = folder / name
        path.write_text(source)
        return path

    def test_is_a_module_named_by_its_stem(self, site: Site, tmp_path: Path) -> None:
        file = self.write(tmp_path, "toyfile.py", good("toyfile") + "\nclass Rules: pass")
        plugins = load([file])
        assert plugins.components[0][1:] == ("toyfile", str(file), False)
        rules = import_target(plugins.components[0].what.target, "rules 'toyfile'")
        assert rules is sys.modules["toyfile"].Rules

    def test_loads_again_in_the_same_process(self, site: Site, tmp_path: Path) -> None:
        file = self.write(tmp_path, "toyfile.py", good("toyfile"))
        load([file, file])
        module = sys.modules["toyfile"]
        assert len(load([file]).components) == 1
        assert sys.modules["toyfile"] is module

    def test_in_the_current_folder(self, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.write(tmp_path, "toyfile.py", good("toyfile"))
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend("")  # as under `python -m`
        assert len(load([Path("toyfile.py")]).components) == 1

    def test_imports_its_neighbours(self, site: Site, tmp_path: Path) -> None:
        self.write(tmp_path, "toyneighbour.py", "NAME = 'next door'")
        load([self.write(tmp_path, "toyfile.py", "import toyneighbour\n" + good("toyfile"))])
        assert sys.modules["toyfile"].toyneighbour.NAME == "next door"

    def test_errors_are_one_sentence_each(self, site: Site, tmp_path: Path) -> None:
        (tmp_path / "folder.py").mkdir()
        cases = {
            tmp_path / "missing.py": "there is no such file",
            tmp_path / "folder.py": "not a Python file (.py)",
            self.write(tmp_path, "toy.txt", ""): "not a Python file (.py)",
            self.write(
                tmp_path, "my-game.py", ""
            ): "'my-game' cannot be the name of a module; allowed: letters, digits and '_'",
            self.write(tmp_path, "json.py", ""): "there is already another module named 'json'; rename the file",
            self.write(tmp_path, "attrs.py", ""): "there is already another module named 'attrs'; rename the file",
            self.write(tmp_path, "raises.py", "\n1 / 0"): "ZeroDivisionError: division by zero (raises.py, line 2)",
            self.write(tmp_path, "syntax.py", "def ("): "SyntaxError: invalid syntax (syntax.py, line 1)",
            self.write(tmp_path, "exits.py", "exit(0)"): "SystemExit: 0 (exits.py, line 1)",
            self.write(tmp_path, "hookless.py", "x = 1"): "it implements no hook",
        }
        for file, reason in cases.items():
            with pytest.raises(GameforgeError) as caught:
                load([file])
            assert str(caught.value) == f"plugin file {file}: {reason}"

    def test_failing_file_leaves_no_module(self, site: Site, tmp_path: Path) -> None:
        file = self.write(tmp_path, "toyfile.py", "1 / 0")
        with pytest.raises(GameforgeError):
            load([file])
        assert "toyfile" not in sys.modules
        self.write(tmp_path, "toyfile.py", good("toyfile"))
        assert len(load([file]).components) == 1

    def test_with_the_name_of_an_entry_point(self, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        site.install("other", good("other"), entry="toyfile")
        allow(monkeypatch, "toyfile")
        with pytest.raises(GameforgeError, match="another plugin has the same name"):
            load([self.write(tmp_path, "toyfile.py", good("toyfile"))])


def test_subscribers_of_one_run_do_not_receive_events_of_another(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("toy", good("toy"))
    allow(monkeypatch, "toy")
    plugins = load()

    class Display:
        def __init__(self) -> None:
            self.heard: list[Any] = []

        @hookimpl
        def gameforge_run_started(self, run: Any) -> None:
            self.heard.append(run)

    first, second = Display(), Display()
    events = [plugins.subscribers(first), plugins.subscribers(second)]
    for name, manager in zip(("first", "second"), events, strict=True):
        manager.hook.gameforge_run_started(run=name)
    assert (first.heard, second.heard) == (["first"], ["second"])
    assert sys.modules["toy"].heard == ["first", "second"]

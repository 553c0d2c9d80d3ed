"""Tests of the registry: names, near names, qualified names, games, and late imports."""

import re
import sys
from pathlib import Path

import attrs
import pytest
from plugin_site import Site

from gameforge.config import Spec
from gameforge.discovery.loading import Failure, Offer, Plugins, load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import API, Component

SEARCHERS = """
import attrs

@attrs.frozen(kw_only=True)
class Greedy:
    depth: int = attrs.field(default=1, validator=attrs.validators.ge(1))

class Plain:
    pass

instance = Plain()
"""


def registry(*offers: tuple[Component, str], failures: tuple[Failure, ...] = (), own: str = "") -> Registry:
    """A registry of components with their plugins; own: the plugin that is GameForge's."""
    found = [Offer(c, plugin, f"dist-{plugin} 1.0", plugin == own) for c, plugin in offers]
    return Registry(Plugins(found, [], failures, load().manager))


def searcher(name: str, target: str = "toys:Greedy", **options: object) -> Component:
    return Component("searcher", name, target, "", **options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def toys(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.setenv("GAMEFORGE_PLUGINS", "")
    site.module("toys", SEARCHERS)
    return site


def error(call: object, *arguments: object) -> str:
    with pytest.raises(GameforgeError) as caught:
        call(*arguments)  # type: ignore[operator]
    return str(caught.value)


def test_finding_imports_nothing() -> None:
    greedy = searcher("greedy")
    assert registry((greedy, "a")).find("searcher", "greedy") is greedy
    assert registry((greedy, "a")).names("searcher") == ["greedy"]
    assert "toys" not in sys.modules


def test_unknown_name_names_the_nearest_and_all() -> None:
    r = registry((searcher("greedy"), "a"), (searcher("random"), "a"))
    assert error(r.find, "searcher", "greddy") == (
        "unknown searcher 'greddy' (did you mean 'greedy'?); known: greedy, random"
    )
    assert error(r.find, "oracle", "x") == "unknown oracle 'x'; known: none"
    assert error(r.find, "sercher", "x").startswith("unknown kind of component 'sercher' (did you mean 'searcher'?)")


def test_unknown_name_mentions_failed_plugins() -> None:
    r = registry(failures=(Failure("toys", "dist-toys 1.0", "no luck"),))
    assert "failed to load: toys (`gameforge plugins` says why)" in error(r.find, "searcher", "greedy")


def test_same_name_from_two_plugins() -> None:
    one, two = searcher("greedy"), searcher("greedy")
    r = registry((one, "a"), (two, "b"))
    assert error(r.find, "searcher", "greedy") == (
        "searcher 'greedy' is offered by a (dist-a 1.0) and b (dist-b 1.0); write a/greedy or b/greedy"
    )
    assert r.find("searcher", "a/greedy") is one
    assert r.find("searcher", "b/greedy") is two
    assert r.names("searcher") == ["a/greedy", "b/greedy"]
    assert "/greedy'?)" in error(r.find, "searcher", "c/greedy")


class TestOwnNames:
    """GameForge's own components keep their names; the plugin `own` is GameForge's."""

    def test_the_plain_name_means_gameforge_s(self) -> None:
        own, other = searcher("greedy"), searcher("greedy", "toys:Other")
        r = registry((other, "a"), (own, "own"), own="own")
        for game in (None, "hex"):
            assert r.find("searcher", "greedy", game) is own
            assert r.find("searcher", "own/greedy", game) is own
            assert r.find("searcher", "a/greedy", game) is other
            assert r.names("searcher", game) == ["a/greedy", "greedy"]
        assert r.named("greedy") == [own]
        assert r.named("a/greedy") == [other]
        assert [r.written(offer) for offer in r.plugins.components] == ["a/greedy", "greedy"]

    def test_for_other_games_it_means_another(self) -> None:
        own, other = searcher("greedy", game="hex"), searcher("greedy", "toys:Other")
        r = registry((other, "a"), (own, "own"), own="own")
        assert r.find("searcher", "greedy", "hex") is own
        assert r.find("searcher", "greedy", "go") is other
        assert r.names("searcher", "hex") == ["a/greedy", "greedy"]
        assert r.names("searcher", "go") == ["greedy"]
        assert r.named("greedy") == [other, own]
        assert [r.written(offer) for offer in r.plugins.components] == ["a/greedy", "greedy"]
        r = registry((own, "own"), (searcher("greedy", game="go"), "b"), own="own")
        assert error(r.find, "searcher", "greedy") == "searcher 'greedy' exists for go, hex; name one with game=..."
        assert [r.written(offer) for offer in r.plugins.components] == ["greedy", "greedy"]

    def test_one_for_all_games_takes_the_name_for_each(self) -> None:
        own, other = searcher("greedy"), searcher("greedy", "toys:Other", game="hex")
        r = registry((own, "own"), (other, "a"), own="own")
        assert r.find("searcher", "greedy", "hex") is own
        assert r.find("searcher", "a/greedy", "hex") is other
        assert r.named("greedy") == [own]

    def test_two_others_are_ambiguous_still(self) -> None:
        r = registry(*((searcher("greedy"), plugin) for plugin in ("a", "b")), (searcher("random"), "own"), own="own")
        assert "is offered by a (dist-a 1.0) and b (dist-b 1.0); write a/greedy" in error(r.find, "searcher", "greedy")


def test_qualified_name_of_an_unambiguous_component() -> None:
    greedy = searcher("greedy")
    assert registry((greedy, "a")).find("searcher", "a/greedy") is greedy
    assert "unknown searcher 'b/greedy'" in error(registry((greedy, "a")).find, "searcher", "b/greedy")


def test_component_of_another_game() -> None:
    r = registry((searcher("greedy", game="hex"), "a"), (searcher("random"), "a"), (searcher("go1", game="go"), "a"))
    assert error(r.find, "searcher", "greedy", "go") == (
        "searcher 'greedy' exists for hex, not for go; known for go: go1, random"
    )
    assert r.names("searcher", "hex") == ["greedy", "random"]
    assert "known for hex: greedy, random" in error(r.find, "searcher", "go2", "hex")


def test_the_game_selects_among_components_of_the_same_name() -> None:
    hex_one, go_one = searcher("greedy", game="hex"), searcher("greedy", "toys:Plain", game="go")
    r = registry((hex_one, "a"), (go_one, "a"))
    assert r.find("searcher", "greedy", "hex") is hex_one
    assert r.find("searcher", "greedy", "go") is go_one
    assert error(r.find, "searcher", "greedy") == "searcher 'greedy' of a exists for go, hex; name one with game=..."


def test_games_tell_apart_components_of_one_name_whatever_plugin_they_come_from() -> None:
    offered = ((searcher("greedy", "toys:Plain", game="go"), "a"), (searcher("greedy", game="hex"), "b"))
    r = registry(*offered, (searcher("greedy", "toys:Other", game="chess"), "b"))
    assert error(r.find, "searcher", "greedy") == (
        "searcher 'greedy' exists for chess, go, hex; name one with game=..."
    )


def test_one_class_for_several_games_needs_no_game() -> None:
    r = registry(*((searcher("greedy", game=game), "a") for game in ("hex", "go")))
    assert r.find("searcher", "greedy").target == "toys:Greedy"
    assert r.names("searcher") == ["greedy"]
    assert "searcher 'greedy' exists for go, hex, not for dots;" in error(r.find, "searcher", "greedy", "dots")


def test_has() -> None:
    found = registry((searcher("greedy", game="one"), "a"), (searcher("greedy", game="other"), "b"))
    assert found.has("searcher", "greedy")
    assert found.has("searcher", "greedy", "one")
    assert found.has("searcher", "a/greedy", "one")
    assert not found.has("searcher", "a/greedy", "other")
    assert not found.has("searcher", "greedy", "third")
    assert not found.has("searcher", "gredy")


def test_create_structures_the_parameters() -> None:
    r = registry((searcher("greedy"), "a"))
    assert r.create("searcher", Spec("greedy", {"depth": 3})).depth == 3
    assert r.create("searcher", Spec("greedy")).depth == 1
    assert error(r.create, "searcher", Spec("greedy", {"depth": 0})) == "searcher.depth = 0: must be >= 1"
    assert error(r.create, "searcher", Spec("greedy", {"dept": 1})) == (
        "searcher.dept: no such parameter (did you mean 'depth'?); allowed: depth"
    )


def test_create_of_a_plain_class() -> None:
    rules = Component("rules", "instance", "toys:instance", "not a class")
    r = registry((searcher("plain", "toys:Plain"), "a"), (searcher("instance", "toys:instance"), "a"), (rules, "a"))
    assert type(r.create("searcher", Spec("plain"))).__name__ == "Plain"
    assert error(r.create, "searcher", Spec("plain", {"depth": 1})) == (
        "searcher.depth: searcher 'plain' takes no parameters"
    )
    assert type(r.create("searcher", Spec("instance"))).__name__ == "Plain"
    assert error(r.create, "searcher", Spec("instance", {"depth": 1})) == (
        "searcher.depth: searcher 'instance' is an object without parameters"
    )
    assert error(r.create, "rules", Spec("instance")) == (
        "rules 'instance' cannot be created: toys:instance is not a class"
    )


def test_missing_optional_dependency_shows_the_hint(toys: Site) -> None:
    toys.module("heavy", "import torch_of_another_world")
    component = searcher("heavy", "heavy:Net", install_hint="pip install 'gameforge[heavy]'")
    assert error(registry().load, component) == (
        "searcher 'heavy' cannot be imported: ModuleNotFoundError: No module named 'torch_of_another_world' "
        "(heavy.py, line 1); pip install 'gameforge[heavy]'"
    )


def test_missing_target() -> None:
    assert error(registry().load, searcher("x", "toys:Gredy")) == (  # no line of pkgutil
        "searcher 'x' cannot be imported: AttributeError: module 'toys' has no attribute 'Gredy'"
    )
    assert "No module named 'toyz'" in error(registry().load, searcher("x", "toyz:Greedy"))


def test_target_that_exits(toys: Site) -> None:
    toys.module("exits", "raise SystemExit(1)")
    assert "SystemExit: 1 (exits.py, line 1)" in error(registry().load, searcher("x", "exits:X"))


def test_other_version_of_the_interfaces() -> None:
    assert error(registry().load, searcher("x", api=API + 1)) == (
        f"searcher 'x' is written for version {API + 1} of the component interfaces; "
        f"this GameForge supports version {API}"
    )


def test_preset_is_read_from_its_package(toys: Site) -> None:
    package = toys.folder / "toybox"
    (package / "presets").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "presets" / "quick.toml").write_text('[searcher]\nuse = "greedy"\n')
    r = registry(
        (Component("preset", "quick", "toybox:presets/quick.toml", ""), "a"),
        (Component("preset", "lost", "toybox:presets/lost.toml", ""), "a"),
        (Component("preset", "alone", "toys:alone.toml", ""), "a"),
    )
    assert r.preset("quick") == {"searcher": {"use": "greedy"}}
    assert re.fullmatch(r"there is no file .*lost\.toml", error(r.preset, "lost"))
    (toys.folder / "alone.toml").write_text("seed = 1")
    assert r.preset("alone") == {"seed": 1}
    assert "did you mean 'quick'?" in error(r.preset, "qick")


def test_file_plugin_end_to_end(tmp_path: Path) -> None:
    source = """
import attrs
from gameforge import Component, hookimpl

@hookimpl
def gameforge_components():
    return [Component("rules", "nim", f"{__name__}:Nim", "take the last stone")]

@attrs.frozen(kw_only=True)
class Nim:
    heaps: tuple[int, ...] = (3, 4, 5)
"""
    (tmp_path / "nimfile.py").write_text(source)
    r = Registry(load([tmp_path / "nimfile.py"]))
    nim = r.create("rules", Spec("nim", {"heaps": [1, 2]}))
    assert attrs.asdict(nim) == {"heaps": (1, 2)}

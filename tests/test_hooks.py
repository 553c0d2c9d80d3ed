"""Tests of descriptors, which reject invalid values; and that every hook is documented."""

import inspect
from pathlib import Path

import pytest

from gameforge.interfaces import hooks
from gameforge.interfaces.hooks import Command, Component

HOOKS = {name: hook for name, hook in vars(hooks).items() if name.startswith("gameforge_")}
DOCUMENT = (Path(__file__).parents[1] / "docs" / "hooks.md").read_text()


def test_component_takes_kind_name_target_summary() -> None:
    component = Component("searcher", "best-first_2", "pack.mod:Class", "looks ahead", game="hex")
    assert (component.kind, component.name, component.target) == ("searcher", "best-first_2", "pack.mod:Class")
    assert (component.summary, component.game, component.api) == ("looks ahead", "hex", hooks.API)


def test_preset_names_a_file() -> None:
    assert Component("preset", "quick", "pack:presets/quick.toml", "short").target == "pack:presets/quick.toml"


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "rulez"},
        {"name": "Upper"},
        {"name": "with space"},
        {"name": ""},
        {"name": "a/b"},
        {"target": "no.colon"},
        {"target": "pack:presets/quick.toml"},
        {"target": ":Class"},
        {"kind": "preset", "target": "pack.mod:Class"},
        {"summary": 3},
        {"game": "Some Game"},
        {"api": "1"},
        {"api": 0},
        {"api": True},
        {"install_hint": None},
        {"runs_programs": 1},
    ],
)
def test_component_rejects(wrong: dict[str, object]) -> None:
    right: dict[str, object] = {"kind": "rules", "name": "hex", "target": "pack.mod:Class", "summary": "a game"}
    with pytest.raises((ValueError, TypeError), match=str(next(reversed(wrong)))):
        Component(**(right | wrong))  # type: ignore[arg-type]


def test_command_rejects() -> None:
    with pytest.raises(ValueError, match="name 'Play!'"):
        Command("Play!", "pack:play", "plays")
    with pytest.raises(ValueError, match=r"target 'pack\.play'"):
        Command("play", "pack.play", "plays")


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_documented(name: str) -> None:
    hook = HOOKS[name]
    assert hook.__doc__ is not None
    assert len(hook.__doc__) > 40
    section = DOCUMENT.partition(f"### `{name}(")[2].partition("\n### ")[0]
    assert section, f"docs/hooks.md has no section on {name}"
    for argument in inspect.signature(hook).parameters:
        assert f"`{argument}`" in section
        assert f"`{argument}`" in hook.__doc__


def test_every_kind_is_documented() -> None:
    assert all(f"`{kind}`" in DOCUMENT for kind in hooks.KINDS)

"""The hooks of plugins: what a plugin offers (descriptors) and to which events it can subscribe.

A plugin is a module with `@hookimpl` functions of these names; each may take any subset of the hook's
arguments. Descriptors name their targets as strings, so that nothing is imported before it is used.
"""

import re
from pathlib import Path
from typing import Any

import attrs
import pluggy

hookspec = pluggy.HookspecMarker("gameforge")
"""Marks the declaration of a hook."""
hookimpl = pluggy.HookimplMarker("gameforge")
"""Marks a plugin's function as the implementation of a hook."""

KINDS = ("rules", "features", "evaluator", "searcher", "learner", "oracle", "book", "experiment", "preset", "player")
"""The seven kinds of component that make up a pipeline, then experiments, presets and trained players."""

API = 1
"""Version of the component interfaces that this GameForge supports."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_FORMS = {
    "preset": (re.compile(r"[A-Za-z_][\w.]*:[^:]+\.toml"), "package:path/to/file.toml"),
    "player": (re.compile(r"[A-Za-z_][\w.]*:[^:]+"), "package:path/to/folder"),
}
"""Targets of the kinds whose components are files."""


def _is_kind(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if value not in KINDS:
        raise ValueError(f"kind {value!r} is not one of {', '.join(KINDS)}")


def _is_name(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError(f"{attribute.name} {value!r} is not made of lowercase letters, digits, '_' and '-'")


def _is_game(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if value != "":
        _is_name(instance, attribute, value)


def _is_version(instance: object, attribute: "attrs.Attribute[int]", value: int) -> None:
    if type(value) is not int or value < 1:
        raise ValueError(f"{attribute.name} {value!r} is not a version number (1, 2, ...)")


def _is_target(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    pattern, form = _FORMS.get(getattr(instance, "kind", ""), (_TARGET, "module:Attribute"))
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError(f"target {value!r} is not of the form {form}")


@attrs.frozen
class Component:
    """A component that a plugin offers, described without importing it."""

    kind: str = attrs.field(validator=_is_kind)
    """One of KINDS."""
    name: str = attrs.field(validator=_is_name)
    """The name that a user writes; lowercase letters, digits, `_` and `-`."""
    target: str = attrs.field(validator=_is_target)
    """`module:Class`; an evaluator or searcher may also be an object or a function of the module. A preset names a
    file, `package:path/to/file.toml`, and a player a folder."""
    summary: str = attrs.field(validator=attrs.validators.instance_of(str))
    """One line for `gameforge plugins`."""
    game: str = attrs.field(default="", kw_only=True, validator=_is_game)
    """The only game that it fits; "" if it fits any game. A player always names its game."""
    api: int = attrs.field(default=API, kw_only=True, validator=_is_version)
    """Version of the component interfaces for which it is written."""
    install_hint: str = attrs.field(default="", kw_only=True, validator=attrs.validators.instance_of(str))
    """Message for users whose installation lacks one of its optional dependencies."""
    runs_programs: bool = attrs.field(default=False, kw_only=True, validator=attrs.validators.instance_of(bool))
    """Whether its parameters can name a program to start, or something to connect to.

    A web page may not use it, and a file that names it needs a person's consent.
    """

    def __attrs_post_init__(self) -> None:
        if self.kind == "player" and not self.game:
            raise ValueError(f"player {self.name!r} does not name its game")


@attrs.frozen
class Command:
    """A command that a plugin adds to the command line, described without importing it."""

    name: str = attrs.field(validator=_is_name)
    """The name that a user writes; lowercase letters, digits, `_` and `-`."""
    target: str = attrs.field(validator=_is_target)
    """`module:attribute`: a function with typed parameters, or a typer app."""
    summary: str = attrs.field(validator=attrs.validators.instance_of(str))
    """One line for `gameforge --help`."""
    game: str = attrs.field(default="", kw_only=True, validator=_is_game)
    """The only game that it serves, or "". Commands for different games may share a name; --game selects one."""
    named_only: bool = attrs.field(default=False, kw_only=True, validator=attrs.validators.instance_of(bool))
    """Whether --game must name the game. Without it, the first command that does not require this is used."""


@hookspec
def gameforge_components() -> list[Component]:  # type: ignore[empty-body]
    """Return the components that this plugin offers. Called once in a process, when plugins are discovered."""


@hookspec
def gameforge_commands() -> list[Command]:  # type: ignore[empty-body]
    """Return the commands that this plugin adds. Called once in a process, when plugins are discovered."""


@hookspec(firstresult=True)
def gameforge_defaults(rules: object) -> Any:
    """Return Defaults (gameforge.interfaces.capabilities) for rules that name no player or no preset themselves.

    `rules`: the rules. None leaves the answer to another plugin. Called when a pipeline or a player needs them.
    """


@hookspec(firstresult=True)
def gameforge_verify(path: Path, registry: object, announce: object) -> Any:
    """Return what holds of a file of this plugin's own format, and of what the file describes, as a text.

    `path`: the file. `registry`: the plugins to choose from. `announce`: takes what is being checked, and the units
    done and of all. None: the file is of another format. Raise GameforgeError if something does not hold. Called by
    `gameforge verify` for each file whose format GameForge itself does not check.
    """


@hookspec
def gameforge_run_started(run: object) -> None:
    """Called when a run starts, before its first game, and when it is resumed.

    `run`: the run, with its folder and its fully resolved pipeline.
    """


@hookspec
def gameforge_game_finished(run: object, game: object) -> None:
    """Called after every game of a run, in the order of the games.

    `run`: the run. `game`: the finished game, with its initial position, its moves and its outcome.
    """


@hookspec
def gameforge_checkpoint(run: object, progress: object) -> None:
    """Called after every session of a learner, or after whatever its unit is.

    `run`: the run. `progress`: the games finished and planned, and the learner's own figures.
    A resumed run may start before the last session that it reported, and then reports sessions again.
    """


@hookspec
def gameforge_step_advanced(run: object, step: object) -> None:
    """Called within a session of a learner that reports its steps: when a step begins, and as it advances.

    `run`: the run. `step`: what the learner does, the units finished and planned, and the training games so far.
    """


@hookspec
def gameforge_notice(run: object, text: str) -> None:
    """Called when a learner has a message for the user, such as an estimate of its duration.

    `run`: the run. `text`: a sentence.
    """


@hookspec
def gameforge_run_finished(run: object, result: object) -> None:
    """Called once, after everything of a run is written, but not if the run was interrupted or failed.

    `run`: the run. `result`: the trained player and the learner's summary.
    """

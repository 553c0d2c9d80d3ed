"""Discovery: entry points of the group "gameforge" and single files become plugins.

Each is loaded on its own. One that cannot be imported, or whose hooks do not return what they
should, becomes a Failure and harms nobody else. Nothing here imports a component's target.
"""

import functools
import importlib
import importlib.util
import keyword
import os
import pkgutil
import sys
import traceback
from collections.abc import Iterable, Sequence
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import attr
import attrs
import pluggy

from gameforge.errors import GameforgeError, near
from gameforge.interfaces import hooks
from gameforge.interfaces.hooks import Command, Component

GROUP = "gameforge"
"""The entry-point group."""
ALLOW_LIST = "GAMEFORGE_PLUGINS"
"""Environment variable: names of the entry points to load, separated by commas; empty for none."""

_FOLDERS = (*(Path(str(module.__file__)).parent for module in (importlib, pluggy, attr)), Path(__file__).parents[1])
_MACHINERY = ("<", *(f"{folder}{os.sep}" for folder in _FOLDERS))
"""Where the code stands that calls plugins: its lines do not explain why one fails."""

Descriptor = TypeVar("Descriptor", Component, Command)


class Offer(NamedTuple, Generic[Descriptor]):
    """A component or command, and which plugin offers it."""

    what: Descriptor
    plugin: str
    """Name of the entry point, or the file's stem."""
    origin: str
    """Distribution and version, or the file's path."""


@attrs.frozen
class Failure:
    """A plugin, or a part of one, that cannot be used."""

    name: str
    origin: str
    reason: str


@attrs.frozen
class Plugins:
    """Everything that discovery found, in the order of the plugins' names."""

    components: Sequence[Offer[Component]]
    commands: Sequence[Offer[Command]]
    failures: Sequence[Failure]
    manager: pluggy.PluginManager
    """Holds the plugins as event subscribers."""
    files: Sequence[Path] = ()
    """Single files among the plugins."""

    def subscribers(self, *own: Any) -> pluggy.PluginManager:
        """A manager for the events of one run: the plugins and the run's `own` subscribers."""
        manager = _manager()
        for name, plugin in self.manager.list_name_plugin():
            manager.register(plugin, name)
        for subscriber in own:
            manager.register(subscriber)
        return manager


def load(files: Sequence[Path] = ()) -> Plugins:
    """Discover all plugins: the allowed entry points, then single Python files.

    Raises GameforgeError for a file that cannot be loaded and for an unknown name in the
    allow-list, since a user asked for those; everything else ends up in `failures`.
    """
    manager = _manager()
    components: list[Offer[Component]] = []
    commands: list[Offer[Command]] = []
    failures: list[Failure] = []

    def admit(name: str, origin: str, plugin: Any) -> None:
        if manager.has_plugin(name):
            raise GameforgeError("another plugin has the same name")
        offered_components, offered_commands = _offers(plugin)
        manager.register(plugin, name)
        components.extend(Offer(what, name, origin) for what in offered_components)
        commands.extend(Offer(what, name, origin) for what in offered_commands)

    name_of = functools.cache(_name_and_version)
    for entry in _allowed_entry_points():
        origin = name_of(entry.dist) if entry.dist else entry.value
        try:
            admit(entry.name, origin, entry.load())
        except (Exception, SystemExit) as error:  # whatever goes wrong there stays there
            failures.append(Failure(entry.name, origin, reason(error)))
    files = list(dict.fromkeys(Path(file) for file in files))
    for file in files:
        try:
            admit(file.stem, str(file), _import_file(file))
        except (Exception, SystemExit) as error:
            raise GameforgeError(f"plugin file {file}: {reason(error)}") from error
    return Plugins(components, commands, failures, manager, files)


def import_target(target: str, who: str, install_hint: str = "") -> Any:
    """The object that `module:attribute` names; `who` names its owner in errors."""
    try:
        return pkgutil.resolve_name(target)
    except ImportError as error:
        hint = f"; {install_hint}" if install_hint else ""
        raise GameforgeError(f"{who} cannot be imported: {reason(error)}{hint}") from error
    except (Exception, SystemExit) as error:
        raise GameforgeError(f"{who} cannot be imported: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """Why somebody's plugin failed, on one line: what was raised, and where."""
    if isinstance(error, GameforgeError):
        return str(error)
    text = " ".join(str(error).split())
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_MACHINERY)]
    # A SyntaxError's text says where already.
    at_end = bool(frames) and not isinstance(error, SyntaxError)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if at_end else ""
    return f"{type(error).__name__}{': ' if text else ''}{text}{where}"


def _manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager("gameforge")
    manager.add_hookspecs(hooks)
    return manager


def _name_and_version(distribution: Distribution) -> str:
    """For a list of plugins; each of the two reads and parses the distribution's whole description."""
    return f"{distribution.name} {distribution.version}"


def _allowed_entry_points() -> list[EntryPoint]:
    entries = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    setting = os.environ.get(ALLOW_LIST)
    if setting is None:
        return entries
    allowed = [name.strip() for name in setting.split(",") if name.strip()]
    installed = {entry.name for entry in entries}
    for name in allowed:
        if name not in installed:
            there = ", ".join(sorted(installed)) or "none"
            raise GameforgeError(
                f"{ALLOW_LIST} names the plugin {name!r}, which is not installed{near(name, installed)}; "
                f"installed: {there}"
            )
    return [entry for entry in entries if entry.name in allowed]


def _import_file(path: Path) -> Any:
    """The module in a single file, named by its stem and importable by that name from now on."""
    name = path.stem
    if path.is_dir() or path.suffix != ".py":
        raise GameforgeError("not a Python file (.py)")
    if not path.exists():
        raise GameforgeError("there is no such file")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise GameforgeError(f"{name!r} cannot be the name of a module; use letters, digits and '_'")
    path = path.resolve()
    known = sys.modules.get(name)
    spec = known.__spec__ if known else importlib.util.find_spec(name)
    if spec is not None or known is not None:
        if spec is None or spec.origin is None or Path(spec.origin).resolve() != path:
            raise GameforgeError(f"there is another module named {name!r} already; rename the file")
        if known is not None:
            return known
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs, as import does; numba and pickle look it up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _offers(plugin: Any) -> tuple[list[Component], list[Command]]:
    """What a plugin offers, asked in a manager of its own, so that a bad plugin leaves no trace."""
    alone = _manager()
    alone.register(plugin, "plugin")
    marked = {caller.name for caller in alone.get_hookcallers(plugin) or ()}
    known = {name for name in vars(hooks) if name.startswith("gameforge_")}
    for name in sorted(marked - known):
        raise GameforgeError(f"there is no hook {name!r}{near(name, known)}")
    for name in sorted(known - marked):
        if hasattr(plugin, name):
            raise GameforgeError(f"{name} is not marked with @hookimpl")
    if not marked:
        raise GameforgeError("it implements no hook")
    components = _asked(alone.hook.gameforge_components, Component) if "gameforge_components" in marked else []
    commands = _asked(alone.hook.gameforge_commands, Command) if "gameforge_commands" in marked else []
    _unique("command", (c.name + (f" for {c.game}" if c.game else "") for c in commands))
    _unique("component", (f"{c.kind} {c.name}" + (f" for {c.game}" if c.game else "") for c in components))
    return components, commands


def _asked(hook: pluggy.HookCaller, kind: type[Descriptor]) -> list[Descriptor]:
    result = next(iter(hook()), None)  # pluggy leaves out None
    if not isinstance(result, list | tuple) or not all(isinstance(item, kind) for item in result):
        text = " ".join(repr(result).split())
        text = text if len(text) <= 60 else text[:57] + "..."
        raise GameforgeError(f"{hook.name} returned {text}, not a list of {kind.__name__}")
    return list(result)


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise GameforgeError(f"it offers the {what} {name} twice")
        seen.add(name)

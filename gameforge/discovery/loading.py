"""Loading plugins: the entry points of the group "gameforge", and single Python files.

Each plugin is loaded separately. If it cannot be imported, or if a hook returns something unexpected, it becomes a
Failure, and the others still work. Loading a plugin imports no component's target.
"""

import functools
import importlib
import importlib.util
import inspect
import keyword
import os
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import attr
import attrs
import pluggy

from gameforge.errors import DISTRIBUTION, GameforgeError, near
from gameforge.interfaces import hooks
from gameforge.interfaces.hooks import Command, Component

GROUP = "gameforge"
"""The entry-point group."""
ALLOW_LIST = "GAMEFORGE_PLUGINS"
"""Environment variable with the names of the entry points to load, separated by commas; empty: load none."""

_FOLDERS = (*(Path(str(module.__file__)).parent for module in (importlib, pluggy, attr)), Path(__file__).parents[1])
_MACHINERY = ("<", str(pkgutil.__file__), *(f"{folder}{os.sep}" for folder in _FOLDERS))
"""Prefixes of the files that call plugins; their lines in a traceback do not explain why a plugin fails."""

Descriptor = TypeVar("Descriptor", Component, Command)


class Offer(NamedTuple, Generic[Descriptor]):
    """A component or command, with the plugin that offers it."""

    what: Descriptor
    plugin: str
    """Name of the entry point, or stem of the file."""
    origin: str
    """Distribution and version, or path of the file."""
    own: bool = False
    """Whether GameForge itself brings the plugin."""


@attrs.frozen
class Failure:
    """A plugin, or a part of a plugin, that cannot be used."""

    name: str
    origin: str
    reason: str


@attrs.frozen
class Plugins:
    """Everything that discovery found: GameForge's own plugins first, then the others, each by name."""

    components: Sequence[Offer[Component]]
    commands: Sequence[Offer[Command]]
    failures: Sequence[Failure]
    manager: pluggy.PluginManager
    """Calls the event hooks of the plugins."""
    files: Sequence[Path] = ()
    """The plugins that are single files."""

    def subscribers(self, *own: Any) -> pluggy.PluginManager:
        """Make a plugin manager for the events of one run, with the plugins and the run's `own` subscribers."""
        manager = _manager()
        for name, plugin in self.manager.list_name_plugin():
            hooked = self.manager.get_hookcallers(plugin) or ()
            if not _EVENTS.isdisjoint(caller.name for caller in hooked):  # most plugins offer components only
                manager.register(plugin, name)
        for subscriber in own:
            manager.register(subscriber)
        return manager


def load(files: Sequence[Path] = ()) -> Plugins:
    """Load all plugins: the allowed entry points, GameForge's own first, then single Python files.

    Raises GameforgeError for a file that cannot be loaded and for an unknown name in the allow-list, because the
    user named these; all other errors become `failures`.
    """
    manager = _manager()
    components: list[Offer[Component]] = []
    commands: list[Offer[Command]] = []
    failures: list[Failure] = []

    def admit(name: str, origin: str, plugin: object, own: bool = False) -> None:
        if manager.has_plugin(name):
            raise GameforgeError("another plugin has the same name")
        offered_components, offered_commands = _offers(plugin)
        manager.register(plugin, name)
        components.extend(Offer(what, name, origin, own) for what in offered_components)
        commands.extend(Offer(what, name, origin, own) for what in offered_commands)

    for entry, origin, own in _allowed_entry_points():
        try:
            admit(entry.name, origin, entry.load(), own)
        except (Exception, SystemExit) as error:  # a broken plugin must not affect the others
            failures.append(Failure(entry.name, origin, reason(error)))
    files = list(dict.fromkeys(Path(file) for file in files))
    for file in files:
        try:
            admit(file.stem, str(file), _import_file(file))
        except (Exception, SystemExit) as error:
            raise GameforgeError(f"plugin file {file}: {reason(error)}") from error
    return Plugins(components, commands, failures, manager, files)


def import_target(target: str, who: str, install_hint: str = "") -> Any:
    """Import the object that `module:attribute` names; `who` names its owner in messages.

    Raises GameforgeError with the reason, and with the install hint after an ImportError.
    """
    try:
        return pkgutil.resolve_name(target)
    except ImportError as error:
        hint = f"; {install_hint}" if install_hint else ""
        raise GameforgeError(f"{who} cannot be imported: {reason(error)}{hint}") from error
    except (Exception, SystemExit) as error:
        raise GameforgeError(f"{who} cannot be imported: {reason(error)}") from error


def unloaded(error: BaseException) -> str:
    """Return a sentence about a library that the system could not load, as if memory is short; "" for other errors."""
    if not isinstance(error, ImportError | OSError):
        return ""
    lines = (line.strip() for line in str(error).splitlines())
    library = next((line for line in lines if "shared object" in line), "")
    return library and f"not enough memory to load a library, or a damaged installation: {library}"


def reason(error: BaseException) -> str:
    """Describe an exception in a plugin on one line: its type, its message, and the line of the plugin's code."""
    if isinstance(error, GameforgeError):
        return str(error)
    if sentence := unloaded(error):
        return sentence
    text = " ".join(str(error).split())
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_MACHINERY)]
    # The message of a SyntaxError includes the place.
    at_end = bool(frames) and not isinstance(error, SyntaxError)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if at_end else ""
    return f"{type(error).__name__}{': ' if text else ''}{text}{where}"


_EVENTS = {
    name for name, hook in inspect.getmembers(hooks, inspect.isfunction) if "run" in inspect.signature(hook).parameters
}
"""The hooks that report what happens in a run."""


def _manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager("gameforge")
    manager.add_hookspecs(hooks)
    return manager


def _allowed_entry_points() -> list[tuple[EntryPoint, str, bool]]:
    """The entry points to load, each with its origin and whether it is GameForge's own; its own come first."""

    @functools.cache  # reading either parses the whole metadata
    def name_and_version(distribution: Distribution) -> tuple[str, str]:
        return distribution.name, distribution.version

    found = []
    for entry in _allowed(list(entry_points(group=GROUP))):
        name, version = name_and_version(entry.dist) if entry.dist else ("", "")
        found.append((entry, f"{name} {version}" if name else entry.value, name == DISTRIBUTION))
    return sorted(found, key=lambda one: (not one[2], one[0].name))


def _allowed(entries: list[EntryPoint]) -> list[EntryPoint]:
    """Those of the entry points that the allow-list names."""
    setting = os.environ.get(ALLOW_LIST)
    if setting is None:
        return entries
    allowed = [name.strip() for name in setting.split(",") if name.strip()]
    installed = {entry.name for entry in entries}
    for name in allowed:
        if name not in installed:
            raise GameforgeError(
                f"{ALLOW_LIST} names the plugin {name!r}, which is not installed{near(name, installed)}; "
                f"installed: {', '.join(sorted(installed)) or 'none'}"
            )
    return [entry for entry in entries if entry.name in allowed]


def _import_file(path: Path) -> Any:
    """Import a single file as a module with the name of its stem, by which it can be imported again.

    Like a script, it can import the other files of its folder, unless an installed module has the same name.
    """
    name = path.stem
    if path.is_dir() or path.suffix != ".py":
        raise GameforgeError("not a Python file (.py)")
    if not path.exists():
        raise GameforgeError("there is no such file")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise GameforgeError(f"{name!r} cannot be the name of a module; allowed: letters, digits and '_'")
    path = path.resolve()
    known = sys.modules.get(name)
    spec = known.__spec__ if known else importlib.util.find_spec(name)
    if spec is not None or known is not None:
        if spec is None or spec.origin is None or Path(spec.origin).resolve() != path:
            raise GameforgeError(f"there is already another module named {name!r}; rename the file")
        if known is not None:
            return known
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before the module runs, as `import` does: numba and pickle look it up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _offers(plugin: object) -> tuple[list[Component], list[Command]]:
    """The components and commands of a plugin. A separate manager calls it, so that a bad plugin leaves no trace."""
    manager = _manager()
    manager.register(plugin, "plugin")
    marked = {caller.name for caller in manager.get_hookcallers(plugin) or ()}
    known = {name for name in vars(hooks) if name.startswith("gameforge_")}
    for name in sorted(marked - known):
        raise GameforgeError(f"there is no hook {name!r}{near(name, known)}")
    for name in sorted(known - marked):
        if hasattr(plugin, name):
            raise GameforgeError(f"{name} is not marked with @hookimpl")
    if not marked:
        raise GameforgeError("it implements no hook")
    components = _offered(manager.hook.gameforge_components, Component) if "gameforge_components" in marked else []
    commands = _offered(manager.hook.gameforge_commands, Command) if "gameforge_commands" in marked else []
    whats = [f"command {command.name}{f' for {command.game}' if command.game else ''}" for command in commands]
    whats += [f"component {one.kind} {one.name}{f' for {one.game}' if one.game else ''}" for one in components]
    for i, what in enumerate(whats):
        if what in whats[:i]:
            raise GameforgeError(f"it offers the {what} twice")
    return components, commands


def _offered(hook: pluggy.HookCaller, kind: type[Descriptor]) -> list[Descriptor]:
    result = next(iter(hook()), None)  # pluggy drops results that are None
    if not isinstance(result, list | tuple) or not all(isinstance(item, kind) for item in result):
        text = " ".join(repr(result).split())
        text = text if len(text) <= 60 else text[:57] + "..."
        raise GameforgeError(f"{hook.name} returned {text}, not a list of {kind.__name__}")
    return list(result)

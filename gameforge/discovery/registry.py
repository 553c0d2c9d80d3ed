"""The registry: components by kind and name, imported on first use, and named in errors if they raise exceptions.

A ComponentError names the component that raised, so that nobody searches in GameForge.
"""

import contextlib
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.discovery.consent import Consent, Program, specs_in
from gameforge.discovery.loading import Offer, Plugins, import_target, load, reason
from gameforge.errors import ComponentError, GameforgeError, UnknownComponent, near
from gameforge.interfaces.capabilities import Defaults, capability
from gameforge.interfaces.hooks import API, KINDS, Component
from gameforge.interfaces.rules import Rules

if TYPE_CHECKING:
    from gameforge.config import Spec

_OBJECTS = ("evaluator", "searcher")
"""Kinds whose components may be objects or functions of one's own (gameforge.play.adapters)."""


class Registry:
    """Finds, imports and creates the components of `plugins`.

    A name is plain, `minimax`, or qualified, `search_minimax/minimax`. If one of GameForge's own plugins and
    another plugin offer a component of the same name, the plain name means GameForge's. With `game`, a method considers
    only components that fit this game. All methods raise GameforgeError for unknown and ambiguous names.
    """

    def __init__(self, plugins: Plugins, consent: Consent | None = None, *, from_files: bool = False) -> None:
        self.plugins = plugins
        self.consent = consent or Consent()
        """The programs that its components may start."""
        self.from_files = from_files
        """Whether it serves settings that come from files: that these name a program is no consent to start it."""

    def __reduce__(self) -> "tuple[Callable[..., Registry], tuple[Sequence[Path], frozenset[str], bool, bool]]":
        """Pickle the plugins that are single files; the others are those that are installed where it is unpickled."""
        files = tuple(path.resolve() for path in self.plugins.files)
        return _discovered, (files, frozenset(self.consent.agreed), self.consent.everything, self.from_files)

    def for_files(self, origin: object = "") -> "Registry":
        """Return this registry for settings that come from files: naming a program there is no consent to start it.

        origin: the file or folder, for messages; "" keeps the one that is known.
        """
        consent = attrs.evolve(self.consent, origin=str(origin) or self.consent.origin)
        return Registry(self.plugins, consent, from_files=True)

    def for_pages(self) -> "Registry":
        """Return this registry for requests of web pages: only programs that are agreed to now may be started."""
        return Registry(self.plugins, Consent(agreed=set(self.consent.agreed), closed=True), from_files=True)

    def allowing(self, everything: bool = True) -> "Registry":
        """Return this registry with consent to all programs, whoever names them; False changes nothing."""
        if not everything:
            return self
        return Registry(self.plugins, attrs.evolve(self.consent, everything=True), from_files=self.from_files)

    def agree(self, *named: object) -> None:
        """Agree to the programs that a person named, in texts, settings or lists of them; objects name none."""
        programs = {offer.what.name for offer in self.plugins.components if offer.what.runs_programs}
        for spec in specs_in(named):
            if spec.use.rpartition("/")[2] not in programs:
                continue
            for component in self.named(spec.use):
                with contextlib.suppress(GameforgeError):  # creating it will raise the same
                    self.consent.agreed.add(Program.of(component, self._made(component, spec)).digest)

    def names(self, kind: str, game: str | None = None) -> list[str]:
        """Return the names of this kind in alphabetical order, qualified where the plain one means another."""
        return sorted({self._written(offer, game) for offer in self._offers(kind) if _fits(offer.what, game)})

    def written(self, offer: Offer[Component]) -> str:
        """Return the name that means this component, for its own game: the plain name if that does."""
        return self._written(offer, offer.what.game or None)

    def has(self, kind: str, name: str, game: str | None = None) -> bool:
        """Whether a plugin offers a component of this name, plain or qualified."""
        return bool(self._meant(kind, name, game))

    def find(self, kind: str, name: str, game: str | None = None) -> Component:
        """Return the component of this name; raises GameforgeError if there is none, or more than one."""
        fitting = self._meant(kind, name, game)
        if _is_one(fitting):
            return fitting[0].what
        if fitting:
            raise _ambiguous(kind, fitting)
        offers = self._meant(kind, name)
        if offers:
            games = ", ".join(sorted({offer.what.game for offer in offers}))
            raise GameforgeError(f"{kind} {name!r} exists for {games}, not for {game}; {self._known(kind, game)}")
        others = [other for other in KINDS if other != kind and self.has(other, name, game)]
        if others:
            is_of = " and of ".join(map(_one, others))
            what = f"{_called(kind)} {name!r}"
            raise GameforgeError(f"unknown {what}: that is the name of {is_of}; {self._known(kind, game)}")
        allowed = self.names(kind, game) + [_qualified(offer) for offer in self._offers(kind) if "/" in name]
        close = near(name, allowed)
        loaded = "" if kind != "rules" or close else "; a plugin in a file must be loaded (gameforge --plugin FILE)"
        raise UnknownComponent(
            f"unknown {_called(kind)} {name!r}{close}; {self._known(kind, game)}{self._failed()}{loaded}"
        )

    def named(self, name: str) -> list[Component]:
        """Return the components of any kind and game that a name, plain or qualified, can mean."""
        return [offer.what for kind in KINDS for offer in self._meant(kind, name)]

    def kind_of(self, kinds: Sequence[str], name: str, game: str | None = None) -> str:
        """Return the first of these kinds that has a component of this name, preferably one that fits the game."""
        for fitting in (game, None):
            for kind in kinds:
                if self.has(kind, name, fitting):
                    return kind
        allowed = sorted(known for kind in kinds for known in self.names(kind, game))
        raise GameforgeError(
            f"unknown {' or '.join(kinds)} {name!r}{near(name, allowed)}; "
            f"known{f' for {game}' if game else ''}: {', '.join(allowed) or 'none'}{self._failed()}"
        )

    def load(self, component: Component) -> Any:
        """Import the component's target; raises GameforgeError if that fails, or if its API version differs."""
        who = f"{component.kind} {component.name!r}"
        if component.api != API:
            raise GameforgeError(
                f"{who} is written for version {component.api} of the component interfaces; "
                f"this GameForge supports version {API}"
            )
        return import_target(component.target, who, component.install_hint)

    def create(self, kind: str, spec: "Spec", game: str | None = None) -> Any:
        """Create the component that `spec` names, with its parameters.

        The target is a class; that of an evaluator or searcher may also be an object or a function, which is returned.
        Raises GameforgeError also for a component that starts a program to which nobody agreed.
        """
        component = self.find(kind, spec.use, game)
        made = self._made(component, spec)
        if component.runs_programs:
            self.consent.require(Program.of(component, made))
        return made

    def composed(self, component: Any, rules: Rules) -> Any:
        """Resolve an interfaces.Composite to the component that does the work; return any other component unchanged."""
        compose = getattr(component, "composed", None)
        return component if compose is None else compose(self, rules)

    def _made(self, component: Component, spec: "Spec") -> Any:
        from gameforge.config import structure

        kind, cls = component.kind, self.load(component)
        if not isinstance(cls, type) and kind in _OBJECTS and not isinstance(cls, ModuleType):
            if spec.params:
                raise GameforgeError(
                    f"{kind}.{next(iter(spec.params))}: {kind} {component.name!r} is an object without parameters"
                )
            return cls
        if not isinstance(cls, type):
            raise GameforgeError(f"{kind} {component.name!r} cannot be created: {component.target} is not a class")
        if spec.params and not attrs.has(cls):
            raise GameforgeError(f"{kind}.{next(iter(spec.params))}: {kind} {component.name!r} takes no parameters")
        with NamedCrashes(f"{kind} {component.name!r}"):
            return structure(cls, spec.params, kind) if attrs.has(cls) else cls()

    def preset(self, name: str) -> dict[str, object]:
        """Read the settings of a preset."""
        from gameforge.config import read_toml

        return read_toml(self._path(self.find("preset", name)))

    def player_folder(self, name: str, game: str | None = None) -> Path:
        """Return the folder of a trained player. Raises GameforgeError, which names the games, for an unknown game."""
        if game is not None:
            self.find("rules", game)
        return self._path(self.find("player", name, game))

    @staticmethod
    def _path(component: Component) -> Path:
        """The file or folder beside the package that the component's target names."""
        package, _, path = component.target.partition(":")
        origin = import_target(f"{package}:__file__", f"{component.kind} {component.name!r}")
        return Path(origin).parent / path

    def defaults(self, rules: Rules) -> Defaults:
        """Return the defaults of a game: its own, and those of a plugin for any game in place of what is left out."""
        own: Defaults = capability(rules, "defaults") or Defaults()
        hook = self.plugins.manager.hook.gameforge_defaults
        spare: Defaults = hook(rules=rules) or Defaults()
        left_out = {field.name for field in attrs.fields(Defaults) if not getattr(own, field.name)}
        return attrs.evolve(own, **{name: getattr(spare, name) for name in left_out})

    def _meant(self, kind: str, name: str, game: str | None = None) -> list[Offer[Component]]:
        """The components that a name, plain or qualified, means for a game; for None, those for any of the games.

        A plain name means a component of another plugin only for games for which GameForge has none of this name. A
        component for the game precedes one of the same name for any game.
        """
        plugin, slash, plain = name.rpartition("/")
        offers = [offer for offer in self._offers(kind) if offer.what.name == plain and _fits(offer.what, game)]
        if slash:
            return [offer for offer in offers if offer.plugin == plugin]
        taken = {offer.what.game for offer in offers if offer.own}  # "" stands for any game
        meant = [offer for offer in offers if offer.own or not taken & {"", game or offer.what.game}]
        return [offer for offer in meant if game and offer.what.game == game] or meant

    def _written(self, offer: Offer[Component], game: str | None) -> str:
        """The name that means this component for a game: the plain one if that means no other."""
        meant = self._meant(offer.what.kind, offer.what.name, game)
        return offer.what.name if offer in meant and _is_one(meant) else _qualified(offer)

    def _offers(self, kind: str) -> list[Offer[Component]]:
        if kind not in KINDS:
            raise GameforgeError(f"unknown kind of component {kind!r}{near(kind, KINDS)}; known: {', '.join(KINDS)}")
        return [offer for offer in self.plugins.components if offer.what.kind == kind]

    def _known(self, kind: str, game: str | None) -> str:
        names = self.names(kind, game)
        return f"known{f' for {game}' if game else ''}: {', '.join(names) or 'none'}"

    def _failed(self) -> str:
        names = ", ".join(failure.name for failure in self.plugins.failures)
        return f"; failed to load: {names} (`gameforge plugins` says why)" if names else ""


@functools.cache
def default_registry() -> Registry:
    """The registry of all installed plugins, which are discovered once in a process."""
    return Registry(load())


def _called(kind: str) -> str:
    """What a person who named the component calls it."""
    return "game" if kind == "rules" else kind


def _one(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _discovered(files: Sequence[Path], agreed: frozenset[str], everything: bool, from_files: bool) -> Registry:
    if not (files or everything or from_files):
        registry = default_registry()
        registry.consent.agreed.update(agreed)
        return registry
    plugins = load(files) if files else default_registry().plugins
    return Registry(plugins, Consent(agreed=set(agreed), everything=everything), from_files=from_files)


def _fits(component: Component, game: str | None) -> bool:
    return game is None or component.game in ("", game)


def _is_one(offers: Sequence[Offer[Component]]) -> bool:
    """Whether these are one component, perhaps one class for several games."""
    return len({(offer.plugin, offer.what.target) for offer in offers}) == 1


def _qualified(offer: Offer[Component]) -> str:
    return f"{offer.plugin}/{offer.what.name}"


def _ambiguous(kind: str, offers: Sequence[Offer[Component]]) -> GameforgeError:
    name = offers[0].what.name
    games = [offer.what.game for offer in offers]
    if len(set(games)) == len(games):
        plugin = f" of {offers[0].plugin}" if len({offer.plugin for offer in offers}) == 1 else ""
        listed = ", ".join(sorted(game or "any game" for game in games))
        return GameforgeError(f"{kind} {name!r}{plugin} exists for {listed}", advice="name one", parameter="game")
    plugins = " and ".join(f"{offer.plugin} ({offer.origin})" for offer in offers)
    written = " or ".join(dict.fromkeys(map(_qualified, offers)))
    return GameforgeError(f"{kind} {name!r} is offered by {plugins}; write {written}")


def component_text(kind: str, component: object) -> str:
    """Return how messages name a component that is given as an object: its kind, module and class."""
    return f"{kind} {type(component).__module__}.{type(component).__qualname__}"


def crash(who: str, error: Exception) -> GameforgeError:
    """Return the error that says that `who` raised an exception, and where; a GameforgeError is returned unchanged."""
    return error if isinstance(error, GameforgeError) else ComponentError(f"{who} raised {reason(error)}")


class NamedCrashes:
    """A context manager: exceptions of a component become a ComponentError that names it as `who`.

    A GameforgeError is its own message, and what is not an Exception, such as KeyboardInterrupt, passes unchanged.
    """

    def __init__(self, who: str) -> None:
        self.who = who

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, GameforgeError):
            raise crash(self.who, error) from error

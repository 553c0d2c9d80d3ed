"""Pipelines: one component of each kind for one game, and the settings that describe them.

A component is given by its name with parameters, by its settings, or as an object. Components that are not named come
from the preset of the game's plugin.
"""

import os.path
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from gameforge.config import NONE, Spec, check_seed, normal, read_toml, unstructure, with_value
from gameforge.discovery.registry import NamedCrashes, Registry, component_text, default_registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.capabilities import Defaults, capability
from gameforge.interfaces.evaluator import BatchEvaluator, Evaluator
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.learner import Learner
from gameforge.interfaces.oracle import Announce, Book, BookLines, Oracle, silent
from gameforge.interfaces.rules import Rules
from gameforge.interfaces.searcher import Searcher
from gameforge.play.adapters import Chooser, PositionFunction
from gameforge.play.batches import BatchFunction, plain_name
from gameforge.play.game import Game
from gameforge.play.knowledge import NamedBook, OracleHandle
from gameforge.play.parts import Parts

Parameter = bool | int | float | str | Path | Sequence[object] | Mapping[str, object] | None
"""A parameter of a component, as TOML has it; None leaves it at its default."""

Described = str | Spec | Mapping[str, object]
"""A component by name, `"minimax:depth=5"`, or by its settings, `{"use": "minimax", "depth": 5}`; or "none"."""

RulesChoice = Described | Rules | Game
SearcherChoice = Described | Searcher | Chooser
EvaluatorChoice = Described | Evaluator | BatchEvaluator | BatchFunction | PositionFunction
FeaturesChoice = Described | FeatureMap
LearnerChoice = Described | Learner
OracleChoice = Described | Oracle | OracleHandle | Book | NamedBook
"""An oracle or an opening book; a pipeline keeps both in one list."""
OraclesChoice = OracleChoice | Sequence[OracleChoice]
"""One oracle or book, or several; oracles are consulted in this order."""


SETTABLE = ("searcher", "evaluator", "oracle")
"""Components of a player whose parameters can be changed by `Pipeline.with_settings`."""
_KINDS = {"game": "rules", "searcher": "searcher", "evaluator": "evaluator", "learner": "learner", "oracle": "oracle"}


class Pipeline:
    """Components, chosen and checked; expensive work is left to `parts`.

    Each component is given by name with parameters, `"minimax:depth=5"`, by its settings, `{"use": "minimax",
    "depth": 5}`, or as an object; "none" leaves out its kind, and None takes the one of the game's preset.
    """

    settings: Mapping[str, Any]
    """The resolved pipeline with all parameters, as in pipeline.toml."""
    searcher: Searcher | Chooser | None
    """The searcher; None if there is none."""
    evaluator: Evaluator | BatchEvaluator | BatchFunction | PositionFunction | None
    """The evaluator; None if there is none."""
    features: FeatureMap | None
    """The feature map of a net; None if there is none."""
    learner: Learner | None
    """The learner; None if there is none."""

    def __init__(
        self,
        *,
        game: RulesChoice,
        searcher: SearcherChoice | None = None,
        evaluator: EvaluatorChoice | None = None,
        features: FeaturesChoice | None = None,
        learner: LearnerChoice | None = None,
        oracle: OraclesChoice | None = None,
        seed: int | None = None,
        registry: Registry | None = None,
    ) -> None:
        """Choose and check the components.

        game: the rules. searcher: finds moves. evaluator: scores positions. features: the inputs of the evaluator, if
        it takes a feature map. learner: trains the evaluator, or tunes parameters. oracle: one oracle or book, or a
        list of them; oracles are consulted in order. seed: of all random numbers; by default that of the preset, else
        0. registry: the plugins to choose from; by default all that are installed.
        Raises GameforgeError if a component is unknown, does not fit the game, or rejects a parameter.
        """
        self.registry = registry or default_registry()
        if not self.registry.from_files:
            self.registry.agree(game, searcher, evaluator, features, learner, oracle)
        components: dict[str, Any] = {
            "game": game,
            "searcher": searcher,
            "evaluator": evaluator,
            "features": features,
            "learner": learner,
            "oracle": oracle,
            "seed": seed,
        }
        given = {key: value for key, value in components.items() if value is not None}
        self.objects: tuple[str, ...] = ()
        """Kind and name of each component that was given as an object that no plugin offers."""
        objects = {key: value for key, value in given.items() if key != "oracle" and _is_object(value)}
        settings = normal({key: self._described(key, value) for key, value in given.items()})
        if settings.get("game", NONE) == NONE:
            raise GameforgeError("pipeline: no game is named", advice="name one", parameter="game")
        self.game = self._game(settings, objects.get("game"))
        preset = default_preset(self.registry, self.game.rules, settings)
        # The plugin of rules that are given as an object need not be among the discovered ones.
        if preset and ("game" not in objects or preset in self.registry.names("preset")):
            settings = normal(preset_below(self.registry, self.game.rules, preset, settings), settings)
        self.seed: int = settings.get("seed", 0)
        self.searcher, searcher_settings = self._component("searcher", settings, objects)
        self.evaluator, evaluator_settings = self._component("evaluator", settings, objects)
        self.features, features_settings = self._feature_map(settings, objects)
        self.learner, learner_settings = self._component("learner", settings, objects)
        self.knowledge = self._oracles_and_books(oracle, settings.get("oracle", []))
        """The oracles and books, in the order of the setting `oracle`."""
        resolved = {
            "game": _resolved(settings["game"]["use"], self.game.rules),
            "seed": self.seed,
            "searcher": searcher_settings,
            "evaluator": evaluator_settings
            and evaluator_settings | ({"features": features_settings} if features_settings else {}),
            "learner": learner_settings,
            "oracle": [self._with_nested(entry.spec.use, entry.component) for entry in self.knowledge],
        }
        self.settings = {key: NONE if value is None else value for key, value in resolved.items()}

    def __repr__(self) -> str:
        names = {key: value["use"] for key, value in self.settings.items() if isinstance(value, Mapping)}
        return f"<Pipeline {', '.join(f'{key} {name}' for key, name in names.items())}>"

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, object], registry: Registry | None = None, *, allow_engines: bool = False
    ) -> Self:
        """Make the pipeline that settings describe, as a TOML file holds them.

        allow_engines: start programs that the settings name; otherwise those alone to which a person agreed.
        """
        registry = (registry or default_registry()).allowing(allow_engines).for_files()
        return cls(registry=registry, **({"game": NONE} | normal(settings)))

    def parts(
        self, announce: Announce = silent, workers: int = 1, oracles: Sequence[OracleHandle] | None = None
    ) -> Parts:
        """Compile the kernels and open the oracles, which players and learners need.

        oracles: those of the pipeline's that are used; None: all.
        """
        self.require("searcher")
        used = self.oracles if oracles is None else tuple(oracles)
        for oracle in used:
            oracle.functions(self.game, announce, workers)  # Parts find it open
        books = tuple(self._lines(book) for book in self.books)
        searcher, evaluator = (
            self.registry.composed(part, self.game.rules) for part in (self.searcher, self.evaluator)
        )
        return Parts(self.game, searcher, evaluator, self.features, used, books)

    def _lines(self, book: NamedBook) -> BookLines:
        with NamedCrashes(component_text("book", book.component)):
            opened: Book = self.registry.composed(book.component, self.game.rules)
            return opened.opening_lines(self.game.rules)

    @property
    def oracles(self) -> tuple[OracleHandle, ...]:
        """The oracles, in the order in which they are consulted."""
        return tuple(entry for entry in self.knowledge if isinstance(entry, OracleHandle))

    @property
    def books(self) -> tuple[NamedBook, ...]:
        """The opening books."""
        return tuple(entry for entry in self.knowledge if isinstance(entry, NamedBook))

    def require(self, *kinds: str) -> None:
        """Raise GameforgeError, which lists the choices, if a component of one of these kinds is missing."""
        missing = [kind for kind in kinds if getattr(self, kind) is None]
        if missing:
            rules = self.game.rules
            choices = [f"{kind} ({', '.join(self.registry.names(kind, rules.name)) or 'none'})" for kind in missing]
            preset = "" if self.game.defaults.preset else f", and {rules.name} has no preset that names one"
            raise GameforgeError(
                f"the pipeline has no {' and no '.join(missing)}{preset}; known for {rules.name}: {', '.join(choices)}",
                advice="choose one",
                parameter=missing[0],
            )

    def with_seed(self, seed: int) -> Self:
        """Return this pipeline with another seed."""
        check_seed(seed)
        changed = object.__new__(type(self))
        changed.__dict__.update(self.__dict__, seed=seed, settings={**self.settings, "seed": seed})
        return changed

    def with_settings(self, settings: Mapping[str, object]) -> Self:
        """Return this pipeline with other parameters of its searcher, evaluator or oracles, by keys `searcher.depth`.

        Unchanged components are shared, for instance open oracles. Raises GameforgeError if a key is not such a
        parameter, or if a component rejects a value.
        """
        merged = dict(self.settings)
        for key, value in settings.items():
            if key.partition(".")[0] not in SETTABLE:
                raise GameforgeError(
                    f"{key} is not a parameter of a player; keys must begin with {', '.join(SETTABLE)}"
                )
            merged = with_value(merged, key, value, "pipeline")
        places = {tuple(key.split(".")[:2]) for key in settings}
        changed = {kind for kind, *_ in places}
        oracles = [
            merged["oracle"][i] if ("oracle", str(i)) in places else entry for i, entry in enumerate(self.knowledge)
        ]
        parts: dict[str, Any] = {"searcher": self.searcher, "evaluator": self.evaluator, "learner": self.learner}
        given = {kind: merged[kind] if kind in changed else component for kind, component in parts.items()}
        if "evaluator" not in changed and "features" in merged["evaluator"]:
            given["features"] = NONE if self.features is None else self.features
        given = {kind: NONE if component is None else component for kind, component in given.items()}
        return type(self)(game=self.game, registry=self.registry, seed=self.seed, oracle=oracles or NONE, **given)

    def settings_with(self, features: FeatureMap | None) -> dict[str, object]:
        """Return the resolved settings with another feature map of the same component; None keeps the pipeline's."""
        evaluator = self.settings["evaluator"]
        if features is None:
            return dict(self.settings)
        return {
            **self.settings,
            "evaluator": evaluator | {"features": _resolved(evaluator["features"]["use"], features)},
        }

    def _described(self, key: str, value: Any) -> Any:
        """Return an argument of the constructor in the form that settings have."""
        if key == "oracle" and isinstance(value, list | tuple):
            return [self._described(key, entry) for entry in value]
        if isinstance(value, OracleHandle | NamedBook):
            return value.spec.settings()
        if key == "seed" or not _is_object(value):
            return value
        component = value.rules if isinstance(value, Game) else value
        target = f"{type(component).__module__}:{type(component).__qualname__}"
        for offer in self.registry.plugins.components:
            if offer.what.target == target:
                return _resolved(self.registry.written(offer), component)
        # The settings name it, but it cannot be built again from them.
        self.objects = (*self.objects, f"{key} {plain_name(component)}")
        return _resolved(getattr(component, "name", plain_name(component)), component)

    def _game(self, settings: Mapping[str, Any], given: Any) -> Game:
        if given is not None:
            return given if isinstance(given, Game) else Game(given)
        return Game(self.registry.create("rules", Spec.from_settings(settings["game"], "game")))

    def _create(self, kind: str, spec: Spec) -> Any:
        return self.registry.create(kind, spec, self.game.rules.name)

    def _component(self, key: str, settings: Mapping[str, Any], objects: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return (component, its resolved settings), or (None, None)."""
        chosen = settings.get(key, NONE)
        if chosen == NONE:
            return None, None
        if key == "evaluator" and set(chosen) == {"features"}:
            known = ", ".join(self.registry.names("evaluator", self.game.rules.name)) or "none"
            raise GameforgeError(
                f"pipeline: features need an evaluator (known: {known})", advice="choose one", parameter="evaluator"
            )
        spec = Spec.from_settings({k: v for k, v in chosen.items() if (k, v) != ("features", NONE)}, key)
        component = objects[key] if key in objects else self._create(_KINDS[key], spec)
        return component, self._with_nested(spec.use, component)

    def _with_nested(self, use: str, component: Any) -> dict[str, Any]:
        """Return the resolved settings of a component and of those that it names (fields with metadata "component")."""
        settings = _resolved(use, component)
        for field in attrs.fields(type(component)) if attrs.has(type(component)) else ():
            named = getattr(component, field.name)
            if "component" in field.metadata and named is not None:
                kind, place = field.metadata["component"], f"{use}.{field.name}"
                settings[field.name] = (
                    self._nested(place, kind, named)
                    if isinstance(named, Spec)
                    else [self._nested(f"{place}.{i}", kind, spec) for i, spec in enumerate(named)]
                )
        return settings

    def _nested(self, place: str, kind: str, spec: Spec) -> dict[str, Any]:
        """Return the resolved settings of a component that another one names; `place` is where, for errors."""
        try:
            return self._with_nested(spec.use, self._create(kind, spec))
        except GameforgeError as error:
            raise GameforgeError(f"{place}: {error}") from error

    def _feature_map(self, settings: Mapping[str, Any], objects: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return (the evaluator's feature map, its resolved settings), or (None, None)."""
        evaluator = settings.get("evaluator", NONE)
        named = None if evaluator == NONE else evaluator.get("features")
        if named == NONE:
            return None, NONE
        choice = Spec.from_settings(named, "evaluator.features") if named else getattr(self.evaluator, "features", None)
        if not isinstance(choice, Spec):
            return None, None
        features = objects["features"] if "features" in objects else self._create("features", choice)
        return features, _resolved(choice.use, features)

    def _oracles_and_books(
        self, given: Any, settings: Sequence[Mapping[str, Any]]
    ) -> tuple[OracleHandle | NamedBook, ...]:
        """Return the oracles and books of the list `oracle`, in its order."""
        entries = list(given) if isinstance(given, list | tuple) else [given]
        found: list[OracleHandle | NamedBook] = []
        for i, entry_settings in enumerate(settings):
            entry = entries[i] if i < len(entries) else None
            if isinstance(entry, OracleHandle | NamedBook):
                found.append(entry)
                continue
            spec = Spec.from_settings(entry_settings, f"oracle.{i}")
            component: Any = entry
            is_book = isinstance(entry, Book)
            if not _is_object(entry):
                kind = self.registry.kind_of(("oracle", "book"), spec.use, self.game.rules.name)
                component, is_book = self._create(kind, spec), kind == "book"
            if is_book:
                found.append(NamedBook(component, spec))
            else:
                found.append(OracleHandle(component, spec, registry=self.registry))
        return tuple(found)


def pipeline_source(registry: Registry, source: str) -> dict[str, Any]:
    """Read the settings of the pipeline that `source` names: a path if it exists or ends in .toml, else a preset.

    Raises GameforgeError if it is neither or both, or if the file cannot be read.
    """
    path = Path(source)
    is_preset = source in registry.names("preset")
    if os.path.exists(source) or source.endswith(".toml"):
        if is_preset:
            raise GameforgeError(f"{source!r} is both a path and a preset; write ./{source} for the path")
        if (path / "pipeline.toml").is_file():
            path = path / "pipeline.toml"
        return read_toml(path)
    if not is_preset:
        names = registry.names("preset")
        raise GameforgeError(
            f"{source!r} is not a file, folder or preset{near(source, names)}; presets: {', '.join(names) or 'none'}"
        )
    return registry.preset(source)


def default_preset(registry: Registry, rules: Rules, settings: Mapping[str, Any]) -> str | None:
    """Return the preset with which a pipeline of these rules begins: that of the game, else that of a plugin.

    `settings`: the pipeline's own, in normal form. A pipeline that does without a learner is that of a player, which
    gets no untrained net from a plugin that has a preset for any game.
    """
    if settings.get("learner") == NONE:
        own: Defaults | None = capability(rules, "defaults")
        return own.preset if own else None
    return registry.defaults(rules).preset


def preset_below(registry: Registry, rules: Rules, preset: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a preset adds to the settings of a pipeline, which are in normal form.

    A preset of the game also completes the parameters of a part that the pipeline names. One for any game does not: its
    parameters were not chosen for this game.
    """
    found = normal(registry.preset(preset))
    own: Defaults | None = capability(rules, "defaults")
    if own is not None and own.preset == preset:
        return found
    named = {key for key, part in settings.items() if isinstance(part, Mapping) and "use" in part}
    own_seed = {"seed"} if named - {"game"} else set()  # the preset's seed is that of the preset as a whole
    return {key: part for key, part in found.items() if key not in named | own_seed}


def with_preset(registry: Registry, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a pipeline, in normal form, over those of the preset with which it begins, if any."""
    if "game" not in settings:
        return dict(settings)
    game = Game(registry.create("rules", Spec.from_settings(settings["game"], "game")))
    preset = default_preset(registry, game.rules, settings)
    return normal(preset_below(registry, game.rules, preset, settings), settings) if preset else dict(settings)


def _is_object(value: Any) -> bool:
    return not isinstance(value, str | Spec | Mapping | int | OracleHandle | NamedBook | type(None))


def _resolved(use: str, component: Any) -> dict[str, Any]:
    """Return the settings from which this component can be built again."""
    params = unstructure(component) if attrs.has(type(component)) else {}
    return {"use": use} | params

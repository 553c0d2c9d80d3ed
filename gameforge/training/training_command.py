"""The command that trains a pipeline, for the provenance of its player."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gameforge.config import Spec, changed
from gameforge.errors import GameforgeError
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import NONE
from gameforge.plugins.registry import Registry
from gameforge.training.run_folder import PIPELINE


def training_command(settings: Mapping[str, Any], registry: Registry) -> str:
    """Return a command that trains a pipeline: by a preset, else by options, else by its file.

    A run does not keep the command that began it, which may have read files that are gone.
    """
    wanted = Pipeline.from_settings(settings, registry)
    for name, found in _presets(registry):
        if {**found, "seed": wanted.seed} == wanted.settings:
            return f"gameforge run {name}" + ("" if found == wanted.settings else f" --seed {wanted.seed}")
    options = _options(wanted)
    try:
        if Pipeline.from_settings(options, registry).settings == wanted.settings:
            return f"gameforge run {_words(options)}"
    except GameforgeError:  # of a component that was given as an object and has no name
        pass
    return f"gameforge run {PIPELINE}"


def _presets(registry: Registry) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the resolved settings of each preset."""
    for name in registry.names("preset"):
        try:
            yield name, Pipeline.from_settings(registry.preset(name), registry).settings
        except GameforgeError:  # a preset of another plugin may be incomplete
            continue


def _options(pipeline: Pipeline) -> dict[str, str | list[str] | int]:
    """The options of `gameforge run` that make a pipeline, without parameters that have their default values."""
    components: dict[str, object] = {
        "game": pipeline.game.rules,
        "searcher": pipeline.searcher,
        "evaluator": pipeline.evaluator,
        "learner": pipeline.learner,
    }
    options: dict[str, str | list[str] | int] = {
        kind: NONE if component is None else _text(pipeline.settings[kind]["use"], component)
        for kind, component in components.items()
    }
    if pipeline.evaluator is not None and (features := pipeline.settings["evaluator"].get("features")):
        options["features"] = NONE if features == NONE else _text(features["use"], pipeline.features)
    options["oracle"] = [_text(one.spec.use, one.component) for one in pipeline.knowledge] or NONE
    return options | {"seed": pipeline.seed}


def _text(use: str, component: object) -> str:
    """A component as `NAME:key=value`; the feature map of an evaluator is an option of its own."""
    params = changed(component) if attrs.has(type(component)) else {}
    return str(Spec(use, {key: value for key, value in params.items() if key != "features"}))


def _words(options: Mapping[str, str | list[str] | int]) -> str:
    """The options as a shell reads them."""
    given = [(key, one) for key, value in options.items() for one in (value if isinstance(value, list) else [value])]
    return " ".join(f"--{key} {shlex.quote(str(value))}" for key, value in given)

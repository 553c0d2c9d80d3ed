"""The variants of a study: settings by dotted keys, as a grid or as a list, applied to a base pipeline.

A key is that of a component, `learner`, or of a parameter, `learner.lambda`. Components are set first, as the flags of
`gameforge run` are, then parameters, as its `--set` does.
"""

import functools
import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

import attrs

from gameforge.config import Spec, dump_toml, format_value, normal, with_value
from gameforge.config.settings import Json
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.pipeline import with_preset
from gameforge.training.train import Pipeline

Changes = Mapping[str, Json]
"""Values by dotted keys."""
NAME = "name"
"""The key of a listed variant's name."""
_DIGITS = 8
"""Digits of the digest in the name of a run's folder."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._=-]+")
_LONGEST = 60
"""Characters of a variant's name in the name of its runs' folder."""


@attrs.frozen
class Axis:
    """A setting that differs between variants, and its values as text, in their order."""

    name: str
    values: tuple[str, ...]


@attrs.frozen
class Variant:
    """One pipeline of a study."""

    name: str
    """Its values, such as `lambda=0.3, depth=2`, or the name that a listed variant has been given."""
    pipeline: Pipeline
    """The pipeline; each trial takes it with another seed."""
    values: Mapping[str, str]
    """The value on each axis, as text."""

    @functools.cached_property
    def digest(self) -> str:
        """Identifies its settings, the seed excepted."""
        return settings_digest(self.pipeline.settings)

    @property
    def folder(self) -> str:
        """The name of the folder of its run among those of a seed."""
        return f"{_UNSAFE.sub('-', self.name).strip('-')[:_LONGEST]}-{self.digest}"


def settings_digest(settings: Mapping[str, Json]) -> str:
    """Return a short text that identifies the settings of a pipeline, the seed excepted."""
    kept = {key: value for key, value in settings.items() if key != "seed"}
    return hashlib.sha256(dump_toml(kept).encode()).hexdigest()[:_DIGITS]


def grid_of(table: Mapping[str, Json], where: str = "grid") -> dict[str, list[Json]]:
    """Return the values of a grid by dotted keys; tables may be nested, as TOML nests `learner.lambda = [0, 0.3]`.

    Raises GameforgeError for a key without a list of values.
    """
    grid = {}
    for key, values in flat_changes(table):
        if not isinstance(values, list | tuple) or not values:
            raise GameforgeError(f"{where}.{key} = {_text(values)}: must be a list of one or more values")
        grid[key] = list(values)
    return grid


def flat_changes(table: Mapping[str, Json], above: str = "") -> Iterator[tuple[str, Json]]:
    """Yield values by dotted keys; a table with the key `use` is a component, and thus one value."""
    for key, value in table.items():
        if isinstance(value, Mapping) and "use" not in value:
            yield from flat_changes(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def changes_of_grid(grid: Mapping[str, Sequence[Json]]) -> list[Changes]:
    """Return every combination of the values, the last key changing fastest."""
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def make_variants(base: Mapping[str, Json], listed: Sequence[Changes], registry: Registry) -> list[Variant]:
    """Make the variants of a base pipeline; each change may have a `name`.

    Raises GameforgeError, which names the variant, if a pipeline cannot be made, if two variants have the same name, or
    if two are equal.
    """
    short = _short_names(key for changes in listed for key in changes if key != NAME)
    variants: list[Variant] = []
    for number, changes in enumerate(listed, 1):
        values = {short[key]: _text(value) for key, value in changes.items() if key != NAME}
        name = str(
            changes.get(NAME, ", ".join(f"{key}={value}" for key, value in values.items())) or f"variant {number}"
        )
        try:
            pipeline = Pipeline.from_settings(_changed(base, changes, registry), registry)
            pipeline.require("learner")
        except GameforgeError as error:
            raise GameforgeError(f"variant {name}: {error}") from error
        variants.append(Variant(name, pipeline, values))
    _require_different(variants)
    return variants


def axes_of(variants: Sequence[Variant]) -> list[Axis]:
    """Return the axes on which all variants have a value, in the order of their keys; there may be none."""
    keys = [key for key in variants[0].values if all(key in variant.values for variant in variants)]
    return [Axis(key, tuple(dict.fromkeys(variant.values[key] for variant in variants))) for key in keys]


def _changed(base: Mapping[str, Json], changes: Changes, registry: Registry) -> dict[str, Json]:
    """Return the settings of the base pipeline with these changes."""
    components = {key: value for key, value in changes.items() if "." not in key and key != NAME}
    settings = normal(base, components)
    parameters = {key: value for key, value in changes.items() if "." in key}
    if parameters:
        settings = with_preset(registry, settings)
    for key, value in parameters.items():
        settings = normal(with_value(settings, key, value, key))
    return settings


def _require_different(variants: Sequence[Variant]) -> None:
    for one, other in itertools.combinations(variants, 2):
        if one.digest == other.digest:
            raise GameforgeError(
                f"the variants {one.name!r} and {other.name!r} are equal: their pipelines have the same settings"
            )
        if one.name == other.name:
            raise GameforgeError(f"two variants have the name {one.name!r}; names must differ")


def _short_names(keys: Iterator[str]) -> dict[str, str]:
    """Map each key to its last part, or to the whole key if several end in it."""
    known = list(dict.fromkeys(keys))
    last = [key.rpartition(".")[2] for key in known]
    return {key: end if last.count(end) == 1 else key for key, end in zip(known, last, strict=True)}


def _text(value: Json) -> str:
    """Return a value as it stands in names: components as `minimax:depth=2`, texts without quotes."""
    if isinstance(value, Mapping) and "use" in value:
        return str(Spec(str(value["use"]), {key: entry for key, entry in value.items() if key != "use"}))
    return value if isinstance(value, str) else format_value(value)

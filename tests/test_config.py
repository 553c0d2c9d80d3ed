"""Tests of configuration: strictness, error messages and round trips."""

import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest
from attrs import validators
from hypothesis import given
from hypothesis import strategies as st

from gameforge.config import (
    Spec,
    apply_set,
    dump_toml,
    format_value,
    merge,
    normal,
    parse_value,
    read_toml,
    split_parts,
    structure,
    unstructure,
)
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError


def message(call: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(GameforgeError) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def power_of_two(instance: Any, attribute: Any, value: int) -> None:
    if value & (value - 1):
        raise ValueError("must be a power of two")


@attrs.frozen(kw_only=True)
class Parameters:
    """A class with one field of every type that parameters may have."""

    depth: int = attrs.field(default=5, validator=[validators.instance_of(int), validators.ge(1)])
    lambda_: float = attrs.field(default=0.5, validator=validators.and_(validators.ge(0), validators.le(1)))
    direct: bool = False
    name: str = ""
    mode: Literal["fast", "slow"] = "fast"
    style: str = attrs.field(default="a", validator=validators.in_(["a", "b"]))
    size: int = attrs.field(default=4, validator=power_of_two)
    width: int | Literal["auto"] = "auto"
    layers: tuple[int, ...] = attrs.field(default=(), validator=validators.max_len(2))
    pair: tuple[int, float] = (1, 2.0)
    names: list[str] = attrs.field(factory=list)
    weights: Mapping[str, float] = attrs.field(factory=dict)
    folder: Path | None = None
    features: Spec | None = None

    @depth.validator
    def _reachable(self, attribute: Any, value: int) -> None:
        if value > 99:
            raise ValueError("is deeper than anyone needs")

    def __attrs_post_init__(self) -> None:
        if self.direct and self.mode == "slow":
            raise ValueError("direct links are never slow")


REFUSED = [
    ({"depth": 6.9}, "depth = 6.9: must be an integer"),
    ({"depth": 6.0}, "depth = 6.0: must be an integer"),
    ({"depth": "6"}, 'depth = "6": must be an integer'),
    ({"depth": True}, "depth = true: must be an integer"),
    ({"depth": None}, "depth = None: must be an integer"),
    ({"depth": -1}, "depth = -1: must be >= 1"),
    ({"depth": 100}, "depth = 100: is deeper than anyone needs"),
    ({"lambda": 2}, "lambda = 2.0: must be <= 1"),
    ({"lambda": math.nan}, "lambda = nan: must be >= 0"),
    ({"lambda": "0.5"}, 'lambda = "0.5": must be a number'),
    ({"lambda": False}, "lambda = false: must be a number"),
    ({"direct": "no"}, 'direct = "no": must be true or false'),
    ({"direct": 1}, "direct = 1: must be true or false"),
    ({"name": 3}, "name = 3: must be a string"),
    ({"mode": "fst"}, "mode = \"fst\": must be 'fast' or 'slow' (did you mean 'fast'?)"),
    ({"mode": ["fast"]}, "mode = [\"fast\"]: must be 'fast' or 'slow'"),
    ({"style": "c"}, 'style = "c": must be one of a, b'),
    ({"size": 3}, "size = 3: must be a power of two"),
    ({"width": "auot"}, "width = \"auot\": must be an integer or 'auto' (did you mean 'auto'?)"),
    ({"layers": 3}, "layers = 3: must be a list of integers"),
    ({"layers": "34"}, 'layers = "34": must be a list of integers'),
    ({"layers": [1, 2.5]}, "layers = [1, 2.5]: must be a list of integers"),
    ({"layers": [1, 2, 3]}, "layers = [1, 2, 3]: length must be <= 2"),
    ({"pair": [1]}, "pair = [1]: must be a list of 2 (an integer, a number)"),
    ({"names": "abc"}, 'names = "abc": must be a list of strings'),
    ({"weights": [1]}, "weights = [1]: must be a table"),
    ({"folder": 1}, "folder = 1: must be a path"),
    ({"folder": ""}, 'folder = "": must be a path'),
    ({"features": 1}, "features = 1: must be a component (name:key=value, or a table with the key 'use')"),
    ({"features": {"us": "x"}}, "features: component has no key 'use', which names the component (it has us)"),
    ({"features": "x:"}, "features: component 'x:', character 3: expected key=value (name:key=value,key=value)"),
    ({"direct": True, "mode": "slow"}, "direct links are never slow"),
]


@pytest.mark.parametrize(("params", "sentence"), REFUSED)
def test_structure_rejects(params: dict[str, Any], sentence: str) -> None:
    name, _, rest = sentence.partition(" ")
    where = "searcher: " if name == "direct" and "=" not in sentence else "searcher."
    assert message(structure, Parameters, params, "searcher") == where + sentence
    assert message(structure, Parameters, params) == sentence
    assert rest


@pytest.mark.parametrize(
    ("params", "field", "value"),
    [
        ({"depth": 7}, "depth", 7),
        ({"lambda": 1}, "lambda_", 1.0),
        ({"direct": True}, "direct", True),
        ({"width": 3}, "width", 3),
        ({"width": "auto"}, "width", "auto"),
        ({"layers": [3, 4]}, "layers", (3, 4)),
        ({"pair": [3, 4]}, "pair", (3, 4.0)),
        ({"names": ["a"]}, "names", ["a"]),
        ({"weights": {"man": 1}}, "weights", {"man": 1.0}),
        ({"folder": "a/b"}, "folder", Path("a/b")),
        ({"folder": None}, "folder", None),
        ({"features": "map:bits=3"}, "features", Spec("map", {"bits": 3})),
        ({"features": {"use": "map", "bits": 3}}, "features", Spec("map", {"bits": 3})),
        ({"features": Spec("map")}, "features", Spec("map")),
    ],
)
def test_structure_accepts(params: dict[str, Any], field: str, value: Any) -> None:
    found = getattr(structure(Parameters, params), field)
    assert found == value
    assert type(found) is type(value)


def test_unknown_key_names_the_nearest_and_all() -> None:
    assert message(structure, Parameters, {"dept": 4}, "searcher").startswith(
        "searcher.dept: no such parameter (did you mean 'depth'?); allowed: depth, lambda, direct, name, mode"
    )
    assert "did you mean 'lambda'?" in message(structure, Parameters, {"lambda_": 0.5}, "learner")


def test_required_parameter() -> None:
    @attrs.frozen(kw_only=True)
    class Reader:
        path: Path

    assert message(structure, Reader, {}, "oracle") == "oracle.path is missing: must be a path"


@attrs.frozen(kw_only=True)
class Corner:
    x: int = attrs.field(default=0, validator=validators.ge(0))
    name: str = ""


@attrs.frozen(kw_only=True)
class Shape:
    corners: tuple[Corner, ...] = ()


def test_parameters_may_be_tables_of_parameters() -> None:
    shape = structure(Shape, {"corners": [{"x": 2}, {"name": "b"}]})
    assert shape == Shape(corners=(Corner(x=2), Corner(name="b")))
    assert unstructure(shape) == {"corners": [{"x": 2, "name": ""}, {"x": 0, "name": "b"}]}
    assert structure(Shape, tomllib.loads(dump_toml(unstructure(shape)))) == shape


@pytest.mark.parametrize(
    ("corners", "sentence"),
    [
        ([{"y": 2}], "learner.corners: y: no such parameter; allowed: x, name"),
        ([{"x": -1}], "learner.corners: x = -1: must be >= 0"),
        ([{"x": "one"}], 'learner.corners: x = "one": must be an integer'),
        ([2], "learner.corners = [2]: must be a list of values, each a table"),
        ({"x": 2}, "learner.corners = {x = 2}: must be a list of values, each a table"),
    ],
)
def test_tables_of_parameters_are_as_strict(corners: Any, sentence: str) -> None:
    assert message(structure, Shape, {"corners": corners}, "learner") == sentence


def test_class_without_parameters() -> None:
    @attrs.frozen
    class Empty:
        pass

    assert message(structure, Empty, {"depth": 1}, "searcher") == "searcher.depth: no such parameter; none are allowed"


def test_an_exception_in_a_component_is_not_hidden() -> None:
    @attrs.frozen
    class Buggy:
        def __attrs_post_init__(self) -> None:
            len(3)  # type: ignore[arg-type]

    with pytest.raises(TypeError, match="has no len"):
        structure(Buggy, {})


text = st.text(st.characters(codec="utf-8"), max_size=8)
keys = st.one_of(st.from_regex(r"[a-z][a-z0-9_-]{0,5}", fullmatch=True), text)
scalars = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), text)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=8,
)
tables = st.dictionaries(keys, values, max_size=4)


@given(tables)
def test_dump_toml_is_read_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(dump_toml(table)) == table


@given(values)
def test_format_value_is_parsed_back(value: Any) -> None:
    assert tomllib.loads(f"v = {format_value(value)}")["v"] == value
    assert parse_value(format_value(value)) == value


def test_dump_toml_reads_well() -> None:
    table = {"oracle": [{"use": "tables", "pieces": 4}], "learner": {"use": "td", "to": None}, "seed": 7, "e": {}}
    assert dump_toml(table) == ('seed = 7\n\n[[oracle]]\nuse = "tables"\npieces = 4\n\n[learner]\nuse = "td"\n\n[e]\n')


def test_dump_toml_rejects_other_types() -> None:
    with pytest.raises(TypeError, match="TOML has no value"):
        dump_toml({"x": object()})


params = st.dictionaries(
    st.from_regex(r"[a-z_][a-z0-9_-]{0,5}", fullmatch=True).filter(lambda key: key != "use"), values, max_size=3
)


@given(st.builds(Spec, st.from_regex(r"[a-z][a-z0-9_-]{0,5}(/[a-z]+)?", fullmatch=True), params))
def test_spec_round_trips_as_string_and_as_table(spec: Spec) -> None:
    assert Spec.parse(str(spec)) == spec
    assert Spec.from_settings(spec.settings()) == spec


@given(
    st.builds(
        Parameters,
        depth=st.integers(1, 99),
        lambda_=st.floats(0, 1),
        name=text,
        width=st.one_of(st.just("auto"), st.integers()),
        layers=st.lists(st.integers(), max_size=2).map(tuple),
        weights=st.dictionaries(text, st.floats(allow_nan=False), max_size=2),
        folder=st.one_of(st.none(), st.just(Path("a") / "b")),
        features=st.one_of(st.none(), st.builds(Spec, st.just("map"), params)),
    )
)
def test_structure_inverts_unstructure_through_toml(parameters: Parameters) -> None:
    assert structure(Parameters, unstructure(parameters)) == parameters
    assert structure(Parameters, tomllib.loads(dump_toml(unstructure(parameters)))) == parameters


def test_unstructure_writes_lambda_without_underscore_and_no_none() -> None:
    plain = unstructure(Parameters(features=Spec("map", {"bits": 3})))
    assert plain["lambda"] == 0.5
    assert plain["features"] == {"use": "map", "bits": 3}
    assert "folder" not in plain
    assert "lambda_" not in plain


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("minimax", Spec("minimax")),
        ("minimax:depth=5", Spec("minimax", {"depth": 5})),
        ("plug/minimax:depth=5", Spec("plug/minimax", {"depth": 5})),
        ("a:b=true,c=0.5,d=-3", Spec("a", {"b": True, "c": 0.5, "d": -3})),
        ("a:b=word, c = two words ", Spec("a", {"b": "word", "c": "two words"})),
        ("a:b=True,c=no,d=2026-11-20,e=007", Spec("a", {"b": "True", "c": "no", "d": "2026-11-20", "e": "007"})),
        ("a:b=\"x, y:z\",c='C:\\d'", Spec("a", {"b": "x, y:z", "c": "C:\\d"})),
        ('a:b="say \\"1,2\\"",c=1', Spec("a", {"b": 'say "1,2"', "c": 1})),
        ("a:b=[1, 2],c=3", Spec("a", {"b": [1, 2], "c": 3})),
        ('a:b={use = "x", y = ["]", "}"]},c=3', Spec("a", {"b": {"use": "x", "y": ["]", "}"]}, "c": 3})),
        ("a:b=it's", Spec("a", {"b": "it's"})),
        ("a:b=dir/file.toml,c=x#1", Spec("a", {"b": "dir/file.toml", "c": "x#1"})),
        ("a:b=3 # x", Spec("a", {"b": "3 # x"})),
    ],
)
def test_parse_spec(written: str, expected: Spec) -> None:
    found = Spec.parse(written)
    assert found == expected
    assert [type(v) for v in found.params.values()] == [type(v) for v in expected.params.values()]


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("", "character 1: a name is missing"),
        (":depth=5", "character 1: a name is missing"),
        ("mini max", "character 5: not the name of a component"),
        ("minimax depth=5", "character 8: not the name of a component"),
        ("minimax:", "character 9: expected key=value"),
        ("minimax:5", "character 9: expected key=value"),
        ("minimax:depth=", "character 15: a value is missing after depth="),
        ("minimax:depth=5,", "character 17: expected key=value"),
        ("minimax:depth=5,,x=1", "character 17: expected key=value"),
        ("minimax:depth=5,depth=6", "character 17: 'depth' is set twice"),
        ("minimax:use=other", "character 9: 'use' is set twice"),
        ("tables:path=C:\\db", "character 14: quote the value of path, which contains a colon"),
        ('a:b="x', 'character 5: "x is not a TOML value'),
        ("a:b=[1,2", "character 5: [1,2 is not a TOML value"),
        ('a:b="x"y', 'character 5: "x"y is not a TOML value'),
    ],
)
def test_parse_spec_rejects(written: str, what: str) -> None:
    assert message(Spec.parse, written).startswith(f"component {written!r}, {what}")


def test_spec_from_settings_rejects() -> None:
    assert message(Spec.from_settings, {}, "searcher") == (
        "searcher has no key 'use', which names the component (it has no keys)"
    )
    assert message(Spec.from_settings, {"use": 5}, "searcher") == "searcher.use = 5: must be the name of a component"
    assert message(Spec.from_settings, 5, "searcher") == "searcher = 5: must be a table with the key 'use'"


def test_nested_spec_becomes_a_table() -> None:
    spec = Spec("mlp", {"hidden": 20, "features": Spec("map", {"bits": 3})})
    assert spec.settings() == {"use": "mlp", "hidden": 20, "features": {"use": "map", "bits": 3}}


BASE = {
    "seed": 7,
    "evaluator": {"use": "mlp", "hidden": 20, "features": {"use": "map", "bits": 3}},
    "learner": {"use": "td", "lambda": 0.5},
    "oracle": [{"use": "tables", "pieces": 4}],
}


def test_merge_keeps_what_is_not_overridden() -> None:
    merged = merge(BASE, {"learner": {"use": "td", "games": 20}, "seed": 8})
    assert merged["learner"] == {"use": "td", "lambda": 0.5, "games": 20}
    assert merged["seed"] == 8
    assert merged["evaluator"] == BASE["evaluator"]


def test_merge_drops_the_keys_of_another_component() -> None:
    assert merge(BASE, {"evaluator": {"use": "material"}})["evaluator"] == {"use": "material"}
    nested = merge(BASE, {"evaluator": {"features": {"use": "squares"}}})["evaluator"]
    assert nested == {"use": "mlp", "hidden": 20, "features": {"use": "squares"}}


def test_merge_replaces_lists() -> None:
    assert merge(BASE, {"oracle": []})["oracle"] == []


@given(tables, tables)
def test_merge_laws(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert merge(one, {}) == one
    assert merge({}, two) == two
    assert merge(one, one) == one
    assert merge(merge(one, two), two) == merge(one, two)


def test_merge_shares_nothing_with_its_arguments() -> None:
    merged = merge(BASE, {"x": {"y": [1]}})
    merged["oracle"][0]["pieces"] = 2
    merged["learner"]["lambda"] = 0.1
    assert BASE["oracle"] == [{"use": "tables", "pieces": 4}]
    assert BASE["learner"] == {"use": "td", "lambda": 0.5}


def test_layers_of_settings_are_normalized_and_merged() -> None:
    layers = {"searcher": "minimax:depth=5", "oracle": "tables"}, {"searcher": "minimax:quiet=1", "oracle": "none"}
    assert normal(*layers) == {"searcher": {"use": "minimax", "depth": 5, "quiet": 1}, "oracle": []}


@pytest.mark.parametrize(
    ("setting", "override"),
    [
        ("seed=8", {"seed": 8}),
        ("learner.lambda=0.3", {"learner": {"lambda": 0.3}}),
        ("learner.kind=true", {"learner": {"kind": True}}),
        ("learner.note=a, b: c", {"learner": {"note": "a, b: c"}}),
        ('learner.note="3"', {"learner": {"note": "3"}}),
        ('learner.note=""', {"learner": {"note": ""}}),
        ("learner.sizes=[1, 2]", {"learner": {"sizes": [1, 2]}}),
        ("evaluator.features.bits=4", {"evaluator": {"features": {"bits": 4}}}),
        ("evaluator.use=material", {"evaluator": {"use": "material"}}),
        ("searcher.use=minimax", {"searcher": {"use": "minimax"}}),
        ("oracle.0.pieces=3", {"oracle": [{"use": "tables", "pieces": 3}]}),
        ("oracle.0.use=other", {"oracle": [{"use": "other"}]}),
    ],
)
def test_apply_set(setting: str, override: dict[str, Any]) -> None:
    before = merge(BASE, {})
    assert apply_set(BASE, setting) == merge(BASE, override)
    assert before == BASE


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ("seed", "expected key.key=value"),
        ("=3", "expected key.key=value"),
        ("learner..lambda=3", "expected key.key=value"),
        ("seed=", 'the value is missing (write "" for an empty string)'),
        ("seed.x=1", "seed = 7 is not a table and has no keys"),
        ("oracle.1.pieces=3", "the list oracle has no entry '1'; allowed: oracle.0 to oracle.0"),
        ("oracle.pieces=3", "the list oracle has no entry 'pieces'; allowed: oracle.0 to oracle.0"),
        ("oracle.0.pieces.x=3", "oracle.0.pieces = 4 is not a table and has no keys"),
        ('learner.note="x', '"x is not a TOML value: Unterminated string (at end of document)'),
    ],
)
def test_apply_set_rejects(setting: str, what: str) -> None:
    assert message(apply_set, BASE, setting).startswith(f"setting {setting!r}: {what}")


def test_read_toml(tmp_path: Path) -> None:
    path = tmp_path / "pipeline.toml"
    for encoding in ("utf-8", "utf-8-sig"):  # the second is that of Windows' Notepad
        path.write_text("# größer\nseed = 7\n", encoding=encoding)
        assert read_toml(path) == {"seed": 7}
    assert read_toml(str(path)) == {"seed": 7}


def test_read_toml_rejects(tmp_path: Path) -> None:
    missing, bad, binary = (tmp_path / name for name in ("missing.toml", "bad.toml", "binary.toml"))
    bad.write_text("seed = 7\ngame = draughts\n")
    binary.write_bytes(b"\xff\xfe\x00")
    assert message(read_toml, missing) == f"there is no file {missing}"
    assert message(read_toml, tmp_path) == f"{tmp_path} is a folder, not a TOML file"
    assert message(read_toml, bad) == f"{bad} is not valid TOML: Invalid value (at line 2, column 8)"
    assert message(read_toml, binary) == f"{binary} is not a TOML file: it is not UTF-8 text"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("minimax:depth=2 + material", ["minimax:depth=2", "material"]),
        ("runs/a+b", ["runs/a+b"]),
        ("a  +  b +c", ["a", "b +c"]),
        (
            "engine:command=\"x 'a + b' --go\",protocol=gtp + none",
            ["engine:command=\"x 'a + b' --go\",protocol=gtp", "none"],
        ),
        ('patterns:sets=["a + b"] + x', ['patterns:sets=["a + b"]', "x"]),
        ("it's here + material", ["it's here", "material"]),
    ],
)
def test_parts_are_split_outside_quotes_and_brackets(text: str, parts: list[str]) -> None:
    assert split_parts(text) == parts


def test_parts_of_a_player_without_blanks_between_them_are_recognized() -> None:
    with pytest.raises(GameforgeError, match=r'"4\+material": must be an integer; the parts .* with blanks'):
        default_registry().create("searcher", Spec.parse("alphabeta:depth=4+material"))

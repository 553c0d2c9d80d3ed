"""The public API names all parameters, without `Any` or `**options`, so that an editor can show them."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from gameforge import api
from gameforge.arena import result
from gameforge.play import game, pipeline, player
from gameforge.training import run, train

PUBLIC: dict[ModuleType, tuple[str, ...]] = {
    api: tuple(api.__all__),
    game: ("Game", "Position", "Move"),
    player: ("Player", "Analysis", "MoveStatistics"),
    pipeline: ("Pipeline",),
    result: ("MatchResult",),
    run: ("Run",),
    train: ("Pipeline",),
}
COMPONENT_PARAMETERS = {("game", "params"), ("oracle", "params"), ("reproduce", "params")}
"""Parameters of components, which only plugins know, may be keyword arguments of this type."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def tree_of(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def public_functions(body: list[ast.stmt], names: tuple[str, ...] | None = None) -> Iterator[tuple[str, Function]]:
    """Functions of a module, and methods of its classes, that do not begin with an underscore, and constructors."""
    for node in body:
        if isinstance(node, Function) and (not node.name.startswith("_") or node.name == "__init__"):
            if names is None or node.name in names:
                yield node.name, node
        elif isinstance(node, ast.ClassDef) and names is not None and node.name in names:
            for name, function in public_functions(node.body):
                yield f"{node.name}.{name}", function


def uses_any(annotation: ast.expr) -> bool:
    """Whether an annotation, possibly a string, contains `Any`."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and node.id == "Any":
            return True
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and uses_any(ast.parse(node.value).body[0].value)
        ):  # type: ignore[attr-defined]
            return True
    return False


def hidden(name: str, function: Function) -> list[str]:
    """What a function hides from an editor."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    found = []
    for argument in every:
        if argument is None or argument.arg in ("self", "cls"):
            continue
        if argument.annotation is None:
            found.append(f"{name}: {argument.arg} has no type")
        elif uses_any(argument.annotation):
            found.append(f"{name}: {argument.arg} is Any")
    if arguments.kwarg is not None and (name, arguments.kwarg.arg) not in COMPONENT_PARAMETERS:
        found.append(f"{name}: **{arguments.kwarg.arg}")
    if function.returns is not None and uses_any(function.returns):
        found.append(f"{name}: the result is Any")
    return found


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_nothing_is_hidden(module: ModuleType) -> None:
    functions = dict(public_functions(tree_of(module).body, PUBLIC[module]))
    assert {name.partition(".")[0] for name in functions} >= {
        name for name in PUBLIC[module] if not hasattr(getattr(module, name), "__attrs_attrs__")
    }
    assert [line for name, function in functions.items() for line in hidden(name, function)] == []


def test_the_types_of_choices_contain_no_any() -> None:
    aliases = [node for node in tree_of(pipeline).body if isinstance(node, ast.Assign)]
    assert len(aliases) >= 8
    assert not any(uses_any(alias.value) for alias in aliases)


def test_each_parameter_is_explained() -> None:
    """Every parameter of a function of the API is in its docstring."""
    for name in ("game", "oracle", "player", "match"):
        function = getattr(api, name)
        text = inspect.getdoc(function) or ""
        for parameter in inspect.signature(function).parameters:
            assert parameter in text, f"{name}: {parameter}"


def test_hidden_parameters_are_found() -> None:
    code = "def f(a: Any, b: 'list[Any]', c, **options: int) -> dict[str, Any]: ..."
    (function,) = ast.parse(code).body
    assert isinstance(function, Function)
    assert hidden("f", function) == [
        "f: a is Any",
        "f: b is Any",
        "f: c has no type",
        "f: **options",
        "f: the result is Any",
    ]

"""What the reference pages need: each command, option, component, parameter and public name is documented."""

import ast
import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path

import api
import attrs
import pytest
from commands import Command, commands, examples
from elsewhere import ROOT, pages_elsewhere
from parameters import parameters
from reference import WITHOUT_CLASS

from gameforge.config import kinds
from gameforge.discovery.loading import import_target
from gameforge.discovery.registry import default_registry
from gameforge.interfaces.hooks import Component
from gameforge.public import offered
from gameforge.training import checkpoint

COMMANDS = commands()
COMPONENTS = [offer.what for offer in default_registry().plugins.components if offer.what.kind not in WITHOUT_CLASS]
MANIFEST = re.compile(r'ManifestFormat\("[^"]+", (?:"[^"]+"|[A-Z_]+), "([^"]+)", (\d+)[,)]')
IMPORT = re.compile(r"^(?:>>> )?from (gameforge(?:\.\w+)*) import ([\w, ]+)$", re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: f"{command.name}-{command.game}")
def test_each_option_has_help_and_an_example(command: Command) -> None:
    """The examples come from the pages, whose commands are run; docs/commands.md has those that fit nowhere else."""
    page = f"reference/commands.md: gameforge {command.name}"
    options = [option for option in command.options if not option.argument]
    assert examples(command), f"{page}: no page has an example"
    assert [option.names[0] for option in command.options if not option.help] == [], f"{page}: options without help"
    shown = [option for option in options if examples(command, option)]
    assert [option.names[0] for option in options if option not in shown] == [], f"{page}: options without an example"


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: f"{component.kind}-{component.name}")
def test_each_parameter_is_explained(component: Component) -> None:
    """By a docstring below the field, or an item "* `name`: ..." of the class docstring."""
    assert component.summary
    todo = [import_target(component.target, component.name)]
    for cls in todo:
        for parameter in parameters(cls):
            place = f"reference/components.md: {component.kind} {component.name}, {cls.__name__}.{parameter.name}"
            assert parameter.meaning, f"{place}: no docstring"
            if parameter.table is not None and parameter.table not in todo:
                todo.append(parameter.table)


@pytest.mark.parametrize("page", api.PAGES.values(), ids=lambda page: page.module)
def test_each_public_name_is_documented(page: api.ApiPage) -> None:
    """Modules, classes, functions, methods, fields and constants of the pages of the Python reference."""
    missing = []
    for name, (module, inner) in offered(page.module).items():
        file = Path(str(importlib.util.find_spec(module).origin))  # type: ignore[union-attr]
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if not inner:
            missing += [name] if not ast.get_docstring(tree) else undocumented(tree.body)
        else:
            body = [*tree.body, *(each for node in tree.body if isinstance(node, ast.If) for each in node.body)]
            missing += [found for found in undocumented(body) if found.partition(".")[0] == inner]
    assert missing == [], f"{page.module} has names without a docstring"


def undocumented(body: Sequence[ast.stmt]) -> list[str]:
    """Public names without a docstring: functions, classes with their methods and fields, constants and types."""
    found = unexplained(body)
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_") and not overloads(node):
            found += [] if ast.get_docstring(node) else [node.name]
            if isinstance(node, ast.FunctionDef):
                continue
            methods = [method for method in node.body if isinstance(method, ast.FunctionDef)]
            public = [method for method in methods if not method.name.startswith("_")]
            found += [f"{node.name}.{method.name}" for method in public if not ast.get_docstring(method)]
            listed = re.findall(r"`(\w+)`", ast.get_docstring(node) or "")
            found += [f"{node.name}.{name}" for name in unexplained(node.body) if name not in listed]
    return found


def overloads(node: ast.ClassDef | ast.FunctionDef) -> bool:
    """Whether this is one signature of several, of which the last one has the docstring."""
    return "overload" in map(ast.unparse, node.decorator_list)


def unexplained(body: Sequence[ast.stmt]) -> list[str]:
    """Public names that a body assigns without a docstring below, type variables excepted."""
    found = []
    for node, below in zip(body, [*body[1:], None], strict=True):
        explained = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if explained or "TypeVar(" in ast.unparse(node):
            continue
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        assigned = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        names = [name.id for name in assigned if isinstance(name.ctx, ast.Store)]  # `Unit.X = ...` assigns no name
        found += [name for name in names if not name.startswith("_")]
    return found


def test_pages_and_examples_import_public_names_only() -> None:
    sources = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / page for page in pages_elsewhere())]
    used = {
        (module, name.strip(), path)
        for path in sources
        for module, names in IMPORT.findall(path.read_text("utf-8"))
        for name in names.split(",")
    }
    assert len(used) > 30
    missing = [
        f"{path.relative_to(ROOT)}: {module}.{name}"
        for module, name, path in used
        if name.partition(" as ")[0] not in offered(module)
    ]
    assert sorted(missing) == []


class TestParameters:
    def test_words_of_a_class(self) -> None:
        @attrs.frozen
        class Inner:
            depth: int = attrs.field(default=2, validator=kinds.whole("1 or more", 1))
            """Plies."""

        @attrs.frozen
        class Outer:
            """A component.

            * `low`, `high`: limits. * `set_`: which set.
            """

            low: float = attrs.field(validator=kinds.number("a number from 0 to 1", 0, 1))
            high: float = 1.0
            set_: str = attrs.field(default="a", alias="set", validator=attrs.validators.max_len(3))
            inner: Inner = Inner()
            """Within."""
            silent: int | None = None

        found = [(p.name, p.allowed, p.default, p.meaning, p.table) for p in parameters(Outer)]
        assert found == [
            ("low", "a number from 0 to 1", "", "Limits.", None),
            ("high", "a number", "`1.0`", "Limits.", None),
            ("set", "a string", '`"a"`', "Which set.", None),
            ("inner", "a table", "a table with its defaults", "Within.", Inner),
            ("silent", "an integer", "none", "", None),
        ]
        assert [(p.allowed, p.meaning) for p in parameters(Inner)] == [("an integer, 1 or more", "Plies.")]

    def test_a_class_without_fields_has_none(self) -> None:
        assert parameters(object) == []


def test_undocumented_names_are_found() -> None:
    tree = ast.parse('class A:\n    "A."\n    def b(self): ...\nclass C:\n    def d(self): ...\ndef e(): ...\n')
    assert undocumented(tree.body) == ["A.b", "C", "C.d", "e"]


def test_undocumented_fields_and_constants_are_found() -> None:
    fields = '    a: int\n    "A."\n    b: int = 1\n    _c: int\n    d: int\n    e = 2\n'
    tree = ast.parse(f'class A:\n    "With `d`."\n{fields}X = 1\n"X."\nY, Z = 1, 2\nT = TypeVar("T")\n')
    assert undocumented(tree.body) == ["Y", "Z", "A.b", "A.e"]


def test_every_format_is_specified_with_its_schema() -> None:
    """A format that is written, a ManifestFormat or a checkpoint, and its row in the table."""
    sources = [*(ROOT / "gameforge").rglob("*.py"), *(ROOT / "plugins").glob("*/gameforge_*/**/*.py")]
    texts = [source.read_text(encoding="utf-8") for source in sources]
    written = {found for text in texts for found in MANIFEST.findall(text)} | {
        (checkpoint.FORMAT, str(checkpoint.SCHEMA))
    }
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \| (\d+) \|", page, re.MULTILINE)) == written, "docs/formats.md"

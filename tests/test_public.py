"""The boundary: what plugins, examples, templates and pages import, and what the public modules offer."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from gameforge.public import PUBLIC, offered
from gameforge.testing.contract import BOUNDARY, check, private_imports

ROOT = Path(__file__).parents[1]
MOST_NAMES = 200
"""A name more needs another one to go."""
MOST_BEHIND_MODULES = 151
"""Names that built-in plugins use through a public name that is a module, such as `simd.load`; they count, too."""
SOURCES = [
    *(path for path in sorted(ROOT.glob("plugins/*/gameforge_*/**/*.py"))),
    *(path for path in sorted((ROOT / "examples").rglob("*.py"))),
]
TEMPLATES = sorted((ROOT / "gameforge" / "discovery" / "templates").rglob("*.py.txt"))
IMPORT = re.compile(r"^ *from (gameforge(?:\.\w+)*) import (.+)$", re.MULTILINE)


def test_no_source_reaches_past_the_boundary() -> None:
    assert len(SOURCES) > 200
    breaches = [
        f"{path.relative_to(ROOT)}, {private}"
        for path in SOURCES
        for private in private_imports(path.read_text(encoding="utf-8"))
    ]
    assert breaches == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(path.parents[2])))
def test_templates_import_public_names(template: Path) -> None:
    """As text, since the placeholders in a template are not Python."""
    for module, names in IMPORT.findall(template.read_text(encoding="utf-8")):
        assert [name for name in names.split(", ") if name not in offered(module)] == []


def test_the_public_modules_are_small() -> None:
    direct = sum(len(offered(module)) for module in PUBLIC)
    behind = {name for path in SOURCES for name in names_behind_modules(path.read_text(encoding="utf-8"))}
    print(f"{direct} public names, and {len(behind)} more that built-in plugins use through modules among them")
    assert direct <= MOST_NAMES
    assert len(behind) <= MOST_BEHIND_MODULES


def names_behind_modules(source: str) -> set[str]:
    """Return what a source uses of modules that are public names themselves, such as `gameforge.kernel.simd.load`."""
    tree = ast.parse(source)
    modules = {
        alias.asname or alias.name: offered(str(node.module))[alias.name][0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in PUBLIC
        for alias in node.names
        if offered(str(node.module)).get(alias.name, ("", " "))[1] == ""
    }
    return {
        f"{modules[owner]}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and (owner := node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")) in modules
    }


def test_names_behind_modules_are_found() -> None:
    source = "from gameforge.kernel import U1, simd as s, slots\nprint(s.load, slots.STOP, U1.real, s.load)\n"
    assert names_behind_modules(source) == {"gameforge.kernel.simd.load", "gameforge.kernel.slots.STOP"}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_lists_what_it_offers(name: str) -> None:
    module = importlib.import_module(name)
    assert {*module.__all__} - {"__version__"} == {*offered(name)}
    for each in module.__all__:
        assert getattr(module, each) is not None
    assert {*offered(name)} <= {*dir(module)}
    assert not {"on_first_use", "TYPE_CHECKING", "api", "play"} & {*dir(module)}
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018
    folder = Path(str(module.__file__)).parent
    modules = {name for name, (_, inner) in offered(name).items() if inner} & {path.stem for path in folder.iterdir()}
    assert modules <= {"perft_file"}  # or importing the submodule would replace the name


class TestPrivateImports:
    def test_the_public_name_is_named(self) -> None:
        [private] = private_imports("from gameforge.kernel.bits import popcount\n")
        assert str(private) == (
            "line 1: gameforge.kernel.bits.popcount is private; import popcount from gameforge.kernel"
        )

    def test_modules(self) -> None:
        [private] = private_imports("def f():\n    import gameforge.kernel.bits\n")
        assert str(private) == "line 2: gameforge.kernel.bits is private; import bits from gameforge.kernel"
        [private] = private_imports("import gameforge.cli.main\n")
        assert str(private) == "line 1: gameforge.cli.main is private; no public module offers it"

    def test_a_name_of_a_public_module_is_written_with_it(self) -> None:
        [private] = private_imports("from gameforge.kernel.slots import STOP\n")
        assert str(private) == (
            "line 1: gameforge.kernel.slots.STOP is private; import slots from gameforge.kernel, and write slots.STOP"
        )

    def test_public_imports_pass(self) -> None:
        text = "import numpy\nimport gameforge as gf\nfrom gameforge.kernel import at, simd\n"
        assert [*private_imports(text)] == []

    def test_the_contract_warns(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The component still works: a private import is a warning."""
        package = tmp_path / "private_reader"
        package.mkdir()
        (package / "__init__.py").write_text(
            "from gameforge.testing.toy import Pile\nclass Mine(Pile):\n    pass\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(tmp_path)
        try:
            mine = importlib.import_module("private_reader").Mine()
            report = check("rules", mine)
        finally:
            sys.modules.pop("private_reader", None)
        [result] = [result for result in report.results if result.name == BOUNDARY]
        assert result.status == "warning"
        assert result.note == (
            "__init__.py, line 1: gameforge.testing.toy.Pile is private; import Pile from gameforge.testing"
        )
        assert report.named("failed") == ()

"""The boundary of the library: its public modules, the names that they offer, and imports that reach past them.

A public package lists its names twice: in `__all__`, and in the imports of its block `if TYPE_CHECKING:`, where type
checkers, editors and readers find where each is defined. At run time `on_first_use` reads the same block. So
`from gameforge.kernel import popcount` imports the one module that defines `popcount`, and a plugin that only names its
components never loads numba.
"""

import ast
import functools
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs

PUBLIC = (
    "gameforge",
    "gameforge.interfaces",
    "gameforge.kernel",
    "gameforge.grid",
    "gameforge.storage",
    "gameforge.experiments",
    "gameforge.cli",
    "gameforge.testing",
)
"""The modules from which plugins and programs may import. All others are private."""


@functools.cache
def offered(package: str) -> dict[str, tuple[str, str]]:
    """Return the names that a public package offers, each with the module that defines it and its name there.

    The name in the module is empty if the package offers the module itself.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return {}
    found = {}
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    blocks = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.If))]
    for node in (node for block in blocks for node in block):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("gameforge"):
            for alias in node.names:
                is_module = node.module == package
                target = (f"{package}.{alias.name}", "") if is_module else (node.module, alias.name)
                found[alias.asname or alias.name] = target
    return found


def on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a public package, which imports each name when it is first used."""

    def load(name: str) -> Any:
        if name not in offered(package):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = offered(package)[name]
        value: Any = importlib.import_module(module)
        if attribute:
            value = getattr(value, attribute)
        setattr(importlib.import_module(package), name, value)
        return value

    return load, lambda: sorted({*vars(importlib.import_module(package)), *offered(package)})


@attrs.frozen
class PrivateImport:
    """An import from GameForge that goes past its public modules."""

    line: int
    """Number of the line in the file, from 1."""
    module: str
    """The private module."""
    name: str
    """What is imported from it; empty if it is the module itself."""
    public: str | None
    """The public module that offers the name; None if none does."""

    def __str__(self) -> str:
        what = f"{self.module}.{self.name}" if self.name else self.module
        instead = f"import {self.name} from {self.public}" if self.public else "no public module offers it"
        return f"line {self.line}: {what} is private; {instead}"


def private_imports(text: str) -> Iterator[PrivateImport]:
    """Yield the private imports of a Python source, wherever they stand: also in functions and for type checkers."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "gameforge" and alias.name not in PUBLIC:
                    yield PrivateImport(node.lineno, alias.name, "", None)
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "gameforge" and not node.level:
            for alias in node.names:
                module, inner = str(node.module), f"{node.module}.{alias.name}"
                if inner not in PUBLIC and not (module in PUBLIC and alias.name in offered(module)):
                    yield PrivateImport(node.lineno, module, alias.name, _public_module(alias.name))


def _public_module(name: str) -> str | None:
    """Return the public module that offers a name."""
    return next((module for module in PUBLIC if name in offered(module)), None)

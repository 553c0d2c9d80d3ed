"""Imports of a plugin that reach past GameForge's public modules: they work, but may break with any release."""

import ast
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs

from gameforge.public import PUBLIC, offered


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
    """Yield the private imports of a Python source, wherever they stand: also in functions and for mypy only."""
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
    return next((module for module in PUBLIC if name in offered(module)), None)


def private_imports_of(component: object, offered: bool) -> list[str]:
    """Return what a component's package imports past the public modules of GameForge, as sentences.

    A component that a plugin offers may be defined in a single module; any other object only counts if it belongs to a
    package, because a test may define it. Sources that cannot be read are left out.
    """
    name = type(component).__module__
    package = sys.modules.get(name.partition(".")[0])
    if package is None or getattr(package, "__file__", None) is None or name.startswith(("gameforge.", "pathlib")):
        return []  # also for a folder of tests, which is no package
    folders = [Path(folder) for folder in getattr(package, "__path__", ())]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    if not files and offered:
        files = [Path(str(package.__file__))]
    found = []
    for file in files:
        with contextlib.suppress(OSError, SyntaxError, UnicodeDecodeError):
            found += [f"{file.name}, {private}" for private in private_imports(file.read_text(encoding="utf-8"))]
    return found

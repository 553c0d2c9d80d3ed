"""The boundary of the library: its public modules, and the names that they offer.

A public package lists its names twice: in `__all__`, and in the imports of its block `if TYPE_CHECKING:`, where mypy,
editors and readers find where each is defined. At run time `on_first_use` reads the same block. So
`from gameforge.kernel import popcount` imports the one module that defines `popcount`, and a plugin that only names its
components never loads numba.

Commands load this module first. It imports next to nothing, because Ctrl-C would end it with a traceback.
"""

import importlib

TYPE_CHECKING = False  # that of typing would load typing
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

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


_offered: dict[str, dict[str, tuple[str, str]]] = {}


def offered(package: str) -> dict[str, tuple[str, str]]:
    """Return the names that a public package offers, each with the module that defines it and its name there.

    The name in the module is empty if the package offers the module itself.
    """
    if package not in _offered:
        _offered[package] = _read(package)
    return _offered[package]


def _read(package: str) -> dict[str, tuple[str, str]]:
    import ast
    from pathlib import Path

    file = importlib.import_module(package).__file__
    assert file is not None
    with open(file, encoding="utf-8") as source:
        tree = ast.parse(source.read())
    found = {}
    blocks = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.If))]
    for node in (node for block in blocks for node in block):
        if not isinstance(node, ast.ImportFrom):
            continue
        module = str(node.module)
        if module.startswith("gameforge") and module != __name__:
            offers_modules = (Path(__file__).parents[1] / module.replace(".", "/")).is_dir()
            for alias in node.names:
                target = (f"{module}.{alias.name}", "") if offers_modules else (module, alias.name)
                found[alias.asname or alias.name] = target
    return found


def on_first_use(package: str) -> "tuple[Callable[[str], Any], Callable[[], list[str]]]":
    """Return `__getattr__` and `__dir__` of a public package, which imports each name when it is first used."""

    def load(name: str) -> "Any":
        if name not in offered(package):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = offered(package)[name]
        value: Any = importlib.import_module(module)
        if attribute:
            value = getattr(value, attribute)
        setattr(importlib.import_module(package), name, value)
        return value

    def names() -> list[str]:
        module = importlib.import_module(package)
        modules = (name.removeprefix(f"{package}.") for name in PUBLIC if name.startswith(f"{package}."))
        return sorted({*module.__all__, *modules, *(name for name in vars(module) if name.startswith("__"))})

    return load, names

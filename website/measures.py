"""Measures of the product's layout, as a table: `python website/measures.py [ROOT]`.

They tell whether a reader can find the way: how large the modules are, how many of their lines are imports and
comments, how much is untyped, and how wide the boundary is that plugins reach across. Tests, templates of new plugins,
and benchmarks are not part of the product.
"""

import ast
import io
import os
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
from elsewhere import ROOT

SMALL, TINY = 60, 40
"""Modules with fewer lines count as small, and as tiny."""
PLAYING = ["gameforge", "play"], ["gameforge", "arena"]


@attrs.frozen
class Module:
    """One module of the product."""

    name: str
    package: str
    """`gameforge`, or the name of a plugin's package."""
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """All lines, also the empty ones."""
        return self.text.count("\n")

    @property
    def is_room(self) -> bool:
        """Whether the rules on the size of modules apply."""
        return self.name.rpartition(".")[2] not in ("__init__", "__main__", "plugin")

    @property
    def import_lines(self) -> int:
        """Lines of import statements, wherever they stand."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        return sum(node.end_lineno - node.lineno + 1 for node in found if node.end_lineno is not None)

    @property
    def comment_lines(self) -> int:
        """Lines that hold nothing but a comment."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return sum(token.type == tokenize.COMMENT and token.line.lstrip().startswith("#") for token in tokens)

    @property
    def anys(self) -> int:
        """How often the name `Any` is used, without its import."""
        return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(self.tree))

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield all functions and methods, also inner ones."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def imported(self, known: Mapping[str, "Module"]) -> Iterator[tuple[str, str]]:
        """Yield (module, name) of each import from the product; the name is empty if the module itself is imported."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names if alias.name in known)
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    if inner in known:
                        yield inner, ""
                    elif node.module in known:
                        yield node.module, alias.name


def product(root: Path) -> dict[str, Module]:
    """Return the modules of the core and of the built-in plugins, by their dotted names."""
    packages = [root / "gameforge", *sorted(root.glob("plugins/*/gameforge_*"))]
    found = {}
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            parts = path.relative_to(package.parent).with_suffix("").parts
            if "templates" in parts:
                continue
            text = path.read_text(encoding="utf-8")
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = Module(".".join(parts), package.name, text, ast.parse(text))
    return found


def is_untyped(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function has parameters besides `self`, and all of them are `Any`."""
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    notes = [parameter.annotation for parameter in parameters if parameter.arg not in ("self", "cls")]
    return bool(notes) and all(isinstance(note, ast.Name) and note.id == "Any" for note in notes)


def measures(modules: Mapping[str, Module]) -> dict[str, str]:
    """Return the rows of the table: what is measured, and its value."""
    lines = sum(module.lines for module in modules.values())
    rooms = [module for module in modules.values() if module.is_room]
    used = {name: set(module.imported(modules)) for name, module in modules.items()}
    importers = Counter(target for found in used.values() for target in {target for target, _ in found})
    crossing = {
        (target, name)
        for module, found in used.items()
        for target, name in found
        if not module.startswith("gameforge.") and target.split(".")[0] == "gameforge"
    }
    functions = [function for module in modules.values() for function in module.functions()]

    def share(part: int, whole: int) -> str:
        return f"{part:,} ({100 * part / whole:.1f} %)"

    def within(package: str) -> str:
        return f"{sum(name == package or name.startswith(package + '.') for name in modules)}"

    return {
        "modules": f"{len(modules)}",
        "lines": f"{lines:,}",
        "mean lines of a module": f"{lines / len(modules):.0f}",
        f"modules under {SMALL} lines": share(sum(m.lines < SMALL for m in modules.values()), len(modules)),
        f"modules under {TINY} lines, without __init__ and plugin": f"{sum(m.lines < TINY for m in rooms)}",
        "lines of imports": share(sum(m.import_lines for m in modules.values()), lines),
        "lines of comments": share(sum(m.comment_lines for m in modules.values()), lines),
        "uses of Any": f"{sum(m.anys for m in modules.values()):,}",
        "functions with parameters that are all Any": share(sum(map(is_untyped, functions)), len(functions)),
        "modules that exactly one other imports": f"{sum(count == 1 for count in importers.values())}",
        "names that built-in plugins import from the core": f"{len(crossing)}",
        "core modules that they import from": f"{len({target for target, _ in crossing})}",
        "such names from gameforge.cli": f"{sum(target.startswith('gameforge.cli') for target, _ in crossing)}",
        "modules of search_minimax": within("gameforge_search_minimax"),
        "modules of cli": within("gameforge.cli"),
        "modules of play and arena": f"{sum(name.split('.')[:2] in PLAYING for name in modules)}",
    }


def by_package(modules: Mapping[str, Module]) -> dict[str, tuple[int, int]]:
    """Return modules and lines of each plugin and of each part of the core, the largest first."""
    found: dict[str, tuple[int, int]] = {}
    for name, module in modules.items():
        inner = name.split(".")[1:2] if module.package == "gameforge" else []
        package = ".".join([module.package, *inner])
        count, lines = found.get(package, (0, 0))
        found[package] = (count + 1, lines + module.lines)
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))


def main(root: Path) -> None:
    """Print both tables in Markdown."""
    modules = product(root)
    print("| measure | value |\n|---|---|")
    rows = measures(modules)
    if root == ROOT:
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # the players play no game, for which a search would be compiled
        from walk import walk

        found = walk()
        rows["modules that the text of a match's player enters"] = f"{len(found.entered)}"
        rows["returns between them"] = f"{len(found.returns)}"
    for measure, value in rows.items():
        print(f"| {measure} | {value} |")
    print("\n| package | modules | lines |\n|---|---|---|")
    for package, (count, lines) in by_package(modules).items():
        print(f"| {package} | {count} | {lines:,} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT)

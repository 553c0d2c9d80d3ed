"""The state of the source: a digest of the files of GameForge and of the plugins that are loaded."""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from gameforge.plugins.discovery import Plugins

_DIGITS = 12


def state_of_sources(plugins: Plugins) -> str:
    """Return a short digest of all code, presets and weights, which changes with any of these files."""
    digest = hashlib.sha256()
    modules = [getattr(plugin, "__name__", type(plugin).__module__) for plugin in plugins.manager.get_plugins()]
    for package in sorted({"gameforge", *(module.partition(".")[0] for module in modules)}):
        for name, path in _files(package):
            digest.update(f"{package}/{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def _files(package: str) -> Iterator[tuple[str, Path]]:
    """The files of a package, or of a module that is a single file, with their names in it."""
    module = sys.modules[package]
    folders = sorted(getattr(module, "__path__", ()))
    if not folders and module.__file__:
        yield "", Path(module.__file__)
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(folder).as_posix(), path

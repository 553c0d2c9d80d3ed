"""The Python reference: one page for each public module, with every name that the module offers."""

import attrs

from gameforge.public import PUBLIC, offered


@attrs.frozen
class ApiPage:
    """A page of the Python reference."""

    title: str
    introduction: str
    module: str
    """The public module."""

    def names(self) -> dict[str, str]:
        """Return each name of the module, and the dotted name of what it stands for."""
        found = {
            name: f"{module}.{inner}" if inner else module for name, (module, inner) in offered(self.module).items()
        }
        return dict(sorted(found.items(), key=lambda item: item[0].lower()))


_PAGES = {
    "gameforge": ("What programs call: games, players, matches, trainings, and what a plugin declares.", "python"),
    "gameforge.interfaces": (
        "What a component of each kind must offer, and the data that components exchange. "
        "[Writing a plugin](../writing-a-plugin.md) shows each in use.",
        "interfaces",
    ),
    "gameforge.kernel": (
        "What functions that are compiled may call. Names are imported on first use, since most of them load numba.",
        "kernel",
    ),
    "gameforge.grid": ("Boards of rows and columns: cells, texts, pictures, symmetries.", "grid"),
    "gameforge.storage": ("Files and folders that survive a kill.", "storage"),
    "gameforge.experiments": ("Experiments that repeat a paper: trials, statistics, reports.", "experiments"),
    "gameforge.cli": ("Parts for the commands of plugins.", "cli"),
    "gameforge.testing": ("The contract kit, perft files, and toy components for tests.", "testing"),
}
PAGES = {page: ApiPage(f"`{module}`", text, module) for module, (text, page) in _PAGES.items()}
"""The pages, by the names of their files."""
assert set(_PAGES) == set(PUBLIC)

"""`gameforge new-plugin`: a small working plugin as a starting point."""

from pathlib import Path
from typing import Annotated

import typer


def new_plugin(
    kind: Annotated[str, typer.Argument(help="rules, features, evaluator, searcher, learner or oracle.")],
    name: Annotated[str, typer.Argument(help="Name of the component: lowercase letters, digits and '-'.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write, which must not exist; default: NAME.")] = None,
) -> None:
    """Write a small plugin whose tests pass at once: entry point, component, contract test, README."""
    from gameforge.plugins.scaffold import write_plugin

    folder = Path(name) if out is None else out
    files = write_plugin(kind, name, folder)
    for file in files:
        print(folder / file)
    print(f"next: cd {folder}; pip install -e .; pytest; gameforge check {kind} {name}")

"""`gameforge new-plugin`: write a small working plugin as a starting point."""

from pathlib import Path
from typing import Annotated

import typer


def new_plugin(
    kind: Annotated[
        str,
        typer.Argument(help="Kind of the component: rules, features, evaluator, searcher, learner, oracle or book."),
    ],
    name: Annotated[str, typer.Argument(help="Name of the component: lowercase letters, digits and '-'.")],
    out: Annotated[Path | None, typer.Option(help="New folder for the plugin; default: NAME.")] = None,
) -> None:
    """Write a small working plugin to start from: entry point, component, tests and README."""
    from gameforge.plugins.scaffold import write_plugin

    folder = Path(name) if out is None else out
    files = write_plugin(kind, name, folder)
    for file in files:
        print(folder / file)
    steps = [f"cd {folder}", "pip install -e '.[test]'", "pytest", f"gameforge check {kind} {name}"]
    if kind == "rules":
        steps += [f"gameforge run --game {name} --out runs/first", f"gameforge play --game {name} runs/first"]
    print("\n".join(["next:", *(f"  {step}" for step in steps)]))

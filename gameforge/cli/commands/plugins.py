"""`gameforge plugins`, `check` and `new-plugin`: list what plugins offer, check a component, and write a plugin."""

import contextlib
import json
from pathlib import Path
from typing import Annotated

import attrs
import typer
from rich.table import Table
from rich.text import Text

from gameforge.cli.command_group import plugin_commands
from gameforge.cli.completion import OPENINGS, example, opening_sets
from gameforge.cli.console import Console
from gameforge.cli.options import AsJson
from gameforge.cli.terminal import compilation_notice
from gameforge.config.parameters import required
from gameforge.discovery.loading import Offer
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.hooks import KINDS, Command, Component

_KIND_HELP = f"List only this kind, with an example of each: {', '.join(KINDS)}, command or {OPENINGS}."
_Report = dict[str, list[dict[str, str]]]


def plugins(
    ctx: typer.Context,
    kind: Annotated[str | None, typer.Option(help=_KIND_HELP)] = None,
    game: Annotated[str | None, typer.Option(help="List only what fits this game.")] = None,
    as_json: AsJson = False,
) -> None:
    """List all components and commands with their origin, and every plugin that failed, with the reason."""
    report = _chosen(_report(ctx.obj.registry, kind), kind, game)
    if as_json:
        print(json.dumps(report, indent=2))
        return
    kinds = [*KINDS, "command", OPENINGS]
    items = report["components"] + [{"kind": "command"} | command for command in report["commands"]]
    items.sort(key=lambda item: (kinds.index(item["kind"]), item["name"]))
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(_table(items, ctx.obj.registry if kind else None))
    else:
        _print_lines(items, ctx.obj.registry if kind else None)
    for failure in report["failures"]:
        line = f"  {failure['name']} ({failure['origin']}): {failure['reason']}"
        console.print(Text.assemble(("FAILED", "bold red"), line), soft_wrap=True)


def _report(registry: Registry, kind: str | None) -> _Report:
    """Everything that was found, each component with the name that means it; openings, which load games, if chosen."""
    found = registry.plugins
    commands, left_out = plugin_commands(found)

    def described(offer: Offer[Component] | Offer[Command], name: str) -> dict[str, str]:
        return attrs.asdict(offer.what) | {"name": name, "plugin": offer.plugin, "origin": offer.origin}

    components = [described(offer, registry.written(offer)) for offer in found.components]
    if kind == OPENINGS:
        games = {item["name"]: item for item in components if item["kind"] == "rules"}
        components = [
            games[game] | {"kind": OPENINGS, "name": name, "game": game, "summary": "named openings for matches"}
            for game, names in opening_sets(registry).items()
            for name in names
        ]
    return {
        "components": components,
        "commands": [described(offer, name) for name, offers in commands.items() for offer in offers],
        "failures": [attrs.asdict(failure) for failure in (*found.failures, *left_out)],
    }


def _chosen(report: _Report, kind: str | None, game: str | None) -> _Report:
    known = (*KINDS, "command", OPENINGS)
    if kind is not None and kind not in known:
        raise GameforgeError(f"--kind {kind}: unknown kind{near(kind, known)}; known: {', '.join(known)}")
    games = [item["name"] for item in report["components"] if item["kind"] == "rules"]
    games += [item["game"] for item in report["components"] if item["kind"] == OPENINGS]
    if game is not None and game not in games:
        raise GameforgeError(f"--game {game}: unknown game{near(game, games)}; known: {', '.join(games) or 'none'}")

    def chosen(item: dict[str, str], of: str) -> bool:
        fits = item["name"] == game if of == "rules" else item["game"] in ("", game)
        return kind in (None, of) and (game is None or fits)

    return report | {
        "components": [item for item in report["components"] if chosen(item, item["kind"])],
        "commands": [item for item in report["commands"] if chosen(item, "command")],
    }


def _typed(item: dict[str, str], registry: Registry) -> str:
    name = item["name"]
    if item["kind"] == "rules":
        with contextlib.suppress(GameforgeError):  # a package that it needs is not installed
            needed = required(registry.load(registry.find("rules", name)))
            name += "".join(f"{',' if i else ':'}{key}={key.upper()}" for i, key in enumerate(needed))
    return example(item["kind"], name, item["game"])


def _table(items: list[dict[str, str]], registry: Registry | None) -> Table:
    """Make a table for a terminal, in which origins, summaries and examples wrap, but names do not.

    registry: for examples; None leaves them out.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("kind", "name", "game"):
        table.add_column(heading, no_wrap=True)
    table.add_column("from", overflow="fold")
    table.add_column("summary", overflow="fold")
    if registry:
        table.add_column("example", overflow="fold")
    for item in items:
        origin = Text.assemble(item["plugin"], "\n", (item["origin"], "dim"))
        typed = [Text(_typed(item, registry))] if registry else []
        table.add_row(item["kind"], item["name"], item["game"], origin, Text(item["summary"]), *typed)
    return table


def _print_lines(items: list[dict[str, str]], registry: Registry | None) -> None:
    """Print one line per item, however long, for pipes and files."""
    rows = [["kind", "name", "game", "from", "summary"] + ["example"] * (registry is not None)]
    for i in items:
        row = [i["kind"], i["name"], i["game"], f"{i['plugin']} ({i['origin']})", i["summary"]]
        rows.append(row + ([_typed(i, registry)] if registry else []))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def new_plugin(
    kind: Annotated[
        str,
        typer.Argument(help="Kind of the component: rules, features, evaluator, searcher, learner, oracle or book."),
    ],
    name: Annotated[str, typer.Argument(help="Name of the component: lowercase letters, digits and '-'.")],
    out: Annotated[Path | None, typer.Option(help="New folder for the plugin; default: NAME.")] = None,
    package: Annotated[
        bool,
        typer.Option(
            "--package",
            help="Write a repository of its own: also workflows of GitHub that test and release the plugin, a list of "
            "changes, and the files that git ignores.",
        ),
    ] = False,
) -> None:
    """Write a small working plugin to start from: entry point, component, tests and README."""
    from gameforge.discovery.scaffold import write_plugin

    folder = Path(name) if out is None else out
    files = write_plugin(kind, name, folder, package=package)
    for file in files:
        print(folder / file)
    steps = [f"cd {folder}", "pip install -e '.[test]'", "pytest", f"gameforge check {kind} {name}"]
    if kind == "rules":
        steps += [f"gameforge run --game {name} --out runs/first", f"gameforge play --game {name} runs/first"]
    print("\n".join(["next:", *(f"  {step}" for step in steps)]))


def check(
    ctx: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(
            help="Kind of the component: rules, features, evaluator, searcher, learner, oracle, book or player."
        ),
    ],
    name: Annotated[str, typer.Argument(help="Name of the component, with parameters: NAME:key=value.")],
    game: Annotated[
        str | None, typer.Option(help="Game to check it with; default: the game that it is for, or else a toy game.")
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="Feature map of the evaluator; default: that of the game's preset.")
    ] = None,
    evaluator: Annotated[
        str | None, typer.Option(help="Evaluator that the learner trains; default: that of the game's preset.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the games from which positions are sampled.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Check a component against the contract of its kind. Checks that do not apply are skipped, with the reason; a
    warning asks the author to look. For rules the speed of random games is reported.

    A learner is trained several times, so give it small settings (td:sessions=2,games=4).
    """
    from gameforge.testing import contract

    with compilation_notice():
        report = contract.check(
            kind, name, game=game, features=features, evaluator=evaluator, seed=seed, registry=ctx.obj.registry
        )
    print(json.dumps(attrs.asdict(report)) if as_json else report)
    failed = report.named("failed")
    if failed:
        raise GameforgeError(f"{report.subject} failed {len(failed)} of {report.made} checks: {', '.join(failed)}")

"""`gameforge check`: the contract of a component, check by check."""

import json
from typing import Annotated

import attrs
import typer

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.errors import GameforgeError


def check(
    ctx: typer.Context,
    kind: Annotated[str, typer.Argument(help="rules, features, evaluator, searcher, learner, oracle or book.")],
    name: Annotated[str, typer.Argument(help="Name of the component, with parameters: NAME:key=value.")],
    game: Annotated[
        str | None,
        typer.Option(help="Check it with this game; default: the one that it is for, else a small one of the kit."),
    ] = None,
    features: Annotated[str | None, typer.Option(help="What an evaluator is given to see.")] = None,
    evaluator: Annotated[
        str | None, typer.Option(help="What a learner trains, with parameters; default: as the game's preset.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random games that positions are taken from.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check that a component does what its kind must do; what cannot be checked is skipped, with the reason.

    A learner trains several times: give it small settings (td:sessions=2,games=4).
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

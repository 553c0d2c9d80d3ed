"""`gameforge check`: check a component against the contract of its kind."""

import json
from typing import Annotated

import attrs
import typer

from gameforge.cli.options import AsJson
from gameforge.cli.terminal import compilation_notice
from gameforge.errors import GameforgeError


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

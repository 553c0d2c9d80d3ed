"""What this plugin contributes."""

from gameforge.interfaces.hooks import Command, Component, hookimpl

_GAME = "draughts"


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "neurodraughts",
            "gameforge_neurodraughts.network:NetworkFile",
            "a net that begins with the weights of a NeuroDraughts network file; trainable",
            game=_GAME,
        ),
        Component(
            "preset",
            "neurodraughts",
            "gameforge_neurodraughts:presets/neurodraughts.toml",
            "NeuroDraughts as its thesis trains it: 100 sessions of 10 games, look-ahead of one move",
            game=_GAME,
        ),
        Component(
            "preset",
            "neurodraughts-2009",
            "gameforge_neurodraughts:presets/neurodraughts-2009.toml",
            "NeuroDraughts as the paper on LS-Draughts trained it: 10 sessions of 200 games, 5 plies",
            game=_GAME,
        ),
        Component(
            "experiment",
            "lambda-league",
            "gameforge_neurodraughts.experiments.league:LambdaLeague",
            "The league of five lambdas of the thesis, over many seeds.",
        ),
        Component(
            "experiment",
            "loop-rate",
            "gameforge_neurodraughts.experiments.loops:LoopRate",
            "Loop draws in 2,000 training games beside the published 1,045.",
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [
        Command(
            "neurodraughts",
            "gameforge_neurodraughts.command:app",
            "Use the files of NeuroDraughts, and write its networks.",
        )
    ]

"""What this plugin contributes."""

from gameforge import Command, Component, hookimpl

_GAME = "draughts"


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "evaluator",
            "neurodraughts",
            "gameforge_neurodraughts.network:NetworkFile",
            "a net whose initial weights are those of a NeuroDraughts network file; trainable",
            game=_GAME,
        ),
        Component(
            "preset",
            "neurodraughts",
            "gameforge_neurodraughts:presets/neurodraughts.toml",
            "NeuroDraughts as trained in the thesis: 100 sessions of 10 games, look-ahead of one move",
            game=_GAME,
        ),
        Component(
            "preset",
            "neurodraughts-2009",
            "gameforge_neurodraughts:presets/neurodraughts-2009.toml",
            "NeuroDraughts as trained in the paper on LS-Draughts: 10 sessions of 200 games, 5 plies",
            game=_GAME,
        ),
        Component(
            "experiment",
            "lambda-league",
            "gameforge_neurodraughts.experiments.league:LambdaLeague",
            "The thesis' league of five lambdas, over many seeds.",
        ),
        Component(
            "experiment",
            "loop-rate",
            "gameforge_neurodraughts.experiments.loops:LoopRate",
            "Loop draws in 2,000 training games, compared with the published 1,045.",
        ),
        Component(
            "experiment",
            "training-regimes",
            "gameforge_neurodraughts.experiments.regimes:TrainingRegimes",
            "Feature maps, training regimes and look-ahead, in all combinations.",
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    return [
        Command(
            "neurodraughts",
            "gameforge_neurodraughts.command:app",
            "Import files of NeuroDraughts, and export networks.",
        )
    ]

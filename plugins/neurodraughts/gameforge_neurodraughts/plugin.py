"""What this plugin contributes."""

from gameforge import Command, Component, hookimpl

_GAME = "draughts"


@hookimpl
def gameforge_components() -> list[Component]:
    presets = {
        "neurodraughts": "NeuroDraughts as trained in the thesis: 100 sessions of 10 games, look-ahead of one move",
        "neurodraughts-2009": "NeuroDraughts as trained in the paper on LS-Draughts: 10 sessions of 200 games, 5 plies",
    }
    experiments = {
        "lambda-league": ("league:LambdaLeague", "The thesis' league of five lambdas, over many seeds."),
        "loop-rate": ("loops:LoopRate", "Loop draws in 2,000 training games, compared with the published 1,045."),
        "training-regimes": (
            "regimes:TrainingRegimes",
            "Feature maps, training regimes and look-ahead, in all combinations.",
        ),
    }
    net = "a net whose initial weights are those of a NeuroDraughts network file; trainable"
    return [
        Component("evaluator", "neurodraughts", "gameforge_neurodraughts.network:NetworkFile", net, game=_GAME),
        *(
            Component("preset", name, f"gameforge_neurodraughts:presets/{name}.toml", summary, game=_GAME)
            for name, summary in presets.items()
        ),
        *(
            Component("experiment", name, f"gameforge_neurodraughts.{target}", summary)
            for name, (target, summary) in experiments.items()
        ),
    ]


@hookimpl
def gameforge_commands() -> list[Command]:
    summary = "Import files of NeuroDraughts, and export networks."
    return [Command("neurodraughts", "gameforge_neurodraughts.command:app", summary)]

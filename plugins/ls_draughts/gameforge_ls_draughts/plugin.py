"""What this plugin contributes."""

from gameforge import Component, hookimpl

_GAME = "draughts"


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "preset",
            "ls-draughts",
            "gameforge_ls_draughts:presets/ls-draughts.toml",
            "LS-Draughts of 2009: a genetic algorithm selects among 15 features, with an endgame database",
            game=_GAME,
        ),
        Component(
            "preset",
            "ls-draughts-2007",
            "gameforge_ls_draughts:presets/ls-draughts-2007.toml",
            "LS-Draughts of 2007: the same without a database, 30 generations",
            game=_GAME,
        ),
        Component(
            "experiment",
            "ls-draughts",
            "gameforge_ls_draughts.experiments.reproduction:LSDraughts",
            "NeuroDraughts, the original and the extended LS-Draughts: matches and loops",
        ),
        Component(
            "experiment",
            "loop-readings",
            "gameforge_ls_draughts.experiments.loop_readings:LoopReadings",
            "Loops of LS-Draughts' trainings under each reading of ties, lookups and targets",
        ),
    ]

"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    presets = {
        "ls-draughts": "LS-Draughts of 2009: a genetic algorithm selects among 15 features, with an endgame database",
        "ls-draughts-2007": "LS-Draughts of 2007: the same without a database, 30 generations",
    }
    experiments = {
        "ls-draughts": (
            "reproduction:LSDraughts",
            "NeuroDraughts, the original and the extended LS-Draughts: matches and loops",
        ),
        "loop-readings": (
            "loop_readings:LoopReadings",
            "Loops of LS-Draughts' trainings under each reading of ties, lookups and targets",
        ),
    }
    return [
        Component("preset", name, f"gameforge_ls_draughts:presets/{name}.toml", summary, game="draughts")
        for name, summary in presets.items()
    ] + [
        Component("experiment", name, f"gameforge_ls_draughts.{target}", summary)
        for name, (target, summary) in experiments.items()
    ]

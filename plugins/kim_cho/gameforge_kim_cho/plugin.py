"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    presets = {
        "anaconda": ("draughts", "Anaconda (Blondie24), 2001: 840 generations of 15 nets and 15 children"),
        "kim-cho-simple": ("draughts", "Kim and Cho's simple evolution: 50 generations of 100 nets"),
        "kim-cho-speciated": (
            "draughts",
            "Kim and Cho's speciated evolution: deterministic crowding, and species at the end",
        ),
        "kim-cho-othello": (
            "othello",
            "Kim and Cho's piece counters for Othello: a genetic algorithm against the standard table",
        ),
        "kim-cho-othello-book": ("othello", "The same, and the evolved player follows an opening book"),
    }
    experiments = {
        "anaconda": ("anaconda:Anaconda", "Anaconda's evolution, and the strength of its champion"),
        "kim-cho-checkers": ("checkers:KimChoCheckers", "Speciated evolution with opening and endgame knowledge"),
        "kim-cho-readings": ("readings:KimChoReadings", "Readings of the king's mutation and of the database's gate"),
        "kim-cho-othello": ("othello:KimChoOthello", "Evolved piece counters, with and without an opening book"),
        "evolved-or-trained": ("efficiency:EvolvedOrTrained", "Strength by training games: evolution and TD learning"),
    }
    return [
        Component("experiment", name, f"gameforge_kim_cho.{target}", summary)
        for name, (target, summary) in experiments.items()
    ] + [
        Component("preset", name, f"gameforge_kim_cho:presets/{name}.toml", summary, game=game)
        for name, (game, summary) in presets.items()
    ]

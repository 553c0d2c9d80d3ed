"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "experiment",
            "uct-ccnn",
            "gameforge_uct_ccnn.experiment:UctCcnn",
            "Nets from UCT's own games (--game names any game): NeuralMinimax, and UCT with the net (Rezende, 2017)",
        ),
        Component(
            "preset",
            "uct-ccnn-cem",
            "gameforge_uct_ccnn:presets/uct-ccnn-cem.toml",
            "Cp of uct for any game (--game), by the cross-entropy method: 500 simulations a move",
        ),
        Component(
            "preset",
            "uct-ccnn-cem-paper",
            "gameforge_uct_ccnn:presets/uct-ccnn-cem-paper.toml",
            "Cp of uct for any game (--game), with the paper's budget: 10 seconds a move",
        ),
        Component(
            "preset",
            "uct-ccnn-net",
            "gameforge_uct_ccnn:presets/uct-ccnn-net.toml",
            "The value net of examples (--game, --set learner.examples=FOLDER), and NeuralMinimax, which plays with it",
        ),
    ]

"""What this plugin contributes."""

from gameforge.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
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
    ]

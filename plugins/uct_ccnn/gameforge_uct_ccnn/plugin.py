"""What this plugin contributes."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    summary = "Nets from UCT's own games (--game names any game): NeuralMinimax, and UCT with the net (Rezende, 2017)"
    presets = {
        "uct-ccnn-cem": "Cp of uct for any game (--game), by the cross-entropy method: 500 simulations a move",
        "uct-ccnn-cem-paper": "Cp of uct for any game (--game), with the paper's budget: 10 seconds a move",
        "uct-ccnn-net": "The value net of examples (--game, --set learner.examples=FOLDER), and NeuralMinimax, which "
        "plays with it",
    }
    readings = "Readings of UCT-CCNN: the trees of its examples, and iRprop"
    return [
        Component("experiment", "uct-ccnn", "gameforge_uct_ccnn.experiment:UctCcnn", summary),
        Component("experiment", "uct-ccnn-readings", "gameforge_uct_ccnn.readings:UctCcnnReadings", readings),
    ] + [Component("preset", name, f"gameforge_uct_ccnn:presets/{name}.toml", says) for name, says in presets.items()]

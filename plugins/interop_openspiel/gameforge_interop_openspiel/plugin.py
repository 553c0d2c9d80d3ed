"""What this plugin offers. This module imports nothing that is slow to load."""

from gameforge.interfaces.hooks import Component, hookimpl

_HINT = "OpenSpiel is missing: pip install 'gameforge[openspiel]'"


@hookimpl
def gameforge_components() -> list[Component]:
    package = "gameforge_interop_openspiel"
    return [
        Component(
            "rules",
            "openspiel",
            f"{package}.spiel_rules:OpenSpielRules",
            "games of OpenSpiel: two players, perfect information, no chance",
            install_hint=_HINT,
        ),
        Component(
            "features",
            "observation",
            f"{package}.observation:Observation",
            "OpenSpiel's observation tensor, for the side to move",
            game="openspiel",
            install_hint=_HINT,
        ),
    ]

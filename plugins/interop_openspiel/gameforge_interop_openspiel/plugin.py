"""What this plugin offers. This module imports nothing that is slow to load."""

from gameforge import Component, hookimpl

_PACKAGE = "gameforge_interop_openspiel"
_HINT = "OpenSpiel is missing: pip install 'gameforge[openspiel]'"
_RULES = "games of OpenSpiel: two players, perfect information, no chance"
_TENSOR = "OpenSpiel's observation tensor, for the side to move"


@hookimpl
def gameforge_components() -> list[Component]:
    features = f"{_PACKAGE}.rules:Observation"
    return [
        Component("rules", "openspiel", f"{_PACKAGE}.rules:OpenSpielRules", _RULES, install_hint=_HINT),
        Component("features", "observation", features, _TENSOR, game="openspiel", install_hint=_HINT),
    ]

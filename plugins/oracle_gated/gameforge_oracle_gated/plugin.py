"""The plugin's contribution: the oracle `gated`."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "oracle",
            "gated",
            "gameforge_oracle_gated.gated:Gated",
            "Another oracle, consulted only where the evaluator is in doubt.",
        )
    ]

"""What this plugin contributes."""

from gameforge.interfaces.hooks import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "oracle",
            "gated",
            "gameforge_oracle_gated.gated:Gated",
            "Another oracle, asked only where the evaluator is in doubt.",
        )
    ]

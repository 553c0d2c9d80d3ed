"""What this plugin offers. This module imports nothing that is slow to load."""

from gameforge import Component, hookimpl


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "searcher",
            "ppo",
            "gameforge_interop_pettingzoo.policy:Ppo",
            "a policy of MaskablePPO (sb3-contrib), trained in an environment of this plugin",
            install_hint="needs sb3-contrib: pip install sb3-contrib",
        )
    ]

"""What this plugin contributes: a feature map and presets for any game, and defaults for games that name none."""

from gameforge import Component, hookimpl
from gameforge.interfaces import Defaults, Rules, capability

_PLAYER = "uct:simulations=10000"


@hookimpl
def gameforge_components() -> list[Component]:
    return [
        Component(
            "features",
            "bits",
            "gameforge_any_game.components:Bits",
            "The bits of the state, one input each; for any game.",
        ),
        Component(
            "book",
            "as-played",
            "gameforge_any_game.components:AsPlayed",
            "Another book, whose moves are drawn as often as recorded games play them.",
        ),
        Component(
            "book",
            "book",
            "gameforge_any_game.components:DatabaseBook",
            "The first moves of the games of a database, drawn as often as they were played.",
        ),
        Component(
            "preset",
            "any-game",
            "gameforge_any_game:presets/any-game.toml",
            "A net on the bits of the state, trained by selfplay; for any game.",
        ),
        Component(
            "preset",
            "any-game-cells",
            "gameforge_any_game:presets/any-game-cells.toml",
            "Patterns, trained by selfplay; for any game that offers cells.",
        ),
    ]


@hookimpl(trylast=True)
def gameforge_defaults(rules: Rules) -> Defaults:
    """For every game: a search that needs no evaluator, and a preset that suits what the rules offer."""
    preset = "any-game" if capability(rules, "cells") is None else "any-game-cells"
    return Defaults(player=_PLAYER, preset=preset)

"""OpenSpiel's observation tensor as a feature map."""

from array import array
from typing import Any

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge_interop_openspiel.history import read, words_for, write
from gameforge_interop_openspiel.spiel_rules import OpenSpielRules


class Observation:
    """The observation tensor of the side to move, as OpenSpiel defines it for the game."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        if not isinstance(rules, OpenSpielRules):
            raise GameforgeError(f"features observation: fits games of OpenSpiel only, not {rules.name}")
        spiel = rules.spiel
        if not spiel.game.get_type().provides_observation_tensor:
            raise GameforgeError(f"features observation: {rules.name_} has no observation tensor")
        last, inputs = words_for(rules.limit) - 1, spiel.game.observation_tensor_size()

        def features(fd: Any, s: Any, x: Any) -> None:
            n = int(s[last])
            write(x, array("f", spiel.after(read(s, 2 * n)).observation_tensor(spiel.first ^ n & 1)))

        return FeatureFunctions(inputs=inputs, viewpoint="to move", features=features, compiled=False)

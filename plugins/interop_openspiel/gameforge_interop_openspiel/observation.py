"""OpenSpiel's observation tensor as a feature map."""

from typing import Any

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge_interop_openspiel.history import words_for
from gameforge_interop_openspiel.spiel_rules import OpenSpielRules


class Observation:
    """The observation tensor of the side to move, as OpenSpiel defines it for the game."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        if not isinstance(rules, OpenSpielRules):
            raise GameforgeError(f"features observation: fits games of OpenSpiel only, not {rules.name}")
        spiel, words = rules.spiel, words_for(rules.limit)
        if not spiel.game.get_type().provides_observation_tensor:
            raise GameforgeError(f"features observation: {rules.name_} has no observation tensor")
        inputs = spiel.game.observation_tensor_size()

        def features(fd: Any, s: Any, x: Any) -> None:
            state = tuple(np.ctypeslib.as_array(s, (words,)).tolist())
            mover = spiel.movers[rules.side_to_move(state)]
            np.ctypeslib.as_array(x, (inputs,))[:inputs] = rules.at(state).observation_tensor(mover)

        return FeatureFunctions(inputs=inputs, viewpoint="to move", features=features, compiled=False)

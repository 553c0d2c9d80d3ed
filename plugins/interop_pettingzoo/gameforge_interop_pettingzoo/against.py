"""A game against a fixed player as an environment of Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from gameforge.play.game import Position
from gameforge.play.player import Player
from gameforge_interop_pettingzoo.actions import Actions
from gameforge_interop_pettingzoo.observation import BITS, Observer, mask

_SEEDS = 1 << 32


class AgainstPlayer(gymnasium.Env):  # type: ignore[misc]
    """The agent moves against a player: 1 for a win, -1 for a loss, 0 for a draw, at the end of the game.

    The agent's side is drawn for each game. An action that is not legal loses the game; `action_masks` and the mask in
    `info` say which are legal. The seed determines sides and the player's random numbers.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(self, opponent: Player, features: str = BITS, render_mode: str | None = None) -> None:
        self.opponent, self.render_mode = opponent, render_mode
        self._actions, self._observer = Actions(opponent.game), Observer(opponent.game, features)
        self.observation_space = spaces.Box(-np.inf, np.inf, (self._observer.inputs,), np.float32)
        self.action_space = spaces.Discrete(self._actions.size)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self.opponent.reseed(int(self.np_random.integers(_SEEDS)))
        self._side = int(self.np_random.integers(2))
        self._reach(self.opponent.game.position())
        return self._seen()

    def step(self, action: np.int64) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        move = self._legal.get(int(action))
        if move is None:
            observation, info = self._seen()
            return observation, -1.0, True, False, info
        self._reach(self._position.after(move))
        outcome = self._position.outcome
        reward = 0.0 if outcome is None else float(outcome.points(self._side) - 1)
        observation, info = self._seen()
        return observation, reward, outcome is not None, False, info

    def _reach(self, position: Position) -> None:
        """Let the player move until it is the agent's turn or the game is over."""
        while position.outcome is None and position.turn != self._side:
            position = position.after(self.opponent.choose(position).code)
        self._position = position
        self._legal = {} if position.outcome else self._actions.legal(position.state, position.codes)

    def _seen(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        return self._observer(self._position.state), {"action_mask": mask(self._actions.size, self._legal)}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each action is legal, as MaskablePPO of sb3-contrib asks for it."""
        return mask(self._actions.size, self._legal).astype(np.bool_)

    def render(self) -> str:
        return str(self._position)

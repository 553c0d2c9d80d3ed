"""A game as an AEC environment of PettingZoo."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from gameforge.errors import GameforgeError
from gameforge.play.game import Game
from gameforge.play.running_game import RunningGame
from gameforge_interop_pettingzoo.actions import Actions
from gameforge_interop_pettingzoo.observation import BITS, Observer, mask


class GameEnv(AECEnv):  # type: ignore[misc]
    """Two agents, named after the sides of the game, take turns; the winner gets 1 and the loser -1.

    An observation has the key `observation`, the inputs of a feature map, and `action_mask`. `step` raises
    GameforgeError for an action that is not legal.
    """

    metadata = {"name": "gameforge", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, game: Game, features: str = BITS, render_mode: str | None = None) -> None:
        super().__init__()
        self.game, self.render_mode = game, render_mode
        self._running, self._actions, self._observer = RunningGame(game), Actions(game), Observer(game, features)
        self.possible_agents = list(game.rules.sides)
        self.agents: list[str] = []
        size, inputs = self._actions.size, self._observer.inputs
        space = {
            "observation": spaces.Box(-np.inf, np.inf, (inputs,), np.float32),
            "action_mask": spaces.Box(0, 1, (size,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(space) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(size) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; nothing is random, so the seed is not used."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._running.begin()
        self._look()

    def _look(self) -> None:
        """Take over what the game says after a move."""
        running = self._running
        over = running.outcome
        self._legal = {} if over else self._actions.legal(running.state, running.moves)
        self.agent_selection = self.possible_agents[running.turn]
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = {agent: float(over.points(side) - 1) for side, agent in enumerate(self.possible_agents)}

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of an agent; only the agent to move has legal actions."""
        legal = self._legal if agent == self.agent_selection else {}
        return {
            "observation": self._observer(self._running.state),
            "action_mask": mask(self._actions.size, legal),
        }

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action not in self._legal:
            allowed = ", ".join(map(str, self._legal))
            raise GameforgeError(f"action {action} is not legal for {agent}; legal: {allowed}")
        self._cumulative_rewards[agent] = 0.0
        self._running.play(self._legal[int(action)])
        self._look()
        self._accumulate_rewards()

    def render(self) -> str:
        return self.game.diagram(self._running.state)

    def close(self) -> None:
        """Release nothing: the environment holds no resources."""

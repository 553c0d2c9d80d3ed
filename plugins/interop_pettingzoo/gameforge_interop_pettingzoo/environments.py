"""Games as environments: an AEC environment of PettingZoo, and a game against a fixed player for Gymnasium."""

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from gameforge import Game, GameforgeError, Player, Position, RunningGame
from gameforge.kernel import FloatArray
from gameforge_interop_pettingzoo.encoding import BITS, Actions, Mask, Observer, mask


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

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, object] | None = None) -> None:
        """Begin a game; nothing is random, so the seed is not used."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, object]] = {agent: {} for agent in self.agents}
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

    def observe(self, agent: str) -> dict[str, FloatArray | Mask]:
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
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[FloatArray, dict[str, Mask]]:
        super().reset(seed=seed)
        self.opponent.reseed(int(self.np_random.integers(_SEEDS)))
        self._side = int(self.np_random.integers(2))
        self._reach(self.opponent.game.position())
        return self._seen()

    def step(self, action: np.int64) -> tuple[FloatArray, float, bool, bool, dict[str, Mask]]:
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

    def _seen(self) -> tuple[FloatArray, dict[str, Mask]]:
        return self._observer(self._position.state), {"action_mask": mask(self._actions.size, self._legal)}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each action is legal, as MaskablePPO of sb3-contrib asks for it."""
        return mask(self._actions.size, self._legal).astype(np.bool_)

    def render(self) -> str:
        return str(self._position)

"""Games as environments: an AEC environment of PettingZoo, and a game against a fixed player for Gymnasium."""

from typing import TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

import gameforge
from gameforge import Game, GameforgeError, Player
from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN, State
from gameforge.kernel import FloatArray
from gameforge_interop_pettingzoo.encoding import View, view_of
from gameforge_interop_pettingzoo.lockstep import Lockstep, Opponent

Mask: TypeAlias = NDArray[np.int8]
"""1 for each legal action and 0 for the others."""


def game_of(game: Game | str) -> Game:
    """Return a game by its name, with parameters as in `draughts:repetition=2`, or the game itself."""
    if not isinstance(game, Game | str):
        raise GameforgeError(f"game = {game!r}: must be a Game or its name")
    return gameforge.game(game) if isinstance(game, str) else game


def observations(view: View) -> spaces.Box:
    """Return the space of the observations of one game."""
    return spaces.Box(-np.inf, np.inf, view.shape, np.float32)


class GameEnv(AECEnv):  # type: ignore[misc]
    """Two agents, named after the sides of the game, take turns; the winner gets 1 and the loser -1.

    An observation has the key `observation`, planes or the inputs of a feature map, and `action_mask`. `step` raises
    GameforgeError for an action that is not legal.

    * `game`: a game or its name.
    * `features`: `planes`, or a feature map; "": planes if the game has cells, else `bits`.
    """

    metadata = {"name": "gameforge", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, game: Game | str, features: str = "", render_mode: str | None = None) -> None:
        super().__init__()
        self.game, self.render_mode = game_of(game), render_mode
        view = view_of(self.game, features)
        self._lockstep = Lockstep(self.game, 1, view)
        self.possible_agents = list(self.game.rules.sides)
        self.agents: list[str] = []
        space = {
            "observation": observations(view),
            "action_mask": spaces.Box(0, 1, (self._lockstep.size,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(space) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._lockstep.size) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    @property
    def state_words(self) -> State:
        """The state of the game."""
        return self._lockstep.state()

    def move_of(self, action: int) -> int:
        """Return the move of a legal action, as a word."""
        return self._lockstep.move_of(action)

    def reset(self, seed: int | None = None, options: dict[str, object] | None = None) -> None:
        """Begin a game; nothing is random, so the seed is not used."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, object]] = {agent: {} for agent in self.agents}
        self._lockstep.begin()
        self.agent_selection = self.possible_agents[self._lockstep.turns[0]]

    def observe(self, agent: str) -> dict[str, FloatArray | Mask]:
        """Return the observation of an agent; only the agent to move has legal actions."""
        mask = self._lockstep.masks[0]
        return {
            "observation": self._lockstep.seen[0].copy(),
            "action_mask": mask.copy() if agent == self.agent_selection else np.zeros_like(mask),
        }

    def step(self, action: int | None) -> None:
        agent, lockstep = self.agent_selection, self._lockstep
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise GameforgeError(f"action None is not legal for {agent}: the game is not over")
        lockstep.chosen[0] = action
        lockstep.step()
        self._cumulative_rewards[agent] = 0.0
        self.agent_selection = self.possible_agents[lockstep.turns[0]]
        if lockstep.over[0]:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = {each: float(lockstep.rewards[0]) * (1 if each == agent else -1) for each in self.agents}
        self._accumulate_rewards()

    def render(self) -> str:
        return self.game.diagram(self._lockstep.state())

    def close(self) -> None:
        """Release nothing: the environment holds no resources."""


_WORDS = 1 << 63


class AgainstPlayer(gymnasium.Env):  # type: ignore[misc]
    """The agent moves against a player: 1 for a win, -1 for a loss, 0 for a draw, at the end of the game.

    The agent's side is drawn for each game. An action that is not legal loses the game; `action_masks` and the mask in
    `info` say which are legal. The seed determines sides and the player's random numbers. Ctrl-C is noticed after the
    player's move.

    * `opponent`: a player, or a searcher that needs no evaluator, such as `random` or `uct:simulations=100`.
    * `game`: a game or its name, for a searcher.
    * `features`: as for GameEnv.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        opponent: Player | str,
        game: Game | str = "",
        features: str = "",
        render_mode: str | None = None,
    ) -> None:
        if isinstance(opponent, str):
            if not game:
                raise GameforgeError(f"opponent = {opponent!r}: a searcher needs a game; name it with game=...")
            opponent = gameforge.player(game_of(game), searcher=opponent, oracle="none", name=opponent)
        if not isinstance(opponent, Player):
            raise GameforgeError(f"opponent = {opponent!r}: must be a Player, or a searcher by its name")
        self.opponent, self.render_mode = opponent, render_mode
        view = view_of(opponent.game, features)
        self._lockstep = Lockstep(opponent.game, 1, view)
        self._player = Opponent(self._lockstep, opponent)
        self.observation_space = observations(view)
        self.action_space = spaces.Discrete(self._lockstep.size)

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[FloatArray, dict[str, Mask]]:
        super().reset(seed=seed)
        word = int(self.np_random.integers(_WORDS))
        self._side = int(self.np_random.integers(2))
        self._over = self._player.begin(self._side, word) != RUNNING
        return self._seen()

    def step(self, action: np.int64) -> tuple[FloatArray, float, bool, bool, dict[str, Mask]]:
        lockstep = self._lockstep
        if self._over or not 0 <= action < lockstep.size or not lockstep.masks[0, action]:
            self._over, reward = True, -1.0
        else:
            lockstep.chosen[0] = action
            code = self._player.reply(self._side)
            self._over = code != RUNNING
            mine = 1.0 if lockstep.turns[0] == self._side else -1.0
            reward = mine * _WORTH[code & 3]
        observation, info = self._seen()
        return observation, reward, self._over, False, info

    def _seen(self) -> tuple[FloatArray, dict[str, Mask]]:
        mask = self._lockstep.masks[0].copy()
        if self._over:
            mask[:] = 0
        return self._lockstep.seen[0].copy(), {"action_mask": mask}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each action is legal, as MaskablePPO of sb3-contrib asks for it."""
        return self._lockstep.masks[0].astype(np.bool_)

    def render(self) -> str:
        return self.opponent.game.diagram(self._lockstep.state())


_WORTH = {RUNNING: 0.0, WIN: 1.0, LOSS: -1.0, DRAW: 0.0}
"""What a result is worth to the side to move."""

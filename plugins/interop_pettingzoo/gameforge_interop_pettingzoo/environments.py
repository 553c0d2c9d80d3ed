"""Games as environments.

* `GameEnv`, for PettingZoo: two agents take turns.
* `AgainstPlayer`, for Gymnasium: one agent plays against a fixed player.
* `GameVectorEnv`, for Gymnasium: many games of one kind, stepped in one compiled call.
"""

import operator
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray
from pettingzoo import AECEnv

import gameforge
from gameforge import Game, GameforgeError, Player, Workshop
from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN, State
from gameforge.kernel import FloatArray, IntegerArray
from gameforge_interop_pettingzoo.lockstep import Lockstep, Opponent, View, view_of

Mask: TypeAlias = NDArray[np.int8]
"""1 for each legal action and 0 for the others."""
_WORDS = 1 << 63


def game_of(game: Game | str) -> Game:
    """Return a game by its name, with parameters as in `draughts:repetition=2`, or the game itself."""
    if not isinstance(game, Game | str):
        raise GameforgeError(f"game = {game!r}: must be a Game or its name")
    return gameforge.game(game) if isinstance(game, str) else game


def action_of(action: object, size: int) -> int:
    """Return an action as a number. Raises GameforgeError for anything but an integer of 64 bits."""
    try:
        number = operator.index(action)  # type: ignore[arg-type]
        if -_WORDS <= number < _WORDS:
            return number
    except TypeError:
        pass
    raise GameforgeError(f"action = {action!r}: must be an integer from 0 to {size - 1}")


def _seed_of(seed: object, options: object) -> int | None:
    """Return the seed of a reset. Raises GameforgeError if one of the two has another type, or the seed is negative."""
    if options is not None and not isinstance(options, dict):
        raise GameforgeError(f"options = {options!r}: must be a dict or None")
    if seed is None:
        return None
    try:
        number = operator.index(seed)  # type: ignore[arg-type]
        if number >= 0:
            return number
    except TypeError:
        pass
    raise GameforgeError(f"seed = {seed!r}: must be an integer from 0 on, or None")


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
        _seed_of(seed, options)
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
        if not self.agents:
            raise GameforgeError("step: no game has begun, or it is over for both agents; call reset")
        agent, lockstep = self.agent_selection, self._lockstep
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise GameforgeError(f"action None is not legal for {agent}: the game is not over")
        lockstep.chosen[0] = action_of(action, lockstep.size)
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


class AgainstPlayer(gymnasium.Env):  # type: ignore[misc]
    """The agent moves against a player: 1 for a win, -1 for a loss, 0 for a draw, at the end of the game.

    The agent's side is drawn for each game. An action that is not legal loses the game; `action_masks` and the mask in
    `info` say which are legal. The seed determines sides and the player's random numbers. Ctrl-C is noticed after the
    player's move.

    * `opponent`: a player, or its text as on the command line: `random`, `uct:simulations=100`, `strong:level=1`,
      `alphabeta:depth=4 + material`, or the folder of a run or saved player.
    * `game`: a game or its name; it may be omitted if the opponent is a Player or names its game, as folders do.
    * `features`: as for GameEnv.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        opponent: Player | str | Path,
        game: Game | str = "",
        features: str = "",
        render_mode: str | None = None,
    ) -> None:
        if not isinstance(opponent, Player | str | Path):
            raise GameforgeError(f"opponent = {opponent!r}: must be a Player, or a player's text")
        if not isinstance(opponent, Player):
            chosen = game_of(game) if game else None
            opponent = Workshop().player(str(opponent), chosen)
        self.opponent, self.render_mode = opponent, render_mode
        view = view_of(opponent.game, features)
        self._lockstep = Lockstep(opponent.game, 1, view)
        self._player = Opponent(self._lockstep, opponent)
        self._side: int | None = None
        self.observation_space = observations(view)
        self.action_space = spaces.Discrete(self._lockstep.size)

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[FloatArray, dict[str, Mask]]:
        super().reset(seed=_seed_of(seed, options))
        word = int(self.np_random.integers(_WORDS))
        self._side = int(self.np_random.integers(2))
        self._over = self._player.begin(self._side, word) != RUNNING
        return self._seen()

    def step(self, action: np.int64) -> tuple[FloatArray, float, bool, bool, dict[str, Mask]]:
        lockstep, chosen = self._lockstep, action_of(action, self._lockstep.size)
        if self._side is None:
            raise GameforgeError("step: no game has begun; call reset")
        if self._over or not 0 <= chosen < lockstep.size or not lockstep.masks[0, chosen]:
            self._over, reward = True, -1.0
        else:
            lockstep.chosen[0] = chosen
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


class GameVectorEnv(VectorEnv):  # type: ignore[misc]
    """N games that an agent plays against itself: each step plays one move in each game, for the side to move.

    The reward is 1, 0 or -1 at the end of a game, for the side that has just moved. A game that is over begins again
    with the next step, whose action it ignores (AutoresetMode.NEXT_STEP). `info` has `action_mask` [N, actions],
    which is 1 everywhere for a game that is over, and `turn` [N], the side to move: 0 or 1. `step` raises
    GameforgeError, before it plays any move, if an action is not legal.

    * `game`: a game or its name.
    * `num_envs`: number of games.
    * `features`: `planes`, or a feature map; "": planes if the game has cells, else `bits`.
    * `copy`: False returns the same arrays from each step, with new contents.
    """

    metadata = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        features: str = "",
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        if num_envs < 1:
            raise GameforgeError(f"num_envs = {num_envs}: must be 1 or more")
        self.game, self.num_envs, self.render_mode = game_of(game), num_envs, render_mode
        view = view_of(self.game, features)
        self._lockstep, self._copy = Lockstep(self.game, num_envs, view), copy
        self.single_observation_space = observations(view)
        self.single_action_space = spaces.Discrete(self._lockstep.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, np.bool_)
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Begin all games. The seed determines `random_actions`; nothing else is random."""
        super().reset(seed=_seed_of(seed, options))
        if seed is not None or not self._seeded:
            self._lockstep.rng[:] = self.np_random.integers(1 << 63, size=self.num_envs, dtype=np.uint64)
            self._seeded = True
        self._lockstep.begin()
        return self._kept(self._lockstep.seen), self._info()

    def step(
        self, actions: ArrayLike
    ) -> tuple[FloatArray, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        lockstep, given = self._lockstep, np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise GameforgeError(
                f"actions: {given.dtype} of the shape {given.shape}; must be integers of the shape {(self.num_envs,)}"
            )
        lockstep.chosen[:] = given
        lockstep.step()
        over = lockstep.over
        lockstep.masks[over] = 1
        rewards = self._kept(lockstep.rewards)
        return self._kept(lockstep.seen), rewards, self._kept(over), np.zeros_like(over), self._info()

    def random_actions(self) -> IntegerArray:
        """Draw a legal action for each game, all equally likely; 0 for a game that is over."""
        self._lockstep.draw()
        return self._lockstep.chosen.copy()

    def _info(self) -> dict[str, Any]:
        masks, turns = self._kept(self._lockstep.masks), self._kept(self._lockstep.turns)
        return {"action_mask": masks, "_action_mask": self._all, "turn": turns, "_turn": self._all}

    def _kept(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array

    def render(self) -> tuple[str, ...]:
        return tuple(self.game.diagram(self._lockstep.state(g)) for g in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Release nothing: the environment holds no resources."""

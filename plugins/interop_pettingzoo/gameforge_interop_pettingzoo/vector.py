"""Many games of one kind as a vector environment of Gymnasium, stepped in one compiled call."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from gameforge import Game, GameforgeError
from gameforge.kernel import FloatArray, IntegerArray
from gameforge_interop_pettingzoo.encoding import view_of
from gameforge_interop_pettingzoo.environments import game_of, observations
from gameforge_interop_pettingzoo.lockstep import Lockstep


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
        super().reset(seed=seed)
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

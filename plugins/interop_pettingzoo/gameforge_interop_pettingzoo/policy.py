"""The searcher `ppo`: a policy that MaskablePPO of sb3-contrib has trained in an environment of this plugin."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np

from gameforge import Game, GameforgeError, Registry
from gameforge.interfaces import Rules, RulesFunctions, SearcherFunctions
from gameforge.kernel import U0, U1, CompiledPlayer, Context, GameWorkspace, Limits, Score, Words, answer, at
from gameforge_interop_pettingzoo.lockstep import Lockstep, indices_of, view_of

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO


@attrs.frozen(kw_only=True)
class Ppo:
    """The component: the most probable legal action of a saved policy, without a search.

    * `file`: the saved model.
    * `features`: that of the environment in which it was trained: planes if the game has cells, else `bits`.
    """

    file: Path
    features: str = ""

    def composed(self, registry: Registry, rules: Rules) -> "Policy":
        from sb3_contrib import MaskablePPO

        if not self.file.is_file():
            raise GameforgeError(f"searcher.file = {str(self.file)!r}: there is no such file")
        model = MaskablePPO.load(self.file, device="cpu")
        policy = Policy(model, Game(rules), self.features)
        there = int(model.action_space.n), tuple(model.observation_space.shape)
        if there != policy.shape:
            raise GameforgeError(
                f"searcher.file = {str(self.file)!r}: the model has {there[0]} actions and observations of shape "
                f"{there[1]}, but {rules.name} has {policy.shape[0]} and {policy.shape[1]} (parameter features)"
            )
        return policy


class Policy:
    """The searcher that `ppo` composes from the saved model."""

    def __init__(self, model: "MaskablePPO", game: Game, features: str) -> None:
        self._model, self._game, self._view = model, game, view_of(game, features)

    @property
    def shape(self) -> tuple[int, tuple[int, ...]]:
        """Number of actions, and shape of an observation."""
        return indices_of(self._game).size, self._view.shape

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(
            search=search, limits=(0,), stack=rules.words + rules.max_moves, scores=0, crew=self.crew
        )

    def crew(self, player: CompiledPlayer, game: GameWorkspace) -> Callable[[int], int]:
        """Return the function that chooses among the moves on the stack, for the thread of this game."""
        words, lockstep = int(game.rules.words), Lockstep(self._game, 1, self._view)

        def crew(n: int) -> int:
            stack = player.context.stack
            lockstep.begin(tuple(map(int, stack[:words])))
            masks = lockstep.masks[0].astype(np.bool_)
            action, _ = self._model.predict(lockstep.seen[0], action_masks=masks, deterministic=True)
            return stack[words : words + n].tolist().index(lockstep.move_of(int(action)))

        return crew


def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    """Write the move that `crew` chooses; the score is 0."""
    rules = ctx.rules
    for i in range(rules.words):
        ctx.stack[i] = s[i]
    n = rules.gen(at(rules.data, U0), s, at(ctx.stack, rules.words))
    if n == U0:
        answer.write_no_move(out, U1)
    else:
        answer.write_move(out, ctx.stack[rules.words + np.uint64(ctx.crew(np.int64(n)))], U1)  # type: ignore[arg-type]
    return 0.0

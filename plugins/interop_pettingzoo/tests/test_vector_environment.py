"""The vector environment: games stepped together are the games stepped alone, whatever their number."""

from typing import Any

import pytest
from environment_games import GAMES, QUIET
from gameforge_interop_pettingzoo.environments import GameVectorEnv
from gymnasium.vector import AutoresetMode

import gameforge as gf
from gameforge import GameforgeError
from gameforge.play.game import RunningGame
from gameforge.testing import Pile

pytestmark = QUIET


def run(env: GameVectorEnv, seed: int, steps: int) -> list[Any]:
    """The results of random steps, as bytes."""
    observation, info = env.reset(seed=seed)
    found = [observation.tobytes(), info["action_mask"].tobytes()]
    for _ in range(steps):
        actions = env.random_actions()
        observation, rewards, over, stopped, info = env.step(actions)
        assert not stopped.any()
        arrays = actions, observation, rewards, over, info["action_mask"], info["turn"]
        found.append([array.tobytes() for array in arrays])
    return found


@pytest.mark.parametrize("name", GAMES)
def test_the_seed_determines_everything(name: str) -> None:
    assert run(GameVectorEnv(name, 5), 7, 80) == run(GameVectorEnv(name, 5, copy=False), 7, 80)
    assert run(GameVectorEnv(name, 5), 7, 80) != run(GameVectorEnv(name, 5), 8, 80)


@pytest.mark.parametrize("name", GAMES)
def test_each_game_is_played_by_the_rules(name: str) -> None:
    """Beside it, the same moves in games of their own: results, draws by repetition and all, turns and restarts."""
    env = GameVectorEnv(name, 4)
    env.reset(seed=3)
    alone = [RunningGame(env.game) for _ in range(4)]
    restarts = 0
    for _ in range(400):
        actions = env.random_actions()
        moves = [None if game.outcome else env._lockstep.move_of(actions[g], g) for g, game in enumerate(alone)]
        _, rewards, over, _, info = env.step(actions)
        for g, (game, move) in enumerate(zip(alone, moves, strict=True)):
            mover = game.turn
            if move is None:
                game.begin()
                restarts += 1
            else:
                game.play(move)
            assert env._lockstep.state(g) == game.state
            assert over[g] == (game.outcome is not None)
            assert rewards[g] == (game.outcome.points(mover) - 1 if game.outcome else 0)
            assert info["turn"][g] == game.turn
            expected = len(game.moves) if game.outcome is None else env.single_action_space.n
            assert info["action_mask"][g].sum() == expected
    assert restarts or name in ("international", "frisian", "antidraughts", "draughts-variant")


def test_spaces_and_metadata() -> None:
    env = GameVectorEnv("othello", 3)
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.action_space.contains(env.random_actions())
    assert (env.single_action_space.n, env.single_observation_space.shape) == (65, (8, 8, 8))
    assert info["action_mask"].shape == (3, 65)
    assert env.render()[0] == env.render()[2]


def test_copies_are_not_written_again() -> None:
    env = GameVectorEnv("othello", 2)
    first, info = env.reset(seed=1)
    before = first.copy(), info["action_mask"].copy()
    env.step(env.random_actions())
    assert (first == before[0]).all()
    assert (info["action_mask"] == before[1]).all()


@pytest.mark.parametrize(("action", "named"), [(0, "0"), (-1, "-1"), (65, "65")])
def test_nothing_is_played_if_an_action_is_not_legal(action: int, named: str) -> None:
    env = GameVectorEnv("othello", 2)
    env.reset(seed=1)
    with pytest.raises(GameforgeError, match=rf"action {named} is not legal in game 1; legal: 19, 26, 37, 44"):
        env.step([19, action])
    assert (env._lockstep.seen[0] == env._lockstep.seen[1]).all()


@pytest.mark.parametrize("actions", [[19], "a", None, [19.0, 19.0]])
def test_actions_of_another_shape_are_refused(actions: object) -> None:
    env = GameVectorEnv("othello", 2)
    env.reset(seed=1)
    with pytest.raises(GameforgeError, match=r"^actions: .* of the shape .*; must be integers of the shape \(2,\)$"):
        env.step(actions)  # type: ignore[arg-type]


def test_no_games_are_refused() -> None:
    with pytest.raises(GameforgeError, match="num_envs = 0: must be 1 or more"):
        GameVectorEnv("othello", 0)


def test_rules_that_do_not_compile_are_stepped_too() -> None:
    class Slow(Pile):
        def functions(self) -> Any:
            import attrs

            return attrs.evolve(super().functions(), compiled=False)

    assert run(GameVectorEnv(gf.Game(Slow()), 3), 1, 30) == run(GameVectorEnv(gf.Game(Pile()), 3), 1, 30)

"""Games as environments of PettingZoo and Gymnasium: the checks of both, rewards and actions."""

import importlib.util
import os
import warnings
from typing import Any

import numpy as np
import pytest

import gameforge as gf
from gameforge.errors import GameforgeError

if importlib.util.find_spec("pettingzoo") is None:
    assert os.environ.get("CI") != "true", "PettingZoo is missing: .ci/run installs it with the test extra"
    pytest.skip("PettingZoo is not installed: pip install 'gameforge[rl]'", allow_module_level=True)

from gameforge_interop_pettingzoo.encoding import Actions
from gameforge_interop_pettingzoo.environments import AgainstPlayer, GameEnv
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

GAMES = ["draughts", "othello", "morris"]


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="pettingzoo|gymnasium")
        yield


def played(env: GameEnv, seed: int) -> list[int]:
    """Play a random game; return its actions."""
    rng = np.random.default_rng(seed)
    env.reset()
    actions = []
    while not any(env.terminations.values()):
        action = int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
        actions.append(action)
        env.step(action)
    return actions


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_accepts_the_environment(name: str) -> None:
    api_test(GameEnv(gf.game(name)), num_cycles=100)
    seed_test(lambda: GameEnv(gf.game(name)), num_cycles=20)


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_accepts_the_environment(name: str) -> None:
    check_env(AgainstPlayer(gf.player(name, searcher="random", oracle="none")), skip_render_check=True)


@pytest.mark.parametrize("name", GAMES)
def test_the_winner_gets_the_reward(name: str) -> None:
    env = GameEnv(gf.game(name))
    actions = played(env, 2)
    position = env.game.position()
    table = Actions(env.game)
    for action in actions:
        position = position.after(table.legal(position.state, position.codes)[action])
    assert position.outcome is not None
    assert env.rewards == {side: position.outcome.points(i) - 1 for i, side in enumerate(env.possible_agents)}
    assert sum(env.rewards.values()) == 0


@pytest.mark.parametrize("name", GAMES)
def test_each_legal_move_has_an_action_of_its_own(name: str) -> None:
    game = gf.game(name)
    actions, rng = Actions(game), np.random.default_rng(1)
    position = game.position()
    while position.outcome is None:
        legal = actions.legal(position.state, position.codes)
        assert sorted(legal.values()) == sorted(position.codes)
        assert all(0 <= action < actions.size for action in legal)
        position = position.after(int(rng.choice(position.codes)))


def test_an_action_means_the_same_cells_in_every_position() -> None:
    game = gf.game("othello")
    position, actions = game.position(), Actions(game)
    d3 = next(a for a, move in actions.legal(position.state, position.codes).items() if move == position.codes[0])
    assert d3 % 65 == 0  # from a cell to itself: 64 * cell + cell
    other = position.play("f5").play("f4")
    for action, move in actions.legal(other.state, other.codes).items():
        assert (action == d3) == (move == position.codes[0])


def test_an_illegal_action_is_explained() -> None:
    env = GameEnv(gf.game("othello"))
    env.reset()
    with pytest.raises(GameforgeError, match="action 0 is not legal for"):
        env.step(0)


def test_an_illegal_action_loses_against_a_player() -> None:
    env = AgainstPlayer(gf.player("othello", searcher="random", oracle="none"))
    env.reset(seed=1)
    _, reward, terminated, truncated, _ = env.step(np.int64(0))
    assert (reward, terminated, truncated) == (-1.0, True, False)


def test_a_feature_map_of_another_game_is_refused() -> None:
    with pytest.raises(GameforgeError, match="not for othello"):
        GameEnv(gf.game("othello"), "directmap")

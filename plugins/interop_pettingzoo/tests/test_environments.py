"""Games as environments of PettingZoo and Gymnasium: the checks of both, observations, rewards, names."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from environment_games import GAMES, QUIET
from gameforge_interop_pettingzoo.environments import AgainstPlayer, GameEnv, GameVectorEnv
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import gameforge as gf
from gameforge import GameforgeError
from gameforge.play.saved_players import save_player

pytestmark = QUIET


def played(env: GameEnv, seed: int) -> list[int]:
    """Play a random game; return its moves."""
    rng = np.random.default_rng(seed)
    env.reset()
    moves = []
    while not any(env.terminations.values()):
        action = int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
        moves.append(env.move_of(action))
        env.step(action)
    return moves


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_accepts_the_environment(name: str) -> None:
    api_test(GameEnv(name), num_cycles=100)
    seed_test(lambda: GameEnv(name), num_cycles=20)


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_accepts_the_environment(name: str) -> None:
    check_env(AgainstPlayer("random", name), skip_render_check=True)


@pytest.mark.parametrize("name", ["draughts", "othello", "morris", "frisian"])
def test_the_winner_gets_the_reward(name: str) -> None:
    env = GameEnv(name)
    for seed in range(4):
        position = env.game.position()
        for move in played(env, seed):
            position = position.after(move)
        assert position.outcome is not None
        assert env.state_words == position.state
        assert env.rewards == {side: position.outcome.points(i) - 1 for i, side in enumerate(env.possible_agents)}
        assert sum(env.rewards.values()) == 0


@pytest.mark.parametrize("name", ["draughts", "othello", "morris", "turkish"])
def test_planes_show_the_cells(name: str) -> None:
    """Each piece of the game is in one plane, and the planes are those of the side to move."""
    env = GameEnv(name)
    env.reset()
    cells, board = env.game.cells, env.game.board
    assert cells is not None
    assert board is not None
    for _ in range(30):
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        if not len(legal):
            break
        env.step(int(legal[-1]))
        seen = env.observe(env.agent_selection)["observation"]
        assert seen.shape[0] == len(cells.codes) + len(cells.numbers)
        pieces = board.pieces(env.state_words)
        side = env.possible_agents.index(env.agent_selection)
        planes = seen[: len(cells.codes)]
        assert planes.sum() == len(pieces)
        own = [code.startswith("own") for code in cells.codes]
        assert planes[own].sum() == sum(piece.side == side for piece in pieces)
        numbers = seen[len(cells.codes) :]
        assert (numbers == numbers[:, :1, :1]).all()


def test_planes_have_rows_and_columns() -> None:
    env = GameEnv("othello")
    env.reset()
    own, other = env.observe("Black")["observation"][:2]
    assert sorted(zip(*np.nonzero(own), strict=True)) == [(3, 4), (4, 3)]
    assert sorted(zip(*np.nonzero(other), strict=True)) == [(3, 3), (4, 4)]


def test_a_feature_map_can_look_instead() -> None:
    env = GameEnv("othello", "bits")
    env.reset()
    assert env.observe("Black")["observation"].shape == (192,)


def test_an_illegal_action_is_explained() -> None:
    env = GameEnv("othello")
    env.reset()
    with pytest.raises(GameforgeError, match=r"action 0 is not legal; legal: 19, 26, 37, 44$"):
        env.step(0)
    env.step(19)


def test_an_illegal_action_loses_against_a_player() -> None:
    env = AgainstPlayer("random", "othello")
    for action in (0, -1, 65):
        env.reset(seed=1)
        _, reward, terminated, truncated, info = env.step(np.int64(action))
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert not info["action_mask"].any()


def test_the_seed_determines_the_players_moves() -> None:
    def games(seed: int) -> list[bytes]:
        env = AgainstPlayer(gf.player("draughts", searcher="uct:simulations=20", oracle="none"))
        seen = []
        observation, info = env.reset(seed=seed)
        for _ in range(60):
            observation, _, over, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
            seen.append(observation.tobytes())
            if over:
                observation, info = env.reset()
        return seen

    assert games(1) == games(1)
    assert games(1) != games(2)


def test_rewards_against_a_player_are_those_of_the_agents_side() -> None:
    env, rng = AgainstPlayer("random", "othello"), np.random.default_rng(1)
    met = set()
    for seed in range(20):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            assert over or reward == 0
        outcome = gf.Position(env.opponent.game, env._lockstep.state()).outcome
        assert outcome is not None
        assert reward == outcome.points(env._side) - 1
        met.add((env._side, reward))
    assert met >= {(0, 1), (0, -1), (1, 1), (1, -1)}


def test_wrong_opponents_and_games_are_named() -> None:
    with pytest.raises(GameforgeError, match=r"^player 'random': parts need a game; name it with game="):
        AgainstPlayer("random")
    with pytest.raises(GameforgeError, match=r"^opponent = 3: must be a Player, or a player's text$"):
        AgainstPlayer(3, "othello")  # type: ignore[arg-type]
    with pytest.raises(GameforgeError, match=r"'nobody' is not a folder, trained player, searcher"):
        AgainstPlayer("nobody", "othello")
    with pytest.raises(GameforgeError, match=r"^game = 3: must be a Game or its name$"):
        GameEnv(3)  # type: ignore[arg-type]


def test_a_feature_map_of_another_game_is_refused() -> None:
    with pytest.raises(GameforgeError, match="not for othello"):
        GameEnv(gf.game("othello"), "directmap")


def test_a_game_without_cells_has_no_planes() -> None:
    from gameforge.testing import Pile

    class Blind(Pile):
        cells = None

    with pytest.raises(GameforgeError, match="features planes: pile has no cells; a feature map that fits is bits"):
        GameEnv(gf.Game(Blind()), "planes")
    assert GameEnv(gf.Game(Blind())).observation_space("first")["observation"].shape == (128,)


def test_games_are_made_by_their_names() -> None:
    name = "gameforge/othello-v0"
    env = gymnasium.make(f"gameforge_interop_pettingzoo.registration:{name}", opponent="random")
    assert env.unwrapped.opponent.game.rules.name == "othello"
    assert env.action_space.n == 65
    many = gymnasium.make_vec(name, num_envs=3)
    assert isinstance(many.unwrapped, GameVectorEnv)
    if hasattr(pettingzoo, "make"):
        assert isinstance(pettingzoo.make("aec", name), GameEnv)
    other = gymnasium.make_vec("gameforge/openspiel-v0", num_envs=2, game="morris:men=6")
    assert other.single_action_space.n == 384


def test_trained_and_saved_players_are_opponents_by_their_text(tmp_path: Path) -> None:
    trained = gymnasium.make(
        "gameforge_interop_pettingzoo.registration:gameforge/othello-v0", opponent="strong:level=1"
    ).unwrapped
    assert trained.opponent.name == "strong:level=1"
    save_player(tmp_path / "saved", trained.opponent)
    for env in (AgainstPlayer(str(tmp_path / "saved")), AgainstPlayer(tmp_path / "saved", "othello")):
        assert observed(env) == observed(trained)
    with pytest.raises(GameforgeError, match=r"plays othello, not draughts$"):
        AgainstPlayer(tmp_path / "saved", "draughts")


def observed(env: AgainstPlayer) -> list[bytes]:
    """Return the first observations of a game."""
    observation, info = env.reset(seed=3)
    seen = [observation.tobytes()]
    for _ in range(4):
        observation, _, _, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
        seen.append(observation.tobytes())
    return seen


@pytest.mark.parametrize("env", [GameEnv("othello"), AgainstPlayer("random", "othello")], ids=["both", "against"])
def test_wrong_arguments_of_step_and_reset_are_named(env: Any) -> None:
    with pytest.raises(GameforgeError, match=r"^step: no game has begun.*; call reset$"):
        env.step(19)
    for seed in ("1", 1.5, -1):
        with pytest.raises(GameforgeError, match=rf"^seed = {seed!r}: must be an integer from 0 on, or None$"):
            env.reset(seed=seed)
    with pytest.raises(GameforgeError, match=r"^options = 3: must be a dict or None$"):
        env.reset(options=3)
    env.reset(seed=np.int64(1))
    for action in ("a", 19.0, 1 << 70):
        with pytest.raises(GameforgeError, match=rf"^action = {action!r}: must be an integer from 0 to 64$"):
            env.step(action)
    env.step(np.flatnonzero(env._lockstep.masks[0])[0])

"""The example that trains a policy, and the searcher `ppo` that plays it.

sb3-contrib needs PyTorch, hundreds of megabytes, so that a stand-in of its interface takes its place where it is not
installed: it steps the environment, and prefers the legal action with the highest number.
"""

import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gameforge as gf

if importlib.util.find_spec("pettingzoo") is None:
    pytest.skip("PettingZoo is not installed: pip install 'gameforge[rl]'", allow_module_level=True)

EXAMPLE = Path(__file__).parents[1] / "examples" / "ppo_policy.py"


_VECTORS = "stable_baselines3.common.env_util"


class StandIn:
    """MaskablePPO as far as the example and the searcher use it."""

    def __init__(self, policy: str, env: Any, **settings: Any) -> None:
        self.env = env
        self.action_space, self.observation_space = env.action_space, env.observation_space

    def learn(self, steps: int) -> None:
        observation, _ = self.env.reset(seed=1)
        for _ in range(min(steps, 300)):
            action, _ = self.predict(observation, action_masks=self.env.action_masks())
            observation, _, terminated, truncated, _ = self.env.step(action)
            assert self.observation_space.contains(observation)
            if terminated or truncated:
                observation, _ = self.env.reset()

    def predict(self, observation: Any, action_masks: Any, deterministic: bool = False) -> tuple[np.int64, None]:
        assert action_masks.shape == (self.action_space.n,)
        return np.flatnonzero(action_masks)[-1], None

    def save(self, file: str) -> None:
        Path(file).write_text(json.dumps([int(self.action_space.n), self.observation_space.shape]))

    @classmethod
    def load(cls, file: Path, device: str) -> Any:
        actions, shape = json.loads(Path(file).read_text())
        spaces = {
            "action_space": types.SimpleNamespace(n=actions),
            "observation_space": types.SimpleNamespace(shape=tuple(shape)),
        }
        return cls("", types.SimpleNamespace(**spaces))


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy that the example has trained for a few steps."""
    if importlib.util.find_spec("sb3_contrib") is None:
        offered = {"sb3_contrib": {"MaskablePPO": StandIn}, _VECTORS: {"make_vec_env": lambda make, n, seed: make()}}
        for name, members in offered.items():
            module = types.ModuleType(name)
            vars(module).update(members)
            monkeypatch.setitem(sys.modules, name, module)
        for name in ("stable_baselines3", "stable_baselines3.common"):
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    spec = importlib.util.spec_from_file_location("ppo_policy", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    file = tmp_path / "policy.zip"
    example.main(str(file), 4096, "othello")
    return file


def test_a_trained_policy_meets_our_players(policy: Path) -> None:
    """Whole games with both colours, without a forfeit."""
    player = gf.player("othello", searcher={"use": "ppo", "file": str(policy)}, oracle="none", name="ppo")
    result = gf.match(player, gf.player("othello", searcher="random", oracle="none", name="random"), 4)
    assert result.forfeits == (0, 0)
    assert len(result.games) == 4


def test_a_policy_of_another_game_is_refused(policy: Path) -> None:
    with pytest.raises(gf.GameforgeError, match=r"has 65 actions .* \(8, 8, 8\), but morris has 384 and \(7, 7, 7\)"):
        gf.player("morris", searcher={"use": "ppo", "file": str(policy)}, oracle="none")


def test_a_missing_file_is_refused(policy: Path) -> None:
    with pytest.raises(gf.GameforgeError, match="there is no such file"):
        gf.player("othello", searcher={"use": "ppo", "file": str(policy.with_name("none"))}, oracle="none")

"""Train a policy against a random player with MaskablePPO of sb3-contrib, and let it meet our players.

pip install 'gameforge[rl]' sb3-contrib
pip install examples/third_party_plugin  # Connect Four; or name another game
python plugins/interop_pettingzoo/examples/ppo_policy.py policy.zip 200000 connect-four
gameforge match ppo:file=policy.zip random --game connect-four --games 100
"""

import sys

from gameforge_interop_pettingzoo.environments import AgainstPlayer
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

ENVIRONMENTS = 16
SETTINGS = {"n_steps": 256, "batch_size": 1024, "n_epochs": 5, "gamma": 1.0, "ent_coef": 0.01, "learning_rate": 1e-3}


def main(file: str, steps: int, game: str) -> None:
    env = make_vec_env(lambda: AgainstPlayer("random", game), ENVIRONMENTS, seed=1)
    model = MaskablePPO("MlpPolicy", env, **SETTINGS, seed=1, device="cpu", verbose=1)
    model.learn(steps)
    model.save(file)
    print(f"saved {file}: gameforge match ppo:file={file} random --game {game}")


if __name__ == "__main__":
    file, steps, game = (*sys.argv[1:], *("policy.zip", "200000", "othello")[len(sys.argv) - 1 :])
    main(file, int(steps), game)

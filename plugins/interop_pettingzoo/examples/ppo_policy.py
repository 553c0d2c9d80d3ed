"""Train a policy of Othello against a random player with MaskablePPO of sb3-contrib, and let it meet our players.

pip install 'gameforge[rl]' sb3-contrib
python plugins/interop_pettingzoo/examples/ppo_policy.py policy.zip 50000
gameforge match ppo:file=policy.zip random --game othello --games 100
"""

import sys

from gameforge_interop_pettingzoo.environments import AgainstPlayer
from sb3_contrib import MaskablePPO

import gameforge as gf


def main(file: str, steps: int) -> None:
    env = AgainstPlayer(gf.player("othello", searcher="random", oracle="none"))
    model = MaskablePPO("MlpPolicy", env, n_steps=512, batch_size=128, gamma=1.0, seed=1, device="cpu", verbose=1)
    model.learn(steps)
    model.save(file)
    print(f"saved {file}: gameforge match ppo:file={file} random --game othello")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "policy.zip", int(sys.argv[2]) if len(sys.argv) > 2 else 50_000)

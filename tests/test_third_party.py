"""The example of a stranger's plugin, installed beside GameForge in a fresh virtual environment."""

import subprocess
import sys
from pathlib import Path

import pytest

from gameforge.cli.main import run

CHECK = Path(__file__).resolve().parents[1] / "examples" / "third_party_plugin" / "check.py"


@pytest.mark.slow
def test_in_a_fresh_environment(tmp_path: Path) -> None:
    """Installs from the package index, so it is slow; .ci/run calls check.py itself."""
    done = subprocess.run(
        [sys.executable, str(CHECK), "--fresh"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_five_lines_train_a_player(tmp_path: Path) -> None:
    """strong.toml, with small settings; the game offers nothing but its cells."""
    arguments = [
        "--plugin",
        str(CHECK.with_name("gameforge_connect_four.py")),
        "run",
        str(CHECK.with_name("strong.toml")),
    ]
    small = {"generations": 1, "games": 60, "gate.games": 20, "gate.elo0": -400, "yardstick_games": 0}
    for key, value in small.items():
        arguments += ["--set", f"learner.{key}={value}"]
    assert run([*arguments, "--match-games", "0", "--out", str(tmp_path / "run")]) == 0
    assert (tmp_path / "run" / "player" / "weights.npz").is_file()

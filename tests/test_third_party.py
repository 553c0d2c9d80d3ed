"""The example of a stranger's plugin, installed beside GameForge in a fresh virtual environment."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[1] / "examples" / "third_party_plugin" / "check.py"


@pytest.mark.slow
def test_in_a_fresh_environment(tmp_path: Path) -> None:
    """Installs from the package index, so it is slow; .ci/run calls check.py itself."""
    done = subprocess.run(
        [sys.executable, str(CHECK), "--fresh"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

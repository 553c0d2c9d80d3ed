"""What the tests of environments share: the games, and quiet libraries."""

import importlib.util
import os

import pytest

if importlib.util.find_spec("pettingzoo") is None:
    assert os.environ.get("CI") != "true", "PettingZoo is missing: .ci/run installs it with the test extra"
    pytest.skip("PettingZoo is not installed: pip install 'gameforge[rl]'", allow_module_level=True)

FAMILY = ["international", "frisian", "russian", "brazilian", "pool", "italian", "spanish", "turkish"]
GAMES = ["draughts", "othello", "morris", *FAMILY, "breakthrough-draughts", "antidraughts", "draughts-variant"]
QUIET = pytest.mark.filterwarnings("ignore:::pettingzoo", "ignore:::gymnasium")

"""Packages of npm that only tests use: TypeScript's checker and axe-core. `.ci/run` installs them."""

import os
from pathlib import Path

import pytest


def npm_package(name: str) -> Path:
    """Return the folder of a package below GAMEFORGE_NPM; skip where there is none, and fail there if CI=true."""
    folder = Path(os.environ.get("GAMEFORGE_NPM", "node_modules")) / "node_modules" / name
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"npm package {name} is not installed; .ci/run installs it")
        pytest.skip(f"npm package {name} is not installed (GAMEFORGE_NPM names the folder of node_modules)")
    return folder

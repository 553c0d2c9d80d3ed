"""The registry of tests: all installed plugins and toy_game.py."""

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gameforge as gf
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.play.game import Game

TOY = Path(__file__).with_name("toy_game.py")


@functools.cache
def registry() -> Registry:
    """The registry, discovered once per test process."""
    return Registry(load([TOY]))


def shuttle(**settings: Any) -> Game:
    """The toy game."""
    return gf.game("shuttle", registry=registry(), **settings)


def python(code: str, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a Python process that can import the modules of the tests folder."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": str(TOY.parent)} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,  # only against a process that never ends
    )

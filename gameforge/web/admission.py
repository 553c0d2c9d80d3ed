"""What a page may name: components and their parameters, but no programs, and only files below the folder of runs.

A page speaks for whoever has its cookie, so requests from the page have fewer rights than the command line. What the
server was started with, `--player` and `--game`, is always allowed.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import Spec, parse_spec, split_parts
from gameforge.errors import GameforgeError
from gameforge.play.implied_game import PART_KINDS
from gameforge.plugins.registry import Registry
from gameforge.web.backend import Options


@attrs.frozen
class Admission:
    """Decides which players, games and folders a page may name."""

    registry: Registry
    options: Options

    def require_player(self, text: str) -> None:
        """Raise GameforgeError if a player would start a program, or read a file outside the folder of runs."""
        if text == self.options.player:
            return
        if os.path.isdir(text) or text.endswith(".toml"):  # then the whole text is one path
            self._require_path(text)
        else:
            self._require_parts(text)

    def require_game(self, text: str) -> None:
        """Raise GameforgeError if a parameter of a game is a file outside the folder of runs."""
        if text != self.options.game:
            self._require_spec(parse_spec(text))

    def is_readable(self, path: Path) -> bool:
        """Return whether a path lies below the folder of runs, after following links."""
        if self.options.runs is None:
            return False
        try:
            return path.resolve().is_relative_to(self.options.runs.resolve())
        except (OSError, ValueError, RuntimeError):  # no path at all, or a circle of links
            return False

    def _require_parts(self, text: str) -> None:
        for part in split_parts(text):
            spec = self._component(part)
            if spec is not None:
                self._require_spec(spec)
            elif _is_path(part):
                self._require_path(part)

    def _component(self, text: str) -> Spec | None:
        """Parse a component; None if the text is none that can be a part of a player."""
        try:
            spec = parse_spec(text)
        except GameforgeError:
            return None
        return spec if any(one.kind in PART_KINDS for one in self.registry.named(spec.use)) else None

    def _require_spec(self, spec: Spec) -> None:
        if any(one.runs_programs for one in self.registry.named(spec.use)):
            raise GameforgeError(
                f"a page may not use {spec.use!r}, because it starts programs; name the player with gameforge web "
                "--player"
            )
        for value in spec.params.values():
            self._require_value(value)

    def _require_value(self, value: Any) -> None:
        """Check a parameter's value, which may name files, or components with parameters of their own."""
        match value:
            case str() if os.path.exists(value):
                self._require_path(value)
            case str():
                self._require_parts(value)
            case Mapping():
                for one in value.values():
                    self._require_value(one)
            case list():
                for one in value:
                    self._require_value(one)

    def _require_path(self, text: str) -> None:
        if text.startswith("~") or not self.is_readable(Path(text)):
            raise GameforgeError(
                f"{text!r} is not below a folder given at the start; start gameforge web with --runs FOLDER"
            )
        if not os.path.exists(text):
            raise GameforgeError(f"{text!r} does not exist")


def _is_path(text: str) -> bool:
    return "/" in text or os.sep in text or text.startswith("~") or os.path.exists(text)

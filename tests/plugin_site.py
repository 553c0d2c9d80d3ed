"""A folder in which tests install plugins as distributions with entry points."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import called
import pytest


@attrs.frozen
class Site:
    """Like site-packages: modules, and `.dist-info` folders that name entry points."""

    folder: Path

    def module(self, name: str, source: str) -> Path:
        """An importable module without an entry point."""
        path = self.folder / f"{name}.py"
        path.write_text(source)
        importlib.invalidate_caches()
        return path

    def install(self, name: str, source: str, *, entry: str | None = None) -> None:
        """A distribution `dist-NAME 1.0` with one plugin module; `entry` names its entry point."""
        self.module(name, source)
        info = self.folder / f"dist_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: dist-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[gameforge]\n{entry or name} = {name}\n")

    def run(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """The command line, called in this process, in this folder and with its plugins, which are imported afresh."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self._environment(environment).items():
                patch.setenv(name, value)
            patch.chdir(self.folder)
            importlib.invalidate_caches()
            forget(self.folder)
            try:
                return called.completed(arguments)
            finally:
                forget(self.folder)

    def process(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """The command line in a process of its own, for what `run` does not show: how a process starts and ends."""
        code = "from gameforge.cli.main import main; main()"
        return self.python(code, *arguments, **environment)

    def commands(self, *commands: Sequence[str]) -> list[tuple[int, str]]:
        """Several command lines in one process of their own; (exit code, all that it printed) of each."""
        code = "import called, json, sys; print(json.dumps([called.gameforge(c) for c in json.loads(sys.argv[1])]))"
        path = os.pathsep.join([str(self.folder), str(Path(__file__).parent)])
        done = self.python(code, json.dumps(commands), PYTHONPATH=path)
        assert done.returncode == 0, done.stderr
        return [(code, output) for code, output in json.loads(done.stdout)]

    def python(self, code: str, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """A Python process that sees this folder."""
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env=os.environ | self._environment(environment),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,  # only against a process that never ends
        )

    def _environment(self, own: Mapping[str, str]) -> dict[str, str]:
        return {"PYTHONPATH": str(self.folder), "COLUMNS": "80"} | dict(own)


def forget(folder: Path) -> None:
    """Forget the modules that were imported from this folder, or from a folder in it."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]

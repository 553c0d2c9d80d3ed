"""Commands killed before or after any rename of a file are resumed by the same command and leave no other files."""

import functools
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from copies import COPIES
from kills import essence, killed_at_every_rename
from toy_experiment import PARTS
from toy_site import TOY, registry

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.config import Spec
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.experiments.reproduction import reproduce
from gameforge.training import checkpoint
from gameforge.training.run_folder import run_manifest

pytestmark = COPIES
PLAYERS = [f"script:moves=[{','.join(moves * 4)}]" for moves in ("1111", "0101", "1001")]
MANIFESTS = ("match.json", "run.json", "experiment.json", "study.json")
Work = Callable[[Path], object]


def train(folder: Path) -> None:
    parts = {"searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift:rounds=2"}
    pipeline = gf.Pipeline(game="shuttle", seed=5, registry=registry(), **parts)
    pipeline.run(folder, resume=(folder / "run.json").exists())


def command(line: str) -> Work:
    def work(folder: Path) -> None:
        assert cli.run(["--plugin", str(TOY), *shlex.split(line), "--out", str(folder)]) == 0

    return work


@functools.cache
def plugins() -> Registry:
    return Registry(load([TOY, TOY.with_name("toy_experiment.py")]))


def experiment(folder: Path) -> None:
    source = folder.parent / "toy.toml"
    source.write_text(PARTS)
    reproduce(folder, Spec.parse(f'drifting:source_file="{source}"'), plugins(), seeds=1)


def study(folder: Path) -> None:
    """The trials and the league of a study; its report, which shows times, is left out."""
    parts = {"game": "shuttle", "searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gameforge.studies.study.write_report", lambda *given: None)
        grid = {"learner.rounds": [1, 2]}
        gf.Study(parts, grid=grid, seeds=1, league={"games": 2}, registry=registry()).run(folder)


MATCH = command(f"match {shlex.join(PLAYERS[:2])} --game shuttle --games 4 --openings random:2")
TOURNAMENT = command(f"tournament {shlex.join(PLAYERS)} --game shuttle --games 2 --openings random:0")
KINDS: dict[str, tuple[Work, int]] = {
    "run": (train, 13),
    "match": (MATCH, 2),
    "tournament": (TOURNAMENT, 6),
    "experiment": (experiment, 4),
    "study": (study, 20),
}
"""By kind of folder: the command, and its minimum number of renames."""


@pytest.fixture(params=[pytest.param(kind, marks=[pytest.mark.slow] if kind == "study" else []) for kind in KINDS])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Work, int]:
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)  # a checkpoint wherever one can be written
    return KINDS[request.param]


def test_killed_at_every_rename(kind: tuple[Work, int], tmp_path: Path) -> None:
    work, least = kind
    work(tmp_path / "whole")
    expected = essence(tmp_path / "whole")
    killed = 0
    for folder in killed_at_every_rename(work, tmp_path):
        killed += 1
        is_finished_run = (folder / "run.json").exists() and run_manifest(folder)["state"] == "finished"
        if not is_finished_run:  # which has nothing left to resume
            work(folder)
        assert essence(folder) == expected, folder.name
    assert killed >= 2 * least


def test_killed_while_its_first_file_was_written(kind: tuple[Work, int], tmp_path: Path) -> None:
    """The folder holds only a temporary file of the first manifest; `essence` would report it."""
    work, _ = kind
    work(tmp_path / "whole")
    manifests = [path for path in (tmp_path / "whole").rglob("*.json") if path.name in MANIFESTS]
    outermost = min(manifests, key=lambda path: len(path.parts)).parent
    folder = tmp_path / "killed" / outermost.relative_to(tmp_path / "whole")
    folder.mkdir(parents=True)
    for name in MANIFESTS:
        (folder / f".{name}.1-1.tmp").touch()
    work(tmp_path / "killed")
    assert essence(tmp_path / "killed") == essence(tmp_path / "whole")

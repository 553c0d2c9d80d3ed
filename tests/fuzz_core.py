"""Readers of the core's files: players, runs, checkpoints, matches, experiments, pipelines, texts."""

import contextlib
import functools
import hashlib
import json
import lzma
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import attrs
import numpy as np
from fuzzing import Reader
from toy_experiment import PARTS
from toy_site import TOY, registry, shuttle

import gameforge as gf
from gameforge.arena.openings import match_openings
from gameforge.cli.commands.runs import CHECKS
from gameforge.coaching.exercises import Exercise
from gameforge.coaching.practice import Practice
from gameforge.config import Spec, parse_value, read_toml
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.experiments import report, store
from gameforge.experiments.archive import read_archive, write_archive
from gameforge.experiments.reproduction import EXPERIMENT_FORMAT, reproduce
from gameforge.interfaces.learner import LearnerState, finite_floats
from gameforge.play.player import Player
from gameforge.play.saved_players import PLAYING, playing_settings, save_player
from gameforge.play.workshop import Workshop
from gameforge.records.database import games_db
from gameforge.studies import report as study_report
from gameforge.testing.perft_file import perft_file
from gameforge.training.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from gameforge.training.run_folder import RUN_FORMAT, session_figures
from gameforge.training.run_report import RunReport
from gameforge.training.verification import verified

_TOYS = {"searcher": "greedy", "evaluator": "linear", "features": "lanes"}
_COMPONENTS = ("minimax:depth=2", "td:sessions=2,games=4", "mlp:hidden=3,direct=true", "draughts:repetition=0")
_SPECS = "\n".join((*_COMPONENTS, "oracle_gated/gated:oracle={use='chinook'}", "cem:tune={searcher={depth=[1,2]}}"))


_LEVELS = """\
oracle = []

[searcher]
use = "minimax"
depth = 1

[[levels]]
searcher = { use = "handicap", searcher = { use = "greedy" }, random_moves = 0.5 }

[[levels]]
searcher = { use = "greedy" }
oracle = []

[[levels]]
"""


def _toy(name: str, seed: int) -> Player:
    return gf.player("shuttle", registry=registry(), name=name, seed=seed, **_TOYS)


def _make_player(folder: Path) -> None:
    save_player(folder, _toy("one", 1))


def _seal_player(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sha256"] = hashlib.sha256((folder / "weights.npz").read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def _read_player(folder: Path) -> None:
    Workshop(registry()).load(folder).analyse(shuttle().position())


def _make_levels(folder: Path) -> None:
    _make_player(folder / "player")
    (folder / "player" / PLAYING).write_text(_LEVELS)


def _read_levels(folder: Path) -> None:
    for level in range(1, 1 + len(playing_settings(folder / "player").levels)):
        Workshop(registry()).load(folder, level=level)
    Workshop(registry()).load(folder)


def _make_checkpoint(folder: Path) -> None:
    state = LearnerState(arrays={"net": np.ones(3, np.float32)}, values={"done": 1, "names": ["a", "b"]})
    write_checkpoint(folder, Checkpoint(learner=state, lengths={"metrics.jsonl": 40}), "digest")


def _seal_checkpoint(folder: Path) -> None:
    path = folder / "state.bin"
    head, _, rest = path.read_bytes().partition(b"\n")
    name, schema, _ = head.split()
    path.write_bytes(b"%s %s %s\n%s" % (name, schema, hashlib.sha256(rest).hexdigest().encode(), rest))


def _read_checkpoint(folder: Path) -> None:
    found = read_checkpoint(folder, "digest")
    if found is not None:
        with contextlib.suppress(ValueError):
            finite_floats(found.learner.arrays.get("net", np.zeros(0)), (3,))


def _make_run(folder: Path) -> None:
    parts = {**_TOYS, "learner": "drift:rounds=2"}
    gf.Pipeline(game="shuttle", seed=5, registry=registry(), **parts).run(folder / "a")


def _read_run(folder: Path) -> None:
    """As `gameforge runs` does."""
    run = RunReport.read(folder / "a")
    json.dumps([run.figures, run.sessions, run.games, *map(session_figures, run.metrics)])


def _resume_run(folder: Path) -> None:
    """Resume the run, whose state is changed to `running`; what is left of it is its end."""
    manifest = RUN_FORMAT.path(folder / "a")
    manifest.write_bytes(
        re.sub(rb',\s*"digest": "\w*"', b"", manifest.read_bytes().replace(b'"finished"', b'"running"'))
    )
    gf.Pipeline.resume(folder / "a", registry=registry())


_FIRST, _SECOND = _toy("one", 1), _toy("other", 2)


def _match(folder: Path) -> None:
    gf.match(_FIRST, _SECOND, 4, openings=2, seed=5, out=folder / "m")


def _read_match(folder: Path) -> None:
    """As `gf.load_match` and `gf.load_games` do."""
    result = gf.load_match(folder / "m")
    json.dumps([str(result), result.elo_text, len(result.table())])
    gf.load_games(folder / "m" / "games.jsonl", shuttle())


def _everything(folder: Path) -> None:
    _make_run(folder)
    _match(folder)


def _verify(folder: Path) -> None:
    """As `gameforge verify` does."""
    assert all(one.found for one in verified(folder, registry(), CHECKS))


@functools.cache
def _experiments() -> Registry:
    return Registry(load([TOY, TOY.with_name("toy_experiment.py")]))


@contextlib.contextmanager
def _quick_report() -> Iterator[None]:
    """Save no figures, draw none again with the same data, and do not read all sources for each report."""
    with (
        mock.patch.object(report, "figure_file", lambda figure, ending: ending.encode()),
        mock.patch.object(study_report, "_figures", _undrawn),
        mock.patch.object(store, "state_of_sources", return_value="0" * 12),
    ):
        yield


_figures = study_report._figures
_drawn: set[str] = set()


def _undrawn(*data: Any) -> dict[str, Callable[[Any], None]]:
    """The figures of a study; those of data that were drawn before stay empty, since drawing takes most of the time."""
    known = str(data) in _drawn
    _drawn.add(str(data))
    return {name: (lambda figure: None) if known else draw for name, draw in _figures(*data).items()}


def _experiment(folder: Path) -> None:
    source = folder.parent / "toy.toml"
    source.write_text(PARTS)
    with _quick_report():
        reproduce(folder, Spec.parse(f'drifting:source_file="{source}"'), _experiments(), seeds=1)


def _make_archive(folder: Path) -> None:
    _experiment(folder / "out")
    write_archive(folder / "trials.jsonl.xz", folder / "out", EXPERIMENT_FORMAT)
    (folder / "trials.jsonl").write_bytes(lzma.decompress((folder / "trials.jsonl.xz").read_bytes()))
    shutil.rmtree(folder / "out")


def _read_archive(folder: Path) -> None:
    """Read the archive, and its text compressed again, which its checksum would protect."""
    again = folder / "again.jsonl.xz"
    again.write_bytes(lzma.compress((folder / "trials.jsonl").read_bytes(), preset=0))
    read_archive(again, EXPERIMENT_FORMAT)
    read_archive(folder / "trials.jsonl.xz", EXPERIMENT_FORMAT)


def _study(folder: Path) -> None:
    parts = {**_TOYS, "game": "shuttle", "learner": "drift"}
    study = gf.Study(parts, grid={"learner.rounds": [1, 2]}, seeds=1, league={"games": 2}, registry=registry())
    with _quick_report():
        study.run(folder, progress=False)


def _make_pipeline(folder: Path) -> None:
    (folder / "pipeline.toml").write_text(f"{PARTS}seed = 3\n")


def _read_pipeline(folder: Path) -> None:
    gf.Pipeline.from_settings(read_toml(folder / "pipeline.toml"), registry())


def _make_specs(folder: Path) -> None:
    (folder / "specs.txt").write_text(_SPECS)


def _read_specs(folder: Path) -> None:
    for text in (folder / "specs.txt").read_text(errors="surrogateescape").split("\n"):
        for kind in ("searcher", "evaluator", "learner", "rules", "oracle"):
            with contextlib.suppress(gf.GameforgeError):
                registry().create(kind, Spec.parse(text), "draughts")
        with contextlib.suppress(gf.GameforgeError):
            parse_value(text.partition("=")[2])


def _make_perft(folder: Path) -> None:
    (folder / "perft.txt").write_text("# counts\n\nstart | | 1=3 2=9 7=1\nfour | 4,0 | 1=3 2=6 3=4 4=1 5=0\n")


def _read_perft(folder: Path) -> None:
    perft_file(folder / "perft.txt")


def _make_openings(folder: Path) -> None:
    (folder / "openings.txt").write_text("# lines\n9-13 21-17 5-9\n\n11-15 23-18 8-11\n")


def _read_openings(folder: Path) -> None:
    match_openings(gf.game("draughts"), str(folder / "openings.txt"), 4, 1)


def _make_games_db(folder: Path) -> None:
    played = gf.match(_FIRST, _SECOND, 20, openings=2, seed=5, progress=False)
    with games_db(folder / "games.db", shuttle()) as db:
        db.add(played.games)
        db.review(_FIRST, games=[found.record for found in db.find(limit=3)])


def _read_games_db(folder: Path) -> None:
    with games_db(folder / "games.db", registry=registry()) as db:
        for found in db.find(position=db.game.position()):
            db.verdicts(found.record)
        db.tree()
        db.statistics()
        db.book(4, 2)
        db.add([attrs.evolve(found.record, phase="again") for found in db.find(limit=2)], headers="new")
        db.check()


_EXERCISE = Exercise(game="draughts", start="W:W22,25,30:B13,17,19", goal="win", line=("25-21", "17x26", "30x16"))


def _make_practice(folder: Path) -> None:
    Practice(folder / "practice.json").add([_EXERCISE, attrs.evolve(_EXERCISE, goal="draw", line=())])


def _read_practice(folder: Path) -> None:
    practice = Practice(folder / "practice.json")
    practice.record(_EXERCISE, True, 1_000_000)
    practice.due("draughts", 2_000_000)


READERS = [
    Reader(name="player", make=_make_player, read=_read_player, seal=_seal_player, share=2),
    Reader(name="levels of a player", make=_make_levels, read=_read_levels),
    Reader(name="checkpoint", make=_make_checkpoint, read=_read_checkpoint, seal=_seal_checkpoint, share=2),
    Reader(name="run", make=_make_run, read=_read_run, share=0.5),
    Reader(name="resumed run", make=_make_run, read=_resume_run, share=0.3),
    Reader(name="match", make=_match, read=_match),
    Reader(name="result of a match", make=_match, read=_read_match),
    Reader(name="verified folder", make=_everything, read=_verify, share=0.3),
    Reader(name="experiment", make=_experiment, read=_experiment, share=0.02),
    Reader(name="archive of trials", make=_make_archive, read=_read_archive, share=0.1),
    Reader(name="study", make=_study, read=_study, share=0.01),
    Reader(name="pipeline", make=_make_pipeline, read=_read_pipeline, share=2),
    Reader(name="component strings", make=_make_specs, read=_read_specs),
    Reader(name="perft file", make=_make_perft, read=_read_perft),
    Reader(name="database of games", make=_make_games_db, read=_read_games_db, share=2),
    Reader(name="exercises", make=_make_practice, read=_read_practice, share=0.3),
    Reader(name="openings", make=_make_openings, read=_read_openings),
]

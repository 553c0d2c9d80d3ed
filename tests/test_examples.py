"""The single-file examples run, with settings that make them quick."""

import functools
import importlib
import json
import random
import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from plugin_site import Site

import gameforge as gf
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.interfaces.learner import Progress
from gameforge.testing import check
from gameforge.training.run_folder import read_metrics

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


Edge = tuple[tuple[int, int], tuple[int, int]]
"""An edge of Dots and Boxes: two dots, each with its row and column."""
ALL_EDGES = frozenset(
    ((row, column), (row + down, column + 1 - down))
    for down in (0, 1)
    for row in range(4 - down)
    for column in range(3 + down)
)

Example = Callable[..., str]
"""Runs an example with options in a new folder; what it prints."""


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Example:
    def run(name: str, *options: str) -> str:
        script = str(EXAMPLES / name)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [script, *options])
        monkeypatch.syspath_prepend(EXAMPLES)
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:  # typer ends every program so
            if end.code:
                raise
        printed, errors = capsys.readouterr()
        assert "warning:" not in errors
        return printed

    return run


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_is_short(script: Path) -> None:
    """GridWorld is an experiment whole, the value net a program whole."""
    lines = {"gridworld": 180, "value_net": 300, "dots_and_boxes": 200}.get(script.stem, 61)
    assert len(script.read_text().splitlines()) < lines


def test_every_example_is_tested_here() -> None:
    of_one_library = ["alphazero_net", "conv_net", "mlflow_runs", "optuna_search", "tensorboard_runs", "wandb_runs"]
    others = ["batch_evaluator", "dots_and_boxes", "gridworld", "plain_python_rules", "train_and_match", "value_net"]
    assert [script.stem for script in SCRIPTS] == sorted(of_one_library + others)


def test_train_and_match(example: Example, tmp_path: Path) -> None:
    settings = ("--sessions=1", "--games=6", "--depth=2", "--match-games=2", "--out=run")
    summary, untrained, material = example("train_and_match.py", *settings).splitlines()
    assert "'games': 6" in summary
    assert untrained.startswith("trained - untrained: ")
    assert material.startswith("trained - material: ")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "finished"


def test_conv_net(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax", reason="jax is not installed")
    printed = example("conv_net.py", "--games=4", "--steps=20", "--match-games=2").splitlines()
    assert [line.partition(":")[0] for line in printed] == ["net - random", "net - strong"]


def test_alphazero_net(tmp_path: Path) -> None:
    """A training of a moment on the board of Connect Four, whose player is loaded again; other workers, same bits."""
    pytest.importorskip("jax", reason="jax is not installed")
    files = EXAMPLES / "alphazero_net.py", EXAMPLES / "third_party_plugin" / "gameforge_connect_four.py"
    registry = Registry(load(files))
    runs = [
        gf.Pipeline(
            game="connect-four",
            searcher="puct:simulations=2",
            evaluator="jax-conv:channels=2,blocks=1",
            learner={"use": "gumbel", "generations": 1, "games": 33, "searcher": "puct:simulations=2", "batch": 32},
            registry=registry,
        ).run(tmp_path / str(workers), seed=1, workers=workers, progress=False)
        for workers in (1, 2)
    ]
    loaded = gf.player(runs[0].folder, registry=registry)
    assert loaded.choose(loaded.game.position()).code in range(7)
    assert np.array_equal(loaded.weights, runs[1].player.weights)


def test_lambda_study() -> None:
    """The study is planned: 6 variants with 5 seeds, each of which plays exactly 1,000 games."""
    plan = gf.Study.read(EXAMPLES / "lambda_study.toml").plan()
    assert (plan.trials, plan.games) == (30, 30_000)


def test_td_rules_study() -> None:
    """Six variants with 5 seeds are planned; time ends their trainings, so nobody knows how many games they play."""
    assert gf.Study.read(EXAMPLES / "td_rules_study.toml").plan().trials == 30


def test_methods_study() -> None:
    """Nine methods with 5 seeds are planned, for the game of the third-party plugin."""
    registry = Registry(load([EXAMPLES / "third_party_plugin" / "gameforge_connect_four.py"]))
    assert gf.Study.read(EXAMPLES / "methods_study.toml", registry).plan().trials == 45


def test_batch_evaluator(example: Example) -> None:
    text = example("batch_evaluator.py", "--games=5", "--match-games=2")
    assert text.startswith("fitted - blind: ")


def test_gridworld(example: Example) -> None:
    """Six rows as in the thesis; without a reward at the border all seeds learn all squares from here."""
    lines = example("gridworld.py", "--seeds=3", "--goal=0,2").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert [row[:4] for row in rows][0::5] == [["+1", "0", "0", "1050"], ["+1", "-1", "0", "1050"]]
    assert len(rows) == 6
    assert [row[4] for row in rows][1::4] == ["3 of 3", "3 of 3"]


def test_value_net(example: Example) -> None:
    """The net in NumPy, for a moment; the same seam carries one of PyTorch."""
    settings = ("--rounds=2", "--games=2", "--simulations=20", "--match-games=2")
    first, second, match = example("value_net.py", *settings).splitlines()
    assert first.startswith("round 1: ")
    assert second.startswith("round 2: ")
    assert match.startswith("uct with the numpy net - uct: ")


def test_plain_python_rules(site: Site) -> None:
    """Perft of Tic-Tac-Toe: 9!/(9-n)! up to 5 plies, then games that are over are left out."""

    def gameforge(*arguments: str) -> str:
        done = site.run("--plugin", str(EXAMPLES / "plain_python_rules.py"), *arguments)
        assert done.returncode == 0, done.stderr
        assert "warning:" not in done.stderr
        return done.stdout

    lines = gameforge("perft", "--game=tic-tac-toe", "--depth=6", "--json").splitlines()
    assert [json.loads(line)["leaves"] for line in lines] == [9, 72, 504, 3024, 15120, 54720]
    settings = ("--game=tic-tac-toe", "--games=2", "--openings=random:2", "--json")
    text = gameforge("match", "minimax:depth=5", "minimax:depth=1", *settings)
    assert json.loads(text)["score"] >= 0.5


def boxes_closed(drawn: frozenset[Edge], edge: Edge) -> int:
    """The number of boxes that an edge, a pair of dots (row, column), closes; each box is looked at on its own."""

    def sides(row: int, column: int) -> set[Edge]:
        a, b, c, d = (row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)
        return {(a, b), (c, d), (a, c), (b, d)}

    boxes = [sides(row, column) for row in range(3) for column in range(3)]
    return sum(edge in box and box <= drawn | {edge} for box in boxes)


@functools.cache
def sequences(drawn: frozenset[Edge], must_pass: bool, plies: int) -> int:
    """Perft of Dots and Boxes by sets of edges, which knows nothing of owners or words."""
    if plies == 0:
        return 1
    if must_pass:
        return sequences(drawn, False, plies - 1)
    left = ALL_EDGES - drawn
    return sum(sequences(drawn | {edge}, len(left) > 1 and boxes_closed(drawn, edge) > 0, plies - 1) for edge in left)


def test_dots_and_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract; perft from the start and near the end, and the count of boxes, as by sets of edges."""
    monkeypatch.syspath_prepend(EXAMPLES)
    example = importlib.import_module("dots_and_boxes")
    rules = example.DotsAndBoxes()
    check("rules", rules).require()
    check("evaluator", example.Boxes(), game=rules).require()
    game = gf.game(rules)
    assert [gf.perft(game.position(), n) for n in (1, 4, 5)] == [24, 255_024, 5_096_376]
    assert sequences(frozenset(), False, 5) == 5_096_376
    for seed in range(3):
        position, moves = game.position(), random.Random(seed)
        drawn, turn, boxes, must_pass = frozenset[Edge](), 0, [0, 0], False
        while position.outcome is None:
            if len(drawn) == 17:
                plies = 7 + must_pass
                assert gf.perft(position, plies) == sequences(drawn, must_pass, plies)
            move = moves.choice(position.legal_moves)
            if must_pass:
                assert str(move) == "pass"
                must_pass = False
            else:
                edge = edge_of(str(move))
                closed = boxes_closed(drawn, edge)
                drawn, must_pass = drawn | {edge}, closed > 0 and len(drawn) < 23
                boxes[turn] += closed
            position, turn = position.play(move), 1 - turn
        assert sum(boxes) == 9
        assert position.outcome.winner == (boxes[1] > boxes[0])


def edge_of(name: str) -> Edge:
    """The edge whose middle is at the place of this name, from a1 to g7; dots are at the odd ones."""
    row, column = int(name[1]) - 1, "abcdefg".index(name[0])
    return (row // 2, column // 2), ((row + 1) // 2, (column + 1) // 2)


def test_optuna_search(example: Example) -> None:
    """A second call continues the search; the sixth trial may be pruned."""
    pytest.importorskip("optuna", reason="optuna is not installed")
    settings = ("--sessions=2", "--games=4", "--out=search")
    first = example("optuna_search.py", "--trials=2", *settings)
    second = example("optuna_search.py", "--trials=4", *settings)
    assert float(first.split()[0]) <= float(second.split()[0]) <= 1
    assert second.strip().endswith("}")
    assert sorted(path.name for path in Path("search").glob("trial-*")) == [f"trial-{number}" for number in range(6)]


class Stop:
    """Interrupts a run after its second session, when the other subscribers have received it."""

    @gf.hookimpl(trylast=True)
    def gameforge_checkpoint(self, progress: Progress) -> None:
        if progress.session == 2:
            raise KeyboardInterrupt


class TestTrackers:
    """Modules of hooks: each run is interrupted and resumed, and the tracker has each session of metrics.jsonl once."""

    @pytest.fixture
    def run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(EXAMPLES)

        def run(module: str) -> Path:
            subscribers = [importlib.import_module(module)]
            learner = "td:sessions=3,games=4,clone_points=0"
            pipeline = gf.Pipeline(game="draughts", searcher="minimax:depth=1", learner=learner, oracle="none")
            with pytest.raises(KeyboardInterrupt):
                pipeline.run("runs/a", yardstick=None, subscribers=[*subscribers, Stop()])
            return pipeline.run("runs/a", resume=True, subscribers=subscribers).folder

        return run

    def test_tensorboard(self, run: Callable[[str], Path]) -> None:
        pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
        reader = pytest.importorskip(
            "tensorboard.backend.event_processing.event_accumulator", reason="tensorboard is not installed"
        )
        folder = run("tensorboard_runs")
        found = reader.EventAccumulator(str(folder / "tensorboard")).Reload()
        wins = [row["wins"] for row in read_metrics(folder)]
        assert [(one.step, one.value) for one in found.Scalars("wins")] == [
            (number, pytest.approx(score)) for number, score in enumerate(wins, 1)
        ]
        assert "td" in str(found.Tensors("pipeline/text_summary")[0])

    def test_mlflow(self, run: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
        monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
        folder = run("mlflow_runs")
        client = mlflow.MlflowClient()
        (found,) = client.search_runs([client.get_experiment_by_name("gameforge").experiment_id])
        assert (found.info.status, found.info.run_name) == ("FINISHED", "runs/a")
        assert found.data.params["learner.clone_points"] == "0"
        history = client.get_metric_history(found.info.run_id, "wins")
        wins = {number: row["wins"] for number, row in enumerate(read_metrics(folder), 1)}
        assert {one.step: one.value for one in history} == wins
        player = client.download_artifacts(found.info.run_id, "player", str(tmp_path))
        assert gf.player(player).game.rules.name == "draughts"

    def test_wandb(self, run: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
        """Its offline mode: two files, before the interruption and after it, of one run."""
        pytest.importorskip("wandb", reason="wandb is not installed")
        monkeypatch.setenv("WANDB_MODE", "offline")
        monkeypatch.setenv("WANDB_SILENT", "true")
        folder = run("wandb_runs")
        written = list(folder.glob("wandb/offline-run-*/*.wandb"))
        assert {file.stem for file in written} == {"run-" + (folder / "wandb_id.txt").read_text()}
        deadline = time.monotonic() + 60  # W&B's service may still write when `finish` has returned
        while not all(b"wins" in file.read_bytes() for file in written):
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def test_as_plugins_of_the_command_line(self, site: Site) -> None:
        pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
        settings = (
            "--game=draughts",
            "--learner=td:sessions=1,games=2",
            "--oracle=none",
            "--match-games=0",
            "--out=run",
        )
        done = site.run("--plugin", str(EXAMPLES / "tensorboard_runs.py"), "run", *settings)
        assert done.returncode == 0, done.stderr
        assert list((site.folder / "run" / "tensorboard").glob("events.*"))

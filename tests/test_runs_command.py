"""Tests of `gameforge runs` and `gameforge plot`, for finished, running and damaged runs."""

import csv
import io
import json
import math
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy_site import TOY, registry

import gameforge as gf
from gameforge.cli.console import Console
from gameforge.cli.figures import figure_text
from gameforge.cli.main import run as command
from gameforge.cli.training_display import comparison
from gameforge.errors import GameforgeError
from gameforge.experiments.seed_runs import SeedRuns
from gameforge.interfaces.hooks import hookimpl
from gameforge.storage.folder import differences
from gameforge.training.run import Run
from gameforge.training.run_folder import session_figures
from gameforge.training.run_report import RunReport, curve, panels, run_folders

TD = {"game": "draughts", "searcher": "minimax:depth=1", "oracle": "none"}
SESSION = {"session": 2, "games": 20, "wins": 5, "draws": 2, "losses": 3, "loops": 1, "mean_plies": 50.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of td, and a shorter run of the toy learner."""
    folder = tmp_path_factory.mktemp("runs")
    for name, lambda_ in (("one", 0.0), ("two", 0.3)):
        learner = f"td:sessions=3,games=6,clone_points=0,lambda={lambda_}"
        gf.Pipeline(seed=3, learner=learner, **TD).run(folder / "td" / name)
    parts = {"searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift:rounds=2"}
    gf.Pipeline(game="shuttle", registry=registry(), **parts).run(folder / "toy")
    return folder


def test_a_run_of_an_unfinished_one_says_how_to_resume_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = ["--plugin", str(TOY), "run", "--match-games=0", "--yardstick=none"]
    begun = Path(shutil.copytree(folder / "toy", tmp_path / "a run"))
    assert command([*again, str(begun), "--out", str(tmp_path / "first")]) == 0
    assert "has not finished" not in capsys.readouterr().err
    manifest = json.loads((begun / "run.json").read_text())
    (begun / "run.json").write_text(json.dumps(manifest | {"state": "interrupted"}))
    assert command([*again, str(begun), "--out", str(tmp_path / "second")]) == 0
    said = f"the run in {begun} has not finished, and this begins another one; resume with: gameforge run --resume "
    assert f"{said}'{begun}'\n" in capsys.readouterr().err


def test_what_rounding_leaves_of_a_zero_is_a_zero() -> None:
    assert [figure_text(value) for value in (-7.7e-14, 0.0, 1.5e-7)] == ["0", "0", "1.5e-07"]


class TestReports:
    def test_a_finished_run(self, folder: Path) -> None:
        run = RunReport.read(folder / "td" / "one")
        assert (run.game, run.state, run.sessions, run.games) == ("draughts", "finished", 3, 18)
        assert run.summary["games"] == 18
        figures = run.figures
        assert 0 <= figures["score"] <= 1
        assert figures["clones"] == 3
        assert figures["moves a game"] == pytest.approx(sum(row["mean_plies"] for row in run.metrics) / 6)

    def test_a_learner_with_other_figures(self, folder: Path) -> None:
        assert list(RunReport.read(folder / "toy").figures) == ["drift"]

    def test_a_running_and_a_killed_run(self, tmp_path: Path) -> None:
        seen: list[Any] = []

        class Looker:
            @hookimpl
            def gameforge_game_finished(self, run: Run) -> None:
                report = RunReport.read(run.folder)
                seen.append((report.state, report.sessions))

        gf.Pipeline(learner="td:sessions=2,games=2", **TD).run(tmp_path / "run", subscribers=[Looker()])
        assert seen[0] == ("running", 0)
        assert {state for state, _ in seen} == {"running"}
        assert max(sessions for _, sessions in seen) == 2
        path = tmp_path / "run" / "run.json"
        path.write_text(path.read_text().replace('"finished"', '"running"'))
        assert RunReport.read(tmp_path / "run").state == "killed"

    def test_an_incomplete_line_is_ignored(self, folder: Path, tmp_path: Path) -> None:
        for name in ("run.json", "pipeline.toml"):
            (tmp_path / name).write_bytes((folder / "toy" / name).read_bytes())
        assert RunReport.read(tmp_path).sessions == 0
        (tmp_path / "metrics.jsonl").write_text('{"session": 1, "games": 5}\n{"session": 2, "ga')
        assert (RunReport.read(tmp_path).sessions, RunReport.read(tmp_path).games) == (1, 5)
        (tmp_path / "metrics.jsonl").write_text('{"session": 1, "ga\n{"session": 2, "games": 5}\n')
        with pytest.raises(GameforgeError, match=r"metrics\.jsonl, line 1 is damaged"):
            RunReport.read(tmp_path)

    def test_a_session_in_figures(self) -> None:
        more = {"balance": -2.5, "cloned": True, "games_per_second": 60.0, "error": math.nan, "test_points": 3}
        assert session_figures(SESSION | more) == {
            "score": 0.6,
            "loop rate": 0.1,
            "piece balance": -2.5,
            "moves a game": 25.0,
            "games/s": 60.0,
            "test points": 3.0,
        }
        assert session_figures({"session": 1, "games": 3, "loss": 0.25, "name": "x"}) == {"loss": 0.25}

    def test_folders(self, folder: Path, tmp_path: Path) -> None:
        names = [str(path.relative_to(folder)) for path in run_folders(folder)]
        assert names == ["td/one", "td/two", "toy"]
        assert run_folders(folder / "toy") == [folder / "toy"]
        with pytest.raises(GameforgeError, match="holds no runs"):
            run_folders(tmp_path)
        with pytest.raises(GameforgeError, match=r"the folder .* does not exist"):
            run_folders(tmp_path / "nowhere")


DAMAGES = {
    "metrics.jsonl, line 1 is damaged: wins: the number is too large": {"wins": int("9" * 400)},
    "metrics.jsonl, line 1 is damaged: session is missing": {"session": None},
    "metrics.jsonl, line 1 is damaged: games is missing": {"games": None},
    'metrics.jsonl, line 1 is damaged: draws = "x"': {"draws": "x"},
    "metrics.jsonl, line 1 is damaged: wins = inf": {"wins": math.inf},
    "metrics.jsonl, line 1 is damaged: over = 'loss'": {"over": "loss"},
}


@pytest.mark.parametrize("message", DAMAGES)
def test_a_damaged_run_does_not_hide_the_others(
    message: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder / "td", Path("runs"))
    shutil.copytree(folder / "td" / "one", Path("runs") / "bad")
    row = {key: value for key, value in (SESSION | DAMAGES[message]).items() if value is not None}
    (Path("runs") / "bad" / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    for more in ([], ["--compare"], ["--json"]):
        assert command(["runs", "runs", *more]) == 0
        out, err = capsys.readouterr()
        assert "warning: runs/bad is left out: " in err
        assert message in err
        assert "runs/one" in out
        assert "runs/two" in out
    drawn: list[Path] = []
    monkeypatch.setattr(
        "gameforge.cli.commands.runs.write_curves", lambda runs, *_: drawn.extend(run.folder for run in runs)
    )
    assert command(["plot", "runs", "--out", "a.png"]) == 0
    assert message in capsys.readouterr().err
    assert drawn == [Path("runs/one"), Path("runs/two")]
    assert command(["runs", "runs/bad"]) == 2


def test_differences() -> None:
    one = {"seed": 1, "learner": {"use": "td", "games": 5}, "oracle": [{"use": "a", "pieces": 2}], "list": [1, 2]}
    two = {"seed": 1, "learner": {"use": "td", "games": 6}, "oracle": [], "list": [1, 3]}
    assert differences([one, one]) == {}
    assert differences([one, two]) == {
        "learner.games": [5, 6],
        "oracle.0.use": ["a", None],
        "oracle.0.pieces": [2, None],
        "list": [[1, 2], [1, 3]],
    }


class TestRuns:
    def test_list(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert command(["runs", str(folder)]) == 0
        heading, *rows = capsys.readouterr().out.splitlines()
        assert heading.split() == ["run", "game", "state", "began", "sessions", "games", "result"]
        assert [row.split()[1:3] for row in rows] == [["draughts", "finished"]] * 2 + [["shuttle", "finished"]]
        assert "score 0." in rows[0]
        assert "drift 0." in rows[2]

    @pytest.mark.parametrize(
        ("last", "shown"),
        [
            ({"yardstick_score": 1.0}, "yardstick score 1"),
            ({"yardstick_score": 0.9, "yardstick_elo": 381.7, "yardstick_elo_deviation": 50.0}, "yardstick elo 382"),
            ({}, "yardstick elo 0"),
        ],
    )
    def test_the_list_shows_the_last_strength(
        self, last: dict[str, float], shown: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It is the score if all games were won, so that the Elo difference is infinite."""
        measured = {"yardstick_score": 0.5, "yardstick_elo": 0.0, "yardstick_elo_deviation": 50.0}
        shutil.copytree(folder / "td" / "one", tmp_path / "run")
        rows = [SESSION | {"session": 1} | measured, SESSION | last]
        (tmp_path / "run" / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        assert command(["runs", str(tmp_path)]) == 0
        assert capsys.readouterr().out.splitlines()[1].rstrip().endswith(f"loop rate 0.1, {shown}")

    def test_export_has_every_parameter_and_the_seed(self, folder: Path, tmp_path: Path) -> None:
        assert command(["runs", str(folder), "--export", str(tmp_path / "all.csv")]) == 0
        with (tmp_path / "all.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        td = [row for row in rows if "toy" not in row["run"]]
        assert [row["learner.lambda"] for row in td] == 3 * ["0.0"] + 3 * ["0.3"]
        assert {(row["seed"], row["game.use"], row["searcher.depth"]) for row in td} == {("3", "draughts", "1")}
        assert {row["learner.rounds"] for row in rows} == {"", "2"}

    @pytest.mark.parametrize("width", [80, 200])
    def test_a_comparison_of_many_runs_has_as_many_tables_as_it_needs(self, width: int) -> None:
        def report(i: int) -> RunReport:
            settings = {"game": {"use": "go"}, "learner": {"use": "td", "some_rather_long_parameter": i}}
            about = {"game": "go", "state": "finished", "began": "", "metrics": [], "summary": {}}
            return RunReport(folder=Path(f"runs/{i}"), settings=settings, **about)  # type: ignore[arg-type]

        console = Console(file=io.StringIO(), width=width)
        console.print(comparison([SeedRuns(Path(f"runs/{i}"), (report(i),)) for i in range(16)], width))
        lines = [line.split() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
        values = [line[1:] for line in lines if line[:1] == ["learner.some_rather_long_parameter"]]
        assert len(values) == {80: 4, 200: 1}[width]
        assert [value for row in values for value in row] == [str(i) for i in range(16)]

    def test_compare(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert command(["runs", str(folder / "td"), "--compare"]) == 0
        rows = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert ["learner.lambda", "0.0", "0.3"] in rows
        assert ["games", "18", "18"] in rows
        assert not [row for row in rows if row[0].startswith("game.")]

    def test_compare_with_a_list_of_tables(
        self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Its entries are compared one by one; an empty list has no row."""
        shutil.copytree(folder / "td" / "one", tmp_path / "boards")
        file = tmp_path / "boards" / "pipeline.toml"
        file.write_text(file.read_text().replace("boards = []", "boards = [{pieces = 3, games = 5}]"))
        assert command(["runs", str(folder / "td" / "one"), str(tmp_path / "boards"), "--compare"]) == 0
        rows = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert ["learner.boards.0.pieces", "-", "3"] in rows
        assert [row for row in rows if row[0] == "learner.boards"] == []

    def test_json(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert command(["runs", str(folder / "td"), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["differences"] == {"learner.lambda": [0.0, 0.3]}
        assert [Path(run["folder"]).name for run in told["runs"]] == ["one", "two"]
        assert told["runs"][0]["figures"] == RunReport.read(folder / "td" / "one").figures

    def test_a_damaged_run_does_not_hide_the_others(
        self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "run.json").write_text("{")
        assert command(["runs", str(tmp_path), str(folder / "toy")]) == 0
        told = capsys.readouterr()
        assert "shuttle" in told.out
        assert told.err.startswith("warning: ")
        assert "run.json is damaged" in told.err

    def test_refusals(self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert command(["runs", str(tmp_path)]) == 2
        assert capsys.readouterr().err == f"error: {tmp_path} holds no runs\n"
        assert command(["runs", str(folder / "toy"), "--compare"]) == 2
        assert capsys.readouterr().err == "error: --compare: must be given two or more runs, found 1\n"


class TestPlot:
    def test_gaps_where_the_net_was_cloned(self) -> None:
        metrics = [SESSION | {"games": 10, "cloned": True}, SESSION | {"games": 20, "cloned": False}]
        games, values = curve(metrics, "score", {"cloned"})
        assert games == [10, 10, 20]
        assert values[0] == values[2] == 0.6
        assert math.isnan(values[1])

    def test_a_training_without_games_has_another_x_axis(self) -> None:
        rows = [{"session": n, "games": 0, "over": "neurons", "neurons": n - 1, "test_mse": 0.2 / n} for n in (1, 2, 3)]
        run = RunReport(
            folder=Path("here"), game="toy", state="finished", began="", settings={}, summary={},
            metrics=[row | {"train_mse": 0.1 / row["session"]} for row in rows],
        )  # fmt: skip
        assert panels([run]) == ["train mse"]
        assert curve(run.metrics, "test mse") == ([0, 1, 2], [0.2, 0.1, 0.2 / 3])

    def test_panels(self, folder: Path) -> None:
        of_td = ["score", "loop rate", "piece balance", "moves a game"]
        strength = [key for key in panels([RunReport.read(folder / "td" / "one")]) if key.startswith("yardstick ")]
        assert "yardstick score" in strength
        of_td = [*strength, *of_td]
        assert panels([RunReport.read(folder / "td" / "one")]) == of_td
        assert panels([RunReport.read(folder / "toy")]) == ["drift"]
        assert panels([RunReport.read(path) for path in run_folders(folder)]) == [*of_td, "drift"]

    @pytest.mark.parametrize("which", [["toy"], ["td"], ["td/one", "toy"]], ids=str)
    def test_a_picture(
        self, which: list[str], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("matplotlib")
        out = tmp_path / "all.png"
        assert command(["plot", *(str(folder / name) for name in which), "--out", str(out)]) == 0
        assert capsys.readouterr().out == f"{out}\n"
        data = out.read_bytes()
        width, height = struct.unpack(">II", data[16:24])
        assert (data[:8], width) == (b"\x89PNG\r\n\x1a\n", 1200)
        assert height > 300

    def test_a_picture_for_papers(self, folder: Path, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        assert command(["plot", str(folder / "toy"), "--out", str(tmp_path / "toy.svg")]) == 0
        assert command(["plot", str(folder / "toy"), "--out", str(tmp_path / "toy.PDF")]) == 0
        assert (tmp_path / "toy.svg").read_bytes().startswith(b"<?xml")
        assert (tmp_path / "toy.PDF").read_bytes().startswith(b"%PDF")

    def test_default_file_in_the_folder_of_the_run(self, folder: Path) -> None:
        pytest.importorskip("matplotlib")
        assert command(["plot", str(folder / "toy")]) == 0
        assert command(["plot", str(folder / "toy")]) == 2
        assert command(["plot", str(folder / "toy"), "--force"]) == 0
        (folder / "toy" / "plot.png").unlink()

    @pytest.mark.parametrize("options", [["--out", "plot.png"], []])
    def test_no_other_file_is_replaced(
        self,
        options: list[str],
        folder: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        pytest.importorskip("matplotlib")
        monkeypatch.chdir(tmp_path)
        Path("plot.png").write_bytes(b"mine")
        assert command(["plot", str(folder / "toy"), str(folder / "td"), *options]) == 2
        sentence = "error: plot.png already exists; choose another file, or overwrite it with --force\n"
        assert capsys.readouterr().err == sentence
        assert Path("plot.png").read_bytes() == b"mine"

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["nowhere"], "the folder nowhere does not exist"),
            (
                ["toy", "--out=a.gif"],
                "--out a.gif: must be the name of a PNG, SVG or PDF file, ending in .png, .svg or .pdf",
            ),
            (["toy", "--out=no/a.png"], "cannot write no/a.png: No such file or directory"),
            (["empty"], "empty: the run has not finished a session yet, so there is nothing to draw"),
        ],
    )
    def test_refusals(
        self,
        arguments: list[str],
        sentence: str,
        folder: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        pytest.importorskip("matplotlib")
        (tmp_path / "toy").symlink_to(folder / "toy")
        (tmp_path / "empty").mkdir()
        for name in ("run.json", "pipeline.toml"):
            (tmp_path / "empty" / name).write_bytes((folder / "toy" / name).read_bytes())
        monkeypatch.chdir(tmp_path)
        assert command(["plot", *arguments]) == 2
        assert capsys.readouterr().err == f"error: {sentence}\n"

    def test_without_matplotlib(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        assert command(["plot", str(folder / "toy")]) == 2
        assert capsys.readouterr().err == (
            "error: gameforge plot needs matplotlib, which is not installed: pip install 'gameforge[plot]'\n"
        )

    def test_matplotlib_is_imported_only_for_drawing(self) -> None:
        code = "import sys, gameforge.cli.commands.runs; print('matplotlib' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"

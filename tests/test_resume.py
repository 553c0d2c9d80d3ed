"""Killed runs resume and end as if never interrupted; runs that cannot be resumed raise a clear error."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import kills
import numpy as np
import pytest
from called import gameforge
from copies import COPIES, exit_code, in_a_copy, kill_this_process
from toy_site import registry

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.learner import LearnerState
from gameforge.storage.folder import is_busy, locked
from gameforge.training import checkpoint, reporting
from gameforge.training import train as runs
from gameforge.training.run import Run
from gameforge.training.run_folder import read_metrics, run_manifest, write_state
from gameforge.training.run_report import RunReport
from gameforge.training.yardstick import DEFAULT_YARDSTICK, Yardstick

pytestmark = COPIES
KILLS = 20
"""Of each large pipeline; a small one is killed once at each kind of step of writing files."""
ROUNDS = 8
TOY_RUN = {
    "game": "shuttle",
    "searcher": "greedy",
    "evaluator": "linear",
    "features": "lanes",
    "learner": f"drift:rounds={ROUNDS}",
}
DRAUGHTS = {"game": "draughts", "searcher": "minimax:depth=1", "oracle": "none"}
SHORT = DRAUGHTS | {"game": "draughts:max_plies=60"}
SELFPLAY = {"searcher": "alphabeta:depth=1,memory=0", "evaluator": "patterns:patterns=lines 2"}
OF_SELFPLAY = "fit={epochs=2},play={no_progress=20},match_searcher='alphabeta:depth=1,memory=0'"
SMALL = {
    "toy": TOY_RUN,
    "td": SHORT | {"learner": "td:sessions=3,games=4,clone_points=2"},
    "ga": SHORT | {"learner": 'ga:population=3,generations=2,flips=1,games=2,inner={use="td",sessions=1,games=2}'},
    "evolve": SHORT | {"learner": "evolve:population=4,generations=2,games=1,boards=10,scheme=crowding,species=2"},
    "selfplay": SHORT
    | SELFPLAY
    | {
        "learner": "selfplay:generations=2,games=10,yardstick_games=2,gate={games=6,elo0=-800,elo1=-200}," + OF_SELFPLAY
    },
    "td with memory": SHORT | {"searcher": "alphabeta:depth=2", "learner": "td:sessions=2,games=4,clone_points=2"},
}
LARGE = {
    "large toy": TOY_RUN | {"learner": "drift:rounds=20"},
    "large td": DRAUGHTS | {"learner": "td:sessions=8,games=10"},
    "large ga": DRAUGHTS
    | {"learner": 'ga:population=4,generations=2,flips=1,games=2,inner={use="td",sessions=1,games=10}'},
    "large evolve": DRAUGHTS | {"learner": "evolve:population=4,generations=2,games=1,scheme=crowding,species=2"},
    "large selfplay": DRAUGHTS
    | SELFPLAY
    | {
        "learner": "selfplay:generations=2,games=40,yardstick_games=4,gate={games=20,elo0=-800,elo1=-200},"
        + OF_SELFPLAY
    },
    "large td with memory": DRAUGHTS | {"searcher": "alphabeta:depth=2", "learner": "td:sessions=4,games=6"},
}
PIPELINES = SMALL | LARGE | {"brief toy": TOY_RUN | {"learner": "drift:rounds=2"}}
ALWAYS = 1e9
"""Share of the time for checkpoints that is large enough for every possible checkpoint to be written."""


def pipeline(name: str) -> gf.Pipeline:
    return gf.Pipeline(registry=registry(), seed=5, **PIPELINES[name])


def essence(folder: Path) -> dict[str, Any]:
    """What must not depend on how often a run was killed: everything but times."""
    found: dict[str, Any] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if name == "metrics.jsonl":
            found[name] = [json.loads(line) | {"games_per_second": 0} for line in path.read_text().splitlines()]
        elif name == "run.json":
            found[name] = {key: json.loads(path.read_text())[key] for key in ("seed", "state", "summary")}
        elif path.is_file() and name != "log.txt":
            found[name] = path.read_bytes()
    return found


def finishes(work: Callable[[], object], seconds: float | None = None) -> bool:
    """Run the work in a copy of this process, which is killed after some time; returns whether the work finished."""
    child = in_a_copy(work)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    code = exit_code(child)
    assert code in (0, -signal.SIGKILL)
    return code == 0


def run(name: str, folder: Path) -> None:
    """Train, or resume the run if there is one. Small ones are measured in matches of two games."""
    yardstick = Yardstick(games=2) if name in SMALL else DEFAULT_YARDSTICK
    pipeline(name).run(folder, resume=(folder / "run.json").exists(), yardstick=yardstick)


def train(name: str, folder: Path, steps: int = 0) -> Callable[[], None]:
    """Run it with as many checkpoints as are possible; the process dies at this step of writing files."""

    def work() -> None:
        checkpoint.SHARE = ALWAYS
        kills.Deadly(steps)
        run(name, folder)

    return work


def steps_of(name: str, folder: Path) -> list[str]:
    """Train in this process, as `train` does in another, and return the steps of writing files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "SHARE", ALWAYS)
        return kills.steps_of(lambda: run(name, folder))


@attrs.frozen
class Whole:
    """A run that is not killed."""

    name: str
    essence: dict[str, Any]
    steps: list[str]
    """Of writing files."""
    seconds: float


@pytest.fixture(scope="module", params=[*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    run(request.param, folder / "first")  # compiles the kernels, which are files, too
    began = time.monotonic()
    steps = steps_of(request.param, folder / "run")
    seconds = time.monotonic() - began
    assert essence(folder / "run") == essence(folder / "first")
    return Whole(request.param, essence(folder / "run"), steps, seconds)


def state(folder: Path) -> str | None:
    """State of the run in the folder, as a reader sees it; None if there is no run."""
    return str(run_manifest(folder)["state"]) if (folder / "run.json").exists() else None


def moments(whole: Whole) -> Iterator[tuple[int, float | None]]:
    """Times of kills: (step of writing files, seconds); one of the two is set.

    The steps at which a small run is killed are one of each kind, from early to late.
    """
    if whole.name in SMALL:
        kinds = sorted(set(whole.steps))
        for i, kind in enumerate(kinds, 1):
            yield whole.steps.index(kind, i * len(whole.steps) // (len(kinds) + 1)) + 1, None
        return
    rng = random.Random(20261121)
    for i in range(KILLS):
        yield (rng.randrange(9, len(whole.steps)), None) if i % 2 else (0, rng.uniform(0.1, 0.9) * whole.seconds)


def test_killed_and_resumed(whole: Whole, tmp_path: Path) -> None:
    killed = kept = 0
    times = list(moments(whole))
    for i, (steps, after) in enumerate(times):
        folder = tmp_path / str(i)
        killed += not finishes(train(whole.name, folder, steps), after)
        if state(folder) != "finished":
            kept += (folder / "checkpoint" / "state.bin").exists()
            assert finishes(train(whole.name, folder))
        assert essence(folder) == whole.essence
    assert killed > len(times) // 2
    assert kept > len(times) // 3


@pytest.mark.parametrize("name", ["td", "evolve"])
def test_evaluations_are_counted_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that is lost in an interruption, and done again, does not count."""
    monkeypatch.setattr(checkpoint, "SHARE", ALWAYS)

    class Interrupt:
        left = 7

        @hookimpl
        def gameforge_game_finished(self) -> None:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    def counted(folder: Path, **given: Any) -> list[Any]:
        runs.train(pipeline(name), folder, yardstick=None, evaluations=1 << 60, **given)
        return [row["evaluations"] for row in read_metrics(folder)]

    with pytest.raises(KeyboardInterrupt):
        counted(tmp_path / "run", subscribers=[Interrupt()])
    assert counted(tmp_path / "run", resume=True) == counted(tmp_path / "whole")


def test_killed_again_and_again(whole: Whole, tmp_path: Path) -> None:
    """Each process lives for more steps than the last, so that the run finishes in the end."""
    lives, ended = 0, False
    while not ended:
        lives += 1
        steps = 20 + lives * (10 if whole.name in SMALL else 1)
        ended = finishes(train(whole.name, tmp_path / "run", steps))
        ended = ended or state(tmp_path / "run") == "finished"  # it may also be killed after its end
    assert lives > 2
    assert essence(tmp_path / "run") == whole.essence
    log = (tmp_path / "run" / "log.txt").read_text()
    assert log.count("resumed: ") == lives - 1
    assert log.count("started: ") == 1


def test_killed_right_after_its_end(whole: Whole, tmp_path: Path) -> None:
    """Once the run is reported as finished, all its files exist and the checkpoint is gone."""

    def work() -> None:
        checkpoint.SHARE = ALWAYS

        def deadly(folder: Path, manifest: Any, state: str, **more: Any) -> None:
            write_state(folder, manifest, state, **more)
            if state == "finished":
                kill_this_process()

        runs.write_state = deadly
        run(whole.name, tmp_path / "run")

    assert not finishes(work)
    assert (tmp_path / "run" / "checkpoint").exists()
    assert state(tmp_path / "run") == "finished"
    assert essence(tmp_path / "run") == whole.essence


def test_killed_when_it_begins_and_when_it_ends(tmp_path: Path) -> None:
    """Kill the run at each of the first and of the last steps of writing files."""
    number = len(steps_of("brief toy", tmp_path / "whole"))
    states: set[str | None] = set()
    for steps in (*range(1, 13), *range(number - 7, number + 1)):
        folder = tmp_path / str(steps)
        assert not finishes(train("brief toy", folder, steps))
        states.add(state(folder))
        if state(folder) != "finished":
            assert finishes(train("brief toy", folder))
        assert essence(folder) == essence(tmp_path / "whole")
    assert states == {None, "running", "finished"}


def test_a_run_that_has_no_pipeline_file_yet(tmp_path: Path) -> None:
    """Killed between its first two files: until then, run.json holds the pipeline."""
    folder = tmp_path / "run"
    for steps in range(1, 20):
        shutil.rmtree(folder, ignore_errors=True)
        finishes(train("brief toy", folder, steps))
        if (folder / "run.json").exists():
            break
    assert not (folder / "pipeline.toml").exists()
    assert RunReport.read(folder).state == "killed"
    gf.Pipeline.resume(folder, registry=registry())
    pipeline("brief toy").run(tmp_path / "whole")
    assert essence(folder) == essence(tmp_path / "whole")
    assert "pipeline" not in run_manifest(folder)


WAITING = """
import time
from pathlib import Path
from gameforge.interfaces.hooks import hookimpl
from gameforge.training import checkpoint

checkpoint.SHARE = 1e9

@hookimpl
def gameforge_checkpoint(progress):
    if progress.session == 3:
        Path(__file__).with_name("waiting").touch()
        time.sleep(3600)
"""
"""A plugin with which a run waits in its third session until it is killed."""


def test_the_command(tmp_path: Path) -> None:
    parts = ["--game=draughts", "--searcher=minimax:depth=1", "--learner=td:sessions=5,games=2", "--oracle=none"]
    out, plugin = tmp_path / "run", tmp_path / "waiting.py"
    plugin.write_text(WAITING)
    first = [f"--plugin={plugin}", "run", *parts, f"--out={out}", "--match-games=4", "--yardstick-games=2"]
    process = subprocess.Popen([sys.executable, "-c", "from gameforge.cli.main import main; main()", *first])
    try:
        while not (tmp_path / "waiting").exists():
            assert process.poll() is None
            time.sleep(0.02)
        assert is_busy(out)
    finally:
        process.kill()
        process.wait()
    assert not is_busy(out)
    assert not (out / "player").exists()
    code, text = gameforge(["run", "--resume", str(out)])
    assert code == 0, text
    assert "\nresumed after session 2\n" in text
    assert "of 4 games" in text  # the number that the interrupted command was given
    sessions = [json.loads(line)["session"] for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert sessions == [1, 2, 3, 4, 5]
    code, text = gameforge(["run", "--resume", str(out)])
    assert code == 2
    assert "has finished; there is nothing left to resume" in text


class Stopper:
    """A subscriber that interrupts the run after a session."""

    def __init__(self, session: int) -> None:
        self.session = session

    @hookimpl
    def gameforge_checkpoint(self, progress: Any) -> None:
        if progress.session > self.session:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interrupted") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "SHARE", ALWAYS)
        with pytest.raises(KeyboardInterrupt):
            pipeline("toy").run(folder, subscribers=[Stopper(6)])
    return folder


@pytest.fixture
def stopped(interrupted: Path, tmp_path: Path) -> Path:
    """A run that was interrupted in its seventh round, with a checkpoint after the sixth."""
    return shutil.copytree(interrupted, tmp_path / "run")


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def with_checksum(run: Path, content: bytes) -> None:
    """Make this the content of the checkpoint."""
    head = f"gameforge-checkpoint 1 {hashlib.sha256(content).hexdigest()}\n".encode()
    (run / "checkpoint" / "state.bin").write_bytes(head + content)


def refused(folder: Path, sentence: str, **options: Any) -> None:
    """Resuming raises this error and changes no files."""
    before = contents(folder)
    with pytest.raises(GameforgeError, match=sentence):
        gf.Pipeline.resume(folder, **({"registry": registry()} | options))
    assert contents(folder) == before


class TestInterrupted:
    def test_running_it_again_asks_for_resume(self, stopped: Path) -> None:
        before = contents(stopped)
        with pytest.raises(
            GameforgeError,
            match=r"holds another run, which has not finished; choose .* or resume that run with resume=\.\.\.$",
        ):
            pipeline("toy").run(stopped)
        assert contents(stopped) == before

    def test_resumes(self, stopped: Path, tmp_path: Path) -> None:
        assert json.loads((stopped / "run.json").read_text())["state"] == "interrupted"
        assert len((stopped / "games.trace").read_text().splitlines()) == 7
        done: list[int] = []

        class Sessions:
            @hookimpl
            def gameforge_checkpoint(self, progress: Any) -> None:
                done.append(progress.session)

        run = gf.Pipeline.resume(stopped, registry=registry(), subscribers=[Sessions()])
        assert done == list(range(7, ROUNDS + 1))
        assert run.resumed
        pipeline("toy").run(tmp_path / "whole")
        assert essence(stopped) == essence(tmp_path / "whole")
        np.testing.assert_array_equal(run.player.weights, gf.player(tmp_path / "whole", registry=registry()).weights)

    def test_the_sessions_after_the_checkpoint_are_forgotten(self, stopped: Path) -> None:
        """A kill may come after a session and before its checkpoint."""
        with (stopped / "metrics.jsonl").open("a") as file:
            file.write(json.dumps({"session": 7, "games": 7}) + "\n")
        earlier: list[list[int]] = []

        class Started:
            @hookimpl
            def gameforge_run_started(self, run: Run) -> None:
                earlier.append([row["session"] for row in run.earlier])

        gf.Pipeline.resume(stopped, registry=registry(), subscribers=[Started()])
        assert earlier == [[1, 2, 3, 4, 5, 6]]
        assert [row["session"] for row in read_metrics(stopped)] == list(range(1, ROUNDS + 1))

    def test_an_interrupted_run_has_a_player_with_the_net_of_its_last_session(self, stopped: Path) -> None:
        assert gf.player(stopped / "checkpoint", registry=registry()).name == "session 6"

    def test_starts_over_without_a_checkpoint(self, stopped: Path, tmp_path: Path) -> None:
        (stopped / "checkpoint" / "state.bin").unlink()
        gf.Pipeline.resume(stopped, registry=registry())
        pipeline("toy").run(tmp_path / "whole")
        assert essence(stopped) == essence(tmp_path / "whole")

    def test_through_its_pipeline(self, stopped: Path) -> None:
        assert pipeline("toy").run(stopped, resume=True).trained is not None


class TestRefusals:
    def test_no_run(self, tmp_path: Path) -> None:
        refused(tmp_path, r"holds no run: there is no run\.json")
        refused(tmp_path / "nowhere", r"holds no run: there is no run\.json")

    def test_still_running(self, stopped: Path) -> None:
        with locked(stopped):
            assert is_busy(stopped)
            refused(stopped, "is writing there")
        assert not is_busy(stopped)

    def test_finished(self, stopped: Path) -> None:
        gf.Pipeline.resume(stopped, registry=registry())
        refused(stopped, "has finished; there is nothing left to resume")

    @pytest.mark.parametrize("cut", [1, 100])
    def test_a_truncated_checkpoint(self, cut: int, stopped: Path) -> None:
        state = stopped / "checkpoint" / "state.bin"
        state.write_bytes(state.read_bytes()[:-cut])
        refused(stopped, r"state\.bin is incomplete or altered: its checksum is wrong; without this file")

    @pytest.mark.parametrize("content", [b"", b"gameforge-check", b"\xff\xfe\n", b"PK"])
    def test_no_checkpoint_at_all(self, content: bytes, stopped: Path) -> None:
        (stopped / "checkpoint" / "state.bin").write_bytes(content)
        refused(stopped, r"state\.bin is not a checkpoint, or is incomplete")

    def test_any_altered_byte(self, stopped: Path) -> None:
        state = stopped / "checkpoint" / "state.bin"
        data = state.read_bytes()
        for place in random.Random(3).sample(range(len(data)), 25):
            state.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            refused(stopped, r"state\.bin (is|has)")

    @pytest.mark.parametrize("content", [b"{", b"[1]\n", b'{"gameforge": "%s"}\nPK', b"[" * 100_000])
    def test_a_wrong_content_with_a_right_checksum(self, content: bytes, stopped: Path) -> None:
        with_checksum(stopped, content.replace(b"%s", gf.__version__.encode()))
        refused(stopped, r"state\.bin is damaged: .*; without this file the run starts over")

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"lengths": 3}, "lengths = 3: must be a table"),
            ({"lengths": {"metrics.jsonl": "7"}}, "lengths = "),
            ({"lengths": {"metrics.jsonl": -1}}, "lengths = "),
            ({"lengths": {"../metrics.jsonl": 1}}, "lengths = .*the name of a file in this folder"),
            ({"values": [1]}, r"values = \[1\]: must be a table"),
            ({"pipeline": None}, "pipeline = "),
        ],
        ids=str,
    )
    def test_entries_of_other_types(self, changes: Any, reason: str, stopped: Path) -> None:
        _, line, arrays = (stopped / "checkpoint" / "state.bin").read_bytes().split(b"\n", 2)
        with_checksum(stopped, json.dumps(json.loads(line) | changes).encode() + b"\n" + arrays)
        refused(stopped, rf"state\.bin is damaged: {reason}.*; without this file the run starts over")

    def test_damaged_arrays(self, stopped: Path) -> None:
        _, line, arrays = (stopped / "checkpoint" / "state.bin").read_bytes().split(b"\n", 2)
        with_checksum(stopped, line + b"\n" + arrays.replace(b"'descr'", b"'desc\xff'"))
        refused(stopped, r"state\.bin is damaged: .*; without this file the run starts over")

    def test_a_learner_that_rejects_its_state_changes_no_files(self, stopped: Path) -> None:
        names = ("games.trace", "metrics.jsonl", "checkpoint/state.bin", "pipeline.toml")
        before = {name: (stopped / name).read_bytes() for name in names}
        for name in names[:2]:
            (stopped / name).write_bytes(before[name] + b"what came after the checkpoint\n")
        before = {name: (stopped / name).read_bytes() for name in names}

        class Picky:
            def train(self, task: Any) -> Any:
                raise GameforgeError("its files have changed")

        picky = pipeline("toy")
        picky.learner = Picky()
        with pytest.raises(GameforgeError, match="its files have changed"):
            picky.run(stopped, resume=True)
        assert {name: (stopped / name).read_bytes() for name in names} == before
        gf.Pipeline.resume(stopped, registry=registry())

    def test_another_schema(self, stopped: Path) -> None:
        state = stopped / "checkpoint" / "state.bin"
        state.write_bytes(state.read_bytes().replace(b"gameforge-checkpoint 1 ", b"gameforge-checkpoint 2 "))
        refused(stopped, r"state\.bin has schema 2; this GameForge reads schema 1")

    def test_another_version(self, stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        here = gf.__version__
        monkeypatch.setattr("gameforge.training.checkpoint.importlib.metadata.version", lambda name: "99.1")
        refused(stopped, rf"state\.bin was written by GameForge {here}, but this is 99\.1")

    def test_another_pipeline(self, stopped: Path, tmp_path: Path) -> None:
        other = gf.Pipeline(registry=registry(), seed=5, **(TOY_RUN | {"learner": "drift:rounds=9"}))
        before = contents(stopped)
        with pytest.raises(
            GameforgeError, match=r"holds another run: learner\.rounds is 8 there and 9 here; choose another folder"
        ):
            other.run(stopped, resume=True)
        assert contents(stopped) == before

    def test_a_checkpoint_of_another_pipeline(self, stopped: Path) -> None:
        text = (stopped / "pipeline.toml").read_text()
        (stopped / "pipeline.toml").write_text(text.replace("rounds = 8", "rounds = 9"))
        refused(stopped, r"state\.bin belongs to another pipeline than that of the run")

    @pytest.mark.parametrize("name", ["games.trace", "metrics.jsonl"])
    def test_a_truncated_log(self, name: str, stopped: Path) -> None:
        (stopped / name).write_bytes((stopped / name).read_bytes()[:20])
        refused(stopped, rf"{name} has 20 bytes, fewer than the \d+ at the last checkpoint")

    @pytest.mark.parametrize("content", ["{", "[]", '{"format": "gameforge-player"}'])
    def test_a_damaged_manifest(self, content: str, stopped: Path) -> None:
        (stopped / "run.json").write_text(content)
        refused(stopped, r"run\.json is (damaged|not the manifest of a run)")

    def test_with_other_settings(self, stopped: Path) -> None:
        for more in (["--game=draughts"], ["--set=learner.rounds=3"], [str(stopped)], ["--out=elsewhere"]):
            code, text = gameforge(["run", "--resume", str(stopped), *more])
            assert code == 2
            assert "a run is resumed with its own settings" in text


class TestCheckpoint:
    def test_round_trip(self, tmp_path: Path) -> None:
        arrays = {"weights": np.arange(5, dtype=np.float32), "words": np.array([[2**63 + 1]], np.uint64)}
        values = {"rng": 3**70, "share": 0.1, "names": ["a", "b"], "none": None}
        before = checkpoint.Checkpoint(learner=LearnerState(arrays=arrays, values=values), lengths={"games.pdn": 7})
        checkpoint.write_checkpoint(tmp_path / "new", before, "digest")
        after = checkpoint.read_checkpoint(tmp_path / "new", "digest")
        assert after is not None
        assert (after.lengths, after.learner.values) == (before.lengths, values)
        for name, array in arrays.items():
            assert after.learner.arrays[name].dtype == array.dtype
            np.testing.assert_array_equal(after.learner.arrays[name], array)

    def test_none(self, tmp_path: Path) -> None:
        assert checkpoint.read_checkpoint(tmp_path, "digest") is None

    @pytest.mark.parametrize("cost", [0.0005, 0.02, 1.0])
    def test_checkpoints_take_less_than_a_hundredth_of_the_time(
        self, cost: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = 100.0
        monkeypatch.setattr(checkpoint.time, "perf_counter", lambda: now)
        pace = checkpoint.Pace()
        spent, written = 0.0, 0
        for _ in range(100_000):
            now += 0.01
            if pace.due():
                now += cost
                pace.took(cost)
                spent, written = spent + cost, written + 1
                assert spent / (now - 100) < 0.01 or written == 1
        assert written >= 3
        assert spent / (now - 100) < 0.01

    def test_an_expensive_checkpoint_is_written_every_five_minutes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 0.0
        monkeypatch.setattr(checkpoint.time, "perf_counter", lambda: now)
        pace = checkpoint.Pace()
        times = []
        for _ in range(2000):
            now += 1.0
            if pace.due():
                times.append(now)
                now += 20.0
                pace.took(20.0)
        assert len(times) > 5
        assert max(np.diff(times[1:])) <= 321


def test_checkpoints_take_less_than_a_hundredth_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the test's own clock a session takes a second and a checkpoint, possible after each, a tenth of a second."""
    now, spent = 0.0, 0.0
    write = reporting.write_checkpoint

    def write_slowly(*arguments: Any) -> None:
        nonlocal now, spent
        now, spent = now + 0.1, spent + 0.1
        write(*arguments)

    class Session:
        @hookimpl
        def gameforge_checkpoint(self) -> None:
            nonlocal now
            now += 1.0

    clock = SimpleNamespace(perf_counter=lambda: now, strftime=time.strftime)
    for module in (checkpoint, reporting):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(reporting, "write_checkpoint", write_slowly)
    toy = gf.Pipeline(registry=registry(), **(TOY_RUN | {"learner": "drift:rounds=100"}))
    toy.run(tmp_path / "run", subscribers=[Session()])
    assert 0.3 < spent < 0.01 * now

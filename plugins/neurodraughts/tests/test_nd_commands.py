"""`gameforge neurodraughts`, and runs of what it writes."""

import json
import tomllib
from pathlib import Path

import pytest
from gameforge_neurodraughts.network import read_network
from neurodraughts_examples import BOARDS, CREATION, PARAMETERS, network_of, write

from gameforge.cli.main import run
from gameforge.discovery.registry import default_registry
from gameforge.play.pipeline import Pipeline
from gameforge.play.workshop import Workshop


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, the current one, with all files of NeuroDraughts."""
    write(tmp_path, "create.txt", CREATION)
    write(tmp_path, "params.txt", PARAMETERS)
    write(tmp_path, "boards.txt", BOARDS)
    write(tmp_path, "opp1.net", network_of(38, 12))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(*arguments: str) -> None:
    assert run(["neurodraughts", "import", *arguments]) == 0


def test_the_files_of_the_thesis_are_its_preset(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All that differs from the preset: seed, second board; and the thesis' 37 inputs are warned of."""
    imported("create.txt", "params.txt", "boards.txt")
    assert "warning: creation file create.txt: NumInputs is 37, but its 12 features" in capsys.readouterr().err
    registry = default_registry()
    preset = dict(Pipeline.from_settings(registry.preset("neurodraughts"), registry).settings)
    found = dict(Pipeline.from_settings(tomllib.loads(Path("neurodraughts.toml").read_text()), registry).settings)
    first, second = found["learner"].pop("boards")
    assert [first] == preset["learner"].pop("boards")
    assert second == {"position": "B:WK31:BK10", "draw_first": -0.5, "draw_second": 0.5, "clone_points": 3}
    assert preset.pop("seed") != found.pop("seed") == 210476
    assert found == preset


def test_the_preset_is_the_training_of_the_thesis() -> None:
    registry = default_registry()
    settings = Pipeline.from_settings(registry.preset("neurodraughts"), registry).settings
    assert settings["game"] | settings["searcher"] == {
        "repetition": 0,
        "no_progress": 0,
        "max_plies": 102,
        "shuffle": 0,
        "use": "minimax",
        "depth": 3,
        "ties": "first",
    }
    learner = settings["learner"]
    names = ("sessions", "games", "lambda", "gamma", "momentum", "rate1", "rate2", "regime")
    assert [learner[name] for name in names] == [100, 10, 0.1, 0.98, 0.9, 0.0, 0.0, "cloning"]
    assert learner["boards"] == [{"position": "", "draw_first": -0.1, "draw_second": 0.1, "clone_points": 4}]
    assert settings["oracle"] == []


def test_the_preset_of_2009(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--set", "learner.sessions=1", "--set", "learner.games=2", "--match-games", "0"]
    assert run(["run", "neurodraughts-2009", "--out", str(tmp_path / "run"), *few]) == 0
    assert "session 1/1" in capsys.readouterr().out
    settings = tomllib.loads((tmp_path / "run" / "pipeline.toml").read_text())
    assert settings["searcher"]["depth"] == 5
    assert (settings["game"]["repetition"], settings["game"]["shuffle"]) == (3, 3)


def test_training_goes_on_from_a_network_and_is_written_back(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imported("opp1.net", "params.txt", "boards.txt", "--games", "2", "--sessions", "1", "--out", "go.toml")
    train = ["run", "go.toml", "--set", "learner.result=net", "--match-games", "0"]
    assert run([*train, "--out", "trained"]) == 0
    assert run(["neurodraughts", "export", "trained", "new.net", "--name", "Better Net"]) == 0
    old, new = read_network(Path("opp1.net")), read_network(Path("new.net"))
    assert new.name == "Better Net"
    assert (new.inputs, new.hidden, new.direct is None) == (old.inputs, old.hidden, old.direct is None)
    assert 0 < abs(new.first - old.first).max() < 0.5
    capsys.readouterr()
    # The player that was trained does without the file that it began with, and plays as the net that was written.
    (files / "opp1.net").unlink()
    game = "draughts:repetition=0,no_progress=0,shuffle=0,max_plies=102"
    players = ["trained", "minimax:depth=3 + neurodraughts:file=new.net"]
    assert run(["match", *players, "--game", game, "--games", "2", "--openings", "random:0", "--out", "m"]) == 0
    assert capsys.readouterr().out.startswith("trained - minimax")
    games = [json.loads(line)["moves"] for line in Path("m/games.jsonl").read_text().splitlines()]
    assert games[0] == games[1]
    weights = Workshop().load(Path("trained")).weights
    assert run(["neurodraughts", "export", "trained", "again.net"]) == 0
    assert weights is not None
    assert Path("again.net").read_text().splitlines()[1:] == Path("new.net").read_text().splitlines()[1:]


_GAMES = """1. 9-14 22-18 2. 5-9 1-0

1. 11-15 23-19 2. 8-11 22-17 3. 11-16 1/2-1/2

1. 10-15 21-17 2. 6-10 17-14 0-1
"""


def test_expert_games_train_the_same_net_as_pdn_and_as_training_data(files: Path) -> None:
    """CONVPDN, then XTRAIN; drawn games left out by the one or by the other."""
    write(files, "games.pdn", _GAMES)
    for name, options in (("all.txt", []), ("decided.txt", ["--drop-draws"])):
        assert run(["pdn", "convert", "games.pdn", name, "--to", "training", *options]) == 0

    def trained(games: str, out: str, *settings: str) -> bytes:
        imported("opp1.net", "params.txt", "--training", games, "--epochs", "2", "--out", "x.toml", "--force")
        assert run(["run", "x.toml", *settings, "--match-games", "0", "--out", out]) == 0
        weights = Workshop().load(Path(out)).weights
        assert weights is not None
        return weights.tobytes()

    everything = trained("games.pdn", "a")
    assert trained("all.txt", "b") == everything
    decided = trained("games.pdn", "c", "--set", "learner.draws=false")
    assert trained("decided.txt", "d") == decided != everything
    settings = tomllib.loads(Path("a/pipeline.toml").read_text())["learner"]
    assert (settings["use"], settings["epochs"], settings["gamma"], settings["lambda"]) == ("expert", 2, 0.98, 0.1)


def test_features_of_a_file(files: Path) -> None:
    write(files, "opp1.ftr", "PieceAdvantage 4\nPieceDisadvantage 4\nExposure 0\n")
    write(files, "create.txt", CREATION.replace("\t37\t", "\t8\t"))
    imported("create.txt", "params.txt", "boards.txt", "opp1.ftr")
    settings = tomllib.loads(Path("neurodraughts.toml").read_text())
    assert settings["evaluator"]["features"] == {
        "use": "netfeaturemap",
        "features": ["PieceAdvantage", "PieceDisadvantage"],
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["create.txt", "params.txt"], "give either a board file (training by self-play) or --training"),
        (["create.txt", "params.txt", "boards.txt", "--training", "x"], "give either a board file"),
        (
            ["create.txt", "boards.txt", "params.txt"],
            "board file params.txt: must begin with the number of its boards, not",
        ),
        (["create.txt", "params.txt", "params.txt"], "board file params.txt: must begin with the number of its boards"),
        (["boards.txt", "params.txt", "boards.txt"], "network file boards.txt: line 2 is"),
        (["nowhere", "params.txt", "boards.txt"], "cannot read the network file nowhere: No such file"),
        (
            ["create.txt", "params.txt", "boards.txt", "--out", "params.txt"],
            "params.txt already exists; choose another file, or overwrite it with --force",
        ),
        (["upside_down.txt", "params.txt", "boards.txt"], "LowRange 0.3 is above HighRange 0.2"),
    ],
)
def test_bad_input_writes_no_files(
    arguments: list[str], sentence: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(files, "upside_down.txt", CREATION.replace("-0.2", "+0.3"))
    before = {path: path.read_text() for path in files.iterdir()}
    assert run(["neurodraughts", "import", *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert {path: path.read_text() for path in files.iterdir()} == before


def test_a_network_that_does_not_fit_starts_no_run(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--evaluator", "neurodraughts:file=opp1.net", "--features", "netfeaturemap", "--oracle", "none"]
    assert run(["run", "--game", "draughts", *options, "--out", "run"]) == 2
    sentence = "error: network file opp1.net has 38 inputs, but the feature map netfeaturemap gives 47\n"
    assert capsys.readouterr().err.endswith(sentence)
    assert not Path("run").exists()


def test_only_nets_can_be_exported(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["neurodraughts", "export", "nowhere", "new.net"]) == 2
    assert "nowhere holds no player" in capsys.readouterr().err
    assert not Path("new.net").exists()

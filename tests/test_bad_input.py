"""Bad input ends with one sentence and exit code 2, without a traceback, and writes nothing."""

import os
import shlex
from pathlib import Path

import pytest
from plugin_site import Site

from gameforge.cli import main as cli

RUN = "run --game draughts --oracle none --learner td:sessions=1,games=2 --match-games 0"
PERFT = "perft --game draughts --depth 3"
MATCH = "match minimax minimax --game draughts"

OVER = '[Event "a short game"]\n[SetUp "1"]\n[FEN "W:W18:B15"]\n[Result "0-1"]\n\n1. ... 18x11 0-1\n'

WRONG = {
    # unknown components, with the nearest name
    "run --game draugts": "unknown game 'draugts' (did you mean 'draughts'?); known: antidraughts, ",
    f"{RUN} --searcher minmax": "unknown searcher 'minmax' (did you mean 'minimax'?); known for draughts: alphabeta",
    f"{RUN} --features binarmap": "unknown features 'binarmap' (did you mean 'binarymap'?); known for draughts: bi",
    f"{RUN} --evaluator mpl": "unknown evaluator 'mpl' (did you mean 'mlp'?); known for draughts: cascade, ",
    f"{RUN} --set learner.use=tp": "unknown learner 'tp'; known for draughts: cascade, cem, ",
    "run --game draughts --oracle chinok": "unknown oracle or book 'chinok' (did you mean 'chinook'?); known for",
    "perft --game drauhgts --depth 1": "unknown game 'drauhgts' (did you mean 'draughts'?)",
    "match minimax minmax --game draughts": (
        "player 'minmax': 'minmax' is not a folder, trained player, searcher, evaluator, feature map, oracle or book"
        " (did you mean 'minimax'?)"
    ),
    "warmup --for match,wep": "--for: unknown command 'wep' (did you mean 'web'?); allowed: perft, analyze, play, web,",
    "warmup --game draugts": "unknown game 'draugts' (did you mean 'draughts'?)",
    # unknown and wrongly typed parameters
    f"{RUN} --searcher minimax:depth=6.9": "searcher.depth = 6.9: must be an integer",
    f"{RUN} --searcher minimax:depth=-1": "searcher.depth = -1: must be a number from 1 to 60",
    f"{RUN} --searcher minimax:dept=4": "searcher.dept: no such parameter (did you mean 'depth'?); allowed: depth",
    f"{RUN} --searcher minimax:depth=four": 'searcher.depth = "four": must be an integer',
    f"{RUN} --searcher minimax:depth": "component 'minimax:depth', character 9: expected key=value",
    f"{RUN} --evaluator mlp:direct=yes": 'evaluator.direct = "yes": must be true or false',
    f"{RUN} --evaluator mlp:hidden=0": "evaluator.direct = false: must be true if hidden = 0: ",
    f"{RUN} --set learner.lamda=0.3": "learner.lamda: no such parameter (did you mean 'lambda'?); allowed: lambda,",
    f"{RUN} --set learner.lambda=2": "learner.lambda = 2.0: must be a number from 0 to 1",
    f"{RUN} --set learner.lambda=": "setting 'learner.lambda=': the value is missing",
    f"{RUN} --set learner": "setting 'learner': expected key.key=value",
    f"{RUN} --set learner.boards=[1979-05-27] --set learner.boards.0.x=1": (
        "setting 'learner.boards.0.x=1': learner.boards.0 = 1979-05-27 is not a table and has no keys"
    ),
    f"{RUN} --set learner.{'a.' * 1000}b=1": "setting 'learner.a.a.",
    f"{RUN} --oracle none": "oracle: 'none' cannot be combined with other oracles",
    "play random --game draughts --oracle none --oracle chinook": "oracle: 'none' cannot be combined with other oracle",
    f"{RUN} --set lerner.games=3": "pipeline: no such key 'lerner' (did you mean 'learner'?); allowed: game, seed,",
    f"{RUN} --seed -1": "seed = -1: must be an integer from 0 to 2^63 - 1",
    f"{RUN} --seed seven": "Invalid value for '--seed'",
    f"{RUN} --workers 0": "Invalid value for '--workers'",
    f"{RUN} --match-games 3": "--match-games 3: must be even",
    f"{RUN} --evaluator material": "learner: nothing to train: Material has no weights; choose an evaluator",
    f"{RUN} --learner none": "the pipeline has no learner; known for draughts: ",
    f"{RUN} --features none": "evaluator mlp needs a feature map for its inputs; name one with --features",
    "run": "pipeline: no game is named; name one with --game",
    "perft --game draughts:max_plies=0 --depth 1": "rules.max_plies = 0: must be a whole number from 1 to 1023",
    f"match random random --game draughts:repetition={10**30}": "rules.repetition = 1000000",
    f"match random random --game morris:repetition={10**30}": "rules.repetition = 1000000",
    f"analyze --game draughts --player 'alphabeta:nodes={10**30} + material'": "searcher.nodes = 1000000",
    "perft --game draughts --depth 0": "Invalid value for '--depth'",
    "perft --game draughts": "Missing option '--depth'",
    "match minimax minimax": "player 'minimax': parts need a game; name it with --game",
    f"{MATCH} --games 3": "games = 3: must be even and 2 or more, since each opening is played twice",
    f"{MATCH} --workers 0": "Invalid value for '--workers'",
    "match 'minimax + minimax' minimax --game draughts": "player 'minimax + minimax' has two parts of the kind",
    "match players.toml minimax --game draughts": "there is no file players.toml",
    "match torn.toml minimax --game draughts": "torn.toml is not valid TOML",
    f"{MATCH} --openings 3moves": "openings '3moves': no such set or file",
    f"{MATCH} --openings random:x": "openings 'random:x': must be random:PLIES, for example random:4",
    f"{MATCH} --openings random:500": "openings = 500: 1000 random games of draughts ended earlier; choose fewer plies",
    f"{MATCH} --openings binary.toml": "openings binary.toml: cannot be read as text: 'utf-8' codec",
    f"{MATCH} --openings lines.txt": "openings lines.txt, line 2: 'e2e4' is not a move such as",
    f"{MATCH} --openings over.txt": "openings: the game is over in B:W32:B",
    f"{MATCH} --openings games.pdn": "openings: the game is over in B:W11:B after the line 'a short game'",
    f"{MATCH} --openings nothing.txt": "openings nothing.txt: the file has no openings",
    f"{MATCH} --sprt 10": "sprt '10': must be ELO0,ELO1 or ELO0,ELO1,MODEL, for example 0,10,normalized",
    f"{MATCH} --sprt 10,0": "sprt 10,0: the first Elo must be less than the second",
    f"{MATCH} --out full": "the folder full already holds other files; choose another folder",
    f"{MATCH} --out a.csv --export a.csv": "--out and --export name the same path, a.csv; choose different ones",
    f"{MATCH} --out torn.toml": "torn.toml is a file; name a folder",
    f"{MATCH} --out torn.toml --watch": "torn.toml is a file; name a folder",
    "tournament minimax random --game draughts --games 2 --out torn.toml": "torn.toml is a file; name a folder",
    f"{RUN} --seeds 2 --out torn.toml": "torn.toml is a file; name a folder",
    f"{RUN} --seeds 2 --out full": "full holds other files; runs with several seeds need a folder of their own; use an",
    "tournament minimax --game draughts": "tournament: number of players = 1: must be 2 or more",
    "tournament minimax minimax --game draughts": "tournament: 2 players have the name 'minimax'; names must differ",
    "tournament minimax minmax --game draughts": "player 'minmax': 'minmax' is not a folder",
    # impossible positions
    f"{PERFT} --fen W:W33:B1": "FEN 'W:W33:B1': there is no square 33; squares: 1 to 32",
    f"{PERFT} --fen B:W1-13:B32": "FEN 'B:W1-13:B32': a white man cannot be on square 1, where it would be",
    f"{PERFT} --fen B:W20-32:B1": "FEN 'B:W20-32:B1': White has 13 pieces; a side has at most 12",
    f"{PERFT} --fen B:W20:B20": "FEN 'B:W20:B20': square 20 holds two pieces",
    f"{PERFT} --fen nonsense": "FEN 'nonsense': it must begin with the side to move",
    # files and folders
    "run missing.toml": "there is no file missing.toml",
    "run nowhere": "'nowhere' is not a file, folder or preset; presets: anaconda, any-game, any-game-cells, draughts, ",
    "run torn.toml": "torn.toml is not valid TOML",
    "run binary.toml": "binary.toml is not a TOML file: it is not UTF-8 text",
    "run empty": "empty is a folder, not a TOML file",
    "run typo.toml": "typo.toml: pipeline: no such key 'sercher' (did you mean 'searcher'?)",
    "run draughts": "'draughts' is both a path and a preset; write ./draughts for the path",
    f"{RUN} --out torn.toml": "torn.toml is a file; name a folder",
    f"{RUN} --out torn.toml/run": "cannot write the run folder torn.toml/run: Not a directory",
    f"{RUN} --out full": "the folder full already holds other files; choose another folder",
    f"{RUN} --out other": "the folder other already holds another run; choose another folder",
    "run --game draughts --oracle chinook:path=missing": "missing: no such file or folder",
    "run --game draughts --oracle chinook:path=empty": "empty: holds no Chinook database",
    "run --game draughts --oracle chinook:path=torn.toml": "torn.toml: not an index file",
    "run --game draughts --oracle chinook:pieces=9": "oracle.pieces = 9: must be an integer from 2 to 6",
    "match empty empty": "empty holds no player: there is no manifest.json",
    # runs
    "run --resume missing": "missing holds no run: there is no run.json",
    "run --resume torn.toml": "torn.toml holds no run: there is no run.json",
    "run --resume other": "other/run.json is damaged: ",
    "run --resume other --seed 3": "--resume other: a run is resumed with its own settings; omit",
    "runs": "the folder runs does not exist",
    "runs full": "full holds no runs",
    "runs torn.toml": "torn.toml is a file; name a folder",
    "runs empty --compare": "empty holds no runs",
    "plot missing": "the folder missing does not exist",
    "plot torn.toml": "torn.toml is a file; name a folder",
    "plot other": "other/run.json is damaged: ",
    "plot other --out picture.gif": "--out picture.gif: must be the name of a PNG, SVG or PDF file, ending in .png, ",
    "player pack empty --out torn.toml": "torn.toml is a file; name a folder",
    "new-plugin rules my-game --out nul.d": "the path 'nul.d': 'nul.d' means a device on Windows; choose another name",
    # experiments
    "reproduce lambda-leage": "unknown experiment 'lambda-leage' (did you mean 'lambda-league'?)",
    "reproduce --out new": "--out: no experiment is named; `gameforge reproduce` alone lists them",
    "reproduce loop-rate:pipelines=3": "experiment.pipelines = 3: must be",
    "reproduce loop-rate:published=[759]": "experiment.published = [759]: published has 1 numbers for 0 pipelines",
    "reproduce loop-rate --plots gif": "--plots gif: must be one of png, svg, pdf",
    "reproduce loop-rate --scale 0": "scale = 0.0: must be a number above 0",
    "reproduce loop-rate --seeds 0": "Invalid value for '--seeds'",
    "reproduce loop-rate --out full": "the folder full already holds other files; choose another folder",
    "reproduce loop-rate --out torn.toml": "torn.toml is a file; name a folder",
    "reproduce loop-rate --out torn.toml/run": "cannot write the experiment folder torn.toml/run: Not a directory",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the files that the command lines name."""
    (tmp_path / "torn.toml").write_text('game = "draug')
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "typo.toml").write_text('game = "draughts"\nsercher = "minimax"\n')
    (tmp_path / "lines.txt").write_text("1. 11-15 23-19  # the second ply captures\n1. 11-15 e2e4\n")
    (tmp_path / "over.txt").write_text("B:W32:B\n")
    (tmp_path / "nothing.txt").write_text("# none\n")
    (tmp_path / "games.pdn").write_text(OVER)
    for name, file in {"empty": "", "full": "notes.txt", "other": "run.json", "draughts": "readme"}.items():
        (tmp_path / name).mkdir()
        if file:
            (tmp_path / name / file).write_text("mine")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("line", WRONG)
def test_one_sentence(line: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(here)
    assert cli.run(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert err.startswith(f"error: {WRONG[line]}")
    assert err.count("\n") == 1
    assert out == ""
    assert tree(here) == before


def test_a_player_longer_than_any_name_of_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("x" * 300, f"alphabeta:{'depht' * 60}=3 + material"):
        assert cli.run(["match", wrong, "random", "--game=draughts"]) == 2
        err = capsys.readouterr().err
        assert err.startswith("error: ")
        assert err.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="a current folder cannot be removed there")
def test_a_current_folder_that_was_removed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chdir(here / "empty")
    (here / "empty").rmdir()
    assert cli.run(["new-plugin", "rules", "my-game"]) == 2
    assert capsys.readouterr() == ("", "error: the current folder no longer exists\n")


def test_a_truncated_database(shared: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("db4", "db4.idx"):
        (here / "empty" / name).write_bytes((shared / "data" / "egdb" / name).read_bytes())
    (here / "empty" / "db4").write_bytes((here / "empty" / "db4").read_bytes()[:1000])
    assert cli.run(["run", "--game", "draughts", "--oracle", "chinook:path=empty"]) == 2
    message = "empty/db4: truncated, it has 1,000 bytes; by db4.idx it must have 223,695"
    assert capsys.readouterr().err == f"error: {message}\n"
    assert not (here / "runs").exists()


def test_in_a_separate_process(site: Site) -> None:
    """Check output and exit code as a shell sees them."""
    done = site.process("run", "--game", "draughts", "--searcher", "minimax:dept=4")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: searcher.dept: no such parameter (did you mean 'depth'?); allowed: depth, ties\n"
    assert [path.name for path in site.folder.iterdir()] == []


def test_a_component_that_cannot_be_imported(site: Site) -> None:
    """An exception during the import of a component is reported in one sentence."""
    site.install(
        "lame",
        "from gameforge import Component, hookimpl\n@hookimpl\ndef gameforge_components():\n"
        "    return [Component('learner', 'lame', 'lame_learner:Lame', 's', install_hint='pip install legs')]",
    )
    site.module("lame_learner", "import legs")
    done = site.run("run", "--game", "draughts", "--oracle", "none", "--learner", "lame")
    assert done.returncode == 2
    assert done.stderr == (
        "error: learner 'lame' cannot be imported: ModuleNotFoundError: No module named 'legs' "
        "(lame_learner.py, line 1); pip install legs\n"
    )

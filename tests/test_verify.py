"""`gameforge verify`, and what resuming, packing and showing refuse: files that somebody altered."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import gameforge as gf
from gameforge.arena.match_folder import MATCH_FORMAT
from gameforge.cli.commands.runs import CHECKS
from gameforge.cli.main import run
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.play.saved_players import save_player
from gameforge.storage.player_files import PLAYER_FORMAT, WEIGHTS
from gameforge.training.provenance import PROVENANCE_FORMAT, known_provenance, pack
from gameforge.training.verification import drawn_session, first_sessions_repeated, verified

GAME = "othello"


class Stop(Exception):
    """Ends a run."""


def pipeline(sessions: int = 2) -> gf.Pipeline:
    return gf.Pipeline(
        game=GAME,
        searcher="minimax:depth=1",
        evaluator="mlp:hidden=2",
        features="bits",
        learner={"use": "td", "sessions": sessions, "games": 4},
        oracle="none",
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, its packed player, a match and a player."""
    folder = tmp_path_factory.mktemp("whole")
    pipeline().run(folder / "run", yardstick=None, progress=False)
    pack(folder / "run", folder / "packed", "packed", default_registry())
    random = gf.player(GAME, searcher="random", evaluator="none")
    gf.match(random, random, 4, out=folder / "match", progress=False)
    save_player(folder / "player", gf.player(folder / "run"))
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def problems(folder: Path) -> list[str]:
    return [one.found for one in verified(folder, default_registry(), CHECKS) if not one.holds]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_what_was_not_altered_holds(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(whole)]) == 0
    lines = capsys.readouterr().out.replace(f"{whole}/", "").splitlines()
    assert lines == [
        "match: match, finished, 4 games by the rules",
        f"packed: player, {weights(whole)} weights, of the pipeline in its provenance",
        f"player: player, {weights(whole)} weights",
        f"run/generations/clone-1: player, {weights(whole)} weights",
        f"run/player: player, {weights(whole)} weights",
        "run: run, finished, 2 sessions, 14 games by the rules",
    ]


def weights(whole: Path) -> int:
    found = gf.player(whole / "player").weights
    assert found is not None
    return len(found)


def shorten(run: Path) -> None:
    """Take a part of the games away."""
    (games,) = run.glob("games.*")
    games.write_text(games.read_text()[10:])


def swap_weights(folder: Path) -> None:
    """Other weights with a new checksum, under the old command."""
    other = gf.player(GAME, searcher="minimax", evaluator="mlp:hidden=2", features="bits", oracle="none", seed=9)
    manifest = json.loads(PLAYER_FORMAT.path(folder).read_text())
    save_player(folder, other)
    sha256 = json.loads(PLAYER_FORMAT.path(folder).read_text())["sha256"]
    del manifest["digest"]
    PLAYER_FORMAT.write(folder, {**manifest, "sha256": sha256})


ALTERED: dict[str, tuple[Callable[[Path], object], str]] = {
    "the pipeline of a run": (
        lambda folder: edit(folder / "run/pipeline.toml", "depth = 1", "depth = 3"),
        "run/pipeline.toml was altered after the run had finished",
    ),
    "the figures of a run": (
        lambda folder: edit(folder / "run/metrics.jsonl", '"session": 1', '"session": 3'),
        "run/metrics.jsonl was altered",
    ),
    "the games of a run": (lambda folder: shorten(folder / "run"), "was altered after the run had finished"),
    "the seed of a run": (
        lambda folder: edit(folder / "run/run.json", '"seed": 7', '"seed": 8'),
        "run/run.json was altered after it was written",
    ),
    "the search depth of a run's player": (
        lambda folder: edit(folder / "run/player/manifest.json", '"depth": 1', '"depth": 3'),
        "run/player/manifest.json was altered",
    ),
    "the weights of a run's player": (lambda folder: swap_weights(folder / "run/player"), "manifest.json was altered"),
    "the weights of a packed player": (
        lambda folder: swap_weights(folder / "packed"),
        "packed: the weights are not those of provenance.json",
    ),
    "the pipeline of a packed player": (
        lambda folder: edit(folder / "packed/pipeline.toml", "sessions = 2", "sessions = 9"),
        "packed/pipeline.toml is not the pipeline of provenance.json",
    ),
    "the provenance of a packed player": (
        lambda folder: edit(folder / "packed/provenance.json", "gameforge run", "gameforge run --seed 4"),
        "packed/provenance.json was altered",
    ),
    "the feature map of a player": (
        lambda folder: edit(folder / "player/manifest.json", '"bits"', '"discs"'),
        "player/manifest.json was altered",
    ),
    "the result of a match": (
        lambda folder: edit(folder / "match/match.json", '"wins": ', '"wins": 1'),
        "match/match.json was altered",
    ),
    "a manifest that is no JSON": (
        lambda folder: (folder / "match/match.json").write_text("{"),
        "match/match.json is damaged",
    ),
    "bytes of the weights": (
        lambda folder: (folder / "player" / WEIGHTS).write_bytes(b"PK"),
        "it is incomplete or altered",
    ),
}


@pytest.mark.parametrize("what", ALTERED)
def test_what_was_altered_does_not_hold(what: str, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ALTERED[what][0](copy)
    found = problems(copy)
    assert any(ALTERED[what][1] in problem for problem in found), found
    assert run(["verify", str(copy)]) == 2
    captured = capsys.readouterr()
    assert "WRONG " in captured.out
    assert f"manifests and databases in {copy} do not hold" in captured.err


def test_a_game_that_no_loaded_plugin_has_is_not_called_wrong(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = copy / "match" / "games.db"
    with gf.games_db(database, game=GAME) as games:
        games.add_file(copy / "match" / "games.jsonl")
    assert run(["verify", str(database)]) == 0
    with sqlite3.connect(database) as connection:
        connection.execute("update about set value = 'elsewhere' where key = 'game'")
    assert run(["verify", str(database)]) == 2
    captured = capsys.readouterr()
    assert f"NOT CHECKED {database}: unknown game 'elsewhere'; known: " in captured.out
    assert "a plugin in a file must be loaded (gameforge --plugin FILE)" in captured.out
    assert f"1 of 1 manifests and databases in {database} could not be checked" in captured.err
    assert "WRONG" not in captured.out


def test_games_are_replayed_although_their_checksums_are_right(copy: Path) -> None:
    """Whoever alters a game of a match can alter the digest of its manifest as well."""
    lines = (copy / "match" / "games.jsonl").read_text().splitlines()
    game = json.loads(lines[1])
    game["moves"] = game["moves"][:-1]
    (copy / "match" / "games.jsonl").write_text("\n".join([lines[0], json.dumps(game), *lines[2:], ""]))
    assert any("match, game 2: by the rules the game is not finished" in problem for problem in problems(copy))


def test_a_result_that_is_not_that_of_the_games(copy: Path) -> None:
    manifest = json.loads(MATCH_FORMAT.path(copy / "match").read_text())
    manifest["result"]["wins"] += 1
    MATCH_FORMAT.write(copy / "match", manifest)
    assert any("its result is not that of its games" in problem for problem in problems(copy))


def test_folders_that_are_older_than_digests_hold(copy: Path) -> None:
    for path in copy.rglob("*.json"):
        manifest = json.loads(path.read_text())
        manifest.pop("digest", None)
        manifest.pop("files", None)
        path.write_text(json.dumps(manifest))
    assert problems(copy) == []


@pytest.mark.parametrize("what", ["the pipeline of a run", "the search depth of a run's player", "the seed of a run"])
def test_an_altered_run_is_neither_packed_nor_shown(what: str, copy: Path) -> None:
    ALTERED[what][0](copy)
    with pytest.raises(GameforgeError, match="was altered"):
        pack(copy / "run", copy / "again", "again", default_registry())
    with pytest.raises(GameforgeError, match="was altered"):
        known_provenance(copy / "run" / "player", default_registry())
    assert run(["player", "show", str(copy / "run")]) == 2


def test_an_altered_packed_player_is_not_shown(copy: Path) -> None:
    swap_weights(copy / "packed")
    assert run(["player", "show", str(copy / "packed")]) == 2
    PROVENANCE_FORMAT.require_unaltered(copy / "packed")


@pytest.mark.parametrize(("file", "old"), [("metrics.jsonl", '"session": 1'), ("games", "B")])
def test_logs_that_were_altered_are_not_resumed(
    file: str, old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    class Stopper:
        """Ends the run after its second session."""

        @staticmethod
        @gf.hookimpl
        def gameforge_checkpoint(progress: "gf.Run") -> None:
            if getattr(progress, "session", 0) == 3:
                raise Stop

    monkeypatch.setattr("gameforge.training.checkpoint.Pace.due", lambda self: True)
    with pytest.raises(Stop):
        pipeline(4).run(folder, yardstick=None, subscribers=[Stopper()], progress=False)
    (path,) = folder.glob(f"{file}*")
    edit(path, old, old[:-1] + "7")
    with pytest.raises(GameforgeError, match=f"{path} was altered after the last checkpoint: its checksum is wrong"):
        gf.Pipeline.resume(folder, progress=False)
    edit(path, old[:-1] + "7", old)
    assert gf.Pipeline.resume(folder, progress=False)
    assert problems(folder) == []


def test_the_first_sessions_of_a_run_are_trained_again(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = ["verify", str(copy / "run"), "--sessions", "1"]
    assert run(again) == 0
    assert "run: the first 1 of 2 sessions, trained again, are the same" in capsys.readouterr().out
    metrics = copy / "run/metrics.jsonl"
    before = metrics.read_text()
    row = json.loads(before.splitlines()[0])
    metrics.write_text(before.replace(f'"mean_plies": {row["mean_plies"]}', '"mean_plies": 1.5', 1))
    assert f"session 1 has mean_plies 1.5; trained again, it has {row['mean_plies']}" in repeated(copy / "run")
    metrics.write_text(before)
    shorten(copy / "run")
    assert "does not begin with the games of the same training" in repeated(copy / "run")


def test_a_session_is_drawn_up_to_which_a_run_is_trained_again(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = {seed: drawn_session(whole / "run", seed) for seed in range(8)}
    assert set(drawn.values()) == {1, 2}
    seed = next(seed for seed, session in drawn.items() if session == 1)
    assert run(["verify", str(whole / "run"), "--random-session", "--seed", str(seed)]) == 0
    printed = capsys.readouterr().out
    assert f"run: session 1 is drawn by --seed {seed}\n" in printed
    assert "run: the first 1 of 2 sessions, trained again, are the same" in printed
    assert run(["verify", str(whole / "run"), "--seed", "1"]) == 2
    assert "--seed: nothing is drawn without --random-session" in capsys.readouterr().err
    assert run(["verify", str(whole / "run"), "--random-session", "--sessions", "1"]) == 2
    assert "choose one of them" in capsys.readouterr().err


def repeated(run: Path) -> str:
    found = first_sessions_repeated(run, 1, default_registry())
    assert not found.holds
    return found.found


def test_a_folder_without_manifests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.json").write_text("[1]")
    assert run(["verify", str(tmp_path)]) == 2
    assert "holds nothing that GameForge has written" in capsys.readouterr().err

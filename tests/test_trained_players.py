"""Trained players that plugins bring: by name, at a level, with another searcher; packed, shown and trained again."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from built_in import BUILT_IN

import gameforge as gf
from gameforge.cli.main import run
from gameforge.config import read_toml
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.play.player import Player
from gameforge.play.saved_players import playing_settings, save_player
from gameforge.play.workshop import Workshop
from gameforge.storage.player_files import PLAYER_FORMAT
from gameforge.training.provenance import PROVENANCE_FORMAT, pack, provenance_of, train_again, training_command

PLUGIN = """
from gameforge import Component, hookimpl

@hookimpl
def gameforge_components():
    return [Component("player", "tiny", "tinyplayer:players/tiny", "learned in seconds", game="draughts")]
"""
PIPELINE: dict[str, Any] = {
    "game": "draughts",
    "searcher": "alphabeta:depth=1,memory=0",
    "evaluator": "patterns:patterns=rectangles 2x2",
    "features": "none",
    "oracle": "none",
    "seed": 3,
    "learner": {
        "use": "selfplay",
        "generations": 1,
        "games": 30,
        "fit": {"epochs": 2},
        "gate": {"games": 4, "elo0": -800, "elo1": -400},
        "match_searcher": "alphabeta:depth=1,memory=0",
        "yardstick_games": 0,
    },
}
PLAYING = """
[searcher]
use = "alphabeta"
depth = 3
memory = 0

[[levels]]
searcher = "random"

[[levels]]
searcher = "alphabeta:depth=1,memory=0"

[[levels]]

[fitted.alphabeta]
confidence = 1.25

[added]
tempo = [0.0, 0.0]
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin in one file, with a trained player beside it."""
    folder = tmp_path_factory.mktemp("plugin")
    gf.Pipeline(**PIPELINE).run(folder / "run")
    tiny = folder / "players" / "tiny"
    pack(folder / "run", tiny, "tiny", Registry(load()))
    (tiny / "player.toml").write_text(PLAYING)
    (folder / "tinyplayer.py").write_text(PLUGIN)
    return folder / "tinyplayer.py"


@pytest.fixture(scope="module")
def registry(plugin: Path) -> Registry:
    return Registry(load([plugin]))


def searcher(player: Player) -> str:
    return f"{player.spec['searcher']['use']} {player.spec['searcher'].get('depth')}"


def cli(plugin: Path, *arguments: str) -> int:
    return run(["--plugin", str(plugin), *arguments])


class TestByName:
    def test_in_python(self, registry: Registry, plugin: Path) -> None:
        player = gf.player("draughts", "tiny", registry=registry)
        assert (player.name, searcher(player)) == ("tiny", "alphabeta 3")
        saved = Workshop(registry).load(plugin.parent / "run")
        np.testing.assert_array_equal(player.weights, saved.weights)

    def test_at_a_level(self, registry: Registry) -> None:
        levels = [gf.player("draughts", "tiny", level=level, registry=registry) for level in (1, 2, 3)]
        assert list(map(searcher, levels)) == ["random None", "alphabeta 1", "alphabeta 3"]

    @pytest.mark.parametrize(
        ("text", "count"),
        [("tiny", 3), ("alphabeta:depth=2 + tiny", 0), ("tiny:level=2", 0), ("alphabeta:depth=2 + material", 0)],
    )
    def test_how_many_levels_there_are(self, text: str, count: int, registry: Registry) -> None:
        assert Workshop(registry).plan(text, "draughts").levels == count

    def test_how_many_levels_a_folder_has(self, registry: Registry, plugin: Path) -> None:
        for folder, count in (("players/tiny", 3), ("run", 0)):
            assert Workshop(registry).plan(str(plugin.parent / folder)).levels == count

    def test_by_the_rules_that_are_given(self, registry: Registry) -> None:
        game = gf.game("draughts", no_progress=30)
        player = gf.player(game, "tiny", registry=registry)
        assert player.game.rules == game.rules
        other = Workshop(registry).player("tiny", "draughts:no_progress=30")
        assert other.game.rules == game.rules

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("tiny", "alphabeta 3"),
            ("tiny:level=2", "alphabeta 1"),
            ("minimax:depth=2 + tiny", "minimax 2"),
            ("tinyplayer/tiny", "alphabeta 3"),
        ],
    )
    def test_on_the_command_line(self, registry: Registry, text: str, expected: str) -> None:
        player = Workshop(registry).player(text)
        assert (player.name, searcher(player)) == (text, expected)

    @pytest.mark.parametrize(
        ("text", "confidence"),
        [
            ("tiny", 1.25),
            ("tiny:level=2", 1.25),
            ("alphabeta:depth=2 + tiny", 1.25),
            ("search_minimax/alphabeta:depth=2 + tiny", 1.25),
            ("alphabeta:depth=2,confidence=2 + tiny", 2.0),
            ("minimax:depth=2 + tiny", None),
            ("alphabeta:depth=2 + material", 1.5),
        ],
    )
    def test_parameters_that_were_fitted_to_it(self, registry: Registry, text: str, confidence: float | None) -> None:
        player = Workshop(registry).player(text, "draughts")
        assert player.spec["searcher"].get("confidence") == confidence

    def test_parameters_of_an_unknown_searcher_are_refused(
        self, registry: Registry, plugin: Path, tmp_path: Path
    ) -> None:
        copied = shutil.copytree(plugin.parent / "players" / "tiny", tmp_path / "tiny")
        (copied / "player.toml").write_text("[fitted.alphabta]\nconfidence = 1.25\n")
        with pytest.raises(GameforgeError, match=r"tiny: unknown searcher 'alphabta' \(did you mean 'alphabeta'"):
            Workshop(registry).load(copied)

    def test_what_is_added_to_its_weights(self, registry: Registry, plugin: Path, tmp_path: Path) -> None:
        """The file of weights stays as it is, and a player that is saved again has the sums."""
        copied = shutil.copytree(plugin.parent / "players" / "tiny", tmp_path / "tiny")
        trained = Workshop(registry).load(copied).weights
        (copied / "player.toml").write_text("[added]\ntempo = [0.25, -0.5]\n")
        player = Workshop(registry).load(copied)
        assert trained is not None
        assert player.weights is not None
        changed = player.weights - trained
        assert sorted(changed[changed != 0]) == [-0.5, 0.25]
        save_player(tmp_path / "again", player)
        np.testing.assert_array_equal(Workshop(registry).load(tmp_path / "again").weights, player.weights)

    @pytest.mark.parametrize(
        ("added", "message"),
        [
            ("tempi = [0.25, -0.5]", "tiny: added: 'tempi' is not one of tempo"),
            ("tempo = [0.25]", "tiny: added: 'tempo' needs 2 finite numbers, one for each phase"),
            ("tempo = [0.25, nan]", "tiny: added: 'tempo' needs 2 finite numbers, one for each phase"),
        ],
    )
    def test_wrong_additions_are_refused(
        self, registry: Registry, plugin: Path, tmp_path: Path, added: str, message: str
    ) -> None:
        copied = shutil.copytree(plugin.parent / "players" / "tiny", tmp_path / "tiny")
        (copied / "player.toml").write_text(f"[added]\n{added}\n")
        with pytest.raises(GameforgeError, match=message):
            Workshop(registry).load(copied)

    def test_an_evaluator_that_names_no_weights_takes_no_additions(self, registry: Registry, tmp_path: Path) -> None:
        for name, player in (
            ("net", gf.player("draughts", seed=1)),
            ("material", gf.player("draughts", searcher="random", evaluator="material")),
        ):
            save_player(tmp_path / name, player)
            (tmp_path / name / "player.toml").write_text("[added]\ntempo = [1]\n")
            message = r"player.toml: this evaluator has no named weights; remove the table \[added\]"
            with pytest.raises(GameforgeError, match=message):
                Workshop(registry).load(tmp_path / name)

    def test_the_game_comes_from_the_other_side(self, registry: Registry, plugin: Path) -> None:
        parts, folder = "minimax:depth=1 + material", str(plugin.parent / "run")
        players = Workshop(registry).players([parts, "tiny", folder])
        assert [player.name for player in players] == [parts, "tiny", folder]
        assert {player.game.rules.name for player in players} == {"draughts"}

    def test_match_and_play(self, plugin: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
        assert cli(plugin, "match", "tiny", "tiny:level=1", "--games=2") == 0
        assert "tiny - tiny:level=1: " in capsys.readouterr().out
        monkeypatch.setattr("builtins.input", lambda prompt: (_ for _ in ()).throw(EOFError))
        assert cli(plugin, "play", "tiny", "--game=draughts", "--level=2", "--seed=1") == 0
        assert "against tiny (level 2)" in capsys.readouterr().out

    def test_it_is_a_member_of_a_vote(self, registry: Registry) -> None:
        player = Workshop(registry).player('vote:players=["tiny", "tiny:level=1"]', "draughts")
        assert player.analyse(player.game.position()).move


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tiny:level=4", "player 'tiny' has no level 4; it has levels 1 to 3"),
        ("tiny:levle=1", "player tiny.levle: no such parameter (did you mean 'level'?); allowed: level"),
        ("tiny:level=high", 'player tiny.level = "high": must be an integer'),
        ("tiny + material", "player 'tiny + material': the player tiny has its own evaluator; omit the part evaluator"),
        ("tiny + tiny", "has two folders or trained players; at most one is allowed"),
        ("tny", "player 'tny': 'tny' is not a folder, trained player, searcher"),
    ],
)
def test_mistakes_on_the_command_line(registry: Registry, text: str, message: str) -> None:
    with pytest.raises(GameforgeError, match=re.escape(message)):
        Workshop(registry).player(text, "draughts")


class TestMistakes:
    def test_another_game(self, registry: Registry) -> None:
        with pytest.raises(GameforgeError, match="player 'tiny' exists for draughts, not for othello"):
            gf.player("othello", "tiny", registry=registry)

    def test_a_folder_in_place_of_a_name(self, registry: Registry, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match=r"is a folder, which names its game itself; give it alone$"):
            gf.player("draughts", str(tmp_path), registry=registry)

    def test_a_game_that_does_not_exist(self, registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
        """The sentence is about the game, not about the player."""
        with pytest.raises(
            GameforgeError, match=r"^unknown game 'draugts' \(did you mean 'draughts'\?\); known: .*othello"
        ):
            Workshop(registry).player("tiny", "draugts")
        with pytest.raises(GameforgeError, match=r"^unknown game 'draugts'"):
            gf.player("draugts", "tiny", registry=registry)
        for command in (["player", "show", "strong"], ["match", "strong", "random"]):
            assert run([*command, "--game", "draugts"]) == 2
            assert capsys.readouterr().err.startswith("error: unknown game 'draugts'")

    def test_a_level_of_something_without_levels(self, registry: Registry, plugin: Path) -> None:
        with pytest.raises(
            GameforgeError,
            match=r"^player .minimax \+ material. has no levels, .*\(those of draughts.* lower the limit",
        ):
            Workshop(registry).build(Workshop(registry).plan("minimax + material", "draughts", level=2))
        with pytest.raises(GameforgeError, match=r"the player in .*run/player has no levels; its file player"):
            Workshop(registry).load(plugin.parent / "run", level=2)
        for text, level in (("minimax + tiny", 2), ("minimax + tiny:level=2", None)):
            with pytest.raises(GameforgeError, match="names a searcher, which would replace that of level 2; omit one"):
                Workshop(registry).build(Workshop(registry).plan(text, "draughts", level=level))
        for wrong in ("high", 2.5, True):
            with pytest.raises(GameforgeError, match=f"level = {wrong!r}: must be a whole number"):
                gf.player("draughts", "tiny", level=wrong, registry=registry)  # type: ignore[arg-type]
        with pytest.raises(GameforgeError, match="a player made of components has no levels, which trained players"):
            gf.player("draughts", level=2, evaluator="material", registry=registry)
        with pytest.raises(GameforgeError, match="already names a level; level 2 cannot"):
            Workshop(registry).build(Workshop(registry).plan("tiny:level=1", "draughts", level=2))

    def test_an_evaluator(self, registry: Registry) -> None:
        with pytest.raises(GameforgeError, match="player: tiny has its own evaluator"):
            gf.player("draughts", "tiny", evaluator="material", registry=registry)

    def test_a_folder_of_that_name(self, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "tiny").mkdir()
        for text in ("tiny", "minimax + tiny"):
            with pytest.raises(GameforgeError, match=r"'tiny' is both a folder and a player; write ./tiny for the"):
                Workshop(registry).player(text, "draughts")

    def test_a_wrong_player_toml(self, registry: Registry, plugin: Path, tmp_path: Path) -> None:
        player = gf.player("draughts", searcher="minimax:depth=1", evaluator="material")
        save_player(tmp_path, player)
        for text, message in (
            ("levels = 3", "levels = 3: must be"),
            ("[[levels]]\nnodes = 5", "levels"),
            ("sercher = 'random'", "sercher: no such parameter (did you mean 'searcher'?)"),
        ):
            (tmp_path / "player.toml").write_text(text)
            with pytest.raises(GameforgeError, match=re.escape(f"{tmp_path / 'player.toml'}: ")) as error:
                Workshop(registry).load(tmp_path)
            assert message in str(error.value)

    def test_whose_parameter_is_wrong(self, registry: Registry, tmp_path: Path) -> None:
        """A mistake of the caller does not blame the player's folder; one in the folder is blamed whatever replaces."""
        save_player(tmp_path, gf.player("draughts", searcher="minimax:depth=1", evaluator="material"))
        with pytest.raises(GameforgeError, match=r"^searcher\.depht: no such parameter"):
            Workshop(registry).load(tmp_path, searcher="minimax:depht=2")
        manifest = json.loads(PLAYER_FORMAT.path(tmp_path).read_text())
        manifest["pipeline"]["evaluator"] = {"use": "material", "weight": 3}
        PLAYER_FORMAT.path(tmp_path).write_text(json.dumps(manifest))
        for searcher in ("minimax:depth=2", "minimax:depht=2"):
            with pytest.raises(GameforgeError, match=f"^{re.escape(str(tmp_path))}: evaluator\\.weight: no such"):
                Workshop(registry).load(tmp_path, searcher=searcher)

    def test_weights_of_other_patterns(self, registry: Registry, plugin: Path, tmp_path: Path) -> None:
        """As many weights as the evaluator has, but for other groups of cells."""
        made = gf.player("draughts", evaluator="patterns:patterns=cells 1 2", searcher="minimax:depth=1")
        save_player(tmp_path, made)
        manifest = json.loads(PLAYER_FORMAT.path(tmp_path).read_text())
        manifest["pipeline"]["evaluator"]["patterns"] = "cells 1 5"
        PLAYER_FORMAT.path(tmp_path).write_text(json.dumps(manifest))
        with pytest.raises(
            GameforgeError, match=r"its weights are for pattern set \w{8} .*, but its evaluator has pattern set \w{8}"
        ):
            Workshop(registry).load(tmp_path)


class TestProvenance:
    def test_training_again_gives_the_same_weights(self, registry: Registry, plugin: Path, tmp_path: Path) -> None:
        folder = registry.player_folder("tiny")
        assert train_again(folder, tmp_path / "again", registry, workers=2)
        assert train_again(folder, tmp_path / "again", registry)  # the finished run is compared once more
        here, there = folder / "weights.npz", tmp_path / "again" / "player" / "weights.npz"
        assert here.read_bytes() == there.read_bytes()

    def test_verify_command(self, plugin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli(plugin, "player", "verify", "tiny", "--out", str(tmp_path / "again")) == 0
        assert "bit for bit" in capsys.readouterr().out

    def test_other_weights_are_reported(self, registry: Registry, tmp_path: Path, plugin: Path) -> None:
        other = gf.Pipeline(**{**PIPELINE, "seed": 4}).run(tmp_path / "run")
        pack(tmp_path / "run", tmp_path / "packed", "other", registry)
        provenance = provenance_of(tmp_path / "packed")
        assert provenance.seed == 4
        assert provenance.command.startswith("gameforge run --game draughts --searcher ")
        text = (tmp_path / "packed" / "pipeline.toml").read_text()
        (tmp_path / "packed" / "pipeline.toml").write_text(text.replace("seed = 4", "seed = 3"))
        with pytest.raises(
            GameforgeError, match=r"pipeline.toml is not the pipeline of provenance.json: it was altered"
        ):
            train_again(tmp_path / "packed", tmp_path / "again", registry)
        assert set(provenance.logs) == {"metrics.jsonl", "games.pdn"}
        PROVENANCE_FORMAT.write(tmp_path / "packed", attrs.asdict(attrs.evolve(provenance, pipeline="")))
        with pytest.raises(GameforgeError, match=r"games\.pdn is not the log of the training that .*packed names"):
            train_again(tmp_path / "packed", tmp_path / "again", registry)
        without = attrs.evolve(provenance, pipeline="", logs={})
        PROVENANCE_FORMAT.write(tmp_path / "packed", attrs.asdict(without))
        assert not train_again(tmp_path / "packed", tmp_path / "again", registry)
        assert other.player.weights is not None

    def test_a_finished_run_of_another_pipeline_proves_nothing(
        self, registry: Registry, plugin: Path, tmp_path: Path
    ) -> None:
        """Even if it holds the packed player's weights."""
        folder = registry.player_folder("tiny")
        gf.Pipeline(**{**PIPELINE, "seed": 4}).run(tmp_path / "run")
        for name in ("manifest.json", "weights.npz"):
            (tmp_path / "run" / "player" / name).write_bytes((folder / name).read_bytes())
        with pytest.raises(GameforgeError, match="holds a run of another pipeline; choose another folder"):
            train_again(folder, tmp_path / "run", registry)

    def test_the_preset_is_the_command(self, registry: Registry) -> None:
        settings = gf.Pipeline.from_settings(registry.preset("draughts-strong"), registry).settings
        assert training_command(settings, registry) == "gameforge run draughts-strong"
        assert training_command({**settings, "seed": 77}, registry) == "gameforge run draughts-strong --seed 77"

    def test_the_command_of_a_run_with_options_trains_the_same_weights(
        self, registry: Registry, plugin: Path, tmp_path: Path
    ) -> None:
        """Whatever the run was begun with; it could be typed in any folder."""
        _, *words = shlex.split(provenance_of(registry.player_folder("tiny")).command)
        assert run([*words, "--out", str(tmp_path / "again"), "--match-games=0", "--yardstick=none"]) == 0
        weights = [folder / "player" / "weights.npz" for folder in (plugin.parent / "run", tmp_path / "again")]
        assert weights[0].read_bytes() == weights[1].read_bytes()

    def test_the_command_leaves_out_defaults_and_repeats_oracles(self, registry: Registry) -> None:
        pipeline = gf.Pipeline(
            game="draughts:repetition=2",
            searcher="alphabeta:depth=2,quiescence=true",
            evaluator="mlp:hidden=8,direct=false",
            features="binarymap",
            learner="td:sessions=2",
            oracle=["chinook:pieces=3", "book"],
            seed=5,
            registry=registry,
        )
        assert training_command(pipeline.settings, registry) == (
            "gameforge run --game draughts:repetition=2 --searcher alphabeta:depth=2 --evaluator mlp:hidden=8 "
            "--learner td:sessions=2 --features binarymap --oracle chinook:pieces=3 --oracle book --seed 5"
        )

    def test_show(self, plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli(plugin, "player", "show", "tiny") == 0
        text = capsys.readouterr().out
        for line in (
            "game       draughts",
            "seed       3",
            "fitted     alphabeta: confidence",
            "added      tempo: 0 0",
            "level 1    random",
            "level 3    full strength",
        ):
            assert line in text
        assert cli(plugin, "player", "show", "tiny", "--json") == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["sha256"] == provenance_of(plugin.parent / "players" / "tiny").sha256
        assert "pattern set" in shown["layout"]
        assert shown["fitted"] == {"alphabeta": {"confidence": 1.25}}
        assert shown["added"] == {"tempo": [0, 0]}

    def test_show_a_run(self, plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The provenance is that of the packed player, but for the versions, of which the run knows two."""
        run = plugin.parent / "run"
        assert cli(plugin, "player", "show", str(run), "--json") == 0
        shown = json.loads(capsys.readouterr().out)
        packed = attrs.asdict(provenance_of(plugin.parent / "players" / "tiny"))
        packed["versions"] = {name: packed["versions"][name] for name in ("gameforge", "python")}
        assert {key: shown[key] for key in packed} == packed
        assert (shown["folder"], shown["levels"]) == (str(run / "player"), [])
        assert cli(plugin, "player", "show", str(run), "--game=draughts") == 0
        assert "\nseed       3\n" in capsys.readouterr().out

    def test_show_saved_players(self, plugin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        packed = plugin.parent / "players" / "tiny"
        assert cli(plugin, "player", "show", str(packed)) == 0
        assert "level 3    full strength" in capsys.readouterr().out
        save_player(tmp_path / "player", gf.player("draughts", searcher="random", evaluator="none"))
        assert cli(plugin, "player", "show", str(tmp_path / "player")) == 0
        assert capsys.readouterr().out.splitlines()[1:] == [
            *("game       draughts", "searcher   random", "evaluator  none"),
            *("oracle     none", "weights    0", "layout"),
        ]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["runs/typo"], "player 'runs/typo' is neither a folder nor a trained player; known: "),
            (["tny"], "player 'tny' is neither a folder nor a trained player (did you mean 'tiny'?); known: "),
            (["players/tiny", "--game=othello"], "player 'players/tiny' plays draughts, not othello"),
            (["players/tiny", "--game=othelo"], "unknown game 'othelo' (did you mean 'othello'?)"),
            (["players"], "players holds no player: there is no manifest.json"),
            (["tiny"], "'tiny' is both a folder and a player; write ./tiny for the folder"),
        ],
    )
    def test_show_nothing(
        self,
        arguments: list[str],
        message: str,
        plugin: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(plugin.parent)
        if arguments == ["tiny"]:
            monkeypatch.chdir(plugin.parent / "players")
        assert cli(plugin, "player", "show", *arguments) == 2
        assert capsys.readouterr().err.startswith(f"error: {message}")

    def test_plugins_lists_it(self, plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli(plugin, "plugins", "--kind=player", "--json") == 0
        report = json.loads(capsys.readouterr().out)
        assert {item["kind"] for item in report["components"]} == {"player"}
        assert ("tiny", "draughts") in [(item["name"], item["game"]) for item in report["components"]]
        assert report["commands"] == []
        assert cli(plugin, "plugins", "--kind=playr") == 2
        assert "--kind playr: unknown kind (did you mean 'player'?)" in capsys.readouterr().err

    def test_an_unfinished_run_is_not_packed(self, registry: Registry, plugin: Path, tmp_path: Path) -> None:
        manifest = json.loads((plugin.parent / "run" / "run.json").read_text()) | {"state": "interrupted"}
        (tmp_path / "run.json").write_text(json.dumps(manifest))
        with pytest.raises(GameforgeError, match="only the player of a finished run can be packed"):
            pack(tmp_path, tmp_path / "out", "x", registry)

    def test_a_folder_with_something_else_is_not_packed_into(
        self, registry: Registry, plugin: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "letter.txt").write_text("dear")
        with pytest.raises(GameforgeError, match=r"holds something other than a player: letter.txt"):
            pack(plugin.parent / "run", tmp_path, "x", registry)


def test_levels_are_measured(plugin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("player", "levels", "tiny", "--games=2", "--out", str(tmp_path))
    assert cli(plugin, *arguments) == 0
    printed = capsys.readouterr()
    assert "random" in printed.out
    assert "full strength" in printed.out
    assert "warning" not in printed.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["level-01", "level-02"]
    assert cli(plugin, *arguments, "--json") == 0
    results = json.loads(capsys.readouterr().out)
    assert [one["players"] for one in results] == [
        ["tiny (level 2)", "tiny (level 1)"],
        ["tiny (level 3)", "tiny (level 2)"],
    ]
    assert cli(plugin, "player", "levels", "tiny", "--level=2", "--games=6", "--openings=random:0") == 0
    printed = capsys.readouterr()
    assert "warning: only 2 of 6 games between tiny (level 3) and tiny (level 2) are distinct" in printed.err
    assert " 2 of 6 " in printed.out
    assert cli(plugin, "player", "levels", "tiny", "--level=3") == 2
    assert "--level 3: must be from 1 to 2" in capsys.readouterr().err


def test_a_player_names_its_game() -> None:
    with pytest.raises(ValueError, match="player 'x' does not name its game"):
        gf.Component("player", "x", "pack:players/x", "")
    assert attrs.asdict(gf.Component("player", "x", "pack:players/x", "", game="go"))["target"] == "pack:players/x"


def shipped() -> list[tuple[str, str]]:
    """(name, game) of the trained players that come with GameForge."""
    return [
        (offer.what.name, offer.what.game)
        for offer in default_registry().plugins.components
        if offer.what.kind == "player" and offer.plugin in BUILT_IN
    ]


@pytest.mark.parametrize(("name", "game"), shipped())
class TestShipped:
    """`gameforge check player` is in test_contract.py."""

    def test_it_has_ten_levels_and_the_last_is_its_full_strength(self, name: str, game: str) -> None:
        levels = playing_settings(default_registry().player_folder(name, game)).levels
        assert len(levels) == 10
        assert levels[-1].settings() == {}

    def test_the_recorded_command_still_means_the_recorded_pipeline(self, name: str, game: str) -> None:
        """Defaults of components may have changed since the training."""
        folder = default_registry().player_folder(name, game)
        settings = read_toml(folder / "pipeline.toml")
        assert training_command(settings, default_registry()) == provenance_of(folder).command
        assert provenance_of(folder).command.startswith("gameforge run ")

    @pytest.mark.slow
    def test_training_again_gives_its_weights(self, name: str, game: str, tmp_path: Path) -> None:
        folder = default_registry().player_folder(name, game)
        assert train_again(folder, tmp_path / "run", default_registry(), workers=os.cpu_count() or 1)


def test_strong_is_found_for_each_game() -> None:
    games = [game for name, game in shipped() if name == "strong"]
    assert {gf.game(game).defaults.player for game in games} == {"strong"}
    if len(games) > 1:
        with pytest.raises(GameforgeError, match=f"player 'strong' exists for {', '.join(sorted(games))}"):
            Workshop().player("strong")


def test_the_elo_of_the_levels_is_what_the_documentation_reports() -> None:
    """The page shows that of the players' files."""
    reported: dict[str, list[tuple[float, float]]] = {}
    tables = {
        "strength.md": ("draughts", "othello", "morris"),
        "strength-notes.md": ("international", "russian"),
    }
    for page, games in tables.items():
        text = (Path(__file__).parents[1] / "docs" / "results" / page).read_text(encoding="utf-8")
        for line in text.partition(f"| level over the one below | {games[0]}")[2].splitlines()[2:]:
            if not line.startswith("|"):
                break
            for game, (elo, error) in zip(games, re.findall(r"\| \+(\d+) \+- (\d+) ", line), strict=True):
                reported.setdefault(game, []).append((float(elo), float(error)))
    for game, measured in reported.items():
        first, *others = playing_settings(default_registry().player_folder("strong", game)).levels
        assert first.elo is None
        assert [level.elo for level in others] == measured

"""Morris in pipelines: the preset, training with each feature map, matches, playing from the shell."""

import json
from pathlib import Path

import pytest

import gameforge as gf
from gameforge.cli.main import run


def test_the_preset_is_the_games_default() -> None:
    table = gf.Pipeline(game="morris").settings
    assert table["game"]["use"] == "morris"
    assert table["evaluator"]["features"]["use"] == "points"
    assert (table["learner"]["use"], table["learner"]["draw"]) == ("td", -0.5)


@pytest.mark.parametrize("features", ["boardbits", "points"])
def test_a_net_trains_and_plays(features: str, tmp_path: Path) -> None:
    pipeline = gf.Pipeline(
        game="morris", searcher="minimax:depth=2", features=features, learner="td:sessions=2,games=4"
    )
    trained = pipeline.run(tmp_path / "run", seed=1)
    games = list(gf.game("morris").files.read_games(tmp_path / "run" / "games.mor"))
    assert len(games) >= 8
    assert all(game.finished for game in games)
    other = gf.player(gf.game("morris"), searcher="minimax:depth=2", evaluator="weighted")
    result = gf.match(trained.player, other, games=4)
    assert result.wins + result.draws + result.losses == 4


def test_the_better_evaluator_wins_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    players = ["alphabeta:depth=3 + weighted", "random"]
    assert run(["match", *players, "--game", "morris", "--games", "10", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["wins"] >= 8
    assert result["losses"] == 0

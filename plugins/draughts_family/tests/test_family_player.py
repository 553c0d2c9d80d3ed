"""Trained players of the family: shipped, and trained by their presets."""

from pathlib import Path

import pytest

import gameforge as gf
from gameforge.discovery.registry import default_registry
from gameforge.play.saved_players import playing_settings
from gameforge.training.provenance import provenance_of

TRAINED = ("international", "russian")
SMALL = {
    "generations": 1,
    "games": 24,
    "fit": {"epochs": 2},
    "gate": {"games": 4, "elo0": -800, "elo1": -400},
    "match_searcher": "alphabeta:depth=1,memory=0",
    "yardstick_games": 2,
}


@pytest.mark.parametrize("game", TRAINED)
def test_the_preset_trains_a_player(game: str, tmp_path: Path) -> None:
    settings = default_registry().preset(f"{game}-strong")
    settings["learner"] |= SMALL
    settings["searcher"] |= {"depth": 1, "memory": 0}
    run = gf.Pipeline.from_settings(settings, default_registry()).run(tmp_path / "run")
    assert run.player.weights is not None
    assert run.player.weights.any()
    again = gf.Pipeline.from_settings(settings, default_registry()).run(tmp_path / "again", workers=2)
    assert run.player.weights.tobytes() == again.player.weights.tobytes()


@pytest.mark.parametrize("game", TRAINED)
def test_the_shipped_player_is_the_default(game: str) -> None:
    assert gf.game(game).defaults.player == "strong"
    player = gf.player(game, "strong", level=1)
    assert player.weights is not None
    position = gf.game(game).position()
    assert player.analyse(position).move in position.legal_moves


@pytest.mark.parametrize("game", TRAINED)
def test_it_was_trained_by_the_preset(game: str) -> None:
    folder = default_registry().player_folder("strong", game)
    provenance = provenance_of(folder)
    assert (provenance.command, provenance.seed) == (f"gameforge run {game}-strong", 1)
    assert len(playing_settings(folder).levels) == 10
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2 * 10**6


def test_games_without_a_trained_player_search_with_material() -> None:
    assert gf.game("frisian").defaults.player == "alphabeta:depth=6 + material"


@pytest.mark.parametrize(
    ("game", "start"), [("international", "W:W31,32,33:B18,19"), ("russian", "W:Wc3,d4,e3:Bd6,f6")]
)
def test_a_piece_more_is_worth_something(game: str, start: str) -> None:
    """The weights know at least material."""
    assert gf.player(game, "strong", level=1).analyse(gf.game(game).position(start)).score > 0.2

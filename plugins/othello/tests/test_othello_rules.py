"""The component: parameters, capabilities, what the plugin offers."""

import importlib
import importlib.resources
import subprocess
import sys
import tomllib
from typing import Any

import pytest
from gameforge_othello.plugin import gameforge_commands, gameforge_components
from gameforge_othello.rules import Othello

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import capability
from gameforge.interfaces.hooks import Component
from gameforge.play.game import Game
from gameforge.play.perft import playouts

SHORTEST = "e6f4e3f6g5d6e7f5c5"
CAPABILITIES = ("notation", "positions", "drawing", "files", "openings", "symmetries", "piece_odds", "defaults")


@pytest.mark.parametrize("name", CAPABILITIES)
def test_every_capability_is_offered(name: str) -> None:
    assert capability(Othello(), name) is not None


@pytest.mark.parametrize("komi", [-65, 65])
def test_impossible_settings_are_refused(komi: int) -> None:
    with pytest.raises((GameforgeError, ValueError), match="komi"):
        Othello(komi=komi)


@pytest.mark.parametrize(("setting", "message"), [("komi=0.5", "komi"), ("komi=65", "komi"), ("comi=1", "comi")])
def test_settings_of_the_command_line(setting: str, message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gameforge", "perft", "--game", f"othello:{setting}", "--depth", "1"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("komi", "winner"), [(0, 0), (63, 0), (64, None), (-1, 0)])
def test_a_komi_is_counted_for_white(komi: int, winner: int | None) -> None:
    position = Game(Othello(komi=komi)).position(SHORTEST)
    outcome = position.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (winner, "no moves left", False)


def test_equal_counts_are_a_draw_unless_the_komi_is_odd() -> None:
    even = "XO" * 32 + " X"
    for komi, winner in ((0, None), (1, 1), (-1, 0)):
        outcome = Game(Othello(komi=komi)).position(even).outcome
        assert outcome is not None
        assert outcome.winner == winner


def test_a_forced_pass_is_a_ply() -> None:
    position = gf.game("othello").position("--OOO----X-O------XX-------XX------XXX-------------------------- X")
    after = position.play("pass")
    assert after.turn == 1
    assert after.outcome is None
    assert [str(move) for move in after.legal_moves] == ["a3", "b4", "d6"]


def test_random_games_end_within_sixty_discs_and_a_few_passes() -> None:
    found = playouts(gf.game("othello").position(), 500, seed=1)
    assert found.wins + found.draws + found.losses == 500
    assert 58 < found.plies / 500 < 63


def test_components_of_the_plugin() -> None:
    offered = {(component.kind, component.name): component for component in gameforge_components()}
    assert set(offered) == {
        ("rules", "othello"),
        ("features", "boardbits"),
        ("features", "discs"),
        ("evaluator", "wpc"),
        ("evaluator", "material"),
        ("evaluator", "mobility"),
        ("oracle", "solver"),
        ("book", "book"),
        ("player", "strong"),
        ("preset", "othello"),
        ("preset", "othello-strong"),
    }
    assert all(isinstance(component, Component) and component.summary for component in offered.values())
    assert {component.name for component in offered.values() if component.game == ""} == {"othello"}


def test_the_targets_of_all_components_exist() -> None:
    for offered in [*gameforge_components(), *gameforge_commands()]:
        module, _, attribute = offered.target.partition(":")
        if getattr(offered, "kind", "") == "preset":
            assert importlib.resources.files(module).joinpath(attribute).is_file()
        elif getattr(offered, "kind", "") == "player":
            assert importlib.resources.files(module).joinpath(attribute, "manifest.json").is_file()
        else:
            assert hasattr(importlib.import_module(module), attribute)


def test_the_preset_plays_othello() -> None:
    text = importlib.resources.files("gameforge_othello").joinpath("presets/othello.toml").read_text(encoding="utf-8")
    preset = tomllib.loads(text)
    assert preset["game"] == "othello"
    assert preset["evaluator"]["features"]["use"] == "boardbits"


def test_a_net_learns_with_the_features_of_the_game(tmp_path: Any) -> None:
    """A short run with the parts of the preset."""
    pipeline = gf.Pipeline(game="othello", learner="td:sessions=1,games=10")
    player = pipeline.run(tmp_path / "run", seed=1).player
    position = gf.game("othello").position("f5d6")
    assert player.choose(position).code in position.codes
    assert (tmp_path / "run" / "games.oth").exists()


def test_describing_the_plugin_imports_nothing_heavy() -> None:
    code = "import gameforge_othello.plugin, sys; print(*{'numpy', 'numba', 'typer'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

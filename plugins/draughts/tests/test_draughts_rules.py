"""The component: parameters, draws and loops, capabilities, what the plugin offers."""

import importlib.resources
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from gameforge_draughts.plugin import gameforge_components
from gameforge_draughts.rules import Draughts

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import capability
from gameforge.interfaces.hooks import Component
from gameforge.play.game import Game, Position

CAPABILITIES = ("positions", "notation", "drawing", "files", "openings", "symmetries", "material", "defaults")


def played(start: str, moves: str, **settings: int) -> Position:
    position = Game(Draughts(**settings)).position(start)
    for move in moves.split():
        position = position.play(move)
    return position


@pytest.mark.parametrize("name", CAPABILITIES)
def test_every_capability_is_offered(name: str) -> None:
    assert capability(Draughts(), name) is not None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"repetition": 1}, r"'repetition' must be 0 \(off\) or a whole number from 2 on"),
        ({"repetition": -1}, "'repetition' must be"),
        ({"no_progress": -1}, r"'no_progress' must be 0 \(off\) or a whole number"),
        ({"no_progress": 40.5}, "'no_progress' must be"),
        ({"max_plies": 0}, "'max_plies' must be a whole number from 1 to 1023"),
        ({"max_plies": 1024}, "'max_plies' must be"),
        ({"shuffle": True}, "'shuffle' must be"),
        ({"shuffle": "3"}, "'shuffle' must be"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        Draughts(**settings)


def test_the_least_settings_are_allowed() -> None:
    draws = Draughts(repetition=0, no_progress=0, max_plies=1, shuffle=0).draws
    assert (draws.repetition, draws.no_progress, draws.max_plies, draws.shuffle) == (0, 0, 1, 0)
    assert Draughts(repetition=2, no_progress=1, max_plies=1023, shuffle=1).draws.repetition == 2


def test_the_defaults_are_those_of_the_wcdf_and_of_ls_draughts() -> None:
    draws = Draughts().draws
    assert (draws.repetition, draws.no_progress, draws.max_plies, draws.shuffle) == (3, 80, 300, 3)


THREE_KINGS_AND_A_MAN = "B:WK5:B13,K18,K23,K27"
"""The kind of ending that LS-Draughts' players could not win: they shuffled (as in their figure 4)."""
SHUFFLES = "27-32 5-1 32-27 1-5 "


def test_the_third_occurrence_of_a_position_is_a_loop_draw() -> None:
    before = played(THREE_KINGS_AND_A_MAN, SHUFFLES + "27-32 5-1 32-27")
    assert before.outcome is None
    outcome = before.play("1-5").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (None, "repetition", True)


def test_the_third_shuffle_of_both_sides_is_a_loop_draw() -> None:
    before = played(THREE_KINGS_AND_A_MAN, SHUFFLES + "27-32 5-1 32-27", repetition=0)
    assert before.outcome is None
    outcome = before.play("1-5").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (None, "shuffle", True)


def test_another_move_ends_a_sequence_of_shuffles() -> None:
    assert played(THREE_KINGS_AND_A_MAN, SHUFFLES + "27-32 5-1 18-22 1-5", repetition=0).outcome is None


def test_eighty_plies_without_progress_are_a_draw_but_not_a_loop() -> None:
    """The 40-move rule, with the rules that would end this game earlier switched off."""
    black = ["1-5", "5-9", "9-6", "6-1"]
    white = ["32-28", "28-24", "24-27", "27-23", "23-26", "26-31", "31-27", "27-32"]
    moves = [text for ply in range(40) for text in (black[ply % 4], white[ply % 8])]
    start = "B:WK32:BK1"
    before = played(start, " ".join(moves[:-1]), repetition=0, shuffle=0)
    assert before.outcome is None
    outcome = before.play(moves[-1]).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (None, "no progress", False)
    assert played(start, " ".join(moves), repetition=0, shuffle=0, no_progress=0).outcome is None


def test_a_move_of_a_man_starts_the_count_anew() -> None:
    settings = {"repetition": 0, "shuffle": 0, "no_progress": 4}
    assert played("B:WK32:BK1,5", "1-6 32-28 6-1 28-32", **settings).outcome is not None
    assert played("B:WK32:BK1,5", "1-6 32-28 5-9 28-32", **settings).outcome is None


def test_the_ply_cap_is_a_draw_but_not_a_loop() -> None:
    outcome = played("B:W21-32:B1-12", "11-15 23-18", max_plies=2).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (None, "ply cap", False)


def test_a_side_without_pieces_has_lost() -> None:
    outcome = played("B:W26:B22", "22x31").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (0, "no legal move")


def test_a_side_that_cannot_move_has_lost() -> None:
    outcome = Game(Draughts()).position("B:W5,6,9,10:B1").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.loop) == (1, "no legal move", False)


def test_positions_and_moves_are_printed_as_players_write_them() -> None:
    position = Game(Draughts()).position().play("11-15").play("22-18")
    assert [str(move) for move in position.legal_moves] == ["15x22"]
    assert (
        repr(position) == "Position('draughts', 'B:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15')"
    )
    assert str(position).startswith("░")
    svg = position._repr_svg_()
    assert svg is not None
    assert svg.startswith("<svg")


def test_the_example_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    """Each print gives what the comment after it says."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    code = readme.partition("```python\n")[2].partition("```")[0]
    exec(code, {})
    printed = capsys.readouterr().out.splitlines()
    expected = [line.partition("# ")[2] for line in code.splitlines() if line.startswith("print(")]
    assert printed[-2:] == expected[1:]
    assert len(printed) == 9 + 2


def test_components_of_the_plugin() -> None:
    offered = {(component.kind, component.name): component for component in gameforge_components()}
    assert set(offered) == {
        ("rules", "draughts"),
        ("features", "netfeaturemap"),
        ("features", "binarymap"),
        ("features", "directmap"),
        ("evaluator", "material"),
        ("book", "book"),
        ("preset", "draughts"),
        ("preset", "draughts-strong"),
        ("player", "strong"),
    }
    assert all(isinstance(component, Component) and component.summary for component in offered.values())
    assert {component.name for component in offered.values() if component.game == ""} == {"draughts"}


def test_the_targets_of_all_components_exist() -> None:
    for component in gameforge_components():
        module, _, attribute = component.target.partition(":")
        if component.kind == "preset":
            assert importlib.resources.files(module).joinpath(attribute).is_file()
        elif component.kind == "player":
            assert importlib.resources.files(module).joinpath(attribute, "manifest.json").is_file()
        else:
            assert hasattr(importlib.import_module(module), attribute)


def test_the_preset_is_the_pipeline_of_the_papers() -> None:
    preset = tomllib.loads(
        importlib.resources.files("gameforge_draughts").joinpath("presets/draughts.toml").read_text(encoding="utf-8")
    )
    assert preset == {
        "game": "draughts",
        "seed": 7,
        "searcher": {"use": "minimax", "depth": 5},
        "evaluator": {"use": "mlp", "hidden": 20, "features": {"use": "netfeaturemap"}},
        "learner": {"use": "td", "sessions": 10, "games": 200},
        "oracle": [{"use": "chinook", "pieces": 4}],
    }


def test_describing_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, gameforge_draughts.plugin as plugin; plugin.gameforge_components();"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'numba', 'gameforge.kernel')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

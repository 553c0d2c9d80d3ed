"""Evaluators composed of others: those of saved players combined, or one for each phase."""

import json
from pathlib import Path

import numpy as np
import pytest
from gameforge_eval_mixed.evaluators import Modular, NoSearch
from member_players import GAME, SEARCHER, net, positions, save_nets
from uncompiled import both_ways

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import capability
from gameforge.kernel.compile.jit import COMPILED
from gameforge.play.parts import Parts
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.testing import check


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of players with different nets."""
    return save_nets(tmp_path_factory.mktemp("players"))


def ensemble(folder: Path, combine: str) -> Player:
    evaluator = {"use": "ensemble", "players": str(folder), "combine": combine}
    return gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)


class TestEnsemble:
    @pytest.mark.parametrize(("combine", "combined"), [("average", np.mean), ("max", np.max), ("min", np.min)])
    def test_scores_are_combined_for_the_side_to_move(self, saved: Path, combine: str, combined: object) -> None:
        states = np.array([position.state for position in positions(30)], np.uint64)
        members = Workshop().load_all(sorted(saved.iterdir()))
        assert callable(combined)
        expected = combined(np.stack([member.values(states) for member in members]), axis=0)
        assert ensemble(saved, combine).values(states) == pytest.approx(expected)

    def test_players_without_weights_may_be_members(self, tmp_path: Path) -> None:
        save_player(tmp_path / "a", gf.player(GAME, searcher="minimax", evaluator="material"))
        save_player(tmp_path / "b", net(1))
        states = np.array([GAME.position("W:W18,22,26:B3,4").state], np.uint64)
        alone = [gf.player(tmp_path / name).values(states)[0] for name in "ab"]
        assert ensemble(tmp_path, "average").values(states)[0] == pytest.approx(np.mean(alone))

    @pytest.mark.parametrize(
        "evaluator",
        [
            {"use": "ensemble", "players": "strong:level=2"},
            {"use": "modules", "players": ["strong:level=2", "strong"], "bounds": [12]},
        ],
    )
    def test_the_levels_of_a_trained_player_have_the_same_scores(self, evaluator: dict[str, object]) -> None:
        states = np.array([GAME.position("W:W18,22,26:B3,4").state], np.uint64)
        found = gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)
        assert found.values(states) == pytest.approx(gf.player("draughts", "strong", level=2).values(states))

    def test_threads_do_not_interfere(self, saved: Path) -> None:
        player = ensemble(saved, "average")
        games = [gf.match(player, net(9), 6, seed=1, workers=workers).games for workers in (1, 2)]
        assert [game.codes for game in games[0]] == [game.codes for game in games[1]]


class TestModules:
    def test_the_player_of_the_phase_scores(self, saved: Path) -> None:
        """24 men at first; the third player scores from 23 pieces on, the first one up to 11."""
        evaluator = {"use": "modules", "players": [str(saved / f"p{i}") for i in range(3)], "bounds": [12, 23]}
        modular = gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)
        found = set()
        for position in [*positions(60), GAME.position("W:W18,22,26:B3,4,11")]:
            pieces = sum(word.bit_count() for word in position.state[:2])
            module = 0 if pieces < 12 else 1 if pieces < 23 else 2
            states = np.array([position.state], np.uint64)
            assert modular.values(states)[0] == pytest.approx(gf.player(saved / f"p{module}").values(states)[0])
            found.add(module)
        assert found == {0, 1, 2}

    def test_a_search_uses_it(self, saved: Path) -> None:
        one = {"use": "modules", "players": [str(saved / "p1"), str(saved / "p1")], "bounds": [12]}
        player = gf.player(GAME, searcher=SEARCHER, evaluator=one)
        alone = gf.player(saved / "p1")
        assert player.analyse(GAME.position()).score == pytest.approx(alone.analyse(GAME.position()).score)

    def test_evaluators_without_weights_and_saved_players_may_be_mixed(self, saved: Path, tmp_path: Path) -> None:
        saved_one = {"use": "ensemble", "players": str(saved / "p1")}
        evaluator = {"use": "modules", "evaluators": ["material:king=2", saved_one], "bounds": [12]}
        modular = gf.player(GAME, searcher=SEARCHER, evaluator=evaluator)
        material = gf.player(GAME, searcher=SEARCHER, evaluator="material:king=2")
        few, many = (
            np.array([GAME.position(text).state], np.uint64)
            for text in ("W:W18,22,K26:B3,4,11", GAME.position_text(GAME.position().state))
        )
        assert modular.values(few)[0] == pytest.approx(material.values(few)[0])
        assert modular.values(few)[0] != 0
        assert modular.values(many)[0] == pytest.approx(gf.player(saved / "p1").values(many)[0])
        save_player(tmp_path / "modules", modular)
        assert gf.player(tmp_path / "modules").values(many)[0] == modular.values(many)[0]
        games = [gf.match(modular, material, 4, seed=1, workers=workers).games for workers in (1, 2)]
        assert [game.codes for game in games[0]] == [game.codes for game in games[1]]

    def test_a_pipeline_knows_the_parameters_of_each_evaluator(self) -> None:
        pipeline = gf.Pipeline(game="morris", evaluator='modules:evaluators=["material", "weighted"],bounds=[12]')
        named = pipeline.settings["evaluator"]["evaluators"]
        assert [one["use"] for one in named] == ["material", "weighted"]
        assert "players" not in pipeline.settings["evaluator"]
        assert set(named[1]) > {"use"}

    def test_what_an_evaluator_raises_ends_the_search(self) -> None:
        class Failing:
            def values(self, states: object) -> object:
                raise RuntimeError("no answer")

        cells = capability(GAME.rules, "cells")
        modular = Modular([Player(Parts(GAME, NoSearch(), Failing()))], (), cells)  # type: ignore[arg-type]
        with pytest.raises(GameforgeError, match="no answer"):
            gf.player(GAME, searcher=SEARCHER, evaluator=modular).analyse(GAME.position())


def test_contract(saved: Path) -> None:
    print(check("evaluator", f"ensemble:players={saved}", game="draughts").require())


def test_contract_of_modules() -> None:
    check("evaluator", 'modules:evaluators=["material", "mobility"],bounds=[20]', game="othello").require()


@pytest.mark.parametrize(
    ("searcher", "evaluator", "sentence"),
    [
        ("minimax", {"use": "ensemble", "players": "{random}"}, "has no evaluator"),
        ("minimax", {"use": "ensemble", "players": "{p0}", "combine": "mean"}, "'average' or 'max' or 'min'"),
        (
            "minimax",
            {"use": "modules", "players": ["a", "b"], "bounds": []},
            "one number fewer than there are players",
        ),
        ("minimax", {"use": "modules", "players": ["a", "b", "c"], "bounds": [9, 9]}, "must be above 0 and ascend"),
        (
            "minimax",
            {"use": "ensemble", "players": "strong:level=0"},
            "player 'strong' has no level 0; it has levels 1 to ",
        ),
        ("minimax", {"use": "modules", "players": ["{empty}"], "bounds": []}, "holds no saved players; name a run"),
        (
            "minimax",
            {"use": "modules", "players": [], "bounds": []},
            "must name a run, a saved player, a trained player or a list",
        ),
        ("minimax", {"use": "modules", "bounds": []}, r"needs either evaluators=\[...\] or players=\[...\]"),
        (
            "minimax",
            {"use": "modules", "evaluators": ["material"], "players": ["a"], "bounds": []},
            r"needs either evaluators=\[...\] or players=\[...\]",
        ),
        (
            "minimax",
            {"use": "modules", "evaluators": [], "bounds": [3]},
            "evaluators = .*: length must be >= 1",
        ),
        (
            "minimax",
            {"use": "modules", "evaluators": ["material"], "bounds": [3]},
            "one number fewer than there are evaluators, 0",
        ),
        ("minimax", {"use": "modules", "evaluators": ["material", "mlp"], "bounds": [9]}, "mlp needs training"),
        ("minimax", {"use": "modules", "evaluators": ["mlp:features=bits"], "bounds": []}, "mlp needs training before"),
        ("minimax", {"use": "modules", "evaluators": ["patterns"], "bounds": []}, "patterns needs training before"),
        (
            "minimax",
            {"use": "modules", "players": ["material"], "bounds": []},
            r"material is an evaluator, not a player; name it in evaluators=\[...\]",
        ),
    ],
)
def test_bad_input(searcher: object, evaluator: object, sentence: str, saved: Path, tmp_path: Path) -> None:
    places = {name: str(tmp_path / name) for name in ("empty", "othello", "random")} | {"p0": str(saved / "p0")}
    (tmp_path / "empty").mkdir()
    save_player(tmp_path / "othello", gf.player("othello", searcher="random", evaluator="none"))
    save_player(tmp_path / "random", gf.player(GAME, searcher="random", evaluator="none"))
    choices = json.loads(json.dumps([searcher, evaluator]).replace("{empty}", places["empty"]))
    for settings in choices:
        if isinstance(settings, dict) and isinstance(settings.get("players"), str):
            settings["players"] = settings["players"].format(**places)
    with pytest.raises(GameforgeError, match=sentence):
        gf.player(GAME, searcher=choices[0], evaluator=choices[1])


@pytest.mark.parametrize(
    ("evaluators", "sentence"),
    [
        (["material", "nosuch"], "modules.evaluators.1: unknown evaluator 'nosuch'"),
        (["material:kings=2"], "modules.evaluators.0: evaluator.kings: no such parameter"),
        ([3], "evaluator.evaluators = .*: must be a list of values, each a component"),
    ],
)
def test_an_evaluator_is_checked_when_the_pipeline_is_read(evaluators: list[object], sentence: str) -> None:
    bounds = list(range(1, len(evaluators)))
    with pytest.raises(GameforgeError, match=sentence):
        gf.Pipeline(game=GAME, evaluator={"use": "modules", "evaluators": evaluators, "bounds": bounds})


@pytest.mark.skipif(not COMPILED, reason="compares with compiled kernels")
def test_uncompiled_code_plays_the_same(saved: Path) -> None:
    place = positions(9)[-1]
    code = (
        "import numpy; numpy.seterr(over='ignore'); import gameforge as gf\n"
        f"game = gf.game('draughts'); position = game.position({GAME.position_text(place.state)!r})\n"
        f"e = {{'use': 'ensemble', 'players': {str(saved)!r}}}\n"
        "print(gf.player(game, searcher='minimax:depth=1', evaluator=e).analyse(position).move)\n"
    )
    compiled, uncompiled = both_ways(code)
    assert compiled == uncompiled

"""Pipelines: which components are chosen, and that the resolved settings build the same pipeline again."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from plugin_site import Site
from toy_game import Greedy, Linear, Shuttle
from toy_site import registry, shuttle

import gameforge as gf
from gameforge.cli.commands.run import pipeline_settings
from gameforge.config import Spec, dump_toml, normal, read_toml
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Verdict
from gameforge.play.pipeline import pipeline_source

TOY = {"game": "shuttle", "searcher": "greedy", "evaluator": "linear", "features": "lanes", "learner": "drift"}


def toy(**components: Any) -> gf.Pipeline:
    return gf.Pipeline(registry=registry(), **(TOY | components))


def composed(source: str | None = None, *settings: str, **flags: Any) -> dict[str, Any]:
    """Return the resolved settings of `gameforge run SOURCE --FLAG VALUE --set SETTING`."""
    own = normal(pipeline_source(registry(), source)) if source else {}
    table = pipeline_settings(registry(), own, flags, settings)
    return dict(gf.Pipeline.from_settings(table, registry()).settings)


class TestResolution:
    def test_preset_fills_what_is_left_out(self) -> None:
        table = gf.Pipeline(game="draughts").settings
        assert table["searcher"] == {"use": "minimax", "depth": 5, "ties": "first"}
        assert table["evaluator"]["features"]["use"] == "netfeaturemap"
        assert table["learner"]["use"] == "td"
        assert [oracle["use"] for oracle in table["oracle"]] == ["chinook"]
        assert table["seed"] == 7

    def test_a_preset_of_a_plugin_fills_what_is_left_out(self) -> None:
        """Single settings change it, too. Its seed belongs to the whole; a player gets no untrained net from it."""
        whole = composed(None, "learner.games=7", game="shuttle")
        assert (whole["searcher"]["use"], whole["learner"]["use"]) == ("minimax", "selfplay")
        assert whole["learner"]["games"] == 7
        part = composed(None, "learner.games=7", game="shuttle", searcher="greedy")
        assert part == whole | {"searcher": part["searcher"], "seed": 0}
        assert part["searcher"]["use"] == "greedy"
        player = composed(None, game="shuttle", searcher="minimax", learner="none")
        assert (player["searcher"]["use"], player["evaluator"]) == ("minimax", "none")

    def test_file_over_preset_flags_over_file_settings_over_flags(self, tmp_path: Path) -> None:
        file = tmp_path / "p.toml"
        file.write_text('game = "draughts"\nseed = 3\n[searcher]\nuse = "minimax"\ndepth = 4\n[learner]\nuse = "td"\n')
        preset = composed(game="draughts")
        assert (preset["seed"], preset["searcher"]["depth"], preset["learner"]["sessions"]) == (7, 5, 10)
        from_file = composed(str(file))
        assert (from_file["seed"], from_file["searcher"]["depth"], from_file["learner"]["sessions"]) == (3, 4, 10)
        flags = composed(str(file), searcher="minimax:depth=3", seed=4)
        assert (flags["seed"], flags["searcher"]["depth"]) == (4, 3)
        settings = composed(str(file), "searcher.depth=2", "seed=5", searcher="minimax:depth=3", seed=4)
        assert (settings["seed"], settings["searcher"]["depth"]) == (5, 2)

    def test_another_component_drops_the_parameters_of_the_old_one(self) -> None:
        assert composed(game="draughts", evaluator="material")["evaluator"] == {
            "use": "material",
            "man": 1,
            "king": 1.5,
        }
        assert composed(None, "evaluator.use=material", game="draughts")["evaluator"]["use"] == "material"

    def test_the_same_component_keeps_what_is_not_mentioned(self) -> None:
        evaluator = composed(game="draughts", evaluator="mlp:direct=true")["evaluator"]
        assert (evaluator["direct"], evaluator["hidden"], evaluator["features"]["use"]) == (True, 20, "netfeaturemap")

    @pytest.mark.parametrize("way", ["flag", "evaluator", "setting", "table"])
    def test_features_belong_to_the_evaluator(self, way: str) -> None:
        table = {
            "flag": lambda: composed(game="draughts", features="binarymap"),
            "evaluator": lambda: composed(game="draughts", evaluator='mlp:features="binarymap"'),
            "setting": lambda: composed(None, "features=binarymap", game="draughts"),
            "table": lambda: gf.Pipeline(game="draughts", features={"use": "binarymap"}).settings,
        }[way]()
        assert table["evaluator"]["features"] == {"use": "binarymap", "off_value": 0.0}
        assert "features" not in table

    def test_settings_reach_into_the_presets_list_of_oracles(self) -> None:
        assert composed(None, "oracle.0.pieces=3", game="draughts")["oracle"][0]["pieces"] == 3

    def test_oracles_are_replaced_as_a_whole(self) -> None:
        found = composed(game="draughts", oracle=["chinook:pieces=2", "chinook:pieces=3"])["oracle"]
        assert [oracle["pieces"] for oracle in found] == [2, 3]


class TestNone:
    @pytest.mark.parametrize("kind", ["searcher", "evaluator", "learner"])
    def test_leaves_a_kind_out(self, kind: str) -> None:
        """This also holds if the preset has one, and for the settings that build the pipeline again."""
        for pipeline in (
            gf.Pipeline(game="draughts", **{kind: "none"}),
            gf.Pipeline.from_settings({"game": "draughts", kind: "none"}),
            gf.Pipeline.from_settings(composed(game="draughts", **{kind: "none"})),
            gf.Pipeline.from_settings(composed(None, f"{kind}=none", game="draughts")),
        ):
            assert getattr(pipeline, kind) is None
            assert pipeline.settings[kind] == "none"

    def test_oracle(self) -> None:
        assert gf.Pipeline(game="draughts", oracle="none").oracles == ()
        assert composed(game="draughts", oracle="none")["oracle"] == []
        assert composed(None, "oracle=none", game="draughts")["oracle"] == []

    def test_features(self) -> None:
        assert gf.Pipeline(game="draughts", evaluator="material", features="none").features is None
        with pytest.raises(
            GameforgeError, match=r"mlp needs a feature map for its inputs; name one with features=\.\.\.$"
        ):
            gf.Pipeline(game="draughts", features="none").parts()

    def test_features_without_an_evaluator(self) -> None:
        with pytest.raises(GameforgeError, match="features binarymap need an evaluator, but the evaluator is 'none'"):
            gf.Pipeline(game="draughts", evaluator="none", features="binarymap")
        with pytest.raises(GameforgeError, match=r"features need an evaluator \(known: .*linear"):
            gf.Pipeline(game="shuttle", features="lanes", learner="none", registry=registry())

    def test_a_kind_that_is_needed_is_asked_for(self, tmp_path: Path) -> None:
        with pytest.raises(
            GameforgeError, match=r"the pipeline has no searcher; .*minimax.*; choose one with searcher=\.\.\.$"
        ):
            gf.Pipeline(game="draughts", searcher="none", oracle="none").parts()
        with pytest.raises(GameforgeError, match="has no searcher and no evaluator and no learner, and shuttle has no"):
            gf.Pipeline(game="shuttle", searcher="none", learner="none", registry=registry()).run(tmp_path / "run")
        assert not (tmp_path / "run").exists()


RIVAL = """
import attrs
from gameforge import Component, hookimpl

@attrs.frozen
class Mine:
    plies: int = 3

@hookimpl
def gameforge_components():
    return [Component("searcher", "minimax", f"{__name__}:Mine", "another minimax")]
"""


class TestObjects:
    def test_components_may_be_objects(self) -> None:
        rules = Shuttle(stones=5)
        pipeline = toy(game=rules, searcher=Greedy(), evaluator=Linear(scale=2.0))
        assert pipeline.game.rules is rules
        assert pipeline.settings == toy(game="shuttle:stones=5", evaluator="linear:scale=2.0").settings
        assert pipeline.parts().net is not None

    def test_a_game_may_be_one_in_use(self) -> None:
        game = shuttle()
        assert toy(game=game).game is game

    def test_an_evaluator_object_gets_the_features_that_are_named(self) -> None:
        from gameforge_draughts.evaluation import BinaryMap
        from gameforge_eval_mlp.mlp import Mlp

        named = gf.Pipeline(game="draughts", evaluator="mlp:hidden=3", features="binarymap", oracle="none")
        for features in ("binarymap", BinaryMap()):
            pipeline = gf.Pipeline(game="draughts", evaluator=Mlp(hidden=3), features=features, oracle="none")
            assert pipeline.settings == named.settings
            assert pipeline.parts().net.groups == named.parts().net.groups

    def test_an_object_that_no_plugin_offers(self) -> None:
        class Mine:
            def values(self, states: Any) -> Any:
                return np.zeros(len(states))

        pipeline = toy(evaluator=Mine(), features=None)
        assert pipeline.settings["evaluator"] == {"use": "Mine"}
        with pytest.raises(GameforgeError, match="unknown evaluator 'Mine'"):
            gf.Pipeline.from_settings(pipeline.settings, registry())

    def test_an_object_of_another_plugin_with_a_name_of_gameforge_s(self, site: Site) -> None:
        """The settings name the object's plugin: the plain name means GameForge's component."""
        known = Registry(load([site.module("rival", RIVAL)]))
        component = known.create("searcher", Spec.parse("rival/minimax"))
        pipeline = gf.Pipeline(game="draughts", searcher=component, evaluator="none", learner="none", registry=known)
        assert pipeline.settings["searcher"] == {"use": "rival/minimax", "plies": 3}

    def test_oracles_that_are_in_use(self) -> None:
        oracle = gf.oracle("chinook", pieces=2)
        pipeline = gf.Pipeline(game="draughts", oracle=oracle)
        assert pipeline.oracles == (oracle,)
        assert pipeline.settings["oracle"] == gf.Pipeline(game="draughts", oracle="chinook:pieces=2").settings["oracle"]
        both = gf.Pipeline(game="draughts", oracle=[oracle, "chinook:pieces=3"])
        assert [str(lookup.spec) for lookup in both.oracles] == ["chinook:pieces=2", "chinook:pieces=3"]
        assert oracle.get(gf.game("draughts").position("B:WK32:BK1")) == Verdict("draw")


class TestAgain:
    @pytest.mark.parametrize(
        "components",
        [
            {},
            {"oracle": "none", "searcher": "minimax:depth=2", "features": "directmap"},
            {"evaluator": "none", "oracle": "none"},
            {"evaluator": "material:king=1.4", "seed": 1, "game": "draughts:repetition=0,shuffle=2"},
            {"features": "none", "evaluator": "material"},
        ],
    )
    def test_the_resolved_table_resolves_to_itself(self, components: dict[str, Any], tmp_path: Path) -> None:
        pipeline = gf.Pipeline(**({"game": "draughts"} | components))
        file = tmp_path / "pipeline.toml"
        file.write_text(dump_toml(dict(pipeline.settings)))
        assert gf.Pipeline.from_settings(read_toml(file)).settings == pipeline.settings
        assert composed(str(file)) == pipeline.settings

    def test_with_another_seed(self) -> None:
        pipeline = toy(seed=3)
        other = pipeline.with_seed(4)
        assert (pipeline.seed, pipeline.settings["seed"], other.seed, other.settings["seed"]) == (3, 3, 4, 4)
        assert other.settings | {"seed": 3} == pipeline.settings


class TestErrors:
    @pytest.mark.parametrize(
        ("components", "sentence"),
        [
            ({"game": "draught"}, r"unknown game 'draught' \(did you mean 'draughts'\?\)"),
            ({"game": None}, r"pipeline: no game is named; name one with game=\.\.\.$"),
            ({"game": "none"}, r"pipeline: no game is named; name one with game=\.\.\.$"),
            ({"searcher": "minmax"}, r"unknown searcher 'minmax' \(did you mean 'minimax'\?\)"),
            ({"searcher": "minimax:dept=4"}, r"searcher.dept: no such parameter \(did you mean 'depth'\?\)"),
            ({"searcher": "minimax:depth=6.9"}, "searcher.depth = 6.9: must be an integer"),
            ({"searcher": "minimax:depth=-1"}, "searcher.depth = -1: must be a number from 1 to 60"),
            ({"searcher": "greedy", "game": "draughts"}, r"searcher 'greedy' exists for shuttle, not for draughts"),
            ({"searcher": 5}, "searcher = 5: must be a component"),
            ({"searcher": {"depth": 3}, "game": "shuttle", "learner": "none"}, "searcher has no key 'use'"),
            ({"features": "binarmap"}, r"unknown features 'binarmap' \(did you mean 'binarymap'\?\)"),
            ({"features": "binarymap:x=1"}, "x"),
            ({"seed": -1}, r"seed = -1: must be an integer from 0 to 2\^63 - 1"),
            ({"seed": 1.5}, "seed = 1.5: must be an integer"),
            ({"seed": True}, "seed = True: must be an integer"),
            ({"seed": "x"}, "seed = 'x': must be an integer"),
            ({"oracle": "chinok"}, r"unknown oracle or book 'chinok' \(did you mean 'chinook'\?\)"),
            ({"oracle": ["chinook", 3]}, "oracle.1 = 3: must be a component"),
            ({"oracle": "chinook:pieces=9"}, "oracle.pieces = 9"),
        ],
    )
    def test_are_one_sentence(self, components: dict[str, Any], sentence: str) -> None:
        with pytest.raises(GameforgeError, match=sentence) as caught:
            gf.Pipeline(registry=registry(), **({"game": "draughts"} | components))
        assert "\n" not in str(caught.value)

    def test_unknown_key(self) -> None:
        sentence = r"pipeline: no such key 'sercher' \(did you mean 'searcher'\?\); allowed: game"
        with pytest.raises(GameforgeError, match=sentence):
            gf.Pipeline.from_settings({"game": "draughts", "sercher": "minimax"}, registry())
        with pytest.raises(TypeError, match="sercher"):
            gf.Pipeline(game="draughts", sercher="minimax")  # type: ignore[call-arg]

    def test_no_game(self) -> None:
        with pytest.raises(GameforgeError, match=r"pipeline: no game is named; name one with game=\.\.\.$"):
            gf.Pipeline.from_settings({"seed": 3})

    @pytest.mark.parametrize("setting", ["searcher.depth=3", "learner.games=3"])
    def test_a_setting_of_a_kind_that_is_left_out(self, setting: str) -> None:
        kind = setting.partition(".")[0]
        with pytest.raises(GameforgeError, match=rf'{kind} = "none" is not a table and has no keys'):
            composed(None, setting, game="draughts", **{kind: "none"})

    def test_tables_are_not_shared(self) -> None:
        given = {"use": "minimax", "depth": 3}
        pipeline = gf.Pipeline(game="draughts", searcher=given)
        given["depth"] = 9
        assert pipeline.settings["searcher"]["depth"] == 3
        assert attrs.asdict(pipeline.searcher) == {"depth": 3, "ties": "first"}

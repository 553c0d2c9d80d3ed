"""The presets have the papers' values."""

import pytest

from gameforge.discovery.registry import default_registry
from gameforge.play.pipeline import Pipeline

pytest.importorskip("gameforge_draughts")


def preset(name: str) -> Pipeline:
    registry = default_registry()
    return Pipeline.from_settings(registry.preset(name), registry)


def test_2009() -> None:
    settings = preset("ls-draughts").settings
    learner = settings["learner"]
    assert learner | {"inner": None} == {
        "use": "ga",
        "population": 50,
        "generations": 49,
        "tour": 3,
        "crossover": 1.0,
        "flips": 5,
        "mutation": 0.3,
        "games": 10,
        "select": True,
        "opponents": "random",
        "inner": None,
    }
    assert (learner["inner"]["use"], learner["inner"]["sessions"], learner["inner"]["games"]) == ("td", 4, 400)
    assert (settings["searcher"]["depth"], settings["evaluator"]["hidden"]) == (5, 20)
    assert len(preset("ls-draughts").features.selectable) == 15
    assert [oracle["use"] for oracle in settings["oracle"]] == ["chinook"]


def test_2007_differs_in_what_the_papers_say() -> None:
    new, old = preset("ls-draughts").settings, preset("ls-draughts-2007").settings
    assert old["oracle"] == []
    changed = {key for key in new if new[key] != old[key]}
    assert changed == {"learner", "oracle"}
    assert old["learner"]["generations"] == 29
    assert (old["learner"]["inner"]["sessions"], old["learner"]["inner"]["games"]) == (10, 200)
    assert new["learner"] | {"generations": 29, "inner": None} == old["learner"] | {"inner": None}


def test_defaults_of_the_learner_are_those_of_2009() -> None:
    plain = Pipeline(game="draughts", learner="ga", oracle="none").settings["learner"]
    assert plain == preset("ls-draughts").settings["learner"]

"""The contract kit: sound components pass, each broken toy is caught by exactly its check."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from broken_toys import EVALUATORS, RULES, TOYS
from toy_site import TOY, registry, shuttle

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Drawing
from gameforge.plugins.discovery import load
from gameforge.plugins.registry import Registry, default_registry
from gameforge.testing import check, toy
from gameforge.testing.contract import INTERFACE, KINDS, _contract

SOUND = [
    ("rules", toy.Pile()),
    ("rules", toy.Pile(stones=1)),
    ("features", toy.Remainders()),
    ("evaluator", toy.Theory()),
    ("evaluator", toy.Linear()),
    ("searcher", toy.Greedy()),
    ("oracle", toy.Solved()),
    ("book", toy.FirstMoves()),
    ("learner", toy.Drift()),
]


@pytest.mark.parametrize(("kind", "component"), SOUND, ids=lambda value: getattr(value, "__doc__", value)[:30])
def test_the_toys_of_the_kit_keep_the_contract(kind: str, component: Any) -> None:
    report = check(kind, component)
    assert report.named("failed") == ()
    assert len(report.named("passed")) >= len(report.results) / 2 or kind == "rules"


@pytest.mark.parametrize(("kind", "name"), TOYS, ids=[f"{kind}: {name}" for kind, name in TOYS])
def test_a_broken_toy_is_caught_by_exactly_its_check(kind: str, name: str) -> None:
    assert check(kind, TOYS[kind, name]).named("failed") == (name,)


@pytest.mark.parametrize("kind", KINDS)
def test_every_check_has_a_toy_that_it_catches(kind: str) -> None:
    checks = {INTERFACE, *(one.name for one in _contract(kind).checks)}
    assert checks == {name for of, name in TOYS if of == kind}


MADE_OF_OTHERS = ("gated", "ensemble")
"""Components that need another one, or a saved player; their own tests check them."""


def own_components() -> list[tuple[str, str, str]]:
    """(kind, qualified name, game) of all that this repository's plugins offer and that is quick to check."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    offers = default_registry().plugins.components
    return [
        (offer.what.kind, f"{offer.plugin}/{offer.what.name}", offer.what.game)
        for offer in offers
        if offer.plugin in project["entry-points"]["gameforge"]
        and offer.what.kind in ("rules", "features", "evaluator", "oracle", "book")
        and offer.what.name not in MADE_OF_OTHERS
    ]


SETTINGS = {
    "egdb_chinook/chinook": ":pieces=2",
    "morris/endings": ":men=3",
    "neurodraughts/neurodraughts": ":file={net}",
}


@pytest.mark.parametrize(("kind", "name", "game"), own_components())
def test_our_own_components_keep_it(kind: str, name: str, game: str, tmp_path: Path) -> None:
    settings = SETTINGS.get(name, "").format(net=tmp_path / "small.net")
    rows = ["Small", "32 1 0", *(f"{i / 99:.2f}" for i in range(33)), "0.5 0.1"]
    (tmp_path / "small.net").write_text("\n".join(rows) + "\n")
    check(kind, name + settings, game=game or None).require()


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("searcher", "minimax:depth=3"),
        ("searcher", "alphabeta:depth=4"),
        ("searcher", "uct:simulations=50"),
        ("searcher", "random"),
        ("learner", "td:sessions=2,games=4"),
    ],
)
def test_components_for_any_game_keep_it_on_the_kits_own(kind: str, spec: str) -> None:
    check(kind, spec).require()


@pytest.mark.parametrize(("kind", "name"), [("features", "lanes"), ("evaluator", "linear"), ("searcher", "greedy")])
def test_parts_of_a_plugin_file(kind: str, name: str) -> None:
    features = "lanes" if kind == "evaluator" else None
    expected = {"a win in one scores above zero": "it looks at scores alone"} if kind == "searcher" else None
    check(kind, name, game=shuttle(), features=features, expected=expected, registry=registry()).require()


def test_a_game_is_found_by_the_registry_that_is_given() -> None:
    report = check("rules", "shuttle:stones=5", registry=Registry(load([TOY])))
    assert report.named("failed") == ()
    assert {"keys tell positions apart", "retracting moves are reversible"} <= set(report.named("passed"))


class TestReport:
    def test_it_counts_and_names(self) -> None:
        report = check("evaluator", EVALUATORS["scores are of the side to move"])
        assert report.summary == "9 checks: 4 passed, 1 failed, 4 skipped"
        lines = str(report).splitlines()
        assert lines[0] == "evaluator Score"
        assert "  passed   interface: as described" in lines
        assert "  skipped  backward is the slope of forward: it is no net" in lines
        (failed,) = [line for line in lines if "FAILED" in line]
        assert failed.startswith("  FAILED   scores are of the side to move: scores go against the results of random")
        with pytest.raises(AssertionError, match="is the sign wrong"):
            report.require()

    def test_a_broken_interface_skips_the_rest(self) -> None:
        report = check("rules", RULES["interface"])
        assert report.results[0].note == "name is '', not a text"
        assert {result.status for result in report.results[1:]} == {"skipped"}

    def test_what_a_component_raises_is_its_failure(self) -> None:
        class Raising(Drawing):
            def diagram(self, state: Any) -> str:
                raise KeyError(state[0])

        class Drawn(toy.Pile):
            drawing = Raising()

        (result,) = [one for one in check("rules", Drawn()).results if one.status == "failed"]
        assert result.name == "diagrams are drawn"
        assert result.note.startswith("KeyError: 12 (test_contract.py, line ")

    def test_an_expected_failure(self) -> None:
        name = "moves are distinct"
        report = check("rules", RULES[name], expected={name: "two ways"}).require()
        assert report.named("expected failure") == (name,)
        assert "1 expected failure" in report.summary

    def test_an_expected_failure_that_does_not_come_fails(self) -> None:
        for name in ("moves are distinct", "diagrams are drawn"):
            report = check("rules", toy.Pile(), expected={name: "two ways"})
            assert report.named("failed") == (name,)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("ruls", toy.Pile()), "'ruls' has no contract to check (did you mean 'rules'?); known: rules, features"),
            (("preset", "x"), "'preset' has no contract to check"),
            (("rules", "nothing"), "unknown rules 'nothing'"),
        ],
    )
    def test_what_there_is_not(self, arguments: Any, message: str) -> None:
        with pytest.raises(GameforgeError) as caught:
            check(*arguments)
        assert str(caught.value).startswith(message)

    def test_a_check_that_there_is_not(self) -> None:
        with pytest.raises(GameforgeError, match=r"there is no check 'moves are distint' of rules \(did you mean"):
            check("rules", toy.Pile(), expected={"moves are distint": "why"})

"""Tests of the contract kit: correct components pass, and each broken toy fails exactly its check."""

import functools
import shutil
import warnings
from pathlib import Path
from typing import Any

import attrs
import pytest
from broken_toys import EVALUATORS, RULES, TOYS
from built_in import BUILT_IN
from player_toys import PlayerFolder
from toy_site import TOY, registry, shuttle

import gameforge as gf
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import Drawing
from gameforge.kernel.compile.functions import UncompiledWarning
from gameforge.play.bounds import Guarded
from gameforge.play.game import Game
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
    ("player", PlayerFolder()),
]


@pytest.mark.parametrize(("kind", "component"), SOUND, ids=lambda value: getattr(value, "__doc__", value)[:30])
def test_the_kits_own_components_pass(kind: str, component: Any) -> None:
    report = check(kind, component)
    assert report.named("failed") == ()
    assert len(report.named("passed")) >= 0.4 * len(report.results) or kind == "rules"


@pytest.mark.parametrize(("kind", "name"), TOYS, ids=[f"{kind}: {name}" for kind, name in TOYS])
def test_a_broken_toy_fails_exactly_its_check(kind: str, name: str) -> None:
    assert check(kind, TOYS[kind, name]).named("failed") == (name,)


@pytest.mark.parametrize("kind", KINDS)
def test_every_check_has_a_broken_toy(kind: str) -> None:
    cannot_fail = {"every reason occurs", "speed"}  # they warn and measure
    checks = {INTERFACE, *(one.name for one in _contract(kind).checks)} - cannot_fail
    assert checks == {name for of, name in TOYS if of == kind}


COMPOSITES = ("gated", "ensemble", "modules", "as-played", "any_game/book")
"""Components that need another component, a saved player or a file; their own tests check them."""


ELSEWHERE = {"interop_openspiel"}
"""Plugins whose own tests run the kit, since their components need the name of a game."""


def own_components() -> list[tuple[str, str, str]]:
    """(kind, qualified name, game) of the built-in components that can be checked quickly."""
    offers = default_registry().plugins.components
    return [
        (offer.what.kind, f"{offer.plugin}/{offer.what.name}", offer.what.game)
        for offer in offers
        if offer.plugin in BUILT_IN
        and offer.plugin not in ELSEWHERE
        and offer.what.kind in ("rules", "features", "evaluator", "oracle", "book", "player")
        and not {offer.what.name, f"{offer.plugin}/{offer.what.name}"} & {*COMPOSITES}
    ]


SETTINGS = {
    "draughts_family/draughts-endings": ":pieces=2",
    "egdb_chinook/chinook": ":pieces=2",
    "eval_mlp/modular-mlp": ":bounds=[12]",
    "morris/endings": ":men=3",
    "neurodraughts/neurodraughts": ":file={net}",
    "othello/solver": ":empty=9",
}
"""Settings that components need, and the smallest databases and searches that still answer some positions."""


def with_a_small_database(player: Path, copy: Path) -> Path:
    """A copy of the player `strong` of draughts; its own database takes a minute to build."""
    shutil.copytree(player, copy)
    file = copy / "player.toml"
    text = file.read_text(encoding="utf-8")
    assert text.count('format = "dtw"') == 1
    file.write_text(text.replace('format = "dtw"', "pieces = 2"), encoding="utf-8")
    return copy


@functools.cache
def game_of(name: str) -> Game:
    """One game for all its components, with one sample of positions."""
    return gf.game(name)


@pytest.mark.parametrize(("kind", "name", "game"), own_components())
def test_built_in_components(kind: str, name: str, game: str, tmp_path: Path) -> None:
    settings = SETTINGS.get(name, "").format(net=tmp_path / "small.net")
    rows = ["Small", "32 1 0", *(f"{i / 99:.2f}" for i in range(33)), "0.5 0.1"]
    (tmp_path / "small.net").write_text("\n".join(rows) + "\n")
    component: str | Path = name + settings
    if name == "draughts/strong":
        component = with_a_small_database(default_registry().player_folder("strong", game), tmp_path / "strong")
    check(kind, component, game=game_of(game) if game else None).require()


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
def test_built_in_components_for_any_game(kind: str, spec: str) -> None:
    check(kind, spec).require()


@pytest.mark.parametrize(("kind", "name"), [("features", "lanes"), ("evaluator", "linear"), ("searcher", "greedy")])
def test_components_of_a_plugin_file(kind: str, name: str) -> None:
    features = "lanes" if kind == "evaluator" else None
    expected = {"a win in one scores above zero": "it ignores outcomes"} if kind == "searcher" else None
    check(kind, name, game=shuttle(), features=features, expected=expected, registry=registry()).require()


def test_the_given_registry_finds_the_game() -> None:
    report = check("rules", "shuttle:stones=5", registry=Registry(load([TOY])))
    assert report.named("failed") == ()
    assert {"keys distinguish positions", "retracting moves are reversible"} <= set(report.named("passed"))


def test_a_block_is_as_new_for_each_call() -> None:
    """What one call writes behind it is not found again after the next."""
    guarded = Guarded(2)
    guarded.holding((1, 2))[2] = 0
    assert not guarded.intact()
    assert not guarded.holds((1, 2))
    guarded.holding((1, 2))
    assert guarded.holds((1, 2))


class TestRulesReports:
    def test_the_speed_of_random_games(self) -> None:
        [speed] = [result for result in check("rules", toy.Pile()).results if result.name == "speed"]
        assert speed.status == "passed"
        assert speed.note.endswith(" moves per second in random games")

    def test_a_reason_that_never_occurs_is_a_warning(self) -> None:
        class Endless(toy.Pile):
            reasons = ("no stone left", "the pile fell over")

        report = check("rules", Endless()).require()
        assert report.named("warning") == ("every reason occurs",)
        assert (
            "  WARNING  every reason occurs: none of 200 random games ended with 'the pile fell over' (reasons[1])"
            in (str(report))
        )
        assert " 1 with a warning, " in report.summary


class TestUncompiledFunctions:
    """A function that was meant to be compiled and silently runs as plain Python."""

    @staticmethod
    def rules(compiled: bool) -> Any:
        def gen(rules: Any, s: Any, moves: Any) -> int:
            for i, move in enumerate(stones := [n for n in (1, 2, 3) if str(n) and n <= s[0]]):
                moves[i] = move
            return len(stones) if isinstance(rules, object) else 0

        class Slow(toy.Pile):
            def functions(self) -> Any:
                return attrs.evolve(super().functions(), gen=gen, compiled=compiled)

        return Slow()

    @pytest.mark.parametrize("action", ["always", "error"])
    def test_fails(self, action: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter(action, UncompiledWarning)
            report = check("rules", self.rules(True))
        assert report.named("failed") == ("functions are compiled",)
        assert "gen of" in report.results[-1].note
        assert "does not compile and runs as plain Python, slower: " in report.results[-1].note

    def test_is_allowed_if_the_author_says_so(self) -> None:
        assert "functions are compiled" in check("rules", self.rules(False)).require().named("passed")


class TestReport:
    def test_text_of_a_report(self) -> None:
        report = check("evaluator", EVALUATORS["scores are for the side to move"])
        assert report.summary == "15 checks: 5 passed, 1 failed, 9 skipped"
        lines = str(report).splitlines()
        assert lines[0] == "evaluator Score"
        assert "  passed   interface: as described" in lines
        assert "  skipped  backward is the slope of forward: the evaluator is not a net" in lines
        (failed,) = [line for line in lines if "FAILED" in line]
        assert failed.startswith("  FAILED   scores are for the side to move: scores contradict the results of random")
        with pytest.raises(AssertionError, match="is the sign wrong"):
            report.require()

    def test_a_broken_interface_skips_the_other_checks(self) -> None:
        report = check("rules", RULES["interface"])
        assert report.results[0].note == "name is '': must be a non-empty string"
        assert {result.status for result in report.results[1:]} == {"skipped"}

    def test_an_exception_of_a_component_is_a_failure(self) -> None:
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

    def test_nothing_more_runs_after_a_write_outside_the_memory(self) -> None:
        """It could crash this process."""
        results = check("rules", RULES["gen respects max moves"]).results
        at = [one.name for one in results].index("gen respects max moves")
        assert results[at].status == "failed"
        assert {one.status for one in results[at + 1 : -1]} == {"skipped"}
        assert results[at + 1].note == "gen respects max moves failed: it could crash"

    def test_an_expected_failure_that_passes_is_a_failure(self) -> None:
        for name in ("moves are distinct", "diagrams are drawn"):
            report = check("rules", toy.Pile(), expected={name: "two ways"})
            assert report.named("failed") == (name,)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("ruls", toy.Pile()), "kind 'ruls' has no contract (did you mean 'rules'?); known: rules, features"),
            (("preset", "x"), "kind 'preset' has no contract"),
            (("rules", "nothing"), "unknown game 'nothing'"),
        ],
    )
    def test_unknown_kind_or_component(self, arguments: Any, message: str) -> None:
        with pytest.raises(GameforgeError) as caught:
            check(*arguments)
        assert str(caught.value).startswith(message)

    def test_unknown_expected_check(self) -> None:
        with pytest.raises(GameforgeError, match=r"rules has no check 'moves are distint' \(did you mean"):
            check("rules", toy.Pile(), expected={"moves are distint": "why"})

"""A component that raises is named, with its exception: exit code 2 on the command line, a chained error in Python."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from plugin_site import Site

import gameforge as gf
from gameforge.arena.openings import match_openings
from gameforge.arena.workspace import GameSeries
from gameforge.cli.figures import score_text
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.capabilities import Drawing
from gameforge.interfaces.learner import Trained, TrainingTask
from gameforge.interfaces.rules import RulesFunctions
from gameforge.play.game import Game
from gameforge.play.player import score_unit
from gameforge.testing.toy import Drift, Greedy, Linear, Pile, Remainders, Theory, outcome, play


def fail(*arguments: Any) -> Any:
    raise ValueError("out of stones")


class Torn(Pile):
    """Rules whose moves cannot be generated."""

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=2, max_moves=3, gen=fail, play=play, outcome=outcome, compiled=False)


class Unready(Pile):
    functions = fail


class Unwritten(Pile):
    """Rules with texts and pictures that fail."""

    class notation:
        move_text = parse_move = staticmethod(fail)

    piece_odds = fail

    class drawing(Drawing):
        diagram = svg = staticmethod(fail)


class Sideless(Pile):
    side_to_move = fail


class Stuck(Pile):
    """Rules with positions that have no moves, although the game goes on."""

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=2, max_moves=3, gen=no_moves, play=play, outcome=goes_on, compiled=False)


def no_moves(rules: Any, s: Any, moves: Any) -> int:
    return 0


def goes_on(rules: Any, s: Any, n_moves: Any) -> int:
    return 0


class Batch:
    values = fail


class BrokenFunctions:
    functions = fail


class BrokenOracle:
    open = fail


class BrokenLearner:
    def train(self, task: TrainingTask) -> Trained:
        raise KeyError("no such stone")


def message(error: "pytest.ExceptionInfo[ComponentError]") -> str:
    return str(error.value)


class TestPython:
    def test_rules(self) -> None:
        with pytest.raises(ComponentError) as caught:
            _ = Game(Torn()).position().legal_moves
        assert message(caught).startswith(f"gen of {__name__} raised ValueError: out of stones (test_crashes.py, line ")
        assert type(caught.value.__cause__) is ValueError
        with pytest.raises(ComponentError, match=r"^rules .*test_crashes\.Unready raised ValueError: out of stones"):
            Game(Unready())
        position = Game(Unwritten()).position()
        for action in (lambda: str(position), lambda: position.svg, lambda: str(position.legal_moves[0])):
            with pytest.raises(ComponentError, match=r"^rules pile raised ValueError: out of stones"):
                action()

    def test_rules_that_cannot_write_odds(self) -> None:
        player = gf.player(Unwritten(), searcher="uct:simulations=1")
        unit = score_unit(player)
        with pytest.raises(ComponentError, match=r"^rules pile raised ValueError: out of stones"):
            score_text(0.5, unit, Game(Unwritten()).position().state)

    def test_side_to_move(self) -> None:
        with pytest.raises(ComponentError, match=r"^rules pile raised ValueError: out of stones \(test_crashes"):
            _ = Game(Sideless()).position().turn
        one = gf.player(Sideless(), searcher=Greedy(), evaluator=Theory(), name="one")
        with pytest.raises(ComponentError, match=r"^rules pile raised ValueError: out of stones"):
            gf.match(one, one, 2, openings=0)

    @pytest.mark.parametrize("plies", [0, 4])
    def test_a_running_game_without_moves(self, plies: int) -> None:
        with pytest.raises(GameforgeError, match=r"^rules pile: there is no legal move in .*, but the game is not"):
            match_openings(Game(Stuck()), plies, 1, 0)

    def test_evaluators(self) -> None:
        with pytest.raises(ComponentError, match=r"^evaluator .*\.Batch: values\(states\) raised ValueError"):
            gf.player(Pile(), searcher=Greedy(), evaluator=Batch()).analyse(Game(Pile()).position())
        with pytest.raises(ComponentError, match=r"^evaluator .*test_crashes\.BrokenFunctions raised ValueError"):
            gf.player(Pile(), searcher=Greedy(), evaluator=BrokenFunctions())

    def test_features_and_searchers(self) -> None:
        with pytest.raises(ComponentError, match=r"^features .*test_crashes\.BrokenFunctions raised ValueError"):
            gf.player(Pile(), searcher=Greedy(), evaluator=Linear(), features=BrokenFunctions())
        with pytest.raises(ComponentError, match=r"^searcher .*test_crashes\.BrokenFunctions raised ValueError"):
            gf.player(Pile(), searcher=BrokenFunctions(), evaluator=Theory())

    def test_oracles(self) -> None:
        with pytest.raises(ComponentError, match=r"^oracle .*test_crashes\.BrokenOracle raised ValueError"):
            gf.oracle(BrokenOracle()).probe(Game(Pile()).position())

    def test_learners(self, tmp_path: Path) -> None:
        with pytest.raises(ComponentError, match=r"^learner .*test_crashes\.BrokenLearner raised KeyError") as caught:
            pipeline(BrokenLearner()).run(tmp_path / "run")
        assert type(caught.value.__cause__) is KeyError

    def test_exceptions_of_the_caller_are_not_the_learner_s(self, tmp_path: Path) -> None:
        class Subscriber:
            @gf.hookimpl
            def gameforge_checkpoint(self) -> None:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            pipeline(Drift()).run(tmp_path / "run", subscribers=[Subscriber()])

    def test_a_crash_in_a_match_is_noted_as_it_was_raised(self) -> None:
        players = [
            gf.player(Pile(), searcher=Greedy(), evaluator=evaluator, name=name)
            for name, evaluator in (("broken", Batch()), ("theory", Theory()))
        ]
        result = gf.match(*players, games=2, openings=0, on_error="forfeit")
        assert {game.note for game in result.games} == {"ValueError: out of stones"}

    def test_a_crash_in_compiled_code_is_noted_as_well(self, site: Site) -> None:
        site.module("helped", HELPED)
        cracked = importlib.import_module("helped").Cracked()
        players = [
            gf.player(Pile(), searcher=Greedy(), evaluator=evaluator, name=name)
            for name, evaluator in (("broken", cracked), ("theory", Theory()))
        ]
        result = gf.match(*players, games=2, openings=0, on_error="forfeit")
        assert {game.note for game in result.games} == {"ValueError: out of stones"}
        assert result.losses == 2

    @pytest.mark.parametrize("compiled", [True, False])
    def test_a_crash_in_a_helper_thread_is_its_player_s(self, compiled: bool, site: Site) -> None:
        site.module("helped", HELPED)
        helped = importlib.import_module("helped")
        one = gf.player(Pile(), searcher=helped.Helped(), evaluator=helped.Cracked(compiled), name="one")
        other = gf.player(Pile(), searcher=Greedy(), evaluator=Theory(), name="other")
        for _ in range(2):
            with pytest.raises(ComponentError, match=r"^(evaluate|compiled code) of helped raised ValueError: out of"):
                one.analyse(Game(Pile()).position())
        result = gf.match(one, other, games=2, openings=0, on_error="forfeit")
        assert {game.note for game in result.games} == {"ValueError: out of stones"}
        assert result.losses == 2
        series = GameSeries(one, other)
        with pytest.raises(ComponentError, match="out of stones"):
            series.play([False], 0)
        assert not gf.match(other, other, games=2, openings=0).games[0].note


HELPED = """
import numpy as np
from gameforge.interfaces.evaluator import EvaluatorFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at

def search(ctx, s, limits, out):
    first = np.uint64(0)
    if limits[0] != 0:  # a helper
        its = ctx.evaluator
        return its.evaluate(at(its.data, first), at(its.weights, first), s, at(its.inputs, first))
    for i in range(ctx.rules.words):
        ctx.stack[i] = s[i]
    ctx.crew(1)
    ctx.crew(0)
    ctx.rules.gen(at(ctx.rules.data, first), s, at(ctx.stack, first))
    write_move(out, ctx.stack[0], np.uint64(1))
    return 0.0

def evaluate(ed, w, s, x):
    if s[0] < 100:
        raise ValueError("out of stones")
    return 0.0

class Cracked:
    def __init__(self, compiled=True):
        self.compiled = compiled

    def functions(self, rules, features):
        return EvaluatorFunctions(evaluate=evaluate, compiled=self.compiled)

class Helped:
    def functions(self, rules):
        return SearcherFunctions(search=search, limits=(0,), stack=rules.words + rules.max_moves, scores=0, workers=2)
"""


def pipeline(learner: Any) -> gf.Pipeline:
    return gf.Pipeline(
        game=Pile(), searcher=Greedy(), evaluator=Linear(), features=Remainders(), learner=learner, oracle="none"
    )


MODULE = """
from gameforge import Component, hookimpl

class Broken:
    def {method}(self, *arguments):
        raise ValueError("out of stones")

class Unmade:
    def __init__(self):
        raise ValueError("out of clay")

@hookimpl
def gameforge_components():
    return [Component("{kind}", name.lower(), f"broken:{{name}}", "raises") for name in ("Broken", "Unmade")]
"""
ATTRIBUTES = "name, sides, reasons, draws, initial, side_to_move = 'broken', ('a', 'b'), (), None, None, None"
ANALYSE = ("analyze", "--game", "othello", "--player")


@pytest.mark.parametrize(
    ("kind", "method", "arguments"),
    [
        ("evaluator", "values", (*ANALYSE, "minimax:depth=1 + broken")),
        ("searcher", "functions", (*ANALYSE, "broken")),
        ("oracle", "open", (*ANALYSE, "minimax:depth=1 + wpc + broken")),
        ("rules", "functions", ("perft", "--game", "broken", "--depth", "2")),
        ("learner", "train", ("run", "--game", "othello", "--learner", "broken", "--out", "run")),
    ],
)
def test_the_command_line_reports_one_sentence(kind: str, method: str, arguments: tuple[str, ...], site: Site) -> None:
    site.module("broken", MODULE.format(kind=kind, method=method))
    if kind == "rules":
        site.module(
            "broken", MODULE.format(kind=kind, method=method).replace("Broken:\n", f"Broken:\n    {ATTRIBUTES}\n")
        )
    done = site.run("--plugin", "broken.py", *arguments)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert f"error: {kind} broken.Broken" in done.stderr
    assert "raised ValueError: out of stones (broken.py, line 6)" in done.stderr.replace("line 7", "line 6")
    done = site.run("--plugin", "broken.py", *(part.replace("broken", "unmade") for part in arguments))
    assert done.returncode == 2
    assert f"error: {kind} 'unmade' raised ValueError: out of clay" in done.stderr.replace("player 'unmade': ", "")


def test_an_error_that_a_component_reports_itself_keeps_its_text() -> None:
    class Refusing:
        def values(self, states: Any) -> Any:
            raise GameforgeError("the server is away")

    with pytest.raises(GameforgeError, match=r"^evaluator .*Refusing: values\(states\): the server is away$"):
        gf.player(Pile(), searcher=Greedy(), evaluator=Refusing()).analyse(Game(Pile()).position())

"""Errors for plugin authors who get an interface wrong: one sentence, without a traceback."""

import importlib
import re
import warnings
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

import gameforge as gf
from gameforge.discovery.loading import Plugins, load
from gameforge.discovery.registry import Registry
from gameforge.interfaces.board import Cells
from gameforge.interfaces.rules import DRAW, DrawRules, RulesFunctions
from gameforge.kernel.compile.functions import UncompiledWarning, call, compiled_function
from gameforge.kernel.context import SEARCH_SIGNATURE
from gameforge.play.game import same_rules
from gameforge.testing import check
from gameforge.testing.toy import outcome, play


def gen(rules: Any, s: Any, moves: Any) -> Any:
    """Take one or two stones."""
    n = 0
    for stones in range(1, 3):
        if stones <= s[0]:
            moves[n] = stones
            n += 1
    return n


def debt(data: Any, s: Any, planes: Any) -> None:
    planes[0] = 0
    planes[1] = -3


class Stones:
    """Rules without parameters or equality, as an author may write them."""

    name = "stones"
    sides = ("A", "B")
    reasons = ("no stone left",)
    draws = DrawRules()

    def functions(self) -> Any:
        return RulesFunctions(words=2, max_moves=2, gen=gen, play=play, outcome=outcome)

    def initial(self) -> Any:
        return 5, 0

    def side_to_move(self, state: Any) -> Any:
        return state[1]


MINIMAX = "minimax:depth=2"


def error(call: Any, *arguments: Any, **keywords: Any) -> str:
    with pytest.raises(gf.GameforgeError) as caught:
        call(*arguments, **keywords)
    return str(caught.value)


def changed(**members: Any) -> Any:
    return type("Changed", (Stones,), members)()


class TestRules:
    def test_own_object_is_a_game(self) -> None:
        game = gf.game(Stones())
        assert [move.code for move in game.position().legal_moves] == [1, 2]

    def test_missing_attributes_are_named(self) -> None:
        class Bare:
            name = "bare"
            sides = ("A", "B")

            def functions(self) -> Any: ...

        assert error(gf.game, Bare()) == (
            "rules Bare: no attribute reasons and no draws and no initial and no side_to_move "
            "(gameforge.interfaces.rules.Rules lists all)"
        )

    def test_missing_members_of_a_capability_are_named(self) -> None:
        class Flat:
            def diagram(self, state: Any) -> str: ...

            def __repr__(self) -> str:
                return "Flat()"

        assert error(gf.game, changed(drawing=Flat())) == (
            "rules Changed: drawing is not a gameforge.interfaces.capabilities.Drawing: Flat(); it has no svg"
        )

    def test_negative_numbers_of_cells(self) -> None:
        cells = Cells(cells=debt, places=((0, 0),), codes=("own",), numbers=("debt",))
        report = str(check("rules", changed(cells=cells)))
        assert "(test_author_errors.py, line " in report
        assert "; a negative number is written as np.int64(number)" in report

    def test_functions_of_another_kind(self) -> None:
        rules = changed(functions=lambda self: None)
        assert error(gf.game, rules) == "rules Changed: functions() returned None, not a RulesFunctions"

    @pytest.mark.parametrize("start", [5, (5,), (5, 0, 0), [5, 0], (5, -1), (5, 1 << 64), (5, 0.5), ("5", 0)])
    def test_invalid_initial_state(self, start: Any) -> None:
        assert error(gf.game, changed(initial=lambda self: start)) == (
            f"rules Changed: initial() returned {start!r}, not a tuple of 2 integers from 0 to 2^64 - 1"
        )

    @pytest.mark.parametrize("wrong", [{"words": 0}, {"max_moves": 0}])
    def test_sizes_are_at_least_one(self, wrong: dict[str, int]) -> None:
        with pytest.raises(ValueError, match="must be 1 or more"):
            RulesFunctions(**({"words": 2, "max_moves": 2, "gen": gen, "play": play, "outcome": outcome} | wrong))

    def test_missing_reason(self) -> None:
        def drawn(rules: Any, s: Any, n_moves: Any) -> Any:
            return DRAW + 4 * 3

        functions = RulesFunctions(words=2, max_moves=2, gen=gen, play=play, outcome=drawn, compiled=False)
        position = gf.game(changed(functions=lambda self: functions)).position()
        assert error(lambda: position.outcome) == "rules stones: outcome returned reason 3; the last reason is 0"


class TestSameRules:
    def test_objects_without_equality_are_compared_by_class_and_fields(self) -> None:
        assert same_rules(Stones(), Stones())
        assert not same_rules(Stones(), changed())
        other = Stones()
        other.heaps = 2  # type: ignore[attr-defined]
        assert not same_rules(Stones(), other)

    def test_parameters_count(self) -> None:
        rules = attrs.make_class("Sized", {"stones": attrs.field(default=5)}, frozen=True)
        assert same_rules(rules(), rules())
        assert not same_rules(rules(), rules(stones=6))

    def test_players_of_two_equal_games_can_meet(self) -> None:
        one, other = (gf.player(Stones(), searcher=MINIMAX, name=name) for name in ("one", "other"))
        assert len(gf.match(one, other, games=2, openings=1).games) == 2

    def test_positions_of_two_equal_games_are_equal(self) -> None:
        assert gf.game(Stones()).position() == gf.game(Stones()).position()
        assert gf.game(Stones()).position() != gf.game(changed()).position()


class TestFunctions:
    def test_wrong_number_of_arguments(self) -> None:
        def short(s: Any, moves: Any) -> Any:
            return 0

        message = error(compiled_function, "gen", short)
        assert message.endswith("short is used as gen, which is called with 3 arguments: too many positional arguments")
        assert error(compiled_function, "gen", short, compiled=False) == message

    def test_helper_that_is_not_marked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also if numba colours its messages."""

        def counting(rules: Any, s: Any, moves: Any) -> Any:
            return gen(rules, s, moves)

        termcolor = importlib.import_module("numba.core.errors").termcolor
        monkeypatch.setattr(type(termcolor()), "errmsg", lambda self, text: f"\x1b[1m{text}\x1b[0m", raising=True)
        with pytest.warns(UncompiledWarning) as caught:
            compiled_function("gen", counting)
        text = str(caught[0].message)
        assert text.startswith(f"gen of {__name__} does not compile and runs as plain Python, slower: ")
        assert "helper functions have to be marked with gameforge.kernel.inline" in text
        assert "(test_author_errors.py, line " in text

    def test_a_word_that_becomes_a_float(self) -> None:
        """numba gives a variable one type; that of a uint64 and an int64 is float64."""

        def mixed(rules: Any, s: Any, moves: Any) -> Any:
            found = s[0] & s[1]
            for cell in range(9):
                found |= 1 << cell
            return ~found & s[0]

        with pytest.warns(UncompiledWarning) as caught:
            compiled_function("gen", mixed)
        text = str(caught[0].message)
        assert re.search(r"slower: there is no i?\w+\(.*float64.*\); a variable that holds a uint64 in one place", text)
        assert "write np.uint64(1) << np.uint64(n) for 1 << n (test_author_errors.py, line " in text

    def test_array_instead_of_a_block(self) -> None:
        def forgotten(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
            return ctx.rules.gen(ctx.rules.data, s, s)

        message = error(compiled_function, "search", forgotten, signature=SEARCH_SIGNATURE)
        assert re.search(r"; an array is passed on as at\(array, 0\) \(test_author_errors.py, line \d+\)$", message)

    def test_python_that_numba_cannot_parse(self) -> None:
        """Not every failure of numba is a NumbaError."""

        def formatted(rules: Any, s: Any, moves: Any) -> Any:
            return len(f"{s[0]:05b}")

        with pytest.warns(UncompiledWarning, match="format spec in f-strings"):
            function = compiled_function("gen", formatted)
        assert call(function, np.zeros(1, np.uint64), np.array([3], np.uint64), np.zeros(1, np.uint64)) == 5

    def test_compiled_false_does_not_warn(self) -> None:
        def listed(rules: Any, s: Any, moves: Any) -> Any:
            return len([*range(3), "a"])

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled_function("gen", listed, compiled=False)


class Even:
    """A batch evaluator."""

    def values(self, states: Any) -> Any:
        return np.zeros(len(states))


class TestPipeline:
    """A game without a preset."""

    def test_all_missing_components_are_named_at_once(self, tmp_path: Path) -> None:
        plugins = load()
        plugins.manager.unregister(name="any_game")  # its preset completes a pipeline that names nothing
        message = error(gf.Pipeline(game=Stones(), registry=Registry(plugins)).run, tmp_path / "run")
        assert message.startswith(
            "the pipeline has no searcher and no evaluator and no learner, and stones has no preset that names one; "
            "known for stones: searcher ("
        )
        assert message.endswith("; choose one with searcher=...")
        assert not (tmp_path / "run").exists()

    def test_no_component_of_a_kind(self) -> None:
        nothing = Registry(Plugins([], [], [], load().manager))
        message = error(gf.Pipeline(game=Stones(), registry=nothing).parts)
        assert message.endswith("known for stones: searcher (none); choose one with searcher=...")

    def test_features_without_an_evaluator(self) -> None:
        message = error(gf.Pipeline, game=Stones(), features="heights", learner="none")
        assert message.startswith("pipeline: features need an evaluator (known: ")
        assert message.endswith("); choose one with evaluator=...")

    def test_batch_evaluator_takes_no_features(self) -> None:
        class Heights:
            def functions(self, rules: Any) -> Any: ...

        pipeline = gf.Pipeline(game=Stones(), searcher=MINIMAX, evaluator=Even(), features=Heights())
        assert error(pipeline.parts) == "evaluator: Even scores positions and takes no feature map"

    def test_nothing_to_train(self, tmp_path: Path) -> None:
        pipeline = gf.Pipeline(game=Stones(), searcher=MINIMAX, evaluator=Even(), learner="td")
        assert error(pipeline.run, tmp_path / "run") == (
            "learner: nothing to train: Even has no weights; choose an evaluator with weights, such as a net"
        )

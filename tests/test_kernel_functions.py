"""Functions of components in kernels: compiled, plain Python, C."""

import functools
import itertools
import operator
import threading
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import toy_game
from copies import copied, copies_this_process
from numba import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from toy_site import python, shuttle

import gameforge as gf
from gameforge.errors import ComponentError, GameforgeError
from gameforge.kernel.assembly import check, compiled_rules, take_failure
from gameforge.kernel.compile.functions import Function, UncompiledWarning, call, compiled_function
from gameforge.kernel.compile.jit import COMPILED, inline, kernel
from gameforge.kernel.compile.records import words_of
from gameforge.kernel.context import RULES_TYPE, SEARCH_SIGNATURE
from gameforge.kernel.playout import leaves

START = toy_game.Shuttle().initial()


SEARCHES = """
import warnings
import attrs, numpy as np
import gameforge as gf
import toy_game
from gameforge.play.game import Game
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.play.parts import Parts
from gameforge.play.player import Player
from gameforge.interfaces.searcher import SearcherFunctions

warnings.simplefilter("error")
warnings.filterwarnings("ignore", "First-class function type")  # as functions.py does

@inline
def moves_of(ctx, s):
    return ctx.rules.gen(at(ctx.rules.data, np.uint64(0)), s, at(ctx.stack, np.uint64(0)))

@inline
def room(n):
    return np.zeros(n, np.uint64)

def bare(ctx, s, limits, out):
    n = moves_of(ctx, s)
    write_move(out, ctx.stack[0], n)
    return 0.0

def allocating(ctx, s, limits, out):
    n = moves_of(ctx, s)
    found = room(n)
    for i in range(n):
        found[i] = ctx.stack[i]
    write_move(out, np.zeros(3, np.uint64)[1] + found[0], len(found))
    return 0.0

@attrs.frozen
class Searcher:
    name: str
    def functions(self, rules):
        search = {"bare": bare, "allocating": allocating}[self.name]
        return SearcherFunctions(search=search, limits=(1,), stack=8, scores=1, bare=self.name == "bare")

game = Game(toy_game.Shuttle())
nodes = []
for name in names:
    player = Player(Parts(game, Searcher(name), None))
    gf.match(player, player, games=4)
    nodes.append(player.analyse(game.position()).nodes)
"""
"""Searchers with these `names`, in this order, each in a match and an analysis, and their `nodes`."""


def searched(names: list[str]) -> object:
    """The nodes of the searchers, which are compiled here."""
    space: dict[str, Any] = {"__name__": "__main__", "names": names}
    exec(SEARCHES, space)
    return space["nodes"]


def dynamic_gen(rules: Any, s: Any, moves: Any) -> int:
    """A function that numba cannot compile."""
    for n in eval("range(2)"):
        moves[n] = n
    return 2


def failing_gen(rules: Any, s: Any, moves: Any) -> int:
    raise LookupError("the moves are lost")


def fails_at_once(rules: Any, s: Any, moves: Any) -> Any:
    """Compiled code that raises in every state."""
    if s[0] < 100:
        raise ValueError("no such cell")
    return 0


def fails_late(rules: Any, s: Any, moves: Any) -> Any:
    """Compiled code that raises after some plies."""
    if s[toy_game.PLIES] == 2:
        raise ValueError("no such cell")
    moves[0] = 0
    moves[1] = 1
    return 2


def blocks() -> tuple[Any, Any, Any]:
    return np.zeros(1, np.uint64), np.array(START, np.uint64), np.zeros(4, np.uint64)


class TestKinds:
    def test_compiled(self) -> None:
        gen = compiled_function("gen", toy_game.gen)
        rules, state, moves = blocks()
        assert isinstance(gen, Function)
        assert call(gen, rules, state, moves) == 4
        assert moves.tolist() == [0, 1, 2, 3]

    def test_declared_python(self) -> None:
        gen = compiled_function("gen", dynamic_gen, compiled=False)
        rules, state, moves = blocks()
        assert call(gen, rules, state, moves) == 2
        assert moves.tolist() == [0, 1, 0, 0]

    def test_undeclared_python_is_announced(self) -> None:
        with pytest.warns(UncompiledWarning, match=r"gen of .*test_kernel_functions does not compile .* slower: "):
            gen = compiled_function("gen", dynamic_gen)
        assert call(gen, *blocks()) == 2

    @pytest.mark.filterwarnings("ignore::gameforge.kernel.compile.functions.UncompiledWarning")
    @pytest.mark.parametrize("kind", ["bound method", "partial", "object", "exec"])
    def test_any_callable_will_do(self, kind: str) -> None:
        class Rules:
            def gen(self, rules: Any, s: Any, moves: Any) -> int:
                moves[0] = 7
                return 1

            __call__ = gen

        space: dict[str, Any] = {}
        exec("def gen(rules, s, moves):\n    moves[0] = 7\n    return 1", space)
        functions = {
            "bound method": Rules().gen,
            "partial": functools.partial(Rules.gen, None),
            "object": Rules(),
            "exec": space["gen"],
        }
        rules, state, moves = blocks()
        gen = compiled_function("gen", functions[kind])
        assert (call(gen, rules, state, moves), int(moves[0])) == (1, 7)

    @pytest.mark.parametrize("returned", [None, 2.5, "two"])
    def test_what_python_returns_is_checked(self, returned: Any) -> None:
        gen = compiled_function("gen", lambda rules, s, moves: returned, compiled=False)
        with pytest.raises(ComponentError, match=r"TypeError: .* cannot be interpreted as an integer"):
            call(gen, *blocks())

    def test_python_may_return_numpy_numbers(self) -> None:
        gen = compiled_function("gen", lambda rules, s, moves: np.uint64(3), compiled=False)
        assert call(gen, *blocks()) == 3

    def test_wrong_number_of_arguments(self) -> None:
        with pytest.raises(GameforgeError, match=r"used as gen, which is called with 3 arguments"):
            compiled_function("gen", lambda rules, s: 0)

    def test_a_search_that_does_not_compile_is_an_error(self) -> None:
        def search(ctx: Any, s: Any, limits: Any, out: Any) -> float:
            return eval("0.0")

        with pytest.raises(GameforgeError, match=r"search of .*test_kernel_functions does not compile: .*eval"):
            compiled_function("search", search, signature=SEARCH_SIGNATURE)

    @copies_this_process
    @pytest.mark.parametrize("order", ["bare allocating", "allocating bare"])
    def test_a_search_may_make_arrays_unless_it_says_that_it_does_not(
        self, order: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """Both share a helper; each runs inside kernels that count no references."""
        assert copied(searched, order.split()) == [4, 4]
        assert capfd.readouterr().err == ""


class TestFailures:
    def test_reach_the_caller_as_the_cause_of_an_error_that_names_the_function(self) -> None:
        gen = compiled_function("gen", failing_gen, compiled=False)
        with pytest.raises(ComponentError, match=r"^gen of .* raised LookupError: the moves are lost"):
            call(gen, *blocks())

    def test_inside_a_kernel_they_end_it_and_are_raised_by_check(self) -> None:
        calls = []

        def fails_at_the_third(rules: Any, s: Any, moves: Any) -> int:
            calls.append(1)
            if len(calls) == 3:
                raise LookupError("the moves are lost")
            return toy_game.gen(rules, s, moves)

        table = compiled_rules(shuttle().functions)
        table = table._replace(gen=compiled_function("gen", fails_at_the_third, compiled=False))
        with pytest.raises(ComponentError, match=r"^gen of .* raised LookupError: the moves are lost"):
            leaves(table, START, 3)
        assert len(calls) == 3  # afterwards the kernel got zeros without asking
        check(table)  # raised once, then forgotten

    @pytest.mark.parametrize("depth", [1, 3, 60])
    def test_in_compiled_code_reach_the_caller_as_well(self, depth: int) -> None:
        """A count of 60 plies would never end."""
        table = compiled_rules(shuttle().functions)
        broken = table._replace(gen=compiled_function("gen", fails_late if depth > 1 else fails_at_once))
        with pytest.raises(ComponentError, match=rf"^compiled code of {__name__} raised ValueError: no such") as caught:
            leaves(broken, START, depth)
        assert "(test_kernel_functions.py, line " in str(caught.value)
        assert type(caught.value.__cause__) is ValueError
        check(broken)  # raised once, then forgotten
        assert leaves(table, START, 2) > 0

    def test_in_compiled_code_are_those_of_its_thread(self) -> None:
        gen = compiled_function("gen", fails_at_once)
        seen = []

        def work() -> None:
            gen.python(*(block.ctypes.data for block in blocks()))
            turns.wait()  # the other thread looks
            turns.wait()
            seen.append(take_failure((gen,)))

        turns = threading.Barrier(2, timeout=600)
        other = threading.Thread(target=work)
        other.start()
        turns.wait()
        gen.check()
        check((gen,))
        turns.wait()
        other.join()
        assert "no such cell" in str(seen)
        with pytest.raises(ComponentError, match="no such cell"):
            call(gen, *blocks())

    def test_other_exceptions_that_python_ignores_are_reported_as_before(self) -> None:
        done = python(
            "import gameforge.kernel.compile.functions\n"
            "class A:\n    def __del__(self):\n        raise LookupError('late')\n"
            "A()"
        )
        assert "LookupError: late" in done.stderr

    def test_of_several_functions_do_not_persist(self) -> None:
        table = compiled_rules(shuttle().functions)
        functions = [compiled_function("gen", failing_gen, compiled=False) for _ in range(2)]
        for function in functions:
            function.python(*(block.ctypes.data for block in blocks()))
        table = table._replace(gen=functions[0], key=functions[1])
        with pytest.raises(ComponentError, match="the moves are lost"):
            check(table)
        check(table)

    def test_in_a_game_are_reported_to_the_user(self) -> None:
        def irreversible(rules: Any, s: Any, m: Any) -> int:
            raise LookupError("nobody knows")

        class Broken(toy_game.Shuttle):
            def functions(self) -> Any:
                return attrs.evolve(super().functions(), irreversible=irreversible, compiled=False)

        position = gf.game(Broken()).position()
        with pytest.raises(ComponentError, match=r"^irreversible of .* raised LookupError: nobody knows"):
            position.play("0x1")


@inline
def _doubled(x: int) -> int:
    return x + x


def _twice_doubled(x: int) -> int:
    return _doubled(_doubled(x))


@pytest.mark.skipif(not COMPILED, reason="kernels run as plain Python")
def test_a_helper_is_compiled_into_its_callers_and_has_no_machine_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMEFORGE_CACHE", str(tmp_path))  # empty: a caller that it holds would not be compiled
    monkeypatch.delenv("GAMEFORGE_SYSTEM_CACHE", raising=False)
    assert kernel(_twice_doubled)(3) == 12
    [compiled] = _doubled.overloads.values()  # type: ignore[attr-defined]
    assert compiled.entry_point is None


def test_a_helper_can_be_called_from_python() -> None:
    assert _doubled(3) == 6


def test_rules_typed_at_a_prompt_work() -> None:
    """numba cannot cache functions without a source file, but they must still run."""
    code = (
        "import numpy as np\nfrom gameforge.kernel.compile.functions import call, compiled_function\n"
        "def gen(rules, s, moves):\n    moves[0] = 7\n    return 1\n"
        "print(call(compiled_function('gen', gen), *(np.zeros(4, np.uint64) for _ in range(3))))"
    )
    done = python(code)
    assert (done.stdout, done.stderr) == ("1\n", "")


@kernel
def _scaled(number: int) -> int:
    def scaled(x: int) -> int:
        return x * number

    return scaled(3)


def test_a_function_may_hold_functions() -> None:
    """Most hold none, and numba's pass for them is left out."""
    assert _scaled(2) == 6


_KINDS = [types.boolean, types.uint8, types.int64, types.uint64, types.float64, types.literal(3), types.literal(True)]


@pytest.mark.skipif(not COMPILED, reason="kernels run as plain Python")
@pytest.mark.parametrize("symbol", [operator.add, operator.floordiv, operator.lshift, operator.eq, operator.iadd])
def test_operators_on_numbers_have_the_types_that_numba_gives_them(symbol: Any) -> None:
    context = cpu_target.typing_context
    context.refresh()
    known = context.resolve_value_type(symbol)
    usual = types.Function([one for one in known.templates if not hasattr(one, "remembers")])
    assert len(usual.templates) < len(known.templates)

    def answer(function: Any, pair: Any) -> object:
        try:
            found = function.get_call_type(context, pair, {})
        except TypingError:
            return None
        return found.args, found.return_type, function.get_impl_key(found)

    for pair in [*itertools.product(_KINDS, repeat=2)] * 2:
        assert answer(known, pair) == answer(usual, pair)


@pytest.mark.skipif(not COMPILED, reason="uncompiled code gets the named tuples themselves")
class TestRecords:
    """Named tuples that kernels get as the address of a block."""

    def test_hold_each_field_where_compiled_code_looks_for_it(self) -> None:
        rules = compiled_rules(shuttle().functions)
        words = list(words_of(RULES_TYPE, rules))
        assert words[RULES_TYPE.first("play")] == rules.play.__wrapper_address__()
        assert words[RULES_TYPE.first("data") :][:2] == [rules.data.ctypes.data, len(rules.data)]
        assert words[RULES_TYPE.first("max_moves")] == rules.max_moves
        assert len(words) == RULES_TYPE.first("has_ended") + 1

    @pytest.mark.parametrize("data", [np.zeros(2, np.int64), np.zeros(4, np.uint64)[::2]])
    def test_refuse_arrays_that_compiled_code_would_misread(self, data: Any) -> None:
        with pytest.raises(TypeError, match=r"expected array\(uint64, 1d, C\), got u?int64 of shape \(2,\)"):
            leaves(compiled_rules(shuttle().functions)._replace(data=data), START, 1)

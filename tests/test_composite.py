"""Tests of composite components, and of searches that call back into Python."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

import gameforge as gf
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import ComponentError
from gameforge.interfaces.oracle import Composite
from gameforge.interfaces.rules import Rules, RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel.answer import write_move
from gameforge.play.game import Game
from gameforge.testing.toy import Greedy, Pile, Solved, Theory


@attrs.frozen
class Made:
    """A composite that is resolved to a given component."""

    of: Any
    seen: list[Any] = attrs.field(factory=list)

    def composed(self, registry: Registry, rules: Rules) -> Any:
        self.seen.append((registry, rules.name))
        return self.of


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Play the move that Python writes to the workspace."""
    ctx.stack[0] = s[0]
    nodes = ctx.crew(1)
    write_move(out, ctx.stack[0], nodes)
    return 0.0


class Asks:
    """A searcher that chooses moves by a Python function of the number of stones."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        self.choose = choose

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        def crew_of(player: Any, game: Any) -> Callable[[int], int]:
            def crew(command: int) -> int:
                player.context.stack[0] = self.choose(int(player.context.stack[0]))
                return 7

            return crew

        return SearcherFunctions(search=search, limits=(0,), stack=1, scores=1, crew=crew_of)


def test_players_use_the_resolved_components() -> None:
    parts = [Made(Greedy()), Made(Theory()), Made(Solved())]
    searcher, evaluator, oracle = parts
    registry = default_registry()
    player = gf.player(Game(Pile()), searcher=searcher, evaluator=evaluator, oracle=oracle, registry=registry)
    plain = gf.player(Game(Pile()), searcher=Greedy(), evaluator=Theory(), oracle=Solved())
    for stones in (5, 6, 7, 11):
        position = player.game.position(f"{stones},0")
        assert player.analyse(position).move == plain.analyse(position).move
    assert [[(seen.plugins, game) for seen, game in part.seen] for part in parts] == [[(registry.plugins, "pile")]] * 3


def test_other_components_are_unchanged() -> None:
    greedy = Greedy()
    assert default_registry().composed(greedy, Pile()) is greedy
    assert isinstance(Made(greedy), Composite)


def test_a_composite_oracle_can_be_probed() -> None:
    position = Game(Pile()).position("8,0")
    assert gf.oracle(Made(Solved())).get(position) == gf.oracle(Solved()).get(position)


def test_a_search_calls_back_into_python() -> None:
    player = gf.player(Game(Pile()), searcher=Asks(lambda stones: stones % 4 or 1), evaluator="none")
    found = player.analyse(player.game.position("11,0"))
    assert (found.move.code, found.nodes) == (3, 7)
    assert gf.match(player, gf.player(Game(Pile()), searcher=Greedy(), evaluator=Theory()), 2).forfeits == (0, 0)


def test_an_exception_in_the_callback_is_raised() -> None:
    def fails(stones: int) -> int:
        raise ArithmeticError("no idea")

    player = gf.player(Game(Pile()), searcher=Asks(fails), evaluator="none")
    with pytest.raises(ComponentError, match="raised ArithmeticError: no idea"):
        player.analyse(player.game.position())
    other = gf.player(Game(Pile()), searcher=Greedy(), evaluator=Theory())
    assert gf.match(player, other, 2, on_error="forfeit").forfeits == (2, 0)

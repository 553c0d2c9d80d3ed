"""What the searches hand out to learners: inner nodes, with values or bounds that a plain minimax confirms.

The searches run uncompiled, in one process for all tests of this file.
"""

import json
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_search_minimax.minimax import Minimax
from gameforge_search_minimax.negamax import AlphaBeta
from minimax_reference import minimax
from toy_games import Hearsay, Noughts, Opinion, guess, reachable
from uncompiled import printed_uncompiled

from gameforge.interfaces.oracle import Gate
from gameforge.interfaces.rules import State
from gameforge.kernel import answer, assembly, gameplay, slots
from gameforge.play.game import Game
from gameforge.play.parts import Parts

GAME = Game(Noughts())
STATES = reachable()[100::300]
SEARCHERS = {
    "minimax": Minimax(depth=3),
    "judged": Minimax(depth=3),
    "alphabeta": AlphaBeta(depth=3, memory=0),
    "table": AlphaBeta(depth=4),
}
ORACLES = {"judged": attrs.evolve(Hearsay().open(GAME.rules), gate=Gate(low=0.0, high=1.0, at="searched"))}
"""The oracles of those that have one."""
ROOM = 4000
_WORDS = 2
EXACT, AT_LEAST, AT_MOST = 0, 1, 2


def found(name: str, state: State) -> tuple[list[Any], list[Any]]:
    """The answer (move, score, line, depth) of each of a searcher's two searches, and the nodes of the second."""
    parts = Parts(GAME, SEARCHERS[name], Opinion(), oracles=[ORACLES[name]] if name in ORACLES else [])
    player = parts.compiled_player(assembly.game_workspace(GAME.compiled, GAME.rules.draws), None)
    recording = assembly.search_function(attrs.evolve(parts.search, search=parts.search.recording))
    stack = np.zeros(parts.search.stack + ROOM * (_WORDS + 2) + 1, np.uint64)
    other = player._replace(search=recording, context=player.context._replace(stack=stack))
    answers = []
    for one in (player, other):
        score = gameplay.think(one, np.array(state, np.uint64))
        length = int(one.out[slots.OUT_LINE_LENGTH])
        line = one.out[slots.OUT_LINE : slots.OUT_LINE + length].tolist()
        depth = int(one.context.control[slots.DEPTH])
        answers.append([int(one.out[slots.OUT_MOVE]), float(score), line, depth])
    nodes = stack[parts.search.stack : -1].reshape(-1, _WORDS + 2)[: int(stack[-1])]
    return answers, [[*map(int, node[:_WORDS]), float(answer.handed_out(node[2])), int(node[3])] for node in nodes]


def print_found() -> None:
    """Print what is found in all states; called where nothing is compiled."""
    print(json.dumps({name: [found(name, state) for state in STATES] for name in SEARCHERS}))


@pytest.fixture(scope="module")
def searched() -> dict[str, Any]:
    printed = printed_uncompiled(
        "import numpy; numpy.seterr(over='ignore')\nfrom test_handed_out_nodes import print_found; print_found()"
    )
    result: dict[str, Any] = json.loads(printed)
    return result


def value(state: State, depth: int) -> float:
    with np.errstate(over="ignore"):
        return minimax(GAME, state, depth, guess)[0]


def discs(state: State) -> int:
    return sum(word.bit_count() for word in state)


@pytest.mark.parametrize("name", SEARCHERS)
def test_handing_out_changes_neither_move_nor_score_nor_line(name: str, searched: dict[str, Any]) -> None:
    for (plain, handing_out), _ in searched[name]:
        assert plain == handing_out


def test_minimax_hands_out_all_inner_nodes_with_their_values(searched: dict[str, Any]) -> None:
    for state, (_, nodes) in zip(STATES, searched["minimax"], strict=True):
        inner = [state]
        for node in inner:  # it grows
            if discs(node) - discs(state) < 2:
                after = (GAME.play(node, move) for move in GAME.legal(node))
                inner += [child for child in after if not GAME.code(child, len(GAME.legal(child)))]
        assert sorted((a, b) for a, b, *_ in nodes) == sorted(inner)
        for *node, score, bound in nodes:
            assert (score, bound) == (value(tuple(node), 3 - discs(tuple(node)) + discs(state)), EXACT)


@pytest.mark.parametrize("name", ["alphabeta", "table"])
def test_the_values_of_alphabeta_bound_those_of_minimax(name: str, searched: dict[str, Any]) -> None:
    """A proven win is worth more the sooner it comes, and ends the search; here it is a win, as to minimax."""
    seen = set()
    for state, ((_, (*_, depth)), nodes) in zip(STATES, searched[name], strict=True):
        assert nodes[-1][:_WORDS] == [*state]
        for *node, score, bound in nodes:
            left = depth - discs(tuple(node)) + discs(state)
            true, score = value(tuple(node), left), min(max(score, -1.0), 1.0)
            assert score <= true + 1e-6 or bound == AT_MOST
            assert score >= true - 1e-6 or bound == AT_LEAST
            seen.add(bound)
    assert seen == {EXACT, AT_LEAST, AT_MOST}

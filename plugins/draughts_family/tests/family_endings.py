"""Values of endings by value iteration over the slow reference's moves: it shares no code with the databases."""

import functools
import itertools
from collections.abc import Iterator

from family_positions import laws_of, position_of
from family_reference import Laws, Position, after, is_white, last_row, legal_moves
from gameforge_draughts_family.board import Variant, board_of, to_move

from gameforge.interfaces.rules import State

Key = tuple[tuple[tuple[tuple[int, int], str], ...], bool]
"""A position as sorted pairs, and whether White is to move."""


def key_of(position: Position, white: bool) -> Key:
    return tuple(sorted(position.items())), white


def key_of_state(variant: Variant, state: State) -> Key:
    return key_of(position_of(board_of(variant), state), to_move(state) == 0)


def children(laws: Laws, key: Key) -> list[Key]:
    position = dict(key[0])
    return [key_of(after(laws, position, move), not key[1]) for move in legal_moves(laws, position, key[1])]


def one_against_one(laws: Laws, places: tuple[tuple[int, int], ...]) -> Iterator[Key]:
    """All positions with one piece of each side and White to move."""
    for white, black in itertools.permutations(places, 2):
        for first, second in itertools.product("wW", "bB"):
            on_last_row = [
                piece.islower() and place[0] == last_row(laws, is_white(piece))
                for place, piece in ((white, first), (black, second))
            ]
            if not any(on_last_row):
                yield key_of({white: first, black: second}, True)


@functools.cache
def distances(variant: Variant) -> dict[Key, int]:
    """The distance byte of every position with one piece of each side: 0 for a draw, else 1 + plies to the end."""
    laws = laws_of(variant)
    graph: dict[Key, list[Key]] = {}
    waiting = list(one_against_one(laws, board_of(variant).places))
    while waiting:
        key = waiting.pop()
        if key not in graph:
            graph[key] = children(laws, key)
            waiting += graph[key]
    known: dict[Key, int] = {}
    for ply in itertools.count():
        found = {}
        for key, after_moves in graph.items():
            if key not in known:
                values = [known.get(child) for child in after_moves]
                wins = any(value is not None and value % 2 == 1 for value in values)
                if wins or None not in values:
                    found[key] = ply + 1
        if not found and ply > 0:
            return dict.fromkeys(graph, 0) | known
        known |= found
    raise AssertionError("the iteration ends")

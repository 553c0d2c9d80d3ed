"""Rules that violate their contract in one point each, by the check that they fail (broken_toys.py)."""

from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
from toy_game import Shuttle

from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Board, Cells, MoveIndices, Piece
from gameforge.interfaces.capabilities import GameFiles
from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import RUNNING
from gameforge.testing import toy

HIGHEST = 1 << 63


def pile(**changes: Any) -> Any:
    """The kit's rules as plain Python, with some functions changed."""

    class Changed(toy.Pile):
        def functions(self) -> Any:
            return attrs.evolve(super().functions(), compiled=False, **changes)

    return Changed()


def pile_with(**members: Any) -> Any:
    """The kit's rules with changed or additional attributes."""
    return type("Changed", (toy.Pile,), members)()


def shuttle(**changes: Any) -> Any:
    """The game with reversible moves, with some functions changed."""

    class Changed(Shuttle):
        def functions(self) -> Any:
            return attrs.evolve(super().functions(), **changes)

    return Changed()


def gen_that_takes(rules: Any, s: Any, moves: Any) -> Any:
    n = toy.gen(rules, s, moves)
    s[0] = 0
    return n


def gen_that_looks(rules: Any, s: Any, moves: Any) -> Any:
    seen = moves[2]
    n = toy.gen(rules, s, moves)
    return n if seen == 0 or n < 2 else n - 1


def gen_twice(rules: Any, s: Any, moves: Any) -> Any:
    n = toy.gen(rules, s, moves)
    if n:
        moves[n] = moves[0]
        n += 1
    return n


def play_that_takes(rules: Any, s: Any, m: Any, child: Any) -> None:
    toy.play(rules, s, m, child)
    s[0] = 0


def play_beyond(rules: Any, s: Any, m: Any, child: Any) -> None:
    toy.play(rules, s, m, child)
    child[2] = 0


def never_over(rules: Any, s: Any, n_moves: Any) -> Any:
    return RUNNING


def key_without_side(rules: Any, s: Any) -> Any:
    return s[0]


def always_running(rules: Any, s: Any) -> Any:
    return RUNNING


def always(rules: Any, s: Any, m: Any) -> Any:
    return 1


def first_is_noisy(rules: Any, s: Any, moves: Any, n: Any) -> Any:
    return 1


def gen_of_signs(rules: Any, s: Any, moves: Any) -> Any:
    """A word and a literal: int64 when compiled, uint64 in Python."""
    n = 2 if (s[1] | 1) >> 62 < 0 else 3
    while n > s[0]:
        n -= 1
    for i in range(n):
        moves[i] = i + 1
    return n


def play_of_signs(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0] = s[0] - m
    child[1] = s[1] ^ np.uint64(HIGHEST)


class Signs(toy.Pile):
    """A pile whose highest bit is the side to move."""

    def functions(self) -> Any:
        return attrs.evolve(super().functions(), gen=gen_of_signs, play=play_of_signs)

    def side_to_move(self, state: Any) -> int:
        return int(state[1] >> 63)


def stones_above(data: Any, s: Any, planes: Any) -> None:
    planes[0] = s[0] << 60


def side_as_cell(data: Any, s: Any, planes: Any) -> None:
    planes[0] = 1 << s[1]


def sign_as_cell(data: Any, s: Any, planes: Any) -> None:
    """A word and a literal: int64 when compiled, uint64 in Python."""
    planes[0] = 1 if ((s[0] | 1) << 63) >> 63 == 1 else 0


def sign_as_index(data: Any, s: Any, m: Any) -> Any:
    return 1 if ((s[0] | 1) << 63) >> 63 == 1 else 0


def two_cells(function: Any) -> Cells:
    return Cells(cells=function, places=((0, 0), (0, 1)), codes=("own",))


def two_holes(**functions: Any) -> Board:
    return Board(places=((0, 0), (0, 1)), shape="hole", **functions)


def refuse(*_: Any) -> Any:
    raise GameforgeError("no such text")


class EmptyTexts(GameFiles):
    """Writes every game as an empty text, and reads games back from memory."""

    suffix = ".txt"

    def __init__(self) -> None:
        self._written: list[Any] = []

    def game_text(self, game: Any) -> str:
        self._written.append(game)
        return ""

    def read_games(self, path: Any, **_: Any) -> Any:
        return (game for game in self._written if not game.phase)


class UnreadTexts(GameFiles):
    """Reads no games from its own files."""

    suffix = ".txt"

    def game_text(self, game: Any) -> str:
        return "a game"

    def read_games(self, path: Any, **_: Any) -> Any:
        return iter(())


RULES = {
    "interface": pile_with(name=""),
    "gen does not change the state": pile(gen=gen_that_takes),
    "gen respects max moves": pile(max_moves=2),
    "gen depends only on the state": pile(gen=gen_that_looks),
    "moves are distinct": pile(gen=gen_twice, max_moves=4),
    "play does not change the state": pile(play=play_that_takes),
    "play writes only the child": pile(play=play_beyond),
    "sides alternate": pile_with(side_to_move=lambda self, state: 0),
    "outcomes are codes": pile(outcome=never_over),
    "keys distinguish positions": pile(key=key_without_side),
    "irreversible moves are never undone": shuttle(irreversible=always, retracts=None),
    "retracting moves are reversible": shuttle(retracts=always),
    "noisy moves come first": pile(noisy=first_is_noisy),
    "ended agrees with outcome": pile(ended=always_running),
    "symmetries preserve the game": pile_with(
        symmetries=SimpleNamespace(
            count=2, state_image=lambda state, i: state, move_image=lambda state, move, i: move + i
        )
    ),
    "compiled and plain functions agree": Signs(),
    "position texts are read back": pile_with(
        positions=SimpleNamespace(
            position_text=lambda state: str(state[0]),
            parse_position=lambda text: (int(text), 0) if text.isdigit() else refuse(),
        )
    ),
    "move texts are read back": pile_with(
        notation=SimpleNamespace(
            move_text=lambda state, move, legal: "take",
            parse_move=lambda state, text, legal: legal[0] if text == "take" else refuse(),
        )
    ),
    "diagrams are drawn": pile_with(drawing=SimpleNamespace(diagram=lambda state: "", svg=lambda state: None)),
    "pictures are svg": pile_with(drawing=SimpleNamespace(diagram=lambda state: "|", svg=lambda state: "<p/>")),
    "openings are legal": pile_with(
        openings=SimpleNamespace(names=("all",), get=lambda name: [Opening("4", (12, 0), (4,))])
    ),
    "cells hold one code each": pile_with(cells=two_cells(stones_above)),
    "cells follow the symmetries": pile_with(
        symmetries=SimpleNamespace(
            count=2, state_image=lambda state, i: (state[0], state[1] ^ i), move_image=lambda state, move, i: move
        ),
        cells=two_cells(side_as_cell),
    ),
    "images preserve the game": pile_with(
        cells=Cells(
            cells=toy.cells,
            places=tuple((0, i) for i in range(12)),
            codes=("stone",),
            images=(tuple(range(11, -1, -1)),),
        )
    ),
    "pieces stand on cells": pile_with(
        board=two_holes(pieces=lambda state: [Piece(5, 0)], path=lambda state, move: ())
    ),
    "pieces can be arranged": pile_with(
        board=two_holes(
            pieces=lambda state: [Piece(0, 0)],
            path=lambda state, move: (0,),
            kinds=("",),
            arrange=lambda state, pieces, turn: (state[0], 1 - turn),
        )
    ),
    "paths lead over cells": pile_with(board=two_holes(pieces=lambda state: [], path=lambda state, move: (7,))),
    "indices number the moves": pile_with(moves=MoveIndices(size=2, index=toy.index)),
    "compiled and plain indices agree": pile_with(moves=MoveIndices(size=3, index=sign_as_index)),
    "compiled and plain cells agree": pile_with(cells=two_cells(sign_as_cell)),
    "games are written": pile_with(files=EmptyTexts()),
    "games in files are read back": pile_with(files=UnreadTexts()),
}

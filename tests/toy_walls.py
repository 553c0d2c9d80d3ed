"""A toy game on a board with pieces of nobody, a wall, a line and an arrow; it is loaded with --plugin."""

from typing import Any

from gameforge import Component, hookimpl
from gameforge.interfaces import LOSS, RUNNING, Board, DrawRules, Piece, RulesFunctions


def gen(rules: Any, s: Any, moves: Any) -> Any:
    n = 0
    for cell in range(9):
        if not (s[0] >> cell) & 1:
            moves[n] = cell
            n += 1
    return n


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0] = s[0] | (1 << m)
    child[1] = 1 - s[1]


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    return RUNNING if n_moves else LOSS


class Walls:
    """Each side fills a cell of nine; who cannot loses."""

    name = "walls"
    sides = ("first", "second")
    reasons = ("no cell left",)
    draws = DrawRules()
    board = Board(
        places=tuple((row, column) for row in range(3) for column in range(3)),
        pieces=lambda state: [Piece(cell, 2) for cell in range(9) if state[0] >> cell & 1],
        path=lambda state, move: (move,),
        strokes=lambda state: [("wall", 0, 1, 0), ("line", 4, 5, 1), ("arrow", 6, 1, 2)],
    )

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=2, max_moves=9, gen=gen, play=play, outcome=outcome)

    def initial(self) -> Any:
        return 0b10001, 0

    def side_to_move(self, state: Any) -> int:
        return int(state[1])


@hookimpl
def gameforge_components() -> list[Component]:
    return [Component("rules", "walls", f"{__name__}:Walls", "cells of nine are filled")]

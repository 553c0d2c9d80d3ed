"""Rules in ordinary Python: Tic-Tac-Toe over lists, not compiled (`compiled=False`).

    gameforge --plugin plain_python_rules.py perft --game tic-tac-toe --depth 6

A state has a word for each cell (0 empty, 1 cross, 2 nought) and one for the side to move; a move is a cell's index.
"""

from gameforge import Component, hookimpl
from gameforge.interfaces import DRAW, LOSS, RUNNING, Drawing, DrawRules, RulesFunctions

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def board(s):
    return [".xo"[s[cell]] for cell in range(9)]


def gen(rules, s, moves):
    empty = [cell for cell, sign in enumerate(board(s)) if sign == "."]
    for i, cell in enumerate(empty):
        moves[i] = cell
    return len(empty)


def play(rules, s, m, child):
    for cell in range(9):
        child[cell] = 1 + s[9] if cell == m else s[cell]
    child[9] = 1 - s[9]


def outcome(rules, s, n_moves):
    lost = {"xxx", "ooo"} & {"".join(board(s)[cell] for cell in line) for line in LINES}  # by the move just made
    return LOSS if lost else RUNNING if n_moves else DRAW + 4 * 1


class Board(Drawing):
    def diagram(self, state):
        return "\n".join(" ".join(board(state)[cell] for cell in row) for row in LINES[:3])


class TicTacToe:
    name, sides, reasons = "tic-tac-toe", ("cross", "nought"), ("three in a line", "board full")
    draws, drawing = DrawRules(), Board()

    def functions(self):
        return RulesFunctions(words=10, max_moves=9, gen=gen, play=play, outcome=outcome, compiled=False)

    def initial(self):
        return (0,) * 10

    def side_to_move(self, state):
        return state[9]


@hookimpl
def gameforge_components():
    return [Component("rules", "tic-tac-toe", f"{__name__}:TicTacToe", "three in a line on 3 x 3")]

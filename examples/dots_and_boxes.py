"""Dots and Boxes on 3 x 3 boxes, and an evaluator that counts them.

    gameforge --plugin dots_and_boxes.py match uct:simulations=500 'alphabeta:depth=5 + boxes' --game dots-and-boxes

Whoever draws the fourth edge of a box owns it and draws again. Sides alternate with every ply, so the opponent then
passes, which is its only move. The game ends with the last edge. There are 25 moves with 25 indices: the edges, each
named after its place between the dots, which are a1, c1, ..., g7, and the pass.

A state has five words: the edges that each side has drawn, the boxes that each side owns, and the side to move, plus 2
if it must pass.
"""

import numpy as np

from gameforge import Component, hookimpl
from gameforge.grid import Grid, MoveTexts
from gameforge.interfaces import (
    LOSS,
    RUNNING,
    WIN,
    Board,
    Cells,
    Drawing,
    DrawRules,
    EvaluatorFunctions,
    MoveIndices,
    Piece,
    RulesFunctions,
)
from gameforge.kernel import popcount

GRID = Grid(rows=7, columns=7)
EDGE_PLACES = [(row, column) for row, column in GRID.places if (row + column) % 2]
BOX_PLACES = [(row, column) for row, column in GRID.places if row % 2 and column % 2]
PLACES = (*EDGE_PLACES, *BOX_PLACES)
EDGES, BOXES = len(EDGE_PLACES), len(BOX_PLACES)
PASS, ALL = EDGES, np.uint64((1 << EDGES) - 1)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits everywhere
AROUND = np.array(  # the four edges of each box
    [sum(1 << e for e, (r, c) in enumerate(EDGE_PLACES) if abs(r - row) + abs(c - column) == 1)
     for row, column in BOX_PLACES], np.uint64)  # fmt: skip
IMAGES = tuple(
    tuple(PLACES.index((abs(a - row), abs(b - column))[::turn]) for row, column in PLACES)
    for a in (0, 6) for b in (0, 6) for turn in (1, -1)
)  # fmt: skip
COLOURS = ("#2f6fb5", "#d6403a")
NAMES = tuple(f"{'abcdefg'[column]}{row + 1}" for row, column in PLACES)


def gen(rules, s, moves):
    if s[4] & 2:
        moves[0] = PASS
        return 1
    n = 0
    for edge in range(EDGES):
        if (s[0] | s[1]) >> edge & 1 == 0:
            moves[n] = edge
            n += 1
    return n


def play(rules, s, m, child):
    for i in range(4):
        child[i] = s[i]
    turn = s[4] & 1
    child[4] = turn ^ 1
    if m == PASS:
        return
    child[turn] |= 1 << m
    drawn = child[0] | child[1]
    for box in range(BOXES):
        if AROUND[box] >> m & 1 and AROUND[box] & drawn == AROUND[box]:
            child[2 + turn] |= 1 << box
            if drawn != ALL:
                child[4] = turn ^ 3


def outcome(rules, s, n_moves):
    if n_moves:
        return RUNNING
    turn = s[4] & 1
    return WIN if popcount(s[2 + turn]) > popcount(s[3 - turn]) else LOSS  # of nine boxes, someone has more


def key(rules, s):
    """Hash the position; it does not matter who has drawn an edge."""
    h = (s[0] | s[1] | s[2] << 24 | s[3] << 33 | s[4] << 42) * SPREAD
    return h ^ h >> 32


def irreversible(rules, s, m):
    return 1


def cells(data, s, planes):
    """Edges have the same code whoever has drawn them; boxes are own or the other side's."""
    turn = s[4] & 1
    planes[0] = s[0] | s[1]
    planes[1], planes[2] = s[2 + turn] << EDGES, s[3 - turn] << EDGES


def index(data, s, m):
    return m


def evaluate(ed, w, s, x):
    turn = s[4] & 1
    return (float(popcount(s[2 + turn])) - float(popcount(s[3 - turn]))) / (BOXES + 1)


def pieces(state):
    """Each edge and each box has the colour of the side that has drawn it."""
    owned = [(state[side] | state[2 + side] << EDGES, side) for side in range(2)]
    return [Piece(cell, side) for cell in range(len(PLACES)) for word, side in owned if word >> cell & 1]


class Picture(Drawing):
    def diagram(self, state):
        """Draw `A` and `B` in the boxes of the first and of the second side."""
        there = {PLACES[piece.cell]: piece.side for piece in pieces(state)}

        def sign(row, column):
            if row % 2 and column % 2:
                return " AB"[1 + there.get((row, column), -1)].center(3)
            if row % 2 == column % 2:
                return "+"
            return ("|" if row % 2 else "---") if (row, column) in there else " " if row % 2 else "   "

        rows = [f"{row + 1} " + "".join(sign(row, column) for column in range(7)) for row in range(6, -1, -1)]
        return "\n".join([*rows, "  a b c d e f g"])

    def svg(self, state):
        """Draw edges as lines and boxes as squares, in the colours of their owners; dots are 40 units apart."""
        shapes = []
        for piece in sorted(pieces(state), reverse=True):  # boxes first, under their edges
            row, column = PLACES[piece.cell]
            half, x, y = (0, 20)[column % 2], 20 + 20 * column, 140 - 20 * row
            up, colour = (0, 20)[row % 2], COLOURS[piece.side]
            shapes.append(
                f'<rect x="{x - half - 2}" y="{y - up - 2}" width="{2 * half + 4}" height="{2 * up + 4}" '
                f'fill="{colour}" opacity="{0.4 if half and up else 1}"/>'
            )
        dots = [f'<circle cx="{x}" cy="{y}" r="4"/>' for x in range(20, 141, 40) for y in range(20, 141, 40)]
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 160">{"".join(shapes + dots)}</svg>'


class DotsAndBoxes:
    name, sides, reasons = "dots-and-boxes", ("blue", "red"), ("more boxes",)
    draws, drawing = DrawRules(), Picture()
    notation = MoveTexts(lambda move: "pass" if move == PASS else NAMES[move])
    moves = MoveIndices(size=EDGES + 1, index=index)
    cells = Cells(cells=cells, places=PLACES, codes=("edge", "own", "other"), names=NAMES, images=IMAGES)
    board = Board(
        places=PLACES,
        names=NAMES,
        pieces=pieces,
        path=lambda state, move: [] if move == PASS else [move],
        upwards=True,
        colours=COLOURS,
        ground="#efe8d8",
        note=lambda state: tuple(f"{boxes.bit_count()} of {BOXES} boxes" for boxes in state[2:4]),
    )

    def functions(self):
        functions = {"gen": gen, "play": play, "outcome": outcome, "key": key, "irreversible": irreversible}
        return RulesFunctions(words=5, max_moves=EDGES, **functions)

    def initial(self):
        return (0,) * 5

    def side_to_move(self, state):
        return state[4] & 1


class Boxes:
    def functions(self, rules, features):
        return EvaluatorFunctions(evaluate=evaluate)


@hookimpl
def gameforge_components():
    return [
        Component("rules", "dots-and-boxes", f"{__name__}:DotsAndBoxes", "Dots and Boxes on 3 x 3 boxes"),
        Component("evaluator", "boxes", f"{__name__}:Boxes", "own boxes minus the opponent's", game="dots-and-boxes"),
    ]

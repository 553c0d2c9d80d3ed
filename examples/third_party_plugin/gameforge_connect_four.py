"""Connect Four, and a feature map for it. A move is a column, from 0.

A state is two words: the stones of the side to move, those of the other side. Column c, row r is
bit 7 * c + r; the bits 7 * c + 6 stay 0, so that no line wraps around.
"""

from gameforge import Component, hookimpl
from gameforge.interfaces.board import Board, Piece
from gameforge.interfaces.capabilities import Drawing
from gameforge.interfaces.cells import Cells
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.outcome import DRAW, LOSS, RUNNING
from gameforge.interfaces.rules import DrawRules, RulesFunctions

GRID = [[7 * column + row for column in range(7)] for row in range(6)]
BOARD = sum(1 << bit for row in GRID for bit in row)
STEPS = (1, 6, 7, 8)  # bits from one cell of a line to the next: up, falling, level, rising
FOURS = [sum(1 << first + i * step for i in range(4)) for first in range(49) for step in STEPS]
LINES = [line for line in FOURS if line & BOARD == line]  # 69 of them


def gen(rules, s, moves):
    n = 0
    for column in range(7):
        if (s[0] | s[1]) >> (7 * column + 5) & 1 == 0:
            moves[n] = column
            n += 1
    return n


def play(rules, s, m, child):
    stones = s[0] | s[1]
    child[0], child[1] = s[1], s[0] | (stones + (1 << 7 * m)) & ~stones  # the sum carries into the lowest empty cell


def outcome(rules, s, n_moves):
    for step in STEPS:
        pairs = s[1] & (s[1] >> step)
        if pairs & (pairs >> 2 * step):
            return LOSS  # for reasons[0]
    return RUNNING if n_moves else DRAW + 4 * 1  # for reasons[1]


def cells(data, s, planes):
    """Bit 6 * c + r of a plane is the cell in column c and row r, without the gaps."""
    for side in range(2):
        planes[side] = 0
        for column in range(7):
            planes[side] |= (s[side] >> 7 * column & 63) << 6 * column


def pieces(state):
    first = side_to_move(state)
    return [
        Piece(6 * column + row, side)
        for column in range(7)
        for row in range(6)
        for side in range(2)
        if state[side ^ first] >> (7 * column + row) & 1
    ]


def path(state, move):
    """The cell into which a stone falls; a click on any cell of the column will do (groups)."""
    return [6 * move + ((state[0] | state[1]) >> 7 * move & 63).bit_count()]


def features(fd, s, x):
    """Count lines in which only one side has stones, by number of stones; ordinary Python that numba does not
    compile."""
    own, other = s[0], s[1]
    mine = [(line & own).bit_count() for line in LINES if not line & other]
    theirs = [(line & other).bit_count() for line in LINES if not line & own]
    for n in (1, 2, 3):
        x[n - 1], x[n + 2] = mine.count(n) / 10, theirs.count(n) / 10


def side_to_move(state):
    return (state[0] | state[1]).bit_count() % 2


class Diagram(Drawing):
    def diagram(self, state):
        yellow, red = state if side_to_move(state) == 0 else state[::-1]
        symbol = {bit: ".YR"[(yellow >> bit & 1) + 2 * (red >> bit & 1)] for row in GRID for bit in row}
        return "\n".join(" ".join(symbol[bit] for bit in row) for row in reversed(GRID))


class ConnectFour:
    name, sides, reasons = "connect-four", ("yellow", "red"), ("four in a line", "board full")
    draws = DrawRules()
    drawing, side_to_move = Diagram(), staticmethod(side_to_move)
    cells = Cells(
        cells=cells,
        places=tuple((row, column) for column in range(7) for row in range(6)),
        images=(tuple(6 * (6 - column) + row for column in range(7) for row in range(6)),),
    )

    board = Board(
        places=cells.places,
        pieces=pieces,
        path=path,
        shape="hole",
        upwards=True,
        groups=tuple(tuple(range(first, first + 6)) for first in range(0, 42, 6)),
        colours=("#f5c518", "#d6403a"),
        ground="#2f5d9b",
    )

    def functions(self):
        return RulesFunctions(words=2, max_moves=7, gen=gen, play=play, outcome=outcome)

    def initial(self):
        return 0, 0


class OpenLines:
    def functions(self, rules):
        return FeatureFunctions(inputs=6, viewpoint="to move", features=features, compiled=False)


@hookimpl
def gameforge_components():
    return [
        Component("rules", "connect-four", f"{__name__}:ConnectFour", "four in a line on 7 columns of 6"),
        Component("features", "open-lines", f"{__name__}:OpenLines", "open lines by stones", game="connect-four"),
    ]

"""Connect Four, and a feature map for it. A move is a column, from 0, and is written as its letter.

A state is two words: the stones of the side to move, those of the other side. Column c, row r is
bit 7 * c + r; the bits 7 * c + 6 stay 0, so that no line wraps around.
"""

from gameforge import Component, hookimpl
from gameforge.grid import Grid, GridDrawing, GridSymmetries, MoveTexts
from gameforge.interfaces import (
    DRAW,
    LOSS,
    RUNNING,
    Board,
    Cells,
    DrawRules,
    FeatureFunctions,
    MoveIndices,
    Piece,
    RulesFunctions,
)

GRID = Grid(rows=6, columns=7)
BITS = [7 * column + row for row, column in GRID.places]  # of the cells from a1 on
BOARD = sum(1 << bit for bit in BITS)
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
    """Bit 7 * r + c of a plane is the cell in column c and row r."""
    for side in range(2):
        planes[side] = 0
        for cell in range(42):
            planes[side] |= (s[side] >> (7 * (cell % 7) + cell // 7) & 1) << cell


def index(data, s, m):
    return m


def pieces(state):
    first = side_to_move(state)
    return [Piece(cell, side) for cell, bit in enumerate(BITS) for side in range(2) if state[side ^ first] >> bit & 1]


def path(state, move):
    """The cell into which a stone falls; a click on any cell of the column will do (groups)."""
    return [move + 7 * ((state[0] | state[1]) >> 7 * move & 63).bit_count()]


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


def letters(state):
    """The letter of each cell, for pictures."""
    yellow, red = state if side_to_move(state) == 0 else state[::-1]
    return "".join(".YR"[(yellow >> bit & 1) + 2 * (red >> bit & 1)] for bit in BITS)


def mirrored(state, image):
    return tuple(sum((word >> 7 * column & 127) << 7 * (6 - column) for column in range(7)) for word in state)


class ConnectFour:
    name, sides, reasons = "connect-four", ("yellow", "red"), ("four in a line", "board full")
    draws, side_to_move = DrawRules(), staticmethod(side_to_move)
    notation = MoveTexts(lambda move: GRID.letters[move])
    drawing = GridDrawing(grid=GRID, board=letters, colours={"Y": "#f1c40f", "R": "#c0392b"})
    symmetries = GridSymmetries(images=(GRID.mirrored,), state=mirrored, move=lambda move, image: image[move])
    cells = Cells(cells=cells, places=GRID.places, images=(GRID.mirrored,))
    moves = MoveIndices(size=7, index=index)

    board = Board(
        places=GRID.places,
        pieces=pieces,
        path=path,
        shape="hole",
        upwards=True,
        groups=tuple(tuple(range(column, 42, 7)) for column in range(7)),
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

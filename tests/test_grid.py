"""The helpers for games on a grid."""

import xml.etree.ElementTree
from typing import Any

import pytest

from gameforge.errors import GameforgeError
from gameforge.grid import Grid, GridDrawing, GridPositions, GridSymmetries, MoveTexts
from gameforge.interfaces.capabilities import Drawing, Notation, Positions, Symmetries
from gameforge.interfaces.rules import State

GRID = Grid(rows=2, columns=3)


def board(state: State) -> str:
    return "".join(".xo"[(state[0] >> cell & 1) + 2 * (state[1] >> cell & 1)] for cell in range(GRID.size))


def state_of(letters: str, side: int) -> State:
    own, other = (sum(1 << i for i, letter in enumerate(letters) if letter == piece) for piece in "xo")
    if own & 1:
        raise GameforgeError("a1 must be empty")
    return own, other, side


POSITIONS = GridPositions(grid=GRID, pieces="xo", board=board, state=state_of, side_to_move=lambda state: state[2])
STATE = (0b010010, 0b100000, 1)


class TestGrid:
    def test_cells_and_names(self) -> None:
        assert [GRID.name(cell) for cell in range(6)] == ["a1", "b1", "c1", "a2", "b2", "c2"]
        assert [GRID.cell(GRID.name(cell)) for cell in range(6)] == [*range(6)]
        assert GRID.cell("B2") == 4
        assert GRID.places == ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))
        assert Grid(rows=12, columns=26).name(311) == "z12"

    @pytest.mark.parametrize("name", ["", "a", "1", "a0", "a3", "d1", "aa1", "a-1", "a1 ", "a\u00b2"])
    def test_unknown_names(self, name: str) -> None:
        with pytest.raises(GameforgeError, match=r"there is no cell .*; the cells are a1 to c2"):
            GRID.cell(name)

    def test_images_of_a_rectangle(self) -> None:
        assert GRID.mirrored == (2, 1, 0, 5, 4, 3)
        assert GRID.flipped == (3, 4, 5, 0, 1, 2)
        assert GRID.turned == (5, 4, 3, 2, 1, 0)
        assert GRID.images == (GRID.mirrored, GRID.flipped, GRID.turned)

    @pytest.mark.parametrize(("grid", "count"), [(GRID, 4), (Grid(rows=3, columns=3), 8)])
    def test_images_form_a_group(self, grid: Grid, count: int) -> None:
        group = {tuple(range(grid.size)), *grid.images}
        assert len(group) == count
        assert {tuple(one[cell] for cell in other) for one in group for other in group} == group


class TestMoveTexts:
    TEXTS = MoveTexts(lambda move: f"{GRID.name(move & 7)}-{GRID.name(move >> 3)}")

    def test_they_are_a_notation(self) -> None:
        assert isinstance(self.TEXTS, Notation)
        assert self.TEXTS.move_text((), 0o41, [0o41]) == "b1-b2"
        assert self.TEXTS.parse_move((), " B1-b2", [0o30, 0o41]) == 0o41

    def test_a_move_that_is_not_legal(self) -> None:
        with pytest.raises(GameforgeError, match=r"no legal move 'b1-c2'; legal: a1-a2, b1-b2$"):
            self.TEXTS.parse_move((), "b1-c2", [0o30, 0o41])
        with pytest.raises(GameforgeError, match=r"legal: none$"):
            self.TEXTS.parse_move((), "b1-c2", [])


class TestPositions:
    def test_they_are_written_and_read(self) -> None:
        assert isinstance(POSITIONS, Positions)
        assert POSITIONS.position_text(STATE) == "1xo/1x1 o"
        assert POSITIONS.parse_position("1xo/1x1 o") == STATE
        assert POSITIONS.parse_position(" .xo/.x. o ") == STATE

    def test_many_empty_cells(self) -> None:
        wide = Grid(rows=1, columns=12)
        positions = GridPositions(
            grid=wide,
            pieces="x",
            sides="wb",
            board=lambda state: "." * 11 + "x",
            state=lambda letters, side: (letters.index("x"), side),
            side_to_move=lambda state: 0,
        )
        assert positions.position_text((0,)) == "11x w"
        assert positions.parse_position("11x b") == (11, 1)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "must be 2 rows of 3 cells, separated by '/'"),
            ("3 x", "must be 2 rows of 3 cells"),
            ("3/4 x", "must be 2 rows of 3 cells"),
            ("3/99999999999999999999 x", "must be 2 rows of 3 cells"),
            ("3/3", "the side to move is ''; must be x or o after the board"),
            ("3/3 w", "the side to move is 'w'; must be x or o"),
            ("3/1y1 x", "'y' is not a piece; the pieces are xo"),
            ("3/x2 x", "a1 must be empty"),
        ],
    )
    def test_what_is_not_a_position(self, text: str, message: str) -> None:
        with pytest.raises(GameforgeError) as caught:
            POSITIONS.parse_position(text)
        assert message in str(caught.value)


class TestDrawing:
    DRAWING = GridDrawing(grid=GRID, board=board, colours={"o": "#abcdef"}, caption=lambda state: "x < o")

    def test_the_diagram(self) -> None:
        assert isinstance(self.DRAWING, Drawing)
        assert self.DRAWING.diagram(STATE).splitlines() == ["2 . x o", "1 . x .", "  a b c", "x < o"]
        assert GridDrawing(grid=GRID, board=board).diagram(STATE).splitlines()[-1] == "  a b c"
        high = GridDrawing(grid=Grid(rows=10, columns=1), board=lambda state: "x" + "." * 9)
        assert high.diagram(()).splitlines()[0::9] == ["10 .", " 1 x"]

    def test_the_picture(self) -> None:
        picture = self.DRAWING.svg(STATE)
        root: Any = xml.etree.ElementTree.fromstring(picture)
        circles = [element for element in root if element.tag.endswith("circle")]
        assert [circle.get("fill") for circle in circles].count("#abcdef") == 1
        assert len(circles) == 3
        texts = [element.text for element in root if element.tag.endswith("text")]
        assert texts == ["1", "2", "a", "b", "c", "x < o"]


class TestSymmetries:
    SYMMETRIES = GridSymmetries(
        images=(GRID.mirrored,),
        state=lambda state, image: (image.moved(state[0]), image.moved(state[1]), state[2]),
        move=lambda move, image: image[move],
    )

    def test_images_of_states_and_moves(self) -> None:
        assert isinstance(self.SYMMETRIES, Symmetries)
        assert self.SYMMETRIES.count == 2
        assert self.SYMMETRIES.state_image(STATE, 0) == STATE
        assert self.SYMMETRIES.state_image(STATE, 1) == (0b010010, 0b001000, 1)
        assert [self.SYMMETRIES.move_image(STATE, 3, i) for i in (0, 1)] == [3, 5]

    def test_bits_beyond_the_board_are_dropped(self) -> None:
        assert GRID.turned.moved(0b1000001) == 0b100000

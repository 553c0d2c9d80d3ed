"""The board in a terminal and as SVG."""

from xml.etree import ElementTree

from draughts_positions import positions
from gameforge_draughts.drawing import DRAWING
from gameforge_draughts.movegen import START, pieces
from gameforge_draughts.notation import parse_position, position_text
from hypothesis import given

from gameforge.interfaces.rules import State

SVG = "{http://www.w3.org/2000/svg}"


def test_diagram() -> None:
    lines = DRAWING.diagram(parse_position("W:W18,23,K3,32:B1,5,12,K28")).splitlines()
    assert lines == [
        "░░░░░ ● 1 ░░░░░   2 ░░░░░ ♔ 3 ░░░░░   4 ",
        " ● 5 ░░░░░   6 ░░░░░   7 ░░░░░   8 ░░░░░",
        "░░░░░   9 ░░░░░  10 ░░░░░  11 ░░░░░ ●12 ",
        "  13 ░░░░░  14 ░░░░░  15 ░░░░░  16 ░░░░░",
        "░░░░░  17 ░░░░░ ○18 ░░░░░  19 ░░░░░  20 ",
        "  21 ░░░░░  22 ░░░░░ ○23 ░░░░░  24 ░░░░░",
        "░░░░░  25 ░░░░░  26 ░░░░░  27 ░░░░░ ♚28 ",
        "  29 ░░░░░  30 ░░░░░  31 ░░░░░ ○32 ░░░░░",
        "White to move    ● Black  ○ White  ♚ Black king  ♔ White king",
    ]


def test_the_first_mover_is_named_under_the_diagram() -> None:
    assert DRAWING.diagram(START).splitlines()[-1].startswith("Black to move")


@given(positions())
def test_svg_shows_every_square_number_piece_and_crown(state: State) -> None:
    root = ElementTree.fromstring(DRAWING.svg(state))
    numbers = [element.text for element in root.iter(f"{SVG}text")]
    assert {str(n) for n in range(1, 33)} <= set(numbers)
    placed = pieces(state)
    assert len(list(root.iter(f"{SVG}g"))) == len(placed)
    assert len(list(root.iter(f"{SVG}path"))) == sum(is_king for _, is_king in placed.values())
    title = root.find(f"{SVG}title")
    assert title is not None
    assert (title.text or "").endswith(position_text(state))


def test_square_1_is_at_the_top_one_place_from_the_left_and_32_at_the_bottom() -> None:
    texts = {text.text: text.attrib for text in ElementTree.fromstring(DRAWING.svg(START)).iter(f"{SVG}text")}
    x, y = ({number: float(texts[number][axis]) for number in ("1", "4", "5", "29", "32")} for axis in "xy")
    assert y["1"] == y["4"] < y["5"] < y["29"] == y["32"]
    assert x["5"] == x["29"] < x["1"] < x["32"] < x["4"]

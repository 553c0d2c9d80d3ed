"""NetFeatureMap: published values, an independent slow reference, symmetry, coding, selection."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gameforge_draughts import feature_terms
from gameforge_draughts.evaluation import NetFeatureMap
from gameforge_draughts.feature_terms import FEATURES, NAMES
from gameforge_draughts.movegen import BIT_OF, mask
from gameforge_draughts.rules import Draughts
from hypothesis import given
from hypothesis import strategies as st

from gameforge.errors import GameforgeError
from gameforge.kernel import U0
from gameforge.kernel.compile.functions import compiled_function
from gameforge.kernel.compile.jit import COMPILED, kernel

Board = dict[int, str]
"""Square -> b, B, w, W: man or king of Black or White."""

BITS = {name: int(bits) for name, _, bits in FEATURES}


# ---- positions ----------------------------------------------------------------------------


def state(board: Board, black_has_moved: bool) -> tuple[int, int, int]:
    black = int(mask(*(s for s, piece in board.items() if piece in "bB")))
    white = int(mask(*(s for s, piece in board.items() if piece in "wW")))
    kings = int(mask(*(s for s, piece in board.items() if piece in "BW")))
    return (white, black, kings | 1 << 63) if black_has_moved else (black, white, kings)


def start() -> Board:
    return dict.fromkeys(range(1, 13), "b") | dict.fromkeys(range(21, 33), "w")


def after(*moves: tuple[int, int]) -> Board:
    board = start()
    for source, target in moves:
        board[target] = board.pop(source)
    return board


def reversed_colours(board: Board) -> Board:
    return {33 - s: piece.translate(str.maketrans("bBwW", "wWbB")) for s, piece in board.items()}


def board_of(codes: str) -> Board:
    """32 of `.bBwW`; a man on its last row is a king."""
    board = {s: piece for s, piece in enumerate(codes, 1) if piece != "."}
    for s, piece in board.items():
        if (piece == "b" and s > 28) or (piece == "w" and s < 5):
            board[s] = piece.upper()
    return board


boards = st.lists(st.sampled_from(".....bbBwwW"), min_size=32, max_size=32).map(lambda c: board_of("".join(c)))


# ---- the reference: squares, rows and columns, the board turned for White -----------------

Spot = tuple[int, int]


def spot(square: int) -> Spot:
    row = (square - 1) // 4
    return row, 2 * ((square - 1) % 4) + (row + 1) % 2


SPOTS = {spot(square) for square in range(1, 33)}


def ways(piece: str) -> list[Spot]:
    forward = {"b": (1,), "w": (-1,), "B": (1, -1), "W": (1, -1)}[piece]
    return [(dr, dc) for dr in forward for dc in (1, -1)]


def steps(board: dict[Spot, str], side: str) -> set[tuple[Spot, Spot]]:
    moves = {(at, (at[0] + dr, at[1] + dc)) for at, p in board.items() if p in side for dr, dc in ways(p)}
    return {(source, target) for source, target in moves if target in SPOTS and target not in board}


def victims(board: dict[Spot, str], at: Spot) -> set[Spot]:
    enemy = "wW" if board[at] in "bB" else "bB"
    found = set()
    for dr, dc in ways(board[at]):
        over, to = (at[0] + dr, at[1] + dc), (at[0] + 2 * dr, at[1] + 2 * dc)
        if board.get(over, ".") in enemy and to in SPOTS and to not in board:
            found.add(over)
    return found


def squares_threatening(board: dict[Spot, str], side: str) -> set[Spot]:
    squares = set()
    for source, target in steps(board, side):
        after_step = dict(board)
        piece = after_step.pop(source)
        last_row = {"b": 7, "w": 0}.get(piece)
        after_step[target] = piece.upper() if target[0] == last_row else piece
        if victims(after_step, target):
            squares.add(target)
    return squares


def reference(board: Board, black_has_moved: bool) -> dict[str, int]:
    """Return the values as Black sees them, with the board turned if White has moved."""
    seen = {spot(s): p for s, p in (board if black_has_moved else reversed_colours(board)).items()}
    own = {at: p for at, p in seen.items() if p in "bB"}
    men = [at for at, p in own.items() if p == "b"]
    balance = sum({"b": 2, "B": 3, "w": -2, "W": -3}[p] for p in seen.values())
    centre = {at for at in SPOTS if 2 <= at[0] <= 5 and 2 <= at[1] <= 5}
    reached = {target for _, target in steps(seen, "wW")}
    corners = [((1, 1), (-1, -1)), ((1, -1), (-1, 1))]
    exposed = [
        (r, c)
        for r, c in own
        if any(all((r + dr, c + dc) in SPOTS - set(seen) for dr, dc in diagonal) for diagonal in corners)
    ]
    return {
        "PieceAdvantage": max(0, balance),
        "PieceDisadvantage": max(0, -balance),
        "PieceThreat": len(set().union(*(victims(seen, at) for at, p in seen.items() if p in "wW"))),
        "PieceTake": len(set().union(*(victims(seen, at) for at in own))),
        "Advancement": sum(r in (4, 5) for r, _ in men) - sum(r in (2, 3) for r, _ in men),
        "DoubleDiagonal": sum(abs(r - c) == 1 for r, c in own),
        "BackRowBridge": int({spot(1), spot(3)} <= set(men) and "W" not in seen.values()),
        "CentreControl": sum(at in centre for at in men),
        "XCentreControl": sum(at in reached or seen.get(at, ".") in "wW" for at in centre),
        "TotalMobility": len(reached),
        "Exposure": len(exposed),
        "KingCentreControl": sum(at in centre for at, p in own.items() if p == "B"),
        "DiagonalMoment": sum((7 - abs(r - c)) // 2 for r, c in own),
        "Threat": len(squares_threatening(seen, "wW")),
        "Taken": len(squares_threatening(seen, "bB")),
    }


def coded(values: dict[str, int]) -> list[int]:
    inputs = []
    for name, bits in BITS.items():
        value = values[name]
        if name == "DiagonalMoment":
            value = int(value / 4 + 0.5)
        value = min(max(value, 0), 2**bits - 1)
        inputs += [value >> bit & 1 for bit in range(bits)]
    return inputs


# ---- what is tested -----------------------------------------------------------------------


@kernel
def _terms(s: Any, out: Any) -> None:
    view = feature_terms.look(s)
    balance = feature_terms.material_balance(view)
    out[0], out[1] = max(balance, 0), max(-balance, 0)
    out[2], out[3] = feature_terms.piece_threat(view), feature_terms.piece_take(view)
    out[4], out[5] = feature_terms.advancement(view, U0), feature_terms.double_diagonal(view)
    out[6], out[7] = feature_terms.back_row_bridge(view), feature_terms.centre_control(view, U0)
    out[8], out[9] = feature_terms.x_centre_control(view), feature_terms.total_mobility(view)
    out[10], out[11] = feature_terms.exposure(view), feature_terms.king_centre_control(view)
    out[12] = feature_terms.diagonal_moment(view)
    out[13], out[14] = feature_terms.threat(view), feature_terms.taken(view)


def scalars(board: Board, black_has_moved: bool) -> dict[str, int]:
    out = np.zeros(len(FEATURES), np.int64)
    _terms(np.array(state(board, black_has_moved), np.uint64), out)
    return dict(zip(NAMES, out.tolist(), strict=True))


ALL = NetFeatureMap()


@functools.cache
def compiled(function: Any) -> Any:
    return compiled_function("features", function)


def inputs(board: Board, black_has_moved: bool, features: NetFeatureMap = ALL) -> list[int]:
    made = features.functions(Draughts())
    assert made.data is not None
    x = np.full(made.inputs + 1, 7, np.float32)
    blocks = made.data, np.array(state(board, black_has_moved), np.uint64), x
    function = compiled(made.features)
    if COMPILED:
        function.python(*(block.ctypes.data for block in blocks))
    else:
        function(*blocks)
    assert x[made.inputs] == 7, "writes beyond its inputs"
    return [int(value) for value in x[: made.inputs]]


KINGS = {15: "B", 18: "B", 10: "b", 19: "W", 26: "w"}
COLUMNS = (
    "Advancement",
    "DoubleDiagonal",
    "BackRowBridge",
    "CentreControl",
    "XCentreControl",
    "TotalMobility",
    "Exposure",
    "DiagonalMoment",
    "Threat",
    "Taken",
)
VECTORS = [
    (start(), True, (-4, 5, 1, 2, 4, 4, 0, 24, 0, 0), {}),
    (after((11, 15)), True, (-4, 6, 1, 2, 4, 4, 1, 25, 1, 0), {}),
    (after((11, 15), (23, 19)), False, (-4, 5, 1, 2, 5, 5, 1, 24, 1, 1), {}),
    (after((11, 15), (23, 19), (8, 11)), True, (-5, 6, 1, 3, 4, 5, 0, 26, 0, 1), {}),
    (after((9, 14), (22, 18), (5, 9)), True, (-5, 5, 1, 3, 5, 5, 0, 24, 0, 1), {}),
    (after((10, 15), (22, 18)), False, (-4, 6, 1, 2, 5, 5, 0, 25, 0, 1), {"PieceThreat": 1}),
    (KINGS, True, (-1, 3, 0, 1, 3, 4, 2, 9, 1, 2), {"PieceAdvantage": 3, "PieceTake": 1, "KingCentreControl": 2}),
]


@pytest.mark.parametrize(("board", "black_has_moved", "values", "others"), VECTORS)
def test_known_values(board: Board, black_has_moved: bool, values: tuple[int, ...], others: dict[str, int]) -> None:
    expected = dict.fromkeys(NAMES, 0) | dict(zip(COLUMNS, values, strict=True)) | others
    assert scalars(board, black_has_moved) == expected
    assert reference(board, black_has_moved) == expected


@given(boards, st.booleans())
def test_terms_and_inputs_agree_with_the_reference(board: Board, black_has_moved: bool) -> None:
    expected = reference(board, black_has_moved)
    assert scalars(board, black_has_moved) == expected
    assert inputs(board, black_has_moved) == coded(expected)


@given(boards, st.booleans())
def test_the_colours_are_symmetric(board: Board, black_has_moved: bool) -> None:
    assert inputs(board, black_has_moved) == inputs(reversed_colours(board), not black_has_moved)


def test_a_step_that_promotes_threatens_backwards() -> None:
    """The man on 25 steps to 29 or 30; only as a king on 30 can it jump back over 26."""
    board = {25: "b", 26: "w", 1: "w"}
    assert scalars(board, True)["Taken"] == 1
    assert scalars(reversed_colours(board), False)["Taken"] == 1
    assert scalars(board, False)["Threat"] == 1


# ---- coding -------------------------------------------------------------------------------


def group(board: Board, black_has_moved: bool, name: str) -> list[int]:
    return inputs(board, black_has_moved, NetFeatureMap(features=[name]))


def test_least_significant_bit_first() -> None:
    assert group(KINGS, True, "TotalMobility") == [0, 0, 1, 0]
    assert group(start(), True, "DoubleDiagonal") == [1, 0, 1, 0]


@pytest.mark.parametrize(("name", "men", "pieces"), [("Advancement", 1, 2), ("CentreControl", 1, 2)])
def test_kings_count_if_asked(name: str, men: int, pieces: int) -> None:
    """A man and a king of Black on centre squares of the rows 5 and 6."""
    board = {18: "b", 22: "B", 32: "w"}
    for kings, number in ((False, men), (True, pieces)):
        found = inputs(board, True, NetFeatureMap(features=[name], kings=kings))
        assert found == [number >> bit & 1 for bit in range(3)]


def test_values_are_clipped() -> None:
    blacks = dict.fromkeys(range(1, 13), "B")
    assert group(blacks, True, "PieceAdvantage") == [1, 1, 1, 1]  # 36
    assert group(blacks, True, "PieceDisadvantage") == [0, 0, 0, 0]  # -36
    assert group(blacks, False, "PieceDisadvantage") == [1, 1, 1, 1]
    assert group(start(), True, "Advancement") == [0, 0, 0]  # -4
    advanced = dict.fromkeys(range(17, 25), "b")
    assert group(advanced, True, "Advancement") == [1, 1, 1]  # 8
    diagonals = dict.fromkeys((1, 5, 6, 9, 10, 14, 15, 18, 19, 23, 24, 27), "b")
    assert group(diagonals, True, "DiagonalMoment") == [1, 1, 1]  # 36 / 4 = 9


@pytest.mark.parametrize(
    ("squares", "moment", "quarter"),
    [((3,), 1, 0), ((2,), 2, 1), ((1,), 3, 1), ((1, 2), 5, 1), ((1, 5), 6, 2), ((1, 5, 6, 2, 4), 11, 3)],
)
def test_a_quarter_of_the_diagonal_moment_rounded_half_up(squares: tuple[int, ...], moment: int, quarter: int) -> None:
    board = dict.fromkeys(squares, "b")
    assert scalars(board, True)["DiagonalMoment"] == moment
    assert group(board, True, "DiagonalMoment") == [quarter & 1, quarter >> 1 & 1, quarter >> 2]


# ---- selection ----------------------------------------------------------------------------


@given(boards, st.booleans(), st.sets(st.sampled_from(NAMES), min_size=1))
def test_a_subset_is_the_slice_of_all(board: Board, black_has_moved: bool, names: set[str]) -> None:
    everything = iter(inputs(board, black_has_moved))
    expected = [bit for name in NAMES for bit in [next(everything) for _ in range(BITS[name])] if name in names]
    assert inputs(board, black_has_moved, NetFeatureMap(features=names)) == expected


def test_the_sets_of_the_papers() -> None:
    ls, nd = (NetFeatureMap(set=s).functions(Draughts()) for s in ("ls", "neurodraughts"))
    assert (ls.inputs, nd.inputs) == (47, 38)
    assert nd.names == ls.names[:38]
    assert not {"DiagonalMoment.0", "Threat.0", "Taken.0"} & set(nd.names)
    assert NetFeatureMap() == NetFeatureMap(set="ls")


def test_the_example_of_the_paper_has_11_inputs() -> None:
    made = NetFeatureMap(features=["Threat", "PieceDisadvantage", "PieceAdvantage"]).functions(Draughts())
    assert made.viewpoint == "just moved"
    assert made.names == tuple(
        [f"PieceAdvantage.{n}" for n in range(4)]
        + [f"PieceDisadvantage.{n}" for n in range(4)]
        + [f"Threat.{n}" for n in range(3)]
    )


def test_names_ignore_case_and_know_the_misprint() -> None:
    spelled = NetFeatureMap(features=("BackrowBridge", "Centrecontrol", "PieceDisadvatange"))
    assert spelled.features == ("PieceDisadvantage", "BackRowBridge", "CentreControl")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"features": ["Treat"]}, ("'Treat'", "did you mean 'Threat'", "PieceAdvantage")),
        ({"features": ["Threat", "Taken", "threat"]}, ("Threat", "twice")),
        ({"features": []}, ("empty", "PieceAdvantage")),
        ({"features": "Threat"}, ("list", "'Threat'")),
        ({"features": ["Threat"], "set": "ls"}, ("exactly one of set and features",)),
        ({"set": None}, ("exactly one of set and features",)),
        ({"set": "neurodraught"}, ("'neurodraught'", "did you mean 'neurodraughts'", "'ls'")),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(GameforgeError) as error:
        NetFeatureMap(**parameters)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_another_game_is_refused() -> None:
    class Chess(Draughts):
        name = "chess"

    with pytest.raises(GameforgeError, match="'netfeaturemap' read draughts positions; the game is 'chess'"):
        NetFeatureMap().functions(Chess())


# ---- the same sources, uncompiled ---------------------------------------------------------

UNCOMPILED = """
import json, sys
import numpy as np
from gameforge_draughts.evaluation import NetFeatureMap
from gameforge_draughts.rules import Draughts
made = NetFeatureMap().functions(Draughts())
rows = []
for words in json.load(open(sys.argv[1])):
    x = np.zeros(made.inputs, np.float32)
    made.features(made.data, np.array(words, np.uint64), x)
    rows.append(x.astype(int).tolist())
print(json.dumps(rows))
"""


def test_compiled_and_uncompiled_agree(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    positions = [(board_of("".join(rng.choice(list(".....bbBwwW"), 32))), bool(n & 1)) for n in range(1000)]
    (tmp_path / "states.json").write_text(json.dumps([state(*position) for position in positions]))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", UNCOMPILED, str(tmp_path / "states.json")],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [inputs(*position) for position in positions]


def test_the_board_is_the_one_assumed_here() -> None:
    """Neighbours of squares in words are 4 and 5 bits apart."""
    for square in range(1, 33):
        r, c = spot(square)
        up = {s for s in range(1, 33) if spot(s) in {(r + 1, c - 1), (r + 1, c + 1)}}
        assert {BIT_OF[s - 1] - BIT_OF[square - 1] for s in up} <= {4, 5}

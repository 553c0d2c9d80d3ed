"""A slow reference of English draughts, with rows, columns and dictionaries instead of bits.

It was written from the rules (WCDF) and shares nothing with the plugin; the tests compare the kernel with it. A board
maps (row, column) to a piece, b B w W; capitals are kings. Row 0 is Black's own back row, squares 1-4, with square 1 in
column 1.
"""

from typing import NamedTuple

Place = tuple[int, int]


class Board(NamedTuple):
    pieces: dict[Place, str]
    side: str
    """b or w."""


class Turn(NamedTuple):
    path: tuple[int, ...]
    """Numbers of the squares."""
    after: Board


def number(place: Place) -> int:
    row, column = place
    return 4 * row + column // 2 + 1


PLACES = [(row, column) for row in range(8) for column in range(8) if (row + column) % 2]
NUMBERED = {number(place): place for place in PLACES}


def board_of(fen: str) -> Board:
    """Return the board of a FEN without ranges."""
    side, *lists = fen.split(":")
    pieces = {}
    for part in lists:
        for entry in filter(None, part[1:].split(",")):
            place = NUMBERED[int(entry.removeprefix("K"))]
            pieces[place] = part[0] if entry.startswith("K") else part[0].lower()
    return Board(pieces, side.lower())


def fen_of(board: Board) -> str:
    lists = {"W": "", "B": ""}
    for place in sorted(board.pieces, key=number):
        piece = board.pieces[place]
        lists[piece.upper()] += f",{'K' if piece.isupper() else ''}{number(place)}"
    return f"{board.side.upper()}:W{lists['W'][1:]}:B{lists['B'][1:]}"


def turns(board: Board) -> list[Turn]:
    """Yield all legal turns: one capture per route, or the steps if there is no capture."""
    mine = [place for place, piece in board.pieces.items() if piece.lower() == board.side]
    captures = [turn for place in mine for turn in _captures(board, place)]
    return captures or [turn for place in mine for turn in _steps(board, place)]


def perft(board: Board, depth: int) -> int:
    if depth == 1:
        return len(turns(board))
    return sum(perft(turn.after, depth - 1) for turn in turns(board))


def _directions(piece: str) -> list[Place]:
    forward = 1 if piece.lower() == "b" else -1
    rows = (1, -1) if piece.isupper() else (forward,)
    return [(row, column) for row in rows for column in (1, -1)]


def _crowned(piece: str, place: Place) -> str:
    return piece.upper() if place[0] == (7 if piece.lower() == "b" else 0) else piece


def _turn(board: Board, start: Place, stops: list[Place], captured: set[Place]) -> Turn:
    pieces = {place: piece for place, piece in board.pieces.items() if place != start and place not in captured}
    pieces[stops[-1]] = _crowned(board.pieces[start], stops[-1])
    path = tuple(number(place) for place in (start, *stops))
    return Turn(path, Board(pieces, "w" if board.side == "b" else "b"))


def _steps(board: Board, start: Place) -> list[Turn]:
    found = []
    for row, column in _directions(board.pieces[start]):
        stop = start[0] + row, start[1] + column
        if stop in PLACES and stop not in board.pieces:
            found.append(_turn(board, start, [stop], set()))
    return found


def _captures(board: Board, start: Place) -> list[Turn]:
    """Yield all captures. Captured pieces leave the board at the end of the turn; none is jumped twice."""
    piece = board.pieces[start]
    found = []

    def walk(stops: list[Place], captured: set[Place]) -> None:
        here = stops[-1] if stops else start
        ended = True
        crowned = bool(stops) and _crowned(piece, here) != piece
        for row, column in [] if crowned else _directions(piece):
            over, stop = (here[0] + row, here[1] + column), (here[0] + 2 * row, here[1] + 2 * column)
            is_theirs = over in board.pieces and board.pieces[over].lower() != board.side
            is_free = stop in PLACES and (stop == start or stop not in board.pieces)
            if is_theirs and is_free and over not in captured:
                ended = False
                walk([*stops, stop], captured | {over})
        if ended and stops:
            found.append(_turn(board, start, stops, captured))

    walk([], set())
    return found

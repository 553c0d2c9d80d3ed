"""A slow generator for all kinds of draughts in plain Python, written from the rules of the federations.

It shares no code with the plugin: squares are (row, column) pairs with row 0 at the top, a position is a dictionary,
and a capture is a sequence of jumps. A move is (from, to, captured squares, crowned on its way).
"""

from collections.abc import Iterator
from typing import NamedTuple

Place = tuple[int, int]
Position = dict[Place, str]
"""Place -> `w`, `W`, `b` or `B`: men and kings (capitals) of White and Black."""
Jump = tuple[Place, Place, Place]
"""Direction, captured place, place of landing."""
Move = tuple[Place, Place, frozenset[Place], bool]


class Laws(NamedTuple):
    """The rules of a federation, in the words of this module."""

    size: int = 10
    orthogonal: bool = False
    long_kings: bool = True
    halting: bool = False
    men_back: bool = True
    straight_captures: bool = False
    kings_immune: bool = False
    majority: str = "number"
    by_king: bool = False
    most_kings: bool = False
    king_first: bool = False
    promotion: str = "pass"
    at_once: bool = False


DIAGONALS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
STRAIGHT = [(-1, 0), (1, 0), (0, -1), (0, 1)]


def forward(white: bool) -> int:
    return -1 if white else 1


def step_directions(laws: Laws, white: bool, king: bool) -> list[Place]:
    if laws.orthogonal:
        return STRAIGHT if king else [(forward(white), 0), (0, -1), (0, 1)]
    return DIAGONALS if king else [(forward(white), -1), (forward(white), 1)]


def capture_directions(laws: Laws, white: bool, king: bool) -> list[Place]:
    if laws.orthogonal:
        return STRAIGHT if king or laws.men_back else step_directions(laws, white, False)
    every = DIAGONALS + ([(-2, 0), (2, 0), (0, -2), (0, 2)] if laws.straight_captures else [])
    if king or laws.men_back:
        return every
    return [(dr, dc) for dr, dc in every if dr * forward(white) >= 0]


def on_board(laws: Laws, place: Place) -> bool:
    return 0 <= place[0] < laws.size and 0 <= place[1] < laws.size


def line(laws: Laws, place: Place, direction: Place) -> Iterator[Place]:
    row, column = place[0] + direction[0], place[1] + direction[1]
    while on_board(laws, (row, column)):
        yield row, column
        row, column = row + direction[0], column + direction[1]


def is_white(piece: str) -> bool:
    return piece in "wW"


def last_row(laws: Laws, white: bool) -> int:
    return 0 if white else laws.size - 1


def jumps(laws: Laws, position: Position, here: Place, piece: str, gone: set[Place], came: Place) -> list[Jump]:
    """All next jumps; `position` is without the moving piece, and `gone` are captured already."""
    white, king = is_white(piece), piece.isupper()
    standing = {p: v for p, v in position.items() if not (laws.at_once and p in gone)}
    found = []
    for direction in capture_directions(laws, white, king):
        if direction == (-came[0], -came[1]):
            continue
        places = list(line(laws, here, direction))
        reach = len(places) if king and laws.long_kings else 1
        for i in range(min(reach, len(places))):
            if places[i] not in standing:
                continue
            target = standing[places[i]]
            takes = is_white(target) != white and places[i] not in gone
            if takes and not (laws.kings_immune and target.isupper() and not king):
                for landing in places[i + 1 : i + 1 + (1 if laws.halting else reach)]:
                    if landing in standing:
                        break
                    found.append((direction, places[i], landing))
            break
    return found


def sequences(laws: Laws, position: Position, start: Place) -> list[tuple[tuple[Jump, ...], str]]:
    """All complete captures of a piece, with what it is at their end, before a man is crowned for ending there."""
    piece = position[start]
    board = {p: v for p, v in position.items() if p != start}

    def extend(here: Place, piece: str, done: tuple[Jump, ...]) -> list[tuple[tuple[Jump, ...], str]]:
        gone = {captured for _, captured, _ in done}
        came = done[-1][0] if done else (0, 0)
        found = []
        for jump in jumps(laws, board, here, piece, gone, came):
            landing, now = jump[2], piece
            arrives = piece.islower() and landing[0] == last_row(laws, is_white(piece))
            if arrives and laws.promotion == "stop":
                found.append(((*done, jump), piece))
                continue
            if arrives and laws.promotion == "continue":
                now = piece.upper()
            longer = extend(landing, now, (*done, jump))
            found.append(((*done, jump), now)) if not longer else found.extend(longer)
        # A king may choose where it lands, but must choose a place from which it can go on if there is one.
        by_way: dict[tuple[tuple[Place, Place], ...], int] = {}
        for route, _ in found:
            if len(route) > len(done):
                key = route[len(done)][:2]
                by_way[key] = max(by_way.get(key, 0), len(route))  # type: ignore[index, call-overload]
        return [
            (route, end)
            for route, end in found
            if len(route) > len(done) + 1 or by_way[route[len(done)][:2]] == len(done) + 1  # type: ignore[index]
        ]

    return extend(start, piece, ())


def value(laws: Laws, captured: list[str]) -> tuple[float, ...]:
    kings = sum(piece.isupper() for piece in captured)
    if laws.majority == "value":  # n kings are worth less than 2n men, and more than 2n - 1
        return (len(captured) + kings - kings / 100,)
    return (len(captured) if laws.majority == "number" else 0,)


def legal_moves(laws: Laws, position: Position, white: bool) -> set[Move]:
    """The legal moves, captures with the same result once. The three-move rule of Frisian kings is not known here."""
    captures = []
    for start, piece in position.items():
        if is_white(piece) == white:
            for route, end in sequences(laws, position, start):
                if route:
                    captures.append((start, piece, route, end))
    if captures:
        return best_captures(laws, position, captures)
    found = set()
    for start, piece in position.items():
        if is_white(piece) == white:
            for direction in step_directions(laws, white, piece.isupper()):
                for place in line(laws, start, direction):
                    if place in position:
                        break
                    found.add((start, place, frozenset[Place](), False))
                    if not (piece.isupper() and laws.long_kings):
                        break
    return found


def best_captures(
    laws: Laws, position: Position, captures: list[tuple[Place, str, tuple[Jump, ...], str]]
) -> set[Move]:
    def taken(route: tuple[Jump, ...]) -> list[str]:
        return [position[captured] for _, captured, _ in route]

    best = max(value(laws, taken(route)) for _, _, route, _ in captures)
    captures = [one for one in captures if value(laws, taken(one[2])) == best]
    if laws.by_king and any(piece.isupper() for _, piece, _, _ in captures):
        captures = [one for one in captures if one[1].isupper()]
    if laws.most_kings:
        most = max(sum(piece.isupper() for piece in taken(route)) for _, _, route, _ in captures)
        captures = [one for one in captures if sum(piece.isupper() for piece in taken(one[2])) == most]
    if laws.king_first:

        def before(route: tuple[Jump, ...]) -> int:
            kings = [i for i, piece in enumerate(taken(route)) if piece.isupper()]
            return kings[0] if kings else 99

        least = min(before(route) for _, _, route, _ in captures)
        captures = [one for one in captures if before(one[2]) == least]
    return {
        (start, route[-1][2], frozenset(captured for _, captured, _ in route), piece.islower() and end.isupper())
        for start, piece, route, end in captures
    }


def after(laws: Laws, position: Position, move: Move) -> Position:
    """The position after a move."""
    start, to, captured, crowned = move
    piece = position[start]
    child = {p: v for p, v in position.items() if p != start and p not in captured}
    child[to] = piece.upper() if crowned or to[0] == last_row(laws, is_white(piece)) else piece
    return child

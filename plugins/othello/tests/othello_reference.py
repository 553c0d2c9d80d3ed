"""A slow reference of Othello, with rows, columns and dictionaries instead of bits.

It was written from the rules and shares nothing with the plugin; the tests compare the kernel with it. A board maps
(row, column), from 0, to X (Black) or O (White).
"""

from typing import NamedTuple

Place = tuple[int, int]


class Board(NamedTuple):
    discs: dict[Place, str]
    side: str


def name(place: Place) -> str:
    return "abcdefgh"[place[1]] + "12345678"[place[0]]


def board_of(text: str) -> Board:
    """Return the board of 64 characters, and the side to move."""
    squares, side = text.split()
    return Board({divmod(i, 8): disc for i, disc in enumerate(squares) if disc != "-"}, side)


def text_of(board: Board) -> str:
    squares = "".join(board.discs.get((row, column), "-") for row in range(8) for column in range(8))
    return f"{squares} {board.side}"


def other(side: str) -> str:
    return "O" if side == "X" else "X"


def flipped(board: Board, place: Place) -> list[Place]:
    """Return the discs that flip if the side to move places one here; none if it cannot."""
    if place in board.discs:
        return []
    found = []
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            run = []
            row, column = place[0] + down, place[1] + right
            while (down or right) and board.discs.get((row, column)) == other(board.side):
                run.append((row, column))
                row, column = row + down, column + right
            if board.discs.get((row, column)) == board.side:
                found += run
    return found


def turns(board: Board) -> list[tuple[str, Board]]:
    """Yield (name of the square or pass, board after it); nothing if the game is over."""
    found = _placements(board)
    passed = Board(board.discs, other(board.side))
    return found or ([("pass", passed)] if _placements(passed) else [])


def _placements(board: Board) -> list[tuple[str, Board]]:
    found = []
    for row in range(8):
        for column in range(8):
            turned = flipped(board, (row, column))
            if turned:
                discs = board.discs | dict.fromkeys([*turned, (row, column)], board.side)
                found.append((name((row, column)), Board(discs, other(board.side))))
    return found


def perft(board: Board, depth: int) -> int:
    following = turns(board)
    return len(following) if depth == 1 else sum(perft(after, depth - 1) for _, after in following)


def final_lead(board: Board) -> int:
    """Return Black's lead; empty squares go to the winner."""
    discs = list(board.discs.values())
    lead = discs.count("X") - discs.count("O")
    empty = 64 - len(discs)
    return lead + empty if lead > 0 else lead - empty if lead < 0 else 0

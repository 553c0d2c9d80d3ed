"""A slow reference of Nine Men's Morris, from the picture of the board; it shares no code with the package.

A position is (men, hands, side): men maps the name of a point to 0 (White) or 1 (Black), hands holds the men that each
side is still to place.
"""

from itertools import pairwise

Men = dict[str, int]
Position = tuple[Men, tuple[int, int], int]

LINES = [
    *("a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1"),
    *("a1 a4 a7", "b2 b4 b6", "c3 c4 c5", "d1 d2 d3", "d5 d6 d7", "e3 e4 e5", "f2 f4 f6", "g1 g4 g7"),
]
DIAGONALS = ["a7 b6 c5", "g7 f6 e5", "g1 f2 e3", "a1 b2 c3"]
MILLS = [line.split() for line in LINES]
WITH_DIAGONALS = [line.split() for line in LINES + DIAGONALS]
POINTS = sorted({point for mill in MILLS for point in mill})


def edges(mills: list[list[str]]) -> set[frozenset[str]]:
    return {frozenset(pair) for mill in mills for pair in pairwise(mill)}


EDGES = edges(MILLS)


def start(men: int = 9) -> Position:
    return {}, (men, men), 0


def in_mill(men: Men, point: str, mills: list[list[str]] = MILLS) -> bool:
    return any(point in mill and all(men.get(p) == men[point] for p in mill) for mill in mills)


def total(position: Position, side: int) -> int:
    men, hands, _ = position
    return sum(owner == side for owner in men.values()) + hands[side]


def legal(
    position: Position, flying: bool = True, mills: list[list[str]] = MILLS, lasker: bool = False
) -> dict[str, Position]:
    """Map the text of each legal move to the position after it. lasker: men in hand need not be placed first."""
    known = edges(mills)
    men, hands, side = position
    if total(position, side) < 3:
        return {}
    free = [point for point in POINTS if point not in men]
    own = [point for point in men if men[point] == side]
    found = {}
    turns = [("", point) for point in free if hands[side]]
    if lasker or not hands[side]:
        anywhere = flying and len(own) == 3 and not hands[side]
        turns += [(a, b) for a in own for b in free if anywhere or frozenset((a, b)) in known]
    for origin, to in turns:
        after_hands = (hands[0] - (side == 0 and not origin), hands[1] - (side == 1 and not origin))
        after = {point: owner for point, owner in men.items() if point != origin} | {to: side}
        text = f"{origin}-{to}" if origin else to
        theirs = [point for point in after if after[point] != side]
        if not in_mill(after, to, mills) or not theirs:
            found[text] = after, after_hands, 1 - side
            continue
        for gone in [p for p in theirs if not in_mill(after, p, mills)] or theirs:
            rest = {point: owner for point, owner in after.items() if point != gone}
            found[f"{text}x{gone}"] = rest, after_hands, 1 - side
    return found


def outcome(position: Position, flying: bool = True) -> str | None:
    """Return why the side to move has lost; None if it has not."""
    if total(position, position[2]) < 3:
        return "fewer than three men"
    return None if legal(position, flying) else "no legal move"


def leaves(position: Position, depth: int, flying: bool = True, lasker: bool = False) -> int:
    """Return the perft of a position."""
    moves = legal(position, flying, lasker=lasker)
    if depth == 1:
        return len(moves)
    return sum(leaves(after, depth - 1, flying, lasker) for after in moves.values())


def text(position: Position) -> str:
    """Return a position as the package writes it."""
    from gameforge_morris.movegen import NAMES

    men, hands, side = position
    lists = []
    for colour, letter in enumerate("WB"):
        own = ",".join(name for name in NAMES if men.get(name) == colour)
        lists.append(f"{letter}{own}{f'+{hands[colour]}' if hands[colour] else ''}")
    return ":".join(["WB"[side], *lists])

"""The routes of a capture: the kernel's moves say what is captured, not in which order.

This is a search in Python, restricted to the captured pieces, for text, pictures and files.
"""

from collections.abc import Iterator

import attrs

from gameforge.interfaces import State
from gameforge_draughts_family.block import KING_JUMPS, MEN_JUMPS, settings
from gameforge_draughts_family.board import Board, board_of, to_move
from gameforge_draughts_family.captures import CROWNED, ROUTE_SHIFT, SQUARE_MASK, TAKEN_MASK, TAKEN_SHIFT, TO_SHIFT
from gameforge_draughts_family.variant import Variant

_SQUARE, _TO, _TAKEN, _ROUTE = int(SQUARE_MASK), int(TO_SHIFT), int(TAKEN_SHIFT), int(ROUTE_SHIFT)
_AMONG, _CROWNED = int(TAKEN_MASK), int(CROWNED)

Path = tuple[int, ...]
"""The squares on which a piece stands during a move: before it, and after each jump."""
_Way = tuple[tuple[int, int], ...]
"""The jumps of a route: directions and captured squares."""


def ends(board: Board, move: int) -> tuple[int, int]:
    """Return the squares from which and to which a move leads."""
    return board.square_of_bit[move & _SQUARE], board.square_of_bit[move >> _TO & _SQUARE]


def taken_squares(board: Board, state: State, move: int) -> tuple[int, ...]:
    """Return the squares of the captured pieces, in reading order."""
    opp, among = state[1], move >> _TAKEN & _AMONG
    found = []
    for bit in (bit for bit in range(opp.bit_length()) if opp >> bit & 1):
        if among & 1:
            found.append(board.square_of_bit[bit])
        among >>= 1
    return tuple(sorted(found))


def is_capture(move: int) -> bool:
    """Return whether a move captures."""
    return bool(move >> _TAKEN & _AMONG)


def result_of(move: int) -> int:
    """Return a move without the number of its route: equal for moves that lead to the same position."""
    return move & ((1 << _ROUTE) - 1)


def path(variant: Variant, state: State, move: int) -> Path:
    """Return the path of a move; if several routes have its result, that of the route that the move names."""
    board = board_of(variant)
    if not is_capture(move):
        return ends(board, move)
    search = _Search.of(variant, state, move)
    ways: dict[_Way, Path] = {}
    for way, squares in search.routes():
        if variant.king_first:
            ways.setdefault(way, squares)
        elif way not in ways:
            ways[way] = squares
            if len(ways) > move >> _ROUTE:
                return squares
    best = min(map(search.first_king, ways))
    return [squares for way, squares in ways.items() if search.first_king(way) == best][move >> _ROUTE]


def leads_along(variant: Variant, state: State, move: int, between: Path) -> bool:
    """Return whether a capture has a route that touches these squares in order, between its ends."""

    def passes(squares: Path) -> bool:
        rest = iter(squares[1:-1])
        return all(square in rest for square in between)

    return any(passes(squares) for _, squares in _Search.of(variant, state, move).routes())


@attrs.frozen
class _Search:
    variant: Variant
    board: Board
    colour: int
    start: int
    end: int
    is_king: bool
    crowned: bool
    """Whether the man must have been crowned on its way."""
    taken: frozenset[int]
    occupied: frozenset[int]
    kings: frozenset[int]

    @classmethod
    def of(cls, variant: Variant, state: State, move: int) -> "_Search":
        board = board_of(variant)
        own, opp, kings, _ = state
        start, end = ends(board, move)
        occupied = {i for i, bit in enumerate(board.bits) if (own | opp) >> bit & 1} - {start}
        crowned = {i for i, bit in enumerate(board.bits) if kings >> bit & 1}
        taken = frozenset(taken_squares(board, state, move))
        is_king, by_way = start in crowned, bool(move & _CROWNED)
        return cls(
            variant, board, to_move(state), start, end, is_king, by_way, taken, frozenset(occupied), frozenset(crowned)
        )

    def first_king(self, way: _Way) -> int:
        """Return the number of jumps before the first king."""
        return next((i for i, (_, square) in enumerate(way) if square in self.kings), len(way))

    def routes(self) -> Iterator[tuple[_Way, Path]]:
        """Yield all routes with all their paths."""
        yield from self._from(self.start, self.is_king, (), (self.start,))

    def _from(self, here: int, is_king: bool, way: _Way, squares: Path) -> Iterator[tuple[_Way, Path]]:
        done = {square for _, square in way}
        if done == self.taken:
            if here == self.end and self.crowned == (is_king and not self.is_king):
                yield way, squares
            return
        for direction in range(8):
            if self._allowed(is_king, direction) and not (way and direction == way[-1][0] ^ 1):
                over, landings = self._jump(here, direction, is_king, done)
                for landing in landings:
                    arrives = not is_king and self.board.places[landing][0] == self.board.last_row(self.colour)
                    if arrives and self.variant.promotion == "stop" and len(done) + 1 < len(self.taken):
                        continue
                    king_now = is_king or (arrives and self.variant.promotion == "continue")
                    yield from self._from(landing, king_now, (*way, (direction, over)), (*squares, landing))

    def _allowed(self, is_king: bool, direction: int) -> bool:
        words = settings(self.variant, "once")
        row = KING_JUMPS if is_king else int(MEN_JUMPS) + self.colour
        return bool(int(words[int(row)]) >> direction & 1)

    def _jump(self, here: int, direction: int, is_king: bool, done: set[int]) -> tuple[int, list[int]]:
        """Return the square jumped over and those beyond; -1 and no square if there is no jump."""
        at_once = self.variant.removal == "at-once"
        blocked = self.occupied - done if at_once else self.occupied
        flying = is_king and self.variant.kings != "short"
        line = list(self._line(here, direction))
        over = 0
        while flying and over < len(line) and line[over] not in blocked:
            over += 1
        if over >= len(line) or line[over] not in self.taken - done:
            return -1, []
        landings: list[int] = []
        for square in line[over + 1 :]:
            if square in blocked or (landings and not (flying and self.variant.kings == "flying")):
                break
            landings.append(square)
        return line[over], landings

    def _line(self, here: int, direction: int) -> Iterator[int]:
        axis, down = divmod(direction, 2)
        rows, columns = self.board.axes[axis]
        sign = -1 if down else 1
        row, column = self.board.places[here]
        while True:
            row, column = row + sign * rows, column + sign * columns
            square = self.board.square_at.get((row, column))
            if square is None:
                return
            yield square

"""Captures: the search for those that may be played, and the routes of one.

The search finds all complete captures of the side to move, of which only the best rank is kept. It is a depth-first
search over jumps. Its stack lies at the end of the block of moves, since kernels allocate nothing. A frame describes
the piece after a jump: it may stand on any square of a ray, for kings fly beyond what they jump over. From each of
these squares it may turn; straight ahead it needs to look only once.

A move says what is captured, not in which order. For text, pictures and files, a search in Python finds the routes,
restricted to the captured pieces.
"""

from collections.abc import Iterator

import attrs
import numpy as np

from gameforge.interfaces import State
from gameforge.kernel import U0, U1, U2, Word, Words, at, ctz, inline, popcount
from gameforge_draughts_family import block
from gameforge_draughts_family.block import jumps
from gameforge_draughts_family.board import NARROW, Board, Variant, board_of, sets_of, to_move

_6, _8 = (np.uint64(n) for n in (6, 8))

TO_SHIFT, TAKEN_SHIFT, ROUTE_SHIFT = (np.uint64(n) for n in (NARROW.square, NARROW.captured, NARROW.route))
SQUARE_MASK, TAKEN_MASK = np.uint64((1 << NARROW.square) - 1), np.uint64((1 << NARROW.taken) - 1)
CROWNED = U1 << np.uint64(NARROW.crowned)
"""Bit of a move in which a man is crowned on its way."""

_FRAME = np.uint64(block.FRAME)
_HERE, _LEFT, _UNTRIED, _CAME, _RAY, _TAKEN, _TALLY, _MODE = (np.uint64(n) for n in range(block.FRAME))
"""Words of a frame: the square on which the piece stands (a bit), squares of the ray that it has not tried, the
directions that it has not tried from this square (a set), the direction from which it came, the ray, all captured
pieces, their tally, and the mode."""
_IS_KING, _JUMPED = U1, U2
"""Bits of the mode: the piece is a king now; it has jumped on from here."""
_KINGS_SHIFT, _FIRST_SHIFT, _BYTE = np.uint64(8), np.uint64(16), np.uint64(255)
"""A tally: number of pieces, number of kings among them, and 32 minus the number of pieces before the first king."""
_NONE_BEFORE = np.uint64(32)
_RANK_SHIFT, _BY_KING_SHIFT, _MOST_KINGS_SHIFT = np.uint64(32), np.uint64(24), np.uint64(16)
_MEN_A_KING = np.uint64(64)


@inline
def step(rules: Words, here: Word, direction: Word) -> Word:
    """Return the squares one step away in a direction; pieces at the edge leave the board."""
    here &= rules[block.SOURCE + direction]
    shift = rules[block.SHIFT + (direction >> U1)]
    return here << shift if direction & U1 else here >> shift


@inline
def jump(rules: Words, here: Word, direction: Word, flying: Word, prey: Word, free: Word) -> tuple[Word, Word]:
    """Return (the piece jumped over, the squares beyond on which the jump may end), or (0, 0)."""
    over = step(rules, here, direction)
    if flying:
        while over & free:
            over = step(rules, over, direction)
    over &= prey
    ray = step(rules, over, direction) & free
    if flying and flying != block.HALTING:
        beyond = ray
        while beyond:
            ray |= beyond
            beyond = step(rules, beyond, direction) & free
    return over, ray


@inline
def jumpers(rules: Words, movers: Word, directions: Word, prey: Word, empty: Word) -> Word:
    """Return the pieces that can jump over a piece next to them."""
    found = U0
    axis = U0
    while directions:
        shift = rules[block.SHIFT + axis]
        if directions & U1:
            source = rules[block.SOURCE + U2 * axis]
            found |= source & ((prey & source & (empty << shift)) << shift)
        if directions & U2:
            source = rules[block.SOURCE + U2 * axis + U1]
            found |= source & ((prey & source & (empty >> shift)) >> shift)
        directions >>= U2
        axis += U1
    return movers & found


@inline
def flying_jumpers(rules: Words, kings: Word, prey: Word, empty: Word) -> Word:
    """Return the flying kings that can capture."""
    found = U0
    directions = _8 if rules[block.KING_JUMPS] > np.uint64(15) else np.uint64(4)
    while kings:
        king = kings & (U0 - kings)
        kings ^= king
        direction = U0
        while direction < directions:
            if jump(rules, king, direction, U1, prey, empty)[1]:
                found |= king
                break
            direction += U1
    return found


@inline
def _tally(tally: Word, is_king: Word) -> Word:
    """Add a captured piece to a tally."""
    if is_king:
        if (tally >> _FIRST_SHIFT) == U0:
            tally |= (_NONE_BEFORE - (tally & _BYTE)) << _FIRST_SHIFT
        tally += U1 << _KINGS_SHIFT
    return tally + U1


@inline
def _rank(rules: Words, tally: Word, by_king: bool) -> Word:
    """Return the rank of a capture: only captures of the highest rank are legal. 1 or more."""
    majority = rules[block.MAJORITY]
    count, kings, first = tally & _BYTE, (tally >> _KINGS_SHIFT) & _BYTE, tally >> _FIRST_SHIFT
    if majority == block.FREE:
        count = U1
    if majority == block.VALUE:  # a king is worth a little less than two men
        count = (count + kings) * _MEN_A_KING - kings
    rank = count << _RANK_SHIFT
    if rules[block.BY_KING] and by_king:
        rank |= U1 << _BY_KING_SHIFT
    if rules[block.MOST_KINGS]:
        rank |= kings << _MOST_KINGS_SHIFT
    if rules[block.KING_FIRST]:
        rank |= first
    return rank


@inline
def _among(opp: Word, taken: Word) -> Word:
    """Return captured pieces as bits among the opponent's pieces, in the order of squares."""
    found = U0
    while taken:
        piece = taken & (U0 - taken)
        taken ^= piece
        found |= U1 << popcount(opp & (piece - U1))
    return found


@inline
def _listed(rules: Words, move: Word, first: Word, n: Word, moves: Words) -> Word:
    """Add a move to those of a piece, which begin at `first`, unless it is one of them; return their end."""
    alike = U0
    if (move >> TAKEN_SHIFT) & ((move >> TAKEN_SHIFT) - U1) & TAKEN_MASK:  # two or more pieces, so several routes
        for i in range(first, n):
            if moves[i] & ((U1 << ROUTE_SHIFT) - U1) == move:
                alike += U1
    if (alike != U0 and rules[block.APART] == U0) or n == rules[block.STACK]:
        return n
    moves[n] = move | (alike << ROUTE_SHIFT)
    return n + U1


@inline
def captures(rules: Words, own: Word, opp: Word, kings: Word, black: Word, starts: Word, moves: Words) -> Word:
    """Write all legal captures of the pieces in `starts`; return their number."""
    empty = rules[block.SQUARES] & ~(own | opp)
    last_row, promotion = rules[block.LAST_ROW + black], rules[block.PROMOTION]
    men_jumps, king_jumps = rules[block.MEN_JUMPS + black], rules[block.KING_JUMPS]
    men_prey = opp & ~kings if rules[block.KINGS_SAFE] else opp
    flies, at_once = rules[block.FLYING], rules[block.AT_ONCE]
    n, best = U0, U0
    while starts:
        start = starts & (U0 - starts)
        starts ^= start
        by_king = (kings & start) != U0
        # The piece has left its square, so its route may cross it.
        free = empty | start
        first = n
        depth = U0
        frame = at(moves, rules[block.STACK])
        frame[_HERE] = start
        frame[_LEFT] = frame[_CAME] = frame[_RAY] = frame[_TAKEN] = frame[_TALLY] = U0
        frame[_UNTRIED] = king_jumps if by_king else men_jumps
        frame[_MODE] = _IS_KING if by_king else U0
        while True:
            frame = at(moves, rules[block.STACK] + depth * _FRAME)
            untried, mode = frame[_UNTRIED], frame[_MODE]
            is_king = mode & _IS_KING
            # Step 1. Jump in the next direction that has not been tried from this square.
            if untried:
                direction = ctz(untried)
                frame[_UNTRIED] = untried & (untried - U1)
                taken = frame[_TAKEN]
                # No piece is jumped twice. A captured one blocks the way all the same, unless it is removed at once.
                prey = (opp if is_king else men_prey) & ~taken
                over, ray = jump(
                    rules, frame[_HERE], direction, flies if is_king else U0, prey, free | taken if at_once else free
                )
                if ray == U0:
                    continue
                # A route that goes on from here is no move: captures have to be completed.
                frame[_MODE] = mode | _JUMPED
                tally = _tally(frame[_TALLY], over & kings)
                depth += U1
                frame = at(moves, rules[block.STACK] + depth * _FRAME)
                # Step 2. Open the frame of the jump. A man on the last row is a king now, stops, or remains a man.
                arrives = (is_king == U0) & (ray & last_row != U0)
                king_now = (is_king != U0) | (arrives & (promotion == block.CONTINUE))
                frame[_HERE] = ray & (U0 - ray)
                frame[_LEFT] = ray & (ray - U1)
                # Straight back is only the piece that was just captured; if that is gone, turning back is not allowed.
                onwards = (king_jumps if king_now else men_jumps) & ~(U1 << (direction ^ U1))
                frame[_UNTRIED] = U0 if arrives & (promotion == block.STOP) else onwards
                frame[_CAME] = direction
                frame[_RAY] = ray
                frame[_TAKEN] = taken | over
                frame[_TALLY] = tally
                frame[_MODE] = _IS_KING if king_now else U0
                continue
            # Step 3. Stand on the next square of the ray instead. Only turns are new there: straight on is the same
            # piece from each of these squares, and was tried from the first.
            left = frame[_LEFT]
            if left:
                came = frame[_CAME]
                frame[_HERE] = left & (U0 - left)
                frame[_LEFT] = left & (left - U1)
                frame[_UNTRIED] = king_jumps & ~((U1 << came) | (U1 << (came ^ U1)))  # only kings have a choice
                continue
            if depth == U0:
                break
            # Step 4. The route is complete. A better rank makes all captures found so far illegal.
            if mode & _JUMPED == U0:
                rank = _rank(rules, frame[_TALLY], by_king)
                if rank > best:
                    best = rank
                    n = first = U0
                if rank == best:
                    move = ctz(start) | (_among(opp, frame[_TAKEN]) << TAKEN_SHIFT)
                    if is_king and not by_king:
                        move |= CROWNED
                    ray = frame[_RAY]
                    # The king may end its move on any square of the last ray.
                    while ray:
                        n = _listed(rules, move | (ctz(ray) << TO_SHIFT), first, n, moves)
                        ray &= ray - U1
            # Step 5. Go back to the frame of the jump before.
            depth -= U1
    return n


Path = tuple[int, ...]
"""The squares on which a piece stands during a move: before it, and after each jump."""
_Way = tuple[tuple[int, int], ...]
"""The jumps of a route: directions and captured squares."""


def ends(board: Board, move: int) -> tuple[int, int]:
    """Return the squares from which and to which a move leads."""
    bits, mask = board.move.square, (1 << board.move.square) - 1
    return board.square_of_bit[move & mask], board.square_of_bit[move >> bits & mask]


def taken_squares(board: Board, state: State, move: int) -> tuple[int, ...]:
    """Return the squares of the captured pieces, in reading order."""
    opp, among = sets_of(state)[1], _among_opponents(board, move)
    found = []
    for bit in (bit for bit in range(opp.bit_length()) if opp >> bit & 1):
        if among & 1:
            found.append(board.square_of_bit[bit])
        among >>= 1
    return tuple(sorted(found))


def _among_opponents(board: Board, move: int) -> int:
    """Return the captured pieces as bits among the opponent's pieces."""
    return move >> board.move.captured & (1 << board.move.taken) - 1


def is_capture(board: Board, move: int) -> bool:
    """Return whether a move captures."""
    return bool(_among_opponents(board, move))


def result_of(board: Board, move: int) -> int:
    """Return a move without the number of its route: equal for moves that lead to the same position."""
    return move & ((1 << board.move.route) - 1)


def path(variant: Variant, state: State, move: int) -> Path:
    """Return the path of a move; if several routes have its result, that of the route that the move names."""
    board = board_of(variant)
    if not is_capture(board, move):
        return ends(board, move)
    search = _Search.of(variant, state, move)
    ways: dict[_Way, Path] = {}
    for way, squares in search.routes():
        if variant.king_first:
            ways.setdefault(way, squares)
        elif way not in ways:
            ways[way] = squares
            if len(ways) > move >> board.move.route:
                return squares
    best = min(map(search.first_king, ways))
    return [squares for way, squares in ways.items() if search.first_king(way) == best][move >> board.move.route]


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
        own, opp, kings = sets_of(state)
        start, end = ends(board, move)
        occupied = {i for i, bit in enumerate(board.bits) if (own | opp) >> bit & 1} - {start}
        crowned = {i for i, bit in enumerate(board.bits) if kings >> bit & 1}
        taken = frozenset(taken_squares(board, state, move))
        is_king, by_way = start in crowned, bool(move >> board.move.crowned & 1)
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
        *men, kings = jumps(self.variant)
        return bool((kings if is_king else men[self.colour]) >> direction & 1)

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

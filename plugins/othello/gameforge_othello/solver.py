"""Exact endings: the compiled solver, the oracle `solver` for searches, and problems from files.

The solver finds the lead in discs with best play of both sides, searched to the last disc: a null-window alpha-beta
search. Moves are ordered by the replies that they leave, fewest first, and by parity: it pays to play first into a
quarter of the board with an odd number of free squares. Results are exact, so those in the table remain valid for every
later search. With few free squares the table and the ordering by replies cost more than they save. Scores are leads of
the side to move; empty squares go to the winner.

The oracle solves positions with few empty squares when a search asks.

Any searcher that proves wins and losses can solve endings as well: with an odd komi there are no draws, and a win means
that the side to move leads by more than the komi, so a few searches find the lead by bisection. Problems are read from
files in the form of the FFO test (OBF): a position, then moves with the resulting lead, `; G8:+18; H1:+12;`.
"""

import functools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

import gameforge as gf
from gameforge import Game, GameforgeError, interfaces, kernel
from gameforge.interfaces import DRAW, LOSS, WIN, Announce, Gate, OracleFunctions, Rules, State, kinds, silent
from gameforge.kernel import (
    U0,
    U1,
    U2,
    U4,
    UNKNOWN,
    Word,
    WordArray,
    Words,
    at,
    bare_kernel,
    ctz,
    inline,
    popcount,
    slots,
)
from gameforge.storage import stored
from gameforge_othello import movegen
from gameforge_othello.evaluation import require_othello
from gameforge_othello.movegen import SQUARES, final_counts, flips, lead, mask, placements, rays, rules_block, to_move
from gameforge_othello.rules import Othello

_8, _16 = np.uint64(8), np.uint64(16)

Lead: TypeAlias = np.int64
"""Own discs minus the opponent's at the end of a game, for the side to move; empty squares go to the winner."""

_BYTE = np.uint64(255)
_PASS = np.uint64(movegen.PASS)

STOP, NODES, BEST = (np.uint64(i) for i in range(3))
"""Words of the workspace. Any thread sets STOP to end the search; its result is then undefined. NODES: positions
reached by a move so far. BEST: the best move of the position that was searched last."""
_HEADER = 3
_RATED = np.uint64(2 * movegen.MAX_MOVES)
"""Words for the moves of a position: a merit with the square in its low bits, then the flipped discs, for each move."""
_TABLE = np.uint64(_HEADER + (SQUARES + 1) * 2 * movegen.MAX_MOVES)
_ENTRY = np.uint64(4)
"""Words of an entry: own discs, opponent's discs, bounds and best move, and a word that is not used."""
_FEW = np.uint64(6)
"""Number of free squares up to which neither the table nor the replies are looked at."""
_SOON = np.uint64(9)
"""Number of free squares from which the table is asked about all positions after a move before any is searched."""
_MOST_LEAD = np.int64(SQUARES)
_NONE = np.int64(-1000)
_NO_MOVE = np.uint64(127)
_SQUARE_BITS, _SQUARE = np.uint64(7), np.uint64(127)
_MOST_MERIT = np.uint64(1024)
_SCATTER, _SCATTER_OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_QUARTERS = tuple(
    np.uint64(mask(*(f"{column}{row}" for column in columns for row in rows)))
    for columns in ("abcd", "efgh")
    for rows in ("1234", "5678")
)
_NORTH_WEST, _SOUTH_WEST, _NORTH_EAST, _SOUTH_EAST = _QUARTERS


def table_bits(megabytes: int) -> np.uint64:
    """Return the binary logarithm of the number of entries that fit in this memory, at least 10."""
    entries = (megabytes << 20) // (8 * int(_ENTRY))
    return np.uint64(max(10, entries.bit_length() - 1))


def work_words(bits: np.uint64) -> int:
    """Return the number of words of a workspace with 2 ** bits entries in its table."""
    return int(_TABLE) + (int(_ENTRY) << int(bits))


@inline
def _odd_quarters(free: Word) -> Word:
    """Return the squares of the quarters of the board that have an odd number of free squares."""
    # 0 - 1 is a word of ones, which keeps the whole quarter; 0 - 0 drops it. There is no branch to mispredict.
    odd = (U0 - (popcount(free & _NORTH_WEST) & U1)) & _NORTH_WEST
    odd |= (U0 - (popcount(free & _SOUTH_WEST) & U1)) & _SOUTH_WEST
    odd |= (U0 - (popcount(free & _NORTH_EAST) & U1)) & _NORTH_EAST
    return odd | ((U0 - (popcount(free & _SOUTH_EAST) & U1)) & _SOUTH_EAST)


@inline
def _after_last(rays: Words, own: Word, opp: Word, square: Word) -> Lead:
    """Return the lead of the side to move at the end of a game in which `square` alone is free."""
    # The disc fills the board, so the number of own discs gives the lead.
    flipped = flips(rays, own, opp, square)
    if flipped != U0:
        return np.int64(2) * np.int64(popcount(own | flipped) + U1) - np.int64(SQUARES)
    # Otherwise the side to move passes, and the other side may fill the square.
    flipped = flips(rays, opp, own, square)
    if flipped != U0:
        return np.int64(SQUARES) - np.int64(2) * np.int64(popcount(opp | flipped) + U1)
    return lead(own, opp)


@bare_kernel
def _few(rays: Words, work: Words, own: Word, opp: Word, alpha: Lead, beta: Lead) -> Lead:
    """Search like `search` a position with at most _FEW free squares."""
    # Step 1. With one free square or none, the result follows without a list of moves.
    free = ~(own | opp)
    if free & (free - U1) == U0:
        return lead(own, opp) if free == U0 else _after_last(rays, own, opp, ctz(free))
    # Step 2. Pass, or end the game if the other side has to pass, too.
    moves = placements(own, opp)
    if moves == U0:
        if placements(opp, own) == U0:
            return lead(own, opp)
        return -_few(rays, work, opp, own, -beta, -alpha)
    # Step 3. Search the moves into odd quarters first: the side that plays there tends to move last in the quarter.
    best = _NONE
    first = moves & _odd_quarters(free)
    later = moves ^ first
    while first | later:
        if first == U0:
            first, later = later, U0
        square = ctz(first)
        first &= first - U1
        flipped = flips(rays, own, opp, square)
        work[NODES] += U1
        score = -_few(rays, work, opp ^ flipped, own | flipped | (U1 << square), -beta, -max(alpha, best))
        if score > best:
            best = score
            if best >= beta:
                break
    return best


@inline
def _entry(bits: Word, own: Word, opp: Word) -> Word:
    """Return the index of the position's place in the table."""
    # The highest bits of a product depend on all bits of its factors, the lowest only on the lowest.
    return _TABLE + ((own * _SCATTER ^ opp * _SCATTER_OTHER) >> (np.uint64(SQUARES) - bits)) * _ENTRY


@inline
def _found(work: Words, entry: Word, own: Word, opp: Word) -> tuple[Lead, Lead, Word]:
    """Return (lower bound, upper bound, best move) from the table; without an entry these mean nothing is known."""
    # Entries hold whole positions, not hashes, so that an exact result cannot come from another position.
    if work[entry] != own or work[entry + U1] != opp:
        return -_MOST_LEAD, _MOST_LEAD, _NO_MOVE
    data = work[entry + U2]
    lower, upper = np.int64(data & _BYTE) - _MOST_LEAD, np.int64((data >> _8) & _BYTE) - _MOST_LEAD
    return lower, upper, data >> _16


@inline
def _keep(work: Words, entry: Word, own: Word, opp: Word, lower: Lead, upper: Lead, best: Word) -> None:
    """Write an entry over whatever was there."""
    work[entry], work[entry + U1] = own, opp
    work[entry + U2] = np.uint64(lower + _MOST_LEAD) | (np.uint64(upper + _MOST_LEAD) << _8) | (best << _16)


@inline
def _rate(rays: Words, work: Words, rated: Word, own: Word, opp: Word, moves: Word, best: Word) -> Word:
    """Write merit and flipped discs of each move from work[rated] on; return the number of moves."""
    odd = _odd_quarters(~(own | opp))
    n = U0
    while moves:
        square = ctz(moves)
        moves &= moves - U1
        disc = U1 << square
        flipped = flips(rays, own, opp, square)
        theirs, ours = opp ^ flipped, own | flipped | disc
        # A corner among the replies counts twice, for it costs the side that allows it.
        replies = placements(theirs, ours)
        merit = _MOST_MERIT - (popcount(replies) + popcount(replies & movegen.CORNERS)) * U4
        if odd & disc != U0:
            merit += U2
        if movegen.CORNERS & disc != U0:
            merit += U4
        # The best move of an earlier search of the position goes before all others.
        if square == best:
            merit += _MOST_MERIT
        work[rated + U2 * n] = (merit << _SQUARE_BITS) | square
        work[rated + U2 * n + U1] = flipped
        n += U1
    return n


@inline
def _bring_forward(work: Words, first: Word, end: Word) -> None:
    """Swap the move with the highest merit to work[first]."""
    # One pass for each move searched is cheaper than sorting: most cutoffs come from the first move or two.
    chosen = first
    i = first + U2
    while i < end:
        if work[i] > work[chosen]:
            chosen = i
        i += U2
    if chosen != first:
        work[first], work[chosen] = work[chosen], work[first]
        work[first + U1], work[chosen + U1] = work[chosen + U1], work[first + U1]


@bare_kernel
def search(rays: Words, work: Words, bits: Word, own: Word, opp: Word, alpha: Lead, beta: Lead) -> Lead:
    """Return the lead of the side to move if it lies between alpha and beta, else a bound of it beyond that limit.

    rays: as `flips` reads them. work: the workspace, with 2 ** bits entries in its table; work[BEST] becomes the best
    move. The position has a free square and may be the end of a game.
    """
    # Step 1. Pass, or end the game. A pass has no alternative, so it needs neither the table nor a rating.
    free = ~(own | opp)
    moves = placements(own, opp)
    if moves == U0:
        score = lead(own, opp)
        if placements(opp, own) != U0:
            score = -search(rays, work, bits, opp, own, -beta, -alpha)
        work[BEST] = _PASS
        return score
    # Step 2. Look the position up: its bounds may answer this window, whatever the window of the search that left them.
    n_free = popcount(free)
    entry = _entry(bits, own, opp)
    lower, upper, known = _found(work, entry, own, opp)
    if known != _NO_MOVE and (lower >= beta or upper <= alpha or lower == upper):
        work[BEST] = known
        return lower if lower >= beta else upper
    # Step 3. Narrow the window to what is still open. `floor` stays: only a score above it is a lower bound (step 7).
    floor, alpha, beta = max(alpha, lower), max(alpha, lower), min(beta, upper)
    # Step 4. Rate the moves. Each number of free squares has its part of the workspace; a line meets it once.
    here = np.uint64(_HEADER) + n_free * _RATED
    end = here + U2 * _rate(rays, work, here, own, opp, moves, known)
    # Step 5. See whether the table refutes a move's successor already: a look at all of them costs less than a search.
    if n_free >= _SOON:
        i = here
        while i < end:
            flipped = work[i + U1]
            theirs, ours = opp ^ flipped, own | flipped | (U1 << (work[i] & _SQUARE))
            their_upper = _found(work, _entry(bits, theirs, ours), theirs, ours)[1]
            if -their_upper >= beta:
                work[BEST] = work[i] & _SQUARE
                return -their_upper
            i += U2
    # Step 6. Search the moves, best merit first.
    best, chosen = _NONE, _NO_MOVE
    i = here
    while i < end and work[STOP] == U0:
        _bring_forward(work, i, end)
        square, flipped = work[i] & _SQUARE, work[i + U1]
        theirs, ours = opp ^ flipped, own | flipped | (U1 << square)
        work[NODES] += U1
        # The last squares go without table and ratings. The first move gets the whole window. The others only have to
        # prove that they are not better, with a null window, and are searched again if they are.
        if n_free <= _FEW + U1:
            score = -_few(rays, work, theirs, ours, -beta, -alpha)
        elif i == here:
            score = -search(rays, work, bits, theirs, ours, -beta, -alpha)
        else:
            score = -search(rays, work, bits, theirs, ours, -alpha - 1, -alpha)
            if alpha < score < beta:
                score = -search(rays, work, bits, theirs, ours, -beta, -score)
        if score > best:
            best, chosen = score, square
            alpha = max(alpha, best)
            if best >= beta:
                break
        i += U2
    # Step 7. Keep what was proved. After a stop nothing was, for not all moves were searched.
    if work[STOP] == U0:
        lower = best if best > floor else lower
        upper = best if best < beta else upper
        _keep(work, entry, own, opp, lower, upper, chosen)
    work[BEST] = chosen
    return best


@bare_kernel
def solve_state(rays: Words, work: Words, bits: Word, s: Words) -> Lead:
    """Return the exact lead of the side to move at a state that is not the end of a game."""
    return search(at(rays, U0), at(work, U0), bits, s[0], s[1], -_MOST_LEAD, _MOST_LEAD)


@bare_kernel
def solve_states(rays: WordArray, work: WordArray, bits: Word, states: WordArray, leads: NDArray[np.float64]) -> None:
    """Write the exact lead of the side to move at each state, the last first: what follows is found in the table."""
    for i in range(len(leads)):
        place = np.uint64(len(leads) - 1 - i)
        s = at(states, place * np.uint64(3))
        if placements(s[0], s[1]) | placements(s[1], s[0]) == U0:
            leads[place] = lead(s[0], s[1])
        else:
            leads[place] = search(at(rays, U0), at(work, U0), bits, s[0], s[1], -_MOST_LEAD, _MOST_LEAD)
        if work[STOP] != U0:
            return


_MOST_EMPTY, _BITS = movegen.KOMI + np.uint64(1), movegen.KOMI + np.uint64(2)
"""Words of the data block after those of the rules: the most empty squares of a position that is solved, and the
binary logarithm of the number of entries in the solver's table."""
_MEGABYTES = 2
"""Of each thread's table; positions with 14 empty squares rarely need more."""
_AFTER_ROOT = Gate(low=-1.0, high=math.inf, at="root")
"""Whatever the evaluator says, the positions after the root's moves are solved, and no others: below them the search
would reach more positions than it has time to solve."""


def probe(od: Words, s: Words, out: Words) -> np.int64:
    """Return the value for the side to move, from a search with the narrowest window around the komi."""
    out[slots.PROBE_DISTANCE] = out[slots.PROBE_CONVERSION] = U0
    if popcount(~(s[0] | s[1])) > od[_MOST_EMPTY]:
        return np.int64(UNKNOWN)
    # The lead at which the game is drawn. The window is the narrowest that tells a win, a draw and a loss apart.
    komi = np.int64(od[movegen.KOMI]) - np.int64(SQUARES)
    even = -komi if s[2] != U0 else komi
    lead = search(od, at(out, np.uint64(slots.PROBE_SCRATCH)), od[_BITS], s[0], s[1], even - 1, even + 1)
    if lead == even:
        return np.int64(DRAW)
    return np.int64(WIN) if lead > even else np.int64(LOSS)


@attrs.frozen(kw_only=True)
class Solver:
    """Exact results, but no distances: every line of an ending is about as long as the others."""

    empty: int = attrs.field(default=14, validator=kinds.within(1, 24))
    """Maximum number of empty squares after a move of the root."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        """Return the solver. Raises GameforgeError if the rules are not those of othello."""
        komi = require_othello(rules, "the oracle solver").komi
        bits = table_bits(_MEGABYTES)
        return OracleFunctions(
            probe=probe,
            data=np.append(rules_block(komi), np.array([self.empty, bits], np.uint64)),
            covers=f"positions with up to {self.empty} empty squares",
            why_not=self._why_not,
            gate=_AFTER_ROOT,
            scratch=work_words(bits),
        )

    def lead(self, rules: Rules, state: State) -> int:
        """Return the lead of the side to move at the end with best play, komi included."""
        komi = require_othello(rules, "the oracle solver").komi
        return solve(state, memory=_MEGABYTES).lead + (komi if to_move(state) else -komi)

    def leads(self, rules: Rules, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the lead of the side to move of each state, komi included; NaN with too many empty squares."""
        komi = require_othello(rules, "the oracle solver").komi
        found = np.full(len(states), np.nan)
        known = np.flatnonzero(SQUARES - np.bitwise_count(states[:, 0] | states[:, 1]) <= self.empty)
        chosen = np.ascontiguousarray(states[known])
        bits, leads = table_bits(_MEGABYTES), np.zeros(len(known))
        work = np.zeros(work_words(bits), np.uint64)
        kernel.interruptible(work.view(np.int64), solve_states, _RAYS, work, bits, chosen.reshape(-1), leads)
        found[known] = leads + np.where(chosen[:, 2] != 0, komi, -komi)
        return found

    def _why_not(self, state: State) -> str:
        empty = SQUARES - (state[0] | state[1]).bit_count()
        return f"{empty} empty squares; this oracle solves positions with up to {self.empty}"


_DEEPEST = 60
_RAYS = np.array(rays(), np.uint64)
_RESULT = re.compile(r"\s*([a-h][1-8])\s*:\s*([+-]?[0-9]{1,2})\s*", re.IGNORECASE)


@attrs.frozen
class Solved:
    """The lead of the side to move with best play (empty squares go to the winner), and a move that keeps it."""

    lead: int
    move: int | None
    """None if the game is over."""
    nodes: int


@attrs.frozen
class Problem:
    """A position, and the leads that its file states."""

    state: State
    leads: dict[int, int]
    """Map moves to the resulting lead of the side that makes them."""


def solve(state: State, *, searcher: str | None = None, evaluator: str = "wpc", memory: int = 64) -> Solved:
    """Solve a position to the last disc.

    searcher: a searcher to solve it with instead of solver.py; it must prove wins and take the parameters `depth` and
    `memory`. evaluator: orders the moves of that searcher. memory: of the transposition table, in megabytes. With 16
    empty squares it takes some hundredths of a second, with 20 about a second. Raises GameforgeError if the searcher
    proves neither a win nor a loss.
    """
    game = _standard()
    legal = game.legal(state)
    if not legal:
        black, white = final_counts(state)
        return Solved((white - black) if to_move(state) else (black - white), None, 0)
    if searcher is not None:
        limited = f"{searcher}{',' if ':' in searcher else ':'}depth={_DEEPEST},memory={memory}"
        return _by_bisection(game, state, legal[0], limited, evaluator)
    bits = table_bits(memory)
    work = np.zeros(work_words(bits), np.uint64)
    found = kernel.interruptible(work.view(np.int64), solve_state, _RAYS, work, bits, np.array(state, np.uint64))
    return Solved(int(found), int(work[int(BEST)]), int(work[int(NODES)]))


@functools.cache
def _standard() -> Game:
    """The game without komi."""
    return Game(Othello())


def _by_bisection(game: Game, state: State, first: int, searcher: str, evaluator: str) -> Solved:
    """Find the lead between the odd komis at which the side to move wins and loses; `first`: any legal move."""
    sign = -1 if to_move(state) else 1
    least, most, best, nodes = -SQUARES, SQUARES, first, 0
    while least < most:
        middle = (least + most) // 2 | 1  # odd: leads are even, so it lies between two of them
        komi = gf.game("othello", komi=sign * middle)
        found = gf.player(komi, searcher=searcher, evaluator=evaluator).analyse(
            komi.position(game.position_text(state))
        )
        nodes += found.nodes
        if abs(found.score) <= interfaces.ORACLE_WIN:
            raise GameforgeError(
                f"{game.position_text(state)} was not solved: {searcher} proves neither a win nor a loss"
            )
        if found.score > 0:
            least, best = middle + 1, found.move.code
        else:
            most = middle - 1
    return Solved(least, best, nodes)


_MOST_BYTES = 1 << 26
"""Maximum size of a file with problems."""


def read_problems(path: Path) -> Iterator[Problem]:
    """Read a file with one problem per line; GameforgeError, with the line, for anything else."""
    try:
        lines = stored.read_file(path, _MOST_BYTES).decode().splitlines()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeError as error:
        raise GameforgeError(f"cannot read {path}: {error}") from None
    for number, line in enumerate(lines, 1):
        parts = [part for part in line.partition("%")[0].split(";") if part.strip()]
        if parts:
            try:
                yield _problem(*parts)
            except GameforgeError as error:
                raise GameforgeError(f"{path}, line {number}: {error}") from None


def _problem(position: str, *results: str) -> Problem:
    state = Othello().positions.parse_position(position)
    leads = {}
    for result in results:
        match = _RESULT.fullmatch(result)
        if match is None:
            raise GameforgeError(f"{result.strip()!r} is not a move with its lead, such as G8:+18")
        leads[movegen.NAMES.index(match[1].lower())] = int(match[2])
    return Problem(state, leads)

"""The exact search of endings: the lead in discs with best play of both sides, searched to the last disc.

An alpha-beta search with null windows and a table. Moves are ordered by the replies that they leave, fewest first, and
by parity: it pays to play first into a quarter of the board with an odd number of free squares. Far from the end an
evaluator's static scores help, if the caller has one. Results are exact, so those in the table remain valid for every
later search. With few free squares the table and the ordering by replies cost more than they save.

Scores are leads of the side to move; empty squares go to the winner.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel import (
    U0,
    U1,
    U2,
    U4,
    CompiledEvaluator,
    Score,
    Word,
    WordArray,
    Words,
    at,
    bare_kernel,
    ctz,
    inline,
    popcount,
    static_score,
)
from gameforge_othello import movegen
from gameforge_othello.movegen import SQUARES, flips, lead, mask, placements

_8, _16 = np.uint64(8), np.uint64(16)

Lead: TypeAlias = np.int64
"""Own discs minus the opponent's at the end of a game, for the side to move; empty squares go to the winner."""

_BYTE = np.uint64(255)
_PASS = np.uint64(movegen.PASS)

STOP, NODES, BEST, _STATE = (np.uint64(i) for i in range(4))
"""Words of the workspace. Any thread sets STOP to end the search; its result is then undefined. NODES: positions
reached by a move so far. BEST: the best move of the position that was searched last. From _STATE on: three words for
the evaluator."""
_HEADER = 6
_RATED = np.uint64(2 * movegen.MAX_MOVES)
"""Words for the moves of a position: a merit with the square in its low bits, then the flipped discs, for each move."""
_TABLE = np.uint64(_HEADER + (SQUARES + 1) * 2 * movegen.MAX_MOVES)
_ENTRY = np.uint64(4)
"""Words of an entry: own discs, opponent's discs, bounds and best move, and a word that is not used."""
_FEW = np.uint64(6)
"""Number of free squares up to which neither the table nor the replies are looked at."""
_SOON = np.uint64(9)
"""Number of free squares from which the table is asked about all positions after a move before any is searched."""
_JUDGED = np.uint64(12)
"""Number of free squares from which the evaluator's score of the position after a move counts."""
_MERIT_OF_SCORE = 40.0
"""What a score that is higher by 1 adds to the merit of a move; a reply takes 4 from it."""
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
def _score_of(evaluator: CompiledEvaluator, work: Words, own: Word, opp: Word) -> Score:
    """Return the static score of a position for the side to move."""
    # As if Black were to move: without a komi, the evaluator does not ask.
    work[_STATE], work[_STATE + U1], work[_STATE + U2] = own, opp, U0
    return static_score(evaluator, at(work, _STATE))


@inline
def _rate(
    evaluator: CompiledEvaluator | None,
    rays: Words,
    work: Words,
    rated: Word,
    own: Word,
    opp: Word,
    moves: Word,
    best: Word,
) -> Word:
    """Write merit and flipped discs of each move from work[rated] on; return the number of moves."""
    free = ~(own | opp)
    odd, is_judged = _odd_quarters(free), popcount(free) >= _JUDGED
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
        if evaluator is not None and is_judged:
            merit += np.uint64(_MERIT_OF_SCORE * (1.0 - _score_of(evaluator, work, theirs, ours)))
        else:
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
def search(
    evaluator: CompiledEvaluator | None,
    rays: Words,
    work: Words,
    bits: Word,
    own: Word,
    opp: Word,
    alpha: Lead,
    beta: Lead,
) -> Lead:
    """Return the lead of the side to move if it lies between alpha and beta, else a bound of it beyond that limit.

    evaluator: its static scores help to order the moves far from the end. rays: as `flips` reads them. work: the
    workspace, with 2 ** bits entries in its table; work[BEST] becomes the best move. The position has a free square and
    may be the end of a game.
    """
    # Step 1. Pass, or end the game. A pass has no alternative, so it needs neither the table nor a rating.
    free = ~(own | opp)
    moves = placements(own, opp)
    if moves == U0:
        score = lead(own, opp)
        if placements(opp, own) != U0:
            score = -search(evaluator, rays, work, bits, opp, own, -beta, -alpha)
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
    end = here + U2 * _rate(evaluator, rays, work, here, own, opp, moves, known)
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
            score = -search(evaluator, rays, work, bits, theirs, ours, -beta, -alpha)
        else:
            score = -search(evaluator, rays, work, bits, theirs, ours, -alpha - 1, -alpha)
            if alpha < score < beta:
                score = -search(evaluator, rays, work, bits, theirs, ours, -beta, -score)
        if score > best:
            best, chosen = score, square
            alpha = max(alpha, best)
            if best >= beta:
                break
        i += U2
    # Step 7. Keep what was proved. After a stop nothing was, for not all moves were searched. The move that is kept is
    # the one that reaches the lower bound, if there is one: where all moves fall short, the highest proves nothing.
    if best <= floor and lower > -_MOST_LEAD:
        chosen = known
    if work[STOP] == U0:
        lower = best if best > floor else lower
        upper = best if best < beta else upper
        _keep(work, entry, own, opp, lower, upper, chosen)
    work[BEST] = chosen
    return best


@bare_kernel
def find_lead(
    evaluator: CompiledEvaluator | None, rays: WordArray, work: WordArray, bits: Word, s: WordArray, guess: Lead
) -> Lead:
    """Return the exact lead of the side to move at a state that is not the end of a game; work[BEST]: a move with it.

    guess: an even number. The nearer it is to the lead, the less has to be searched: the narrowest window around it
    tells whether the lead is higher or lower, and the next one lies 2, 4, 8, ... discs further.
    """
    least, most, best = -_MOST_LEAD, _MOST_LEAD, _NO_MOVE
    middle, step = guess, np.int64(2)
    while (least < most or best == _NO_MOVE) and work[STOP] == U0:
        middle = min(max(middle, least), most)
        score = search(evaluator, at(rays, U0), at(work, U0), bits, s[0], s[1], middle - 1, middle + 1)
        if score >= middle:
            least, best = score, work[BEST]
        if score <= middle:
            most = score
        middle = score + step if score > middle else score - step
        step += step
    work[BEST] = best
    return least


@bare_kernel
def find_leads(rays: WordArray, work: WordArray, bits: Word, states: WordArray, leads: NDArray[np.float64]) -> None:
    """Write the exact lead of the side to move at each state, the last first: what follows is found in the table."""
    for i in range(len(leads)):
        place = np.uint64(len(leads) - 1 - i)
        s = at(states, place * np.uint64(3))
        if placements(s[0], s[1]) | placements(s[1], s[0]) == U0:
            leads[place] = lead(s[0], s[1])
        else:
            leads[place] = search(None, at(rays, U0), at(work, U0), bits, s[0], s[1], -_MOST_LEAD, _MOST_LEAD)
        if work[STOP] != U0:
            return

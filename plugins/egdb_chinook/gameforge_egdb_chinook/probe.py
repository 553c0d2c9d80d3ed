"""Probe functions of the oracle: for values solved by GameForge, and for Chinook's files.

Solved values include positions with pending captures, so a probe is a single lookup. Chinook's files have no meaningful
values for positions in which either side could capture; there a probe resolves the captures by a search to the quiet
positions around them.

If the side to move can capture, it must, and every capture leads to fewer pieces. If only the other side could capture,
if it were to move, the position is called threatened and every move has to be tried. A move may answer one threat and
make another, so a sequence of threatened positions can repeat. The threatened positions that can be reached without a
capture are therefore valued together: each from its successors, repeatedly until nothing changes. Positions that then
have no value are draws. This is a retrograde analysis of a tiny set: one position in the median, at most 38 among 20
million random positions with up to 8 pieces.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BOARD, BOTTOM_ROW, TOP_ROW
from gameforge_draughts.notation import position_text

from gameforge import Position
from gameforge.interfaces import DRAW, LOSS, WIN, NotCovered, OracleFunctions, Verdict
from gameforge.kernel import U0, U1, U3, U4, UNKNOWN, Truth, Word, WordArray, Words, at, inline, kernel, popcount, slots
from gameforge_egdb_chinook.file_block import quiet_value
from gameforge_egdb_chinook.indexing import state_index
from gameforge_egdb_chinook.slices import PIECES, VALUES, tables

_5, _31, _63 = np.uint64(5), np.uint64(31), np.uint64(63)


SPACE = 8192
"""Words of workspace, enough for a set of more than 1,000 positions. A position that needs more is unknown."""

_ROOM_FOR_MOVES = 128
"""Room for the moves of 7 pieces: a man has 2 steps, a king 4, and no piece has more than 16 routes of captures."""
_CHILD, _SET = np.uint64(_ROOM_FOR_MOVES), np.uint64(_ROOM_FOR_MOVES + 4)
_FRAME = np.uint64(2 * (_ROOM_FOR_MOVES + 8) + 256)
"""Words that must be free when movegen is called: it may write this far before it returns."""
_SEEN_DRAW, _SEEN_UNKNOWN = np.uint64(4), np.uint64(8)
"""Flags stored with the value of a position of the set: a successor outside the set is a draw, or unknown."""

_gen, _play = inline(movegen.gen), inline(movegen.play)


Probe: TypeAlias = Callable[[Words, Words, Words], np.int64]
"""The function `probe` of an oracle."""


@inline
def mover_can_capture(s: Words) -> bool:
    """Whether the side to move can capture."""
    return movegen.jumpers(s[0], s[1], s[2] & BOARD, s[2] >> _63) != U0


@inline
def other_could_capture(s: Words) -> bool:
    """Whether the other side could capture if it were to move."""
    return movegen.jumpers(s[1], s[0], s[2] & BOARD, (s[2] >> _63) ^ U1) != U0


@inline
def _place_in(members: Words, count: Word, s: Words) -> Word:
    """Number of a state in the set of `count` states, `count` if it is not in the set."""
    for i in range(count):
        member = at(members, np.uint64(i) * U4)
        if member[0] == s[0] and member[1] == s[1] and member[2] == s[2]:
            return np.uint64(i)
    return count


@inline
def _settle(members: Words, count: Word, moves: Words, child: Words) -> np.int64:
    """Value the positions of the set from each other and return the value of the first.

    A member is 4 words: the state and its status, which is a value or 0, with the flags of its successors.
    """
    changed = True
    # Repeat until the first position has a value or no value follows any more.
    while changed and members[3] & np.uint64(3) == U0:
        changed = False
        for i in range(count):
            member = at(members, np.uint64(i) * U4)
            if member[3] & np.uint64(3):
                continue
            n = _gen(member, member, moves)
            won = False
            lost = member[3] == U0
            for j in range(n):
                _play(member, member, moves[j], child)
                if mover_can_capture(child) or not other_could_capture(child):
                    continue
                known = at(members, _place_in(members, count, child) * U4)[3] & np.uint64(3)
                won |= known == np.uint64(LOSS)
                lost &= known == np.uint64(WIN)
            if won or lost:
                member[3] |= np.uint64(WIN if won else LOSS)
                changed = True
    value = np.int64(members[3] & np.uint64(3))
    if value == UNKNOWN:
        value = np.int64(DRAW)
        for i in range(count):
            status = at(members, np.uint64(i) * U4)[3]
            if status & np.uint64(3) == U0 and status & _SEEN_UNKNOWN:
                value = np.int64(UNKNOWN)
    return value


@kernel
def exact_value(od: Words, s: Words, space: Words, room: Word) -> np.int64:
    """Value, for the side to move, of a state with at most od[PIECES] pieces.

    UNKNOWN if the value depends on a position that is not covered, or if `space`, which has `room` words, is too small.
    """
    if s[0] == U0:
        return np.int64(LOSS)
    if room < _FRAME:
        return np.int64(UNKNOWN)
    moves, child = space, at(space, _CHILD)
    # 1. Captures are forced: the best of the positions after them.
    if mover_can_capture(s):
        n = _gen(s, s, moves)
        result = np.int64(LOSS)
        unknown = False
        for i in range(n):
            _play(s, s, moves[i], child)
            value = exact_value(od, child, at(space, _SET), room - _SET)
            if value == LOSS:
                return np.int64(WIN)
            unknown |= value == UNKNOWN
            if value == DRAW:
                result = np.int64(DRAW)
        return np.int64(UNKNOWN) if unknown else result
    # 2. Nobody could capture: the files hold the value.
    if not other_could_capture(s):
        return quiet_value(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)

    # 3. Threatened: collect the threatened positions that are reached without a capture, each with what its other
    # successors say; the set grows while its members are examined.
    members = at(space, _SET)
    members[0], members[1], members[2] = s[0], s[1], s[2]
    count = U1
    number = U0
    while number < count:
        member = at(members, number * U4)
        number += U1
        status = U0
        n = _gen(member, member, moves)
        inside = False
        for i in range(n):
            _play(member, member, moves[i], child)
            captures = mover_can_capture(child)
            if not captures and other_could_capture(child):
                inside = True
                continue
            used = _SET + count * U4
            if captures:
                value = exact_value(od, child, at(space, used), room - used)
            else:
                value = quiet_value(od, child[0], child[1], child[2] & BOARD, child[2] >> _63)
            if value == LOSS:
                status = np.uint64(WIN)
                break
            if value == DRAW:
                status |= _SEEN_DRAW
            if value == UNKNOWN:
                status |= _SEEN_UNKNOWN
        if status == np.uint64(WIN):
            inside = False
        elif not inside and status == U0:
            status = np.uint64(LOSS)
        elif not inside and status == _SEEN_DRAW:
            status = np.uint64(DRAW)
        member[3] = status
        # Its value is open, so its threatened successors must be members as well.
        if inside:
            for i in range(n):
                _play(member, member, moves[i], child)
                if mover_can_capture(child) or not other_could_capture(child):
                    continue
                if _place_in(members, count, child) == count:
                    if room < _SET + count * U4 + _FRAME:
                        return np.int64(UNKNOWN)
                    added = at(members, count * U4)
                    added[0], added[1], added[2] = child[0], child[1], child[2]
                    added[3] = U0
                    count += U1
    return _settle(members, count, moves, child)


_PIECES, _VALUES, _SPACE = np.uint64(PIECES), np.uint64(VALUES), np.uint64(SPACE)


@inline
def may_be_covered(od: Words, s: Words) -> bool:
    """Whether both sides have a piece, both together at most od[PIECES], and no man is on its crowning row."""
    own, opp, white = s[0], s[1], s[2] >> _63
    crowned = (own & BOTTOM_ROW) | (opp & TOP_ROW) if white else (own & TOP_ROW) | (opp & BOTTOM_ROW)
    return (popcount(own | opp) <= od[_PIECES]) & (own != U0) & (opp != U0) & (crowned & ~s[2] == U0)


@inline
def has_lost_all(od: Words, s: Words) -> Truth:
    """Whether the side to move has lost because it has no pieces, and the other side has at most od[PIECES]."""
    return s[0] == U0 and popcount(s[1]) <= od[_PIECES]


def probe(od: Words, s: Words, out: Words) -> np.int64:
    """Value, for the side to move, of a draughts state with at most od[PIECES] pieces; UNKNOWN if it has more.

    A side to move without pieces has lost. Positions that cannot arise in play are UNKNOWN: only the other side has no
    pieces, or a man is on its crowning row. There are no distances: out[PROBE_DISTANCE] is 0.
    """
    out[slots.PROBE_DISTANCE] = U0
    return _solved_value(od, s)


def probe_quiet(od: Words, s: Words, out: Words) -> np.int64:
    """`probe` for states in which neither side could capture; UNKNOWN for the others."""
    out[slots.PROBE_DISTANCE] = U0
    if may_be_covered(od, s) and (mover_can_capture(s) or other_could_capture(s)):
        return np.int64(UNKNOWN)
    return _solved_value(od, s)


@inline
def _solved_value(od: Words, s: Words) -> np.int64:
    if not may_be_covered(od, s):
        return np.int64(LOSS) if has_lost_all(od, s) else np.int64(UNKNOWN)
    index = state_index(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)
    return np.int64((od[od[_VALUES] + (index >> _5)] >> ((index & _31) << U1)) & U3)


def probe_files(od: Words, s: Words, out: Words) -> np.int64:
    """Value, for the side to move, of a draughts state, from the block of Chinook's files (file_block.py).

    UNKNOWN as in `probe`, or if the files do not cover the position. Captures of either side are resolved by search,
    with out[PROBE_SCRATCH : PROBE_SCRATCH + SPACE] as workspace.
    """
    out[slots.PROBE_DISTANCE] = U0
    if not may_be_covered(od, s):
        return np.int64(LOSS) if has_lost_all(od, s) else np.int64(UNKNOWN)
    if mover_can_capture(s) or other_could_capture(s):
        return exact_value(od, s, at(out, U4), _SPACE)
    return quiet_value(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)


def probe_raw(od: Words, s: Words, out: Words) -> np.int64:
    """The stored value of a quiet state, without any search; UNKNOWN if either side could capture."""
    out[slots.PROBE_DISTANCE] = U0
    if not may_be_covered(od, s) or mover_can_capture(s) or other_could_capture(s):
        return np.int64(UNKNOWN)
    return quiet_value(od, s[0], s[1], s[2] & BOARD, s[2] >> _63)


def probe_block(pieces: int, packed: WordArray) -> WordArray:
    """The block `od` of `probe`: the tables of slices.py, followed by the packed values (oracle.py)."""
    index_tables = tables(pieces)
    block = np.concatenate([index_tables, packed])
    block[VALUES] = len(index_tables)
    return block


_probe_raw = inline(probe_raw)


@kernel
def _raw_value(block: WordArray, state: WordArray) -> np.int64:
    """Call `probe_raw` from Python."""
    out = np.zeros(4, np.uint64)
    return _probe_raw(at(block, U0), at(state, U0), at(out, U0))


_VERDICTS = {WIN: Verdict("win"), LOSS: Verdict("loss"), DRAW: Verdict("draw")}


def raw_verdict(files: OracleFunctions, position: Position) -> Verdict:
    """The stored value of a position; `files` is an opened oracle that reads Chinook's files (path=DIR).

    Raises NotCovered, with the reason, if either side could capture (the files hold a filler there) or the files do
    not cover the position.
    """
    state = np.array(position.state, np.uint64)
    value = int(_raw_value(files.data, state))
    if value != UNKNOWN:
        return _VERDICTS[value]
    text = position_text(position.state)
    if mover_can_capture(state):
        raise NotCovered(f"{text}: the files hold no value because the side to move can capture; probe resolves it")
    if other_could_capture(state):
        raise NotCovered(
            f"{text}: the files hold no value because the other side threatens to capture; probe resolves it"
        )
    raise NotCovered(f"{text}: {files.why_not(position.state)}")

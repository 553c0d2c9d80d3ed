"""English draughts in PDN files: kernels find written moves, and write the moves of whole lines.

Reading: a kernel generates the legal moves and compares them with the text. A written move is one word: the number of
squares that it names (4 bits), then the bit of each square (6 bits each, at most 10). The word of a text with more
squares names only one, which fits no move. Moves that the kernel does not understand are left to `notation.readings`,
which explains the error, or lists what an ambiguous capture may mean.

Writing is fast, since a training writes thousands of games per second. Another legal move can share the two squares of
a move only if the move captures several pieces. Legal moves are therefore generated only for such moves, in one kernel
call for the whole line.
"""

import functools
import re
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import Rules, State
from gameforge.kernel import U0, U1, U2, U3, IntegerArray, Word, WordArray, Words, inline, kernel, popcount
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BIT_MASK, BIT_OF, CAPTURED_MASK, CAPTURED_SHIFT, SQUARES, STATE_WORDS, TO_SHIFT
from gameforge_draughts.notation import parse_position, readings, short_text, whole_text
from gameforge_draughts.pdn import PdnGame
from gameforge_draughts.pdn_drafts import Doubtful, GameDraft, LineDraft, Wrong

GAME_TYPE = "21,B,8,8,N1,0"
"""English draughts: Black begins, 8x8, numbers, square 1 at the first mover's bottom right."""


class EnglishPdn(PdnGame):
    """English draughts."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, GAME_TYPE, readings, {str(i + 1): bit for i, bit in enumerate(BIT_OF)})

    def line_texts(self, start: State, moves: Sequence[int]) -> list[str]:
        """Return `notation.move_text` of each of these legal moves, played from `start`."""
        texts = list(map(_short_text, moves))
        shared = np.empty(len(moves), np.int64)
        n = _sharing(*_room(start), np.array(moves, np.uint64), shared)
        for i in shared[:n].tolist():
            texts[i] = whole_text(moves[i])
        return texts

    def line_end(self, start: State, moves: Sequence[int]) -> State:
        state, child, _ = _room(start)
        _play_all(state, child, np.array(moves, np.uint64))
        return tuple(state.tolist())

    def position_of(self, draft: GameDraft, text: str, place: int) -> State:
        if not draft.game_type and any(int(square) > SQUARES for square in re.findall("[0-9]{1,9}", text)):
            raise Doubtful(f"looks like another game: its FEN {text!r} has squares above {SQUARES}")
        try:
            return parse_position(text)
        except GameforgeError as error:
            raise Wrong(str(error), place) from None

    def moves_of(self, game: GameDraft, draft: LineDraft, start: State) -> tuple[int, ...]:
        texts = draft.texts
        written = [written_move(text) for text in texts]
        if 0 in written:
            self._refuse_squares(game, draft, written.index(0), start)
        words = np.array(written, np.uint64)
        played = np.empty(len(words), np.uint64)
        room = _room(start)
        done = int(_resolve(*room, words, played))
        while done < len(words):
            state: State = tuple(room[0].tolist())
            meant = self.read_move(game, draft, done, state)
            if len(meant) > 1:
                return (*played[:done].tolist(), *self.decided(game, draft, done, state))
            played[done] = meant[0]
            room[0][:] = self.game.play(state, meant[0])
            done += 1
            done += int(_resolve(*room, words[done:], played[done:]))
        return tuple(played.tolist())

    def _refuse_squares(self, game: GameDraft, draft: LineDraft, i: int, start: State) -> NoReturn:
        """Report a move that names a square which the board does not have; a legal move before it proves the game."""
        text, place = draft.texts[i], draft.places[i]
        begins = [written_move(text) for text in draft.texts[:i][:1]]
        is_ours = bool(game.game_type) or draft is not game.lines[0]
        is_ours = is_ours or bool(_resolve(*_room(start), np.array(begins, np.uint64), np.empty(1, np.uint64)))
        if not text[0].isdecimal():
            if is_ours:
                raise Wrong(f"{text!r} is not a move such as 11-15 or 22x15", place)
            raise Doubtful(f"looks like another game: its squares have letters ({text})")
        if is_ours:
            raise Wrong(f"{text!r} names a square that is not one of 1 to {SQUARES}", place)
        raise Doubtful(f"looks like another game: {text!r} names a square that is not one of 1 to {SQUARES}")


_COUNT_BITS, _SQUARE_BITS = np.uint64(4), np.uint64(6)
_COUNT = np.uint64(15)
_MOST_SQUARES = 10
_NONE, _LED_ALONG, _WHOLE = np.uint64(0), np.uint64(1), np.uint64(2)

_gen, _play = inline(movegen.gen), inline(movegen.play)


@functools.lru_cache(maxsize=1 << 16)
def written_move(text: str) -> int:
    """Return the word of a text such as `22x15x8`; 0 if it names a square that the board does not have."""
    squares = [int(square) for square in re.findall("[0-9]+", text)]
    if not text[0].isdecimal() or not all(1 <= square <= SQUARES for square in squares):
        return 0
    if len(squares) > _MOST_SQUARES:
        return 1
    word = len(squares)
    for i, square in enumerate(squares):
        word |= BIT_OF[square - 1] << (4 + 6 * i)
    return word


@inline
def _square(written: Word, i: Word) -> Word:
    return (written >> (_COUNT_BITS + i * _SQUARE_BITS)) & BIT_MASK


@inline
def _fit(m: Word, written: Word) -> Word:
    """Compare a move with a written one: _WHOLE path, _LED_ALONG its ends and some squares in order, or _NONE."""
    count = written & _COUNT
    here = m & BIT_MASK
    if here != _square(written, U0) or ((m >> TO_SHIFT) & BIT_MASK) != _square(written, count - U1):
        return _NONE
    captured = (m >> CAPTURED_SHIFT) & CAPTURED_MASK
    jumps = popcount(captured)
    i, route, place = U1, m >> movegen.ROUTE_SHIFT, U1 << here
    # The squares between may be written or left out; each that is written has to come next on the route.
    for _ in range(np.int64(jumps) - 1):
        place = movegen.jump_targets(place, route & U3)[1]
        route >>= U2
        if i < count - U1 and place == U1 << _square(written, i):
            i += U1
    if i < count - U1:
        return _NONE
    return _WHOLE if captured == U0 or jumps + U1 == count else _LED_ALONG


@inline
def _meant(written: Word, moves: Words, n: Word) -> Word:
    """Return the move that is meant, the first if several differ only in the route; 0 if none fits or it is unclear."""
    found, clear = U0, True
    if (written & _COUNT) < U2:
        return U0
    for i in range(n):
        m = moves[i]
        fit = _fit(m, written)
        if fit == _WHOLE:
            return m
        if fit == _LED_ALONG:
            if found == U0:
                found = m
            elif ((found ^ m) >> CAPTURED_SHIFT) & CAPTURED_MASK:
                clear = False
    return found if clear else U0


def _room(start: State) -> tuple[WordArray, WordArray, WordArray]:
    """Return the state and the workspace of the kernels, which allocate nothing: for the next state, and for moves."""
    return np.array(start, np.uint64), np.empty(STATE_WORDS, np.uint64), np.empty(movegen.MAX_MOVES, np.uint64)


@inline
def _advance(state: WordArray, m: Word, child: WordArray) -> None:
    _play(state, state, m, child)  # gen and play read no settings, so any block will do
    for i in range(STATE_WORDS):
        state[i] = child[i]


@kernel
def _resolve(state: WordArray, child: WordArray, legal: WordArray, written: WordArray, played: WordArray) -> np.int64:
    """Play written moves until one is not understood; write them to `played`, and return the number of moves played."""
    for i in range(len(written)):
        m = _meant(written[i], legal, _gen(legal, state, legal))
        if m == U0:
            return np.int64(i)
        played[i] = m
        _advance(state, m, child)
    return np.int64(len(written))


_short_text = functools.cache(short_text)
_ENDS = (U1 << CAPTURED_SHIFT) - U1


@kernel
def _sharing(state: WordArray, child: WordArray, legal: WordArray, moves: WordArray, shared: IntegerArray) -> int:
    """Write the indices of the moves that share both squares with another legal move; return their number."""
    n = 0
    for i in range(len(moves)):
        m = moves[i]
        captured = (m >> CAPTURED_SHIFT) & CAPTURED_MASK
        if captured & (captured - U1) != U0:
            alike = 0
            for j in range(_gen(legal, state, legal)):
                alike += legal[j] & _ENDS == m & _ENDS
            if alike > 1:
                shared[n] = i
                n += 1
        _advance(state, m, child)
    return n


@kernel
def _play_all(state: WordArray, child: WordArray, moves: WordArray) -> None:
    for i in range(len(moves)):
        _advance(state, moves[i], child)

"""Games in the plain form of large files: a tag on each line, then moves with their numbers, then the result.

A kernel reads and replays many such games in one call, several times as fast as the reader of tokens. It leaves
everything else to that reader: text of another form (a comment that is not the last, a position), and games with a
move or a number of a move that is wrong or unclear. So whatever is reported is found in one place.
"""

import functools
import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces import Annotations, GameRecord, Outcome, State
from gameforge.kernel import U0, U1, U2, CompiledRules, IntegerArray, Word, WordArray, at, kernel
from gameforge_draughts.pdn import UNCLEAR, UNFINISHED_RESULT, WINNERS, PdnGame, outcome_of_result, with_ends
from gameforge_draughts.pdn_drafts import FOREIGN_TAGS, plain_comment

_MOVES = r"[0-9.x \n-]*[-x][1-9][0-9]?[ \n]"
"""Any signs of moves and their numbers that end with a square: the kernel looks closer."""
_REASON = r"(?:\{[^{}\n\udc80-\udcff]*+\}[ \n])?"
_GAME = re.compile(rf'(?:\[[A-Za-z_]\w* "[^"\\\n\udc80-\udcff]*+"\]\n)++{_MOVES}{_REASON}(?:1-0|0-1|1/2-1/2|\*)\n?')
_ENDS = "1-0\n", "0-1\n", "1/2-1/2\n", "*\n"
_BEGINS = frozenset("123456789*{\n")
_MOST_LINES = 500
_SETTLING = frozenset(("gametype", "fen", "setup", "result", *map(str.lower, FOREIGN_TAGS)))
TOGETHER = 256
"""Number of games that are replayed in one call."""


def whole_game(line: str, more: Callable[[], str]) -> tuple[str, list[str]]:
    """Read on from a line with a tag to the next game. Returns the plain game, or "", and the lines to be read again.

    more: returns the next line, or "" at the end of the file. A comment may still follow the result, so the line after
    it decides.
    """
    lines, in_tags = [line], True
    for line in islice(iter(more, ""), _MOST_LINES):
        lines.append(line)
        if line[0] == "[":
            if not in_tags:
                break
        elif line.endswith(_ENDS) or line[0] not in _BEGINS:
            break
        else:
            in_tags = False
    text = "".join(lines)
    if not _GAME.fullmatch(text):
        return "", lines[1:]
    for _ in range(_MOST_LINES):
        line = more()
        if line != "\n":
            break
        lines.append(line)
    if line[:1] in ("", "["):
        return "".join(lines), [line] if line else []
    return "", lines[1:] + [line] * (line != "\n")


class PlainGame(NamedTuple):
    """A game that was read."""

    kind: PdnGame
    start: State
    moves: tuple[int, ...]
    outcome: Outcome
    tags: dict[str, str]
    comment: str
    """What stands between the last move and the result."""

    def record(self, number: int) -> GameRecord:
        """Return the record of the game; number: its number in the file."""
        first, second = self.kind.sides
        return GameRecord(
            number=number,
            players=(self.tags.get(first, ""), self.tags.get(second, "")),
            start=self.start,
            moves=self.moves,
            outcome=self.outcome,
            annotations=Annotations(tags=self.tags, comments={len(self.moves): self.comment} if self.comment else {}),
        )


Settle = Callable[[str | None], tuple[PdnGame, State] | None]
"""Returns the kind and the start of games with this tag GameType; None if the reader of tokens must decide."""


def plain_games(texts: Sequence[str], settle: Settle) -> list[PlainGame | None]:
    """Read games that `whole_game` returned; None for each one that is left to the reader of tokens."""
    found: list[PlainGame | None] = [None] * len(texts)
    begun: dict[tuple[PdnGame, State], list[tuple[int, str, str, dict[str, str], str]]] = {}
    for i, text in enumerate(texts):
        head, _, tail = text.rpartition("]\n")
        lines = head[1:-1].split('"]\n[')
        tags = dict([line.split(' "') for line in lines])
        once = len(tags) == len(lines)
        settled = settle(tags.pop("GameType", None))
        stated = tags.pop("Result", UNFINISHED_RESULT)
        before, result = tail.rsplit(maxsplit=1)
        moves, _, comment = before.partition("{")
        if result == UNFINISHED_RESULT and stated in WINNERS:
            result = stated
        if once and settled and stated in (UNFINISHED_RESULT, result) and not _settle_more(tuple(tags)):
            note = plain_comment(comment[:-1]) if comment else ""
            begun.setdefault(settled, []).append((i, moves, result, tags, note))
    for (kind, start), games in begun.items():
        played = _replayed(kind, start, [moves for _, moves, *_ in games])
        for (i, _, result, tags, note), line in zip(games, played, strict=True):
            if line is not None:
                found[i] = PlainGame(kind, start, line, outcome_of_result(result), tags, note)
    return found


@functools.lru_cache
def _settle_more(tags: tuple[str, ...]) -> bool:
    """Return whether one of these tags, in other letters, may say how the game is to be read."""
    return not _SETTLING.isdisjoint(map(str.lower, tags))


def _replayed(kind: PdnGame, start: State, texts: Sequence[str]) -> list[tuple[int, ...] | None]:
    """Return the moves of each game; None if one of them or its number is wrong or unclear."""
    rules = kind.game.compiled
    ends, counts = np.cumsum([len(text) + 1 for text in texts]), np.zeros(len(texts), np.int64)
    text = np.frombuffer(" ".join([*texts, ""]).encode("ascii"), np.uint8)
    played = np.zeros(len(text) // len("1-5 ") + 1, np.uint64)
    states, legal = np.zeros(2 * int(rules.words), np.uint64), np.zeros(int(rules.max_moves), np.uint64)
    begin, bits = np.array(start, np.uint64), np.uint64(kind.square_bits)
    _play_texts(rules, states, legal, kind.squares, bits, begin, text, ends, played, counts)
    until = np.cumsum(np.maximum(counts, 0))
    moves = tuple(played[: until[-1]].tolist())
    return [
        None if count < 0 else moves[end - count : end]
        for count, end in zip(counts.tolist(), until.tolist(), strict=True)
    ]


@kernel
def _play_texts(
    rules: CompiledRules,
    states: WordArray,
    legal: WordArray,
    squares: WordArray,
    square_bits: Word,
    start: WordArray,
    text: NDArray[np.uint8],
    ends: IntegerArray,
    played: WordArray,
    counts: IntegerArray,
) -> None:
    """Play games from one start, written as text that ends at ends[g]: write their moves, game after game, to `played`.

    counts[g]: the number of moves; -1 if one of them or its number is wrong or unclear, and then none is written.
    squares: the bit of each square by its number, or UNCLEAR, which takes `square_bits` bits of a move. Workspace:
    states 2 * words, legal max_moves.
    """
    data, words, none, total, i = at(rules.data, U0), np.int64(rules.words), np.int64(0), 0, 0
    both = (U1 << U2 * square_bits) - U1
    for g in range(len(ends)):
        here, there = U0, rules.words
        for k in range(words):
            states[k] = start[k]
        count, numbers, value, first, number = 0, 0, none, none, none
        begin, index = none, 0  # the first number, and the index of its move
        clear, in_pairs, from_second, in_plies = True, True, True, True
        while clear and i < ends[g]:
            sign = np.int64(text[i])
            i += 1
            if 48 <= sign <= 57:  # a digit
                value = 10 * value + sign - 48
                clear = bool(0 < value < 1000)
            elif sign == 46:  # the dot after a number
                clear = bool(value > 0 and number == 0 and first == 0)
                number, value = value, none
            elif sign == 45 or sign == 120:  # between two squares
                clear = bool(0 < value < 100 and first == 0)
                first, value = value, none
            elif value > 0:  # the end of a move
                if number > 0:
                    if numbers == 0:
                        begin, index = number, count
                    in_pairs &= number - begin == count // 2 - index // 2
                    from_second &= number - begin == (count + 1) // 2 - (index + 1) // 2
                    in_plies &= number - begin == numbers and count - index == numbers
                    numbers += 1
                n = rules.gen(data, at(states, here), at(legal, U0))
                j = n
                if 0 < first != value < 100 and squares[first] != UNCLEAR and squares[value] != UNCLEAR:
                    j = with_ends(squares[first] | squares[value] << square_bits, both, legal, n)
                clear = bool(j < n)
                if clear:
                    played[total + count] = legal[j]
                    rules.play(data, at(states, here), legal[j], at(states, there))
                    here, there = there, here
                    count += 1
                    first, value, number = none, none, none
            else:  # more space
                clear = bool(first == 0)
        clear = clear and number == 0 and (in_pairs or from_second or in_plies)
        counts[g] = count if clear else -1
        total += count if clear else 0
        i = ends[g]

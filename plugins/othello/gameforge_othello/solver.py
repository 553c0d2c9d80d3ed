"""Exact endings for the user: the oracle `solver` for searches, `solve`, and problems from files.

The oracle solves positions with few empty squares when a search asks; endgame.py has the search.

Any searcher that proves wins and losses can solve endings as well: with an odd komi there are no draws, and a win means
that the side to move leads by more than the komi, so a few searches find the lead by bisection. Problems are read from
files in the form of the FFO test (OBF): a position, then moves with the resulting lead, `; G8:+18; H1:+12;`.
"""

import functools
import math
import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

import gameforge as gf
from gameforge import Game, GameforgeError, interfaces, kernel
from gameforge.interfaces import (
    DRAW,
    HEURISTIC_LIMIT,
    LOSS,
    WIN,
    Announce,
    Gate,
    OracleFunctions,
    Rules,
    State,
    kinds,
    silent,
)
from gameforge.kernel import U0, UNKNOWN, CompiledEvaluator, Words, assembly, at, popcount, slots
from gameforge.storage import stored
from gameforge_othello import movegen
from gameforge_othello.endgame import BEST, NODES, find_lead, find_leads, search, table_bits, work_words
from gameforge_othello.evaluation import require_othello
from gameforge_othello.movegen import SQUARES, final_counts, rays, rules_block, to_move
from gameforge_othello.rules import Othello

_MOST_EMPTY, _BITS = movegen.KOMI + np.uint64(1), movegen.KOMI + np.uint64(2)
"""Words of the data block after those of the rules: the most empty squares of a position that is solved, and the
binary logarithm of the number of entries in the solver's table."""
_MEGABYTES = 2
"""Of each thread's table; positions with 14 empty squares rarely need more."""
_DISC = 2.17
"""Log-odds of winning for a disc of the lead in labels, times the number of empty squares. `strong` was trained with
it, so it stays when the odds that are shown (rules.py) are measured again."""
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
    lead = search(None, od, at(out, np.uint64(slots.PROBE_SCRATCH)), od[_BITS], s[0], s[1], even - 1, even + 1)
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

    def lead_utilities(self, rules: Rules, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return what the lead at the end, komi included, is worth for the side to move of each of states[N, words].

        Each disc adds `_DISC`, divided by the number of empty squares, to the log-odds of winning. The result is NaN
        where too many squares are empty.
        """
        komi = require_othello(rules, "the oracle solver").komi
        found = np.full(len(states), np.nan)
        empty = SQUARES - np.bitwise_count(states[:, 0] | states[:, 1]).astype(np.int64)
        known = np.flatnonzero(empty <= self.empty)
        chosen = np.ascontiguousarray(states[known])
        bits, leads = table_bits(_MEGABYTES), np.zeros(len(known))
        work = np.zeros(work_words(bits), np.uint64)
        kernel.interruptible(work.view(np.int64), find_leads, _RAYS, work, bits, chosen.reshape(-1), leads)
        leads += np.where(chosen[:, 2] != 0, komi, -komi)
        found[known] = np.tanh(leads * (_DISC / np.maximum(1, empty[known])) / 2)
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

    With 17 empty squares or more, the player `strong` guesses the lead and orders the moves. searcher: solves the
    position instead, by bisection; it must prove wins and take the parameters `depth` and `memory`. evaluator: orders
    the moves of that searcher. memory: of the transposition table, in megabytes. With 16 empty squares it takes some
    hundredths of a second, with 22 about a second. Raises GameforgeError if the searcher proves neither a win nor a
    loss.
    """
    game = _standard()
    legal = game.legal(state)
    if not legal:
        black, white = final_counts(state)
        return Solved((white - black) if to_move(state) else (black - white), None, 0)
    if searcher is not None:
        limited = f"{searcher}{',' if ':' in searcher else ':'}depth={_DEEPEST},memory={memory}"
        return _by_bisection(game, state, legal[0], limited, evaluator)
    helping, guess = _help(game, state)
    bits = table_bits(memory)
    work, s = np.zeros(work_words(bits), np.uint64), np.array(state, np.uint64)
    found = kernel.interruptible(work.view(np.int64), find_lead, helping, _RAYS, work, bits, s, np.int64(guess))
    return Solved(int(found), int(work[int(BEST)]), int(work[int(NODES)]))


@functools.cache
def _standard() -> Game:
    """The game without komi."""
    return Game(Othello())


_HELPED = 17
"""Number of empty squares from which the shipped player saves more time than it takes."""
_DISCS, _MOST_DISCS = 6.0, 40
"""The guess for each unit of log-odds, and its limit. They decide only how long the search takes."""


def _help(game: Game, state: State) -> tuple[CompiledEvaluator, int]:
    """Return the evaluator of `strong`, which orders moves, and the lead that its search expects.

    Near the end that does not pay: the evaluator then scores all positions as even, and the guess is 0.
    """
    if SQUARES - (state[0] | state[1]).bit_count() < _HELPED:
        return assembly.compiled_evaluator(None), 0
    strong = gf.player(game, "strong")
    score = strong.analyse(game.position(game.position_text(state))).score
    log_odds = 2 * math.atanh(max(-HEURISTIC_LIMIT, min(HEURISTIC_LIMIT, score)))
    guess = max(-_MOST_DISCS, min(_MOST_DISCS, 2 * round(_DISCS * log_odds / 2)))
    return assembly.compiled_evaluator(strong.parts.net, strong.weights), guess


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

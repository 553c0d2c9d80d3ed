"""Exact endings: the lead in discs with best play of both sides.

The solver of solver.py searches to the last disc. Any searcher that proves wins and losses can do the same: with an odd
komi there are no draws, and a win means that the side to move leads by more than the komi, so a few searches find the
lead by bisection. Problems are read from files in the form of the FFO test (OBF): a position, then moves with the
resulting lead, `; G8:+18; H1:+12;`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN
from gameforge.interfaces.rules import State
from gameforge.kernel.compile.launch import interruptible
from gameforge.play.game import Game
from gameforge_othello.board import NAMES, SQUARES, final_counts, to_move
from gameforge_othello.flips import rays
from gameforge_othello.rules import Othello
from gameforge_othello.solver import BEST, NODES, solve_state, table_bits, work_words

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
    game = Game(Othello())
    legal = game.legal(state)
    if not legal:
        black, white = final_counts(state)
        return Solved((white - black) if to_move(state) else (black - white), None, 0)
    if searcher is not None:
        limited = f"{searcher}{',' if ':' in searcher else ':'}depth={_DEEPEST},memory={memory}"
        return _by_bisection(game, state, legal[0], limited, evaluator)
    bits = table_bits(memory)
    work = np.zeros(work_words(bits), np.uint64)
    found = interruptible(work.view(np.int64), solve_state, _RAYS, work, bits, np.array(state, np.uint64))
    return Solved(int(found), int(work[int(BEST)]), int(work[int(NODES)]))


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
        if abs(found.score) <= ORACLE_WIN:
            raise GameforgeError(
                f"{game.position_text(state)} was not solved: {searcher} proves neither a win nor a loss"
            )
        if found.score > 0:
            least, best = middle + 1, found.move.code
        else:
            most = middle - 1
    return Solved(least, best, nodes)


def read_problems(path: Path) -> Iterator[Problem]:
    """Read a file with one problem per line; GameforgeError, with the line, for anything else."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
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
        leads[NAMES.index(match[1].lower())] = int(match[2])
    return Problem(state, leads)

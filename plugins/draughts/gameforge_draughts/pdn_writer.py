"""One finished game as PDN text.

Tags, moves and FEN are written as PDN 3.0 asks. The text ends with the result, as in nearly
every PDN file, not with PDN 3.0's separator `*`. `1-0` is a win of Black, the first mover, as in
all files of the English game (README, "Results in PDN").
"""

import functools
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gameforge.game import Game
from gameforge.rules import State
from gameforge_draughts.board import BLACK, START, WHITE, to_move
from gameforge_draughts.fen import fen
from gameforge_draughts.notation import move_text

if TYPE_CHECKING:
    from gameforge_draughts.rules import Draughts

GAME_TYPE = "21,B,8,8,N1,0"
"""English draughts: Black begins, 8x8, numbers, square 1 at the first mover's bottom right."""
RESULTS = {BLACK: "1-0", WHITE: "0-1", None: "1/2-1/2"}
_FIRST_TAGS = ("Event", "Site", "Date", "Round", "Black", "White")
_OWN_TAGS = ("Result", "GameType", "SetUp", "FEN")
_LINE = 80


def game_text(
    rules: "Draughts", tags: dict[str, str], start: State, moves: Sequence[int], winner: int | None, reason: str
) -> str:
    """The game with its tags, an empty line, the moves in lines of at most 80 characters, a newline.

    Event, Black and White are always written, "?" if unknown; Result, GameType and, unless the
    game began at the start position, SetUp and FEN are made here and override those of `tags`.
    """
    written = {"Event": "?", "Black": "?", "White": "?"} | tags
    header = {name: written[name] for name in _FIRST_TAGS if name in written}
    header |= {"Result": RESULTS[winner], "GameType": GAME_TYPE}
    if start != START:
        header |= {"SetUp": "1", "FEN": fen(start)}
    header |= {name: value for name, value in written.items() if name not in _FIRST_TAGS + _OWN_TAGS}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in header.items()]
    body = " ".join([*_numbered(rules, start, moves), f"{{{reason}}}", RESULTS[winner]])
    return "\n".join([*lines, "", textwrap.fill(body, _LINE, break_on_hyphens=False, break_long_words=False), ""])


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def _numbered(rules: "Draughts", start: State, moves: Sequence[int]) -> Iterator[str]:
    """Moves with the numbers of the pairs; `1...` before the first if White begins."""
    if moves and to_move(start) == WHITE:
        yield "1..."
    for ply, text in enumerate(_texts(rules, start, moves), start=to_move(start)):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}."
        yield text


def _texts(rules: "Draughts", start: State, moves: Sequence[int]) -> Iterator[str]:
    game, state = _game(rules), start
    for move in moves:
        yield move_text(move, game.legal(state))
        state = game.play(state, move)


@functools.cache
def _game(rules: "Draughts") -> Game:
    """Made once for equal rules: a run writes thousands of games."""
    return Game(rules)

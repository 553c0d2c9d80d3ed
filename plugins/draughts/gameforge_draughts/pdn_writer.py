"""One game as PDN text.

Tags, moves and FEN are written as PDN 3.0 asks. The text ends with the result, as in nearly
every PDN file, not with PDN 3.0's separator `*`. `1-0` is a win of Black, the first mover, as in
all files of the English game (README, "Results in PDN").
"""

import functools
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gameforge.game import Game
from gameforge.rules import State, StoredGame
from gameforge_draughts.board import BLACK, START, WHITE, to_move
from gameforge_draughts.fen import fen
from gameforge_draughts.notation import move_text

if TYPE_CHECKING:
    from gameforge_draughts.rules import Draughts

GAME_TYPE = "21,B,8,8,N1,0"
"""English draughts: Black begins, 8x8, numbers, square 1 at the first mover's bottom right."""
RESULTS = {BLACK: "1-0", WHITE: "0-1", None: "1/2-1/2"}
UNFINISHED = "*"
_FIRST_TAGS = ("Event", "Site", "Date", "Round", "Black", "White")
_OWN_TAGS = ("Result", "GameType", "SetUp", "FEN")
_LINE = 80


def stored_text(rules: "Draughts", game: StoredGame) -> str:
    """The game with its tags, an empty line, the moves in lines of at most 80 characters, a newline.

    Event, Black and White are always written, "?" if unknown; Result, GameType and, unless the
    game began at the start position, SetUp and FEN are made here and override those of the tags.
    The reason of the game's end is its last comment.
    """
    written = {"Event": "?", "Black": "?", "White": "?"} | dict(game.tags)
    header = {name: written[name] for name in _FIRST_TAGS if name in written}
    result = RESULTS[game.winner] if game.finished else UNFINISHED
    header |= {"Result": result, "GameType": GAME_TYPE}
    if game.start != START:
        header |= {"SetUp": "1", "FEN": fen(game.start)}
    header |= {name: value for name, value in written.items() if name not in _FIRST_TAGS + _OWN_TAGS}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in header.items()]
    end = [_comment(game.reason)] if game.reason else []
    body = " ".join([*_numbered(rules, game), *end, result])
    return "\n".join([*lines, "", textwrap.fill(body, _LINE, break_on_hyphens=False, break_long_words=False), ""])


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    """In braces, which a comment cannot hold itself."""
    return f"{{{' '.join(text.split()).replace('{', '(').replace('}', ')')}}}"


def _numbered(rules: "Draughts", game: StoredGame) -> Iterator[str]:
    """Moves with the numbers of the pairs; `1...` before a move of White that begins or follows a comment."""
    told = True
    if 0 in game.comments:
        yield _comment(game.comments[0])
    for i, text in enumerate(_texts(rules, game.start, game.moves)):
        pair, second = divmod(i + to_move(game.start), 2)
        if not second or told:
            yield f"{pair + 1}{'...' if second else '.'}"
        yield text + game.marks.get(i, "")
        told = i + 1 in game.comments
        if told:
            yield _comment(game.comments[i + 1])


def _texts(rules: "Draughts", start: State, moves: Sequence[int]) -> Iterator[str]:
    game, state = _game(rules), start
    for move in moves:
        yield move_text(move, game.legal(state))
        state = game.play(state, move)


@functools.cache
def _game(rules: "Draughts") -> Game:
    """Made once for equal rules: a run writes thousands of games."""
    return Game(rules)

"""Games as PDN text.

Tags, moves and FEN are written as PDN 3.0 asks. The text ends with the result, as in nearly
every PDN file, not with PDN 3.0's separator `*`. `1-0` is a win of Black, the first mover, as in
all files of the English game (README, "Results in PDN").
"""

import functools
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gameforge.game import Game
from gameforge.rules import State, StoredGame
from gameforge_draughts.board import START, to_move
from gameforge_draughts.fen import fen
from gameforge_draughts.notation import move_text
from gameforge_draughts.pdn.game import Line, Note, PdnGame, of_stored, plain_comment

if TYPE_CHECKING:
    from gameforge_draughts.rules import Draughts

GAME_TYPE = "21,B,8,8,N1,0"
"""English draughts: Black begins, 8x8, numbers, square 1 at the first mover's bottom right."""
_FIRST_TAGS = ("Event", "Site", "Date", "Round", "Black", "White")
_OWN_TAGS = ("Result", "GameType", "SetUp", "FEN")
_LINE = 80


def stored_text(rules: "Draughts", game: StoredGame) -> str:
    """The game as `pdn_text` writes it; Event, Black and White are always there, "?" if unknown.

    The reason of the game's end is its last comment.
    """
    return pdn_text(rules, of_stored(game, {"Event": "?", "Black": "?", "White": "?"}))


def pdn_text(rules: "Draughts", game: PdnGame) -> str:
    """The game with its tags, an empty line, the moves in lines of at most 80 characters, a newline.

    Result, GameType and, unless the game began at the start position, SetUp and FEN are made
    here and override those of the tags.
    """
    header = {name: game.tags[name] for name in _FIRST_TAGS if name in game.tags}
    header |= {"Result": game.result, "GameType": GAME_TYPE}
    if game.start != START:
        header |= {"SetUp": "1", "FEN": fen(game.start)}
    header |= {name: value for name, value in game.tags.items() if name not in _FIRST_TAGS + _OWN_TAGS}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in header.items()]
    body = " ".join([*_written(_game(rules), game.line, game.start, to_move(game.start)), game.result])
    return "\n".join([*lines, "", textwrap.fill(body, _LINE, break_on_hyphens=False, break_long_words=False), ""])


def _escaped(value: str) -> str:
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    return f"{{{plain_comment(text)}}}"


def _written(game: Game, line: Line, state: State, ply: int) -> Iterator[str]:
    """Moves with the numbers of the pairs; `1...` before a move of White that begins or follows a note."""
    nothing = Note()
    yield from map(_comment, line.notes.get(0, nothing).before)
    told = True
    for i, move in enumerate(line.moves):
        note = line.notes.get(i, nothing)
        pair, second = divmod(ply + i, 2)
        if told or not second:
            yield f"{pair + 1}{'...' if second else '.'}"
        yield move_text(move, game.legal(state)) + note.marks
        yield from (f"${nag}" for nag in note.nags)
        yield from map(_comment, note.comments)
        for variation in note.variations:
            yield f"({' '.join(_written(game, variation, state, ply + i))})"
        told = bool(note.comments or note.variations)
        state = game.play(state, move)


@functools.cache
def _game(rules: "Draughts") -> Game:
    """Made once for equal rules: a run writes thousands of games."""
    return Game(rules)

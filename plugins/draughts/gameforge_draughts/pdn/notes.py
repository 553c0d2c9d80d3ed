"""A game as a PDN file tells it: tags, moves, and the sparse notes beside them."""

from collections.abc import Mapping

import attrs

from gameforge.interfaces.games import StoredGame
from gameforge.interfaces.rules import State
from gameforge_draughts.board import BLACK, WHITE

DRAWN = "1/2-1/2"
WINNERS: dict[str, int | None] = {"1-0": BLACK, "0-1": WHITE, DRAWN: None}
"""Results of finished games."""
UNFINISHED = "*"


def plain_comment(text: str) -> str:
    """A comment with single spaces and without braces: PDN cannot hold it otherwise."""
    return " ".join(text.split()).replace("{", "(").replace("}", ")")


@attrs.frozen(kw_only=True)
class Note:
    """What stands beside one move."""

    before: tuple[str, ...] = ()
    """Comments in front of the first move of a line, and those of a line without moves."""
    marks: str = ""
    """Move strength, as `!?`."""
    nags: tuple[int, ...] = ()
    """Numeric annotation glyphs, 1 for `$1`."""
    comments: tuple[str, ...] = ()
    variations: "tuple[Line, ...]" = ()
    """Lines that may be played instead of this move."""


@attrs.frozen
class Line:
    """Moves as words, and notes by the index of the move (index 0 also where there is no move)."""

    moves: tuple[int, ...]
    notes: Mapping[int, Note] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class PdnGame:
    """One game. `tags` are without Result, GameType, SetUp and FEN: the other fields hold these."""

    tags: Mapping[str, str]
    start: State
    line: Line
    result: str
    """`1-0`, `0-1`, `1/2-1/2` or `*`."""
    number: int = attrs.field(default=0, eq=False)
    """Which game of its file it is, from 1 on."""


def of_stored(game: StoredGame, tags: Mapping[str, str]) -> PdnGame:
    """A game of the core's interface; `tags` are those that it has at least. Its reason is the last comment."""
    comments = {i: (text,) for i, text in game.comments.items()}
    if game.reason:
        comments[len(game.moves)] = (*comments.get(len(game.moves), ()), game.reason)
    before, notes = comments.pop(0, ()), {}
    for i in sorted({index - 1 for index in comments} | set(game.marks)):
        notes[i] = Note(marks=game.marks.get(i, ""), comments=comments.get(i + 1, ()))
    if before:
        notes[0] = attrs.evolve(notes.get(0, Note()), before=before)
    names = {winner: result for result, winner in WINNERS.items()}
    result = names[game.winner] if game.finished else UNFINISHED
    return PdnGame(tags=dict(tags) | dict(game.tags), start=game.start, line=Line(game.moves, notes), result=result)


def to_stored(game: PdnGame) -> StoredGame:
    """For the core's interface: the main line, its comments and marks."""
    comments: dict[int, str] = {}
    for i, note in game.line.notes.items():
        if note.before:
            comments[0] = " ".join(note.before)
        if note.comments:
            comments[i + 1] = " ".join(note.comments)
    return StoredGame(
        tags=dict(game.tags),
        start=game.start,
        moves=game.line.moves,
        finished=game.result != UNFINISHED,
        winner=WINNERS.get(game.result),
        comments=comments,
        marks={i: note.marks for i, note in game.line.notes.items() if note.marks},
    )

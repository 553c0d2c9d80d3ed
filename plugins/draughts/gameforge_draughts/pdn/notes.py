"""What a PDN file says beside the moves, and how it fits into the annotations of a game record."""

from collections.abc import Mapping

import attrs

from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.outcome import UNFINISHED, Outcome
from gameforge_draughts.board import BLACK, WHITE

UNFINISHED_RESULT = "*"
_WINNERS: dict[str, int | None] = {"1-0": BLACK, "0-1": WHITE, "1/2-1/2": None}
_RESULTS = {winner: result for result, winner in _WINNERS.items()}


def result_text(game: GameRecord) -> str:
    """`1-0` (Black has won), `0-1`, `1/2-1/2` or `*`."""
    return _RESULTS[game.outcome.winner] if game.finished else UNFINISHED_RESULT


def outcome_of_result(result: str) -> Outcome:
    """The outcome that a result stands for; a file does not say why a game ended."""
    return Outcome(_WINNERS[result], "") if result in _WINNERS else UNFINISHED


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


Notes = Mapping[int, Note]
"""Notes by the index of the move (index 0 also where there is no move)."""


@attrs.frozen
class Line:
    """Moves as words, and notes beside them."""

    moves: tuple[int, ...]
    notes: Notes = attrs.field(factory=dict)


def notes_of(game: GameRecord) -> Notes:
    """The comments and marks of a record, and the reason of the game's end as its last comment."""
    comments = {i: (text,) for i, text in game.annotations.comments.items()}
    marks = game.annotations.marks
    if game.reason:
        comments[len(game.moves)] = (*comments.get(len(game.moves), ()), game.reason)
    before, notes = comments.pop(0, ()), {}
    for i in sorted({index - 1 for index in comments} | set(marks)):
        notes[i] = Note(marks=marks.get(i, ""), comments=comments.get(i + 1, ()))
    if before:
        notes[0] = attrs.evolve(notes.get(0, Note()), before=before)
    return notes


def annotations_of(tags: Mapping[str, str], notes: Notes) -> Annotations:
    """What the core's record has room for: comments and marks, but no variations and no glyphs."""
    comments: dict[int, str] = {}
    for i, note in notes.items():
        if note.before:
            comments[0] = " ".join(note.before)
        if note.comments:
            comments[i + 1] = " ".join(note.comments)
    return Annotations(
        tags=dict(tags), comments=comments, marks={i: note.marks for i, note in notes.items() if note.marks}
    )

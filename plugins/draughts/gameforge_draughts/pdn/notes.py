"""Notes on moves in a PDN file, and their conversion to the annotations of a game record."""

from collections.abc import Mapping

import attrs

from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.outcome import UNFINISHED, Outcome
from gameforge_draughts.board import BLACK, WHITE

UNFINISHED_RESULT = "*"
_WINNERS: dict[str, int | None] = {"1-0": BLACK, "0-1": WHITE, "1/2-1/2": None}
_RESULTS = {winner: result for result, winner in _WINNERS.items()}


def result_text(game: GameRecord) -> str:
    """Return the result as in PDN: `1-0` (Black has won), `0-1`, `1/2-1/2` or `*`."""
    return _RESULTS[game.outcome.winner] if game.finished else UNFINISHED_RESULT


def outcome_of_result(result: str) -> Outcome:
    """Return the outcome for a result; its reason is empty, since files do not state it."""
    return Outcome(_WINNERS[result], "") if result in _WINNERS else UNFINISHED


def plain_comment(text: str) -> str:
    """Return a comment as PDN can hold it: with single spaces and without braces."""
    return " ".join(text.split()).replace("{", "(").replace("}", ")")


@attrs.frozen(kw_only=True)
class Note:
    """Comments, marks, glyphs and variations of one move."""

    before: tuple[str, ...] = ()
    """Comments before the first move of a line, or in a line without moves."""
    marks: str = ""
    """Move strength, such as `!?`."""
    nags: tuple[int, ...] = ()
    """Numeric annotation glyphs, 1 for `$1`."""
    comments: tuple[str, ...] = ()
    variations: "tuple[Line, ...]" = ()
    """Lines that may be played instead of this move."""


Notes = Mapping[int, Note]
"""Notes by index of the move; index 0 also serves a line without moves."""


@attrs.frozen
class Line:
    """Moves as words, with notes on them."""

    moves: tuple[int, ...]
    notes: Notes = attrs.field(factory=dict)


def notes_of(game: GameRecord) -> Notes:
    """Return the annotations of a record, with the reason for the game's end as the last comment."""
    last = {len(game.moves): (game.reason,)} if game.reason else {}
    return _notes(game.annotations, last)


def _notes(annotations: Annotations, last: Mapping[int, tuple[str, ...]]) -> Notes:
    """Convert annotations; `last` are further comments."""
    comments = {i: (text,) for i, text in annotations.comments.items()}
    comments |= {i: (*comments.get(i, ()), *texts) for i, texts in last.items()}
    marks, variations = annotations.marks, annotations.variations
    before, notes = comments.pop(0, ()), {}
    for i in sorted({index - 1 for index in comments} | set(marks) | set(variations)):
        lines = tuple(Line(one.moves, _notes(one.annotations, {})) for one in variations.get(i, ()))
        notes[i] = Note(marks=marks.get(i, ""), comments=comments.get(i + 1, ()), variations=lines)
    if before:
        notes[0] = attrs.evolve(notes.get(0, Note()), before=before)
    return notes


def annotations_of(tags: Mapping[str, str], notes: Notes) -> Annotations:
    """Return what a game record has room for: comments, marks and variations, but no glyphs."""
    comments: dict[int, str] = {}
    for i, note in notes.items():
        if note.before:
            comments[0] = " ".join(note.before)
        if note.comments:
            comments[i + 1] = " ".join(note.comments)
    variations = {
        i: tuple(Variation(moves=line.moves, annotations=annotations_of({}, line.notes)) for line in note.variations)
        for i, note in notes.items()
        if note.variations
    }
    marks = {i: note.marks for i, note in notes.items() if note.marks}
    return Annotations(tags=dict(tags), comments=comments, marks=marks, variations=variations)

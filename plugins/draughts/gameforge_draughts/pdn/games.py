"""Games in PDN files: what a kind of draughts must define, how its games are read from drafts and written.

Notes are comments, marks, glyphs and variations. They are kept as PDN has them until the annotations of a game record
are made from them.

Tags, moves and FEN that are written follow PDN 3.0. The text ends with the result, as in nearly all PDN files, and not
with the separator `*` of PDN 3.0. `1-0` is a win for the first mover, which is Black in all files of the English game
(README, "Results in PDN").
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import UNFINISHED, Annotations, GameRecord, Outcome, Rules, State, Variation
from gameforge_draughts.board import BLACK, WHITE
from gameforge_draughts.pdn.draft import Doubtful, GameDraft, LineDraft, NoteDraft, Skipped, Wrong, plain_comment

UNFINISHED_RESULT = "*"
_WINNERS: dict[str, int | None] = {"1-0": BLACK, "0-1": WHITE, "1/2-1/2": None}
_RESULTS = {winner: result for result, winner in _WINNERS.items()}


def result_text(game: GameRecord) -> str:
    """Return the result as in PDN: `1-0` (Black has won), `0-1`, `1/2-1/2` or `*`."""
    return _RESULTS[game.outcome.winner] if game.finished else UNFINISHED_RESULT


def outcome_of_result(result: str) -> Outcome:
    """Return the outcome for a result; its reason is empty, since files do not state it."""
    return Outcome(_WINNERS[result], "") if result in _WINNERS else UNFINISHED


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


class PdnGame:
    """A kind of draughts in PDN files. Rules offer it as their attribute `pdn`.

    This class plays the moves one by one through the capabilities `notation` and `positions`.
    """

    def __init__(self, rules: Rules, game_type: str, *, letters: bool = False, either_first: bool = False) -> None:
        self.rules = rules
        self.game_type = game_type
        """The value of the tag GameType, such as `20,W,10,10,N2,0`."""
        self.letters = letters
        """Whether squares may be written with letters."""
        self.either_first = either_first
        """Whether the first mover that a tag GameType states may differ from the one of these rules."""

    @functools.cached_property
    def game(self) -> Game:
        """The game, made when it is first needed: a Game asks its rules for their files."""
        return Game(self.rules)

    @property
    def number(self) -> str:
        """The number of the game in the tag GameType."""
        return self.game_type.partition(",")[0]

    @property
    def sides(self) -> tuple[str, str]:
        """The first and the second mover."""
        return self.rules.sides

    @property
    def start(self) -> State:
        """The initial position."""
        return self.rules.initial()

    def position_text(self, state: State) -> str:
        """Return a position as the value of the tag FEN."""
        return self.game.position_text(state)

    def line_texts(self, start: State, moves: Sequence[int]) -> list[str]:
        """Return these legal moves as text."""
        texts, state = [], start
        for move in moves:
            texts.append(self.game.notation.move_text(state, move, self.game.legal(state)))
            state = self.game.play(state, move)
        return texts

    def line_end(self, start: State, moves: Sequence[int]) -> State:
        """Return the state after these legal moves."""
        state = start
        for move in moves:
            state = self.game.play(state, move)
        return state

    def game_of(self, draft: GameDraft) -> tuple[GameRecord, Notes]:
        """Return the game of a draft; raises Wrong or Skipped."""
        if len(draft.lines) > 1:
            raise Wrong("this variation is not closed", draft.lines[-2].places[-1])
        start = self.start_of(draft)
        line = self._line(draft, draft.lines[0], start)
        first, second = self.sides
        record = GameRecord(
            number=draft.number,
            players=(draft.tags.get(first, ""), draft.tags.get(second, "")),
            start=start,
            moves=line.moves,
            outcome=outcome_of_result(draft.result),
            annotations=annotations_of(draft.tags, line.notes),
        )
        return record, line.notes

    def start_of(self, draft: GameDraft) -> State:
        """Return the position in which the game begins; raises Wrong or Skipped."""
        if draft.fen is None:
            return self._start(draft.first)
        text, place = draft.fen
        if text.lstrip().startswith("?"):
            raise Skipped(f"its FEN {text!r} does not state the side to move")
        return self.position_of(draft, text, place)

    def position_of(self, draft: GameDraft, text: str, place: int) -> State:
        """Parse a FEN; raises Wrong, or Doubtful if the position may be of another game."""
        try:
            return self.game.parse_position(text)
        except GameforgeError as error:
            if not draft.is_ours:
                raise Doubtful(f"looks like another game: {error}") from None
            raise Wrong(f"its GameType {self.number} and its FEN disagree: {error}", place) from None

    def moves_of(self, game: GameDraft, draft: LineDraft, start: State) -> tuple[int, ...]:
        """Return the moves of a line; raises Wrong or Doubtful."""
        state, moves = start, []
        for i, text in enumerate(draft.texts):
            try:
                move = self.game.notation.parse_move(state, text, self.game.legal(state))
            except GameforgeError as error:
                self.refuse(game, draft, i, state, error)
            moves.append(move)
            state = self.game.play(state, move)
        return tuple(moves)

    def refuse(self, game: GameDraft, draft: LineDraft, i: int, state: State, error: GameforgeError) -> NoReturn:
        """Raise what is wrong with the i-th move of a line, in this state."""
        if i == 0 and draft is game.lines[0] and not game.is_ours and state == self.start:
            raise Doubtful(f"looks like another game: {draft.texts[i]!r} is not a legal first move") from None
        doubt = "" if game.is_ours else " (there is no tag GameType; perhaps it is another game)"
        raise Wrong(f"{error}{doubt}", draft.places[i]) from None

    def _start(self, first: str) -> State:
        """Return the initial position with this first mover, W or B; "": that of the rules."""
        if not (first and self.either_first):
            return self.start
        return self.game.parse_position(first + self.position_text(self.start)[1:])

    def _line(self, game: GameDraft, draft: LineDraft, start: State) -> Line:
        moves = self.moves_of(game, draft, start)
        notes = {i: self._note(game, draft.notes[i], start, moves[:i]) for i in sorted(draft.notes)}
        return Line(moves, notes)

    def _note(self, game: GameDraft, draft: NoteDraft, start: State, before: tuple[int, ...]) -> Note:
        state = self.line_end(start, before) if draft.variations else start
        return Note(
            before=tuple(draft.before),
            marks=draft.marks,
            nags=tuple(draft.nags),
            comments=tuple(draft.comments),
            variations=tuple(self._line(game, line, state) for line in draft.variations),
        )


_FIRST_TAGS = ("Event", "Site", "Date", "Round")
_PLAYERS = ("Black", "White")
_OWN_TAGS = ("Result", "GameType", "SetUp", "FEN")
_PLACED = _FIRST_TAGS + _PLAYERS + _OWN_TAGS
_LINE = 80
_UNKNOWN = {"Event": "?", "Black": "?", "White": "?"}


def game_text(game: GameRecord, kind: PdnGame) -> str:
    """Return a game as PDN; the tags Event, Black and White are always present, "?" if unknown.

    The reason for the game's end is the last comment.
    """
    return pdn_text(game, notes_of(game), _UNKNOWN | game.tags(kind.sides), kind)


def pdn_text(game: GameRecord, notes: Notes, tags: Mapping[str, str], kind: PdnGame) -> str:
    """Return a game as PDN: its tags, an empty line, and the moves in lines of at most 80 characters.

    Result, GameType and, unless the game began at the initial position, SetUp and FEN are generated, and override
    those of `tags`. `notes` are written in place of the comments and marks of the record.
    """
    result = result_text(game)
    header = {name: tags[name] for name in (*_FIRST_TAGS, *kind.sides) if name in tags}
    header |= {"Result": result, "GameType": kind.game_type}
    if game.start != kind.start:
        header |= {"SetUp": "1", "FEN": kind.position_text(game.start)}
    header |= {name: value for name, value in tags.items() if name not in _PLACED}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in header.items()]
    body = " ".join([*_written(kind, Line(game.moves, notes), game.start, kind.rules.side_to_move(game.start)), result])
    return "\n".join([*lines, "", *_filled(body), ""])


def _filled(text: str) -> Iterator[str]:
    """Yield lines of at most _LINE characters, broken at spaces; only a longer word makes a longer line."""
    begin = 0
    while len(text) - begin > _LINE:
        end = text.rfind(" ", begin, begin + _LINE + 1)
        if end < 0:
            end = text.find(" ", begin + _LINE)
        if end < 0:
            break
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]


def _escaped(value: str) -> str:
    if value.isprintable() and '"' not in value and "\\" not in value:  # nearly always
        return value
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    return f"{{{plain_comment(text)}}}"


def _written(kind: PdnGame, line: Line, start: State, ply: int) -> list[str]:
    """Return moves with numbers and notes; the second mover's gets `1...` if it begins the line or follows a note."""
    texts = kind.line_texts(start, line.moves)
    words = [*map(_comment, line.notes.get(0, Note()).before)]
    begin, after_note = 0, True
    for i, note in sorted(line.notes.items()):
        words += _numbered(texts[begin : i + 1], ply + begin, after_note)
        if note.marks:
            words[-1] += note.marks
        words += [f"${nag}" for nag in note.nags]
        words += map(_comment, note.comments)
        for variation in note.variations:
            begins = kind.line_end(start, line.moves[:i])
            words.append(f"({' '.join(_written(kind, variation, begins, ply + i))})")
        begin, after_note = i + 1, bool(note.comments or note.variations)
    return words + _numbered(texts[begin:], ply + begin, after_note)


def _numbered(texts: list[str], ply: int, after_note: bool) -> list[str]:
    """Return moves, the first of them played at `ply`, with a number before each pair."""
    if not texts:
        return []
    if ply % 2:
        number = [f"{ply // 2 + 1}..."] if after_note else []
        return [*number, texts[0], *_numbered(texts[1:], ply + 1, after_note)]
    pairs = range(ply // 2 + 1, (ply + len(texts) + 1) // 2 + 1)
    words = [""] * (len(texts) + len(pairs))
    words[0::3] = [f"{pair}." for pair in pairs]
    words[1::3], words[2::3] = texts[0::2], texts[1::2]
    return words

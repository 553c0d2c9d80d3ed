"""Games in PDN files: what a kind of draughts must define, how its games are read from drafts and written.

Tags, moves and FEN that are written follow PDN 3.0. The text ends with the result, as in nearly all PDN files, and not
with the separator `*` of PDN 3.0. `1-0` is a win for the first mover, which is Black in all files of the English game
(README, "Results in PDN"). A result for which game records have no outcome, such as `0-0` (both sides lose), is kept as
the tag Result.

A kernel finds moves that are known by their first and last squares (`Replay`). In the words of moves of all kinds of
draughts the lowest bits are the bits of these squares, mostly six each. A move that shares them with another legal move
is left to Python, and so is a text that names more squares.
"""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NoReturn

import attrs
import numpy as np

from gameforge import Game, GameforgeError, default_registry, games
from gameforge.interfaces import Annotations, GameRecord, Outcome, Rules, Spec, State, Variation
from gameforge.kernel import U0, CompiledRules, Word, WordArray, at, inline, kernel
from gameforge_draughts.movegen import BLACK, WHITE
from gameforge_draughts.notation import squares_of_move
from gameforge_draughts.pdn_drafts import Doubtful, GameDraft, LineDraft, Skipped, Wrong, plain_comment, plain_result

UNFINISHED_RESULT = "*"
WINNERS: dict[str, int | None] = {"1-0": BLACK, "0-1": WHITE, "1/2-1/2": None}
_RESULTS = {winner: result for result, winner in WINNERS.items()}
_MOST_READINGS = 64
"""Maximum number of lines that are followed after ambiguous captures."""
Readings = Callable[[State, str, Sequence[int]], list[int]]
"""Returns the legal moves that a text may denote in a state, given the legal moves; GameforgeError if there is none."""


def result_text(game: GameRecord) -> str:
    """Return the result as in PDN: `1-0` (Black has won), `0-1`, `1/2-1/2`, `*`, or what else its tag Result says."""
    if game.finished:
        return _RESULTS[game.outcome.winner]
    kept = plain_result(game.annotations.tags.get("Result", UNFINISHED_RESULT))
    return UNFINISHED_RESULT if kept in WINNERS else kept


@functools.cache
def outcome_of_result(result: str) -> Outcome:
    """Return the outcome for a result; its reason is empty, since files do not state it."""
    return Outcome(WINNERS[result], "") if result in WINNERS else Outcome.UNFINISHED


class PdnGame:
    """A kind of draughts in PDN files. Rules offer it as their attribute `pdn`.

    readings: see Readings. The numbers and letters of squares in `bits` are those that files may use.
    """

    def __init__(
        self,
        rules: Rules,
        game_type: str,
        readings: Readings,
        bits: Mapping[str, int],
        *,
        letters: bool = False,
        either_first: bool = False,
        aliases: Mapping[str, str] = {},
        begin: str = "",
        plain: bool = True,
        square_bits: int = 6,
    ) -> None:
        self.rules = rules
        self.game_type = game_type
        """The value of the tag GameType, such as `20,W,10,10,N2,0`."""
        self.readings = readings
        self.bits = bits
        """Names of squares, numbers or letters, and their bits."""
        self.letters = letters
        """Whether squares may be written with letters."""
        self.either_first = either_first
        """Whether the first mover that a tag GameType states may differ from the one of these rules."""
        self.aliases = aliases
        """Further numbers of the game in the tag GameType, each with the FEN that its games begin with, or ""."""
        self.begin = begin
        """The FEN with which games begin that state none; "": the initial position of the rules."""
        self.plain = plain
        """Whether the side that cannot move loses; moves alone cannot tell the other kinds from one of these."""
        self.square_bits = square_bits
        """Number of bits of a square in the word of a move."""

    @functools.cached_property
    def game(self) -> Game:
        """The game, made when it is first needed: a Game asks its rules for their files."""
        return Game(self.rules)

    @property
    def number(self) -> str:
        """The number of the game in the tag GameType."""
        return self.game_type.partition(",")[0]

    @property
    def numbers(self) -> tuple[str, ...]:
        """All numbers that mean this game."""
        return self.number, *self.aliases

    @property
    def sides(self) -> tuple[str, str]:
        """The first and the second mover."""
        return self.rules.sides

    @functools.cached_property
    def squares(self) -> WordArray:
        """The bits of the squares 0 to 99, for kernels; UNCLEAR if there is no such square."""
        return np.array([self.bits.get(str(number), UNCLEAR) for number in range(100)], np.uint64)

    @functools.cached_property
    def start(self) -> State:
        """The position in which games begin that state none."""
        return self.game.parse_position(self.begin) if self.begin else self.rules.initial()

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

    def game_of(self, draft: GameDraft) -> GameRecord:
        """Return the game of a draft, and add to its remarks; raises Wrong or Skipped."""
        if len(draft.lines) > 1:
            raise Wrong("this variation is not closed", draft.lines[-2].places[-1])
        draft.check_begin()
        draft.drop_points()
        draft.check_numbers()
        start = self.start_of(draft)
        moves, annotations = self._line(draft, draft.lines[0], start)
        outcome = outcome_of_result(draft.result)
        if outcome.winner is not None and self.exchanged(draft):
            outcome = attrs.evolve(outcome, winner=1 - outcome.winner)
        kept = {} if outcome != Outcome.UNFINISHED or draft.result == UNFINISHED_RESULT else {"Result": draft.result}
        first, second = self.sides
        return GameRecord(
            number=draft.number,
            players=(draft.tags.get(first, ""), draft.tags.get(second, "")),
            start=start,
            moves=moves,
            outcome=outcome,
            annotations=attrs.evolve(annotations, tags=draft.tags | kept),
        )

    def exchanged(self, draft: GameDraft) -> bool:
        """Return whether the second mover of these rules begins the games of this draft's kind, so that it wins 1-0."""
        return self.either_first and draft.first not in ("", self.sides[0][0])

    def start_of(self, draft: GameDraft) -> State:
        """Return the position in which the game begins; raises Wrong or Skipped."""
        if draft.fen is None and draft.set_up:
            raise Wrong("the tag SetUp announces a position, but there is no tag FEN", draft.set_up)
        alias = self.aliases.get(draft.game_type, "")
        if draft.fen is None and not alias:
            return self._start(draft.first)
        text, place = draft.fen or (alias, 0)
        if text.lstrip().startswith("?"):
            raise Skipped(f"its FEN {text!r} does not state the side to move")
        return self.position_of(draft, text, place)

    def position_of(self, draft: GameDraft, text: str, place: int) -> State:
        """Parse a FEN; raises Wrong, or Doubtful if the position may be of another game."""
        try:
            return self.game.parse_position(text)
        except GameforgeError as error:
            if not draft.game_type:
                raise Doubtful(f"looks like another game: {error}") from None
            raise Wrong(f"its GameType {self.number} and its FEN disagree: {error}", place) from None

    def moves_of(self, game: GameDraft, draft: LineDraft, start: State) -> tuple[int, ...]:
        """Return the moves of a line, up to an ambiguous capture that nothing decides; raises Wrong or Doubtful.

        Compiled code plays what it understands; the rest is read here.
        """

        written = np.array([self._written(text) for text in draft.texts], np.uint64)
        played = np.empty_like(written)
        line = Replay(self.game.compiled, start, self.square_bits)
        done = line.play(written, played)
        while done < len(written):
            meant = self.read_move(game, draft, done, line.state)
            if len(meant) > 1:
                return (*played[:done].tolist(), *self.decided(game, draft, done, line.state))
            played[done] = meant[0]
            line.state = self.game.play(line.state, meant[0])
            done += 1
            done += line.play(written[done:], played[done:])
        return tuple(played.tolist())

    @functools.cached_property
    def _written(self) -> Callable[[str], int]:
        """Returns the word of a text, for compiled code."""

        def written(text: str) -> int:
            bits = [self.bits.get(name, -1) for name in squares_of_move(text)]
            return bits[0] | bits[1] << self.square_bits if len(bits) == 2 and min(bits) >= 0 else UNCLEAR

        return functools.lru_cache(maxsize=1 << 14)(written)

    def read_move(self, game: GameDraft, draft: LineDraft, i: int, state: State) -> list[int]:
        """Return the moves that the i-th text may denote in this state; raises Wrong or Doubtful if there is none."""
        try:
            return self.readings(state, draft.texts[i], self.game.legal(state))
        except GameforgeError as error:
            self.refuse(game, draft, i, state, error)

    def decided(self, game: GameDraft, draft: LineDraft, i: int, state: State) -> tuple[int, ...]:
        """Return the moves from an ambiguous capture on: those of the only reading after which the rest is legal.

        If there is none, the line ends before the capture, which is an error unless the reader is tolerant.
        """
        lines: list[tuple[State, tuple[int, ...]]] = [(state, ())]
        for j in range(i, len(draft.texts)):
            longer, refused = [], None
            for here, moves in lines:
                try:
                    meant = self.read_move(game, draft, j, here)
                except (Wrong, Skipped) as error:
                    refused = refused or error
                    continue
                longer += [(self.game.play(here, move), (*moves, move)) for move in meant]
            if refused is not None and not longer:
                raise refused
            lines = longer
            if len(lines) > _MOST_READINGS:
                break
        if len(lines) == 1:
            return lines[0][1]
        try:
            self.game.notation.parse_move(state, draft.texts[i], self.game.legal(state))
        except GameforgeError as error:
            kept = "; the game is kept up to there" if game.tolerant else ""
            game.amiss(f"{error}{kept}", draft.places[i])
        return ()

    def refuse(self, game: GameDraft, draft: LineDraft, i: int, state: State, error: GameforgeError) -> NoReturn:
        """Raise what is wrong with the i-th move of a line, in this state."""
        if i == 0 and draft is game.lines[0] and not game.game_type and state == self.start:
            raise Doubtful(f"looks like another game: {draft.texts[i]!r} is not a legal first move") from None
        doubt = "" if game.game_type else " (there is no tag GameType; perhaps it is another game)"
        raise Wrong(f"{error}{doubt}", draft.places[i]) from None

    def _start(self, first: str) -> State:
        """Return the first position with this first mover, W or B; "": that of the rules."""
        if not (first and self.either_first):
            return self.start
        return self.game.parse_position(first + self.position_text(self.start)[1:])

    def _line(self, game: GameDraft, draft: LineDraft, start: State) -> tuple[tuple[int, ...], Annotations]:
        """Return the moves and the annotations of a line."""
        moves = self.moves_of(game, draft, start)
        comments: dict[int, str] = {}
        marks: dict[int, str] = {}
        glyphs: dict[int, tuple[int, ...]] = {}
        variations: dict[int, tuple[Variation, ...]] = {}
        for i, note in sorted(draft.notes.items()):
            if note.before:
                comments[0] = " ".join(note.before)
            if i >= len(moves):
                continue
            if note.comments:
                comments[i + 1] = " ".join(note.comments)
            if note.marks:
                marks[i] = note.marks
            if note.nags:
                glyphs[i] = tuple(note.nags)
            if note.variations:
                before = self.line_end(start, moves[:i])
                if lines := tuple(self._variations(game, note.variations, before)):
                    variations[i] = lines
        return moves, Annotations(comments=comments, marks=marks, glyphs=glyphs, variations=variations)

    def _variations(self, game: GameDraft, drafts: Sequence[LineDraft], before: State) -> Iterator[Variation]:
        for draft in drafts:
            try:
                moves, annotations = self._line(game, draft, before)
            except Wrong as error:
                if not game.tolerant:
                    raise
                reason, place = error.args
                game.amiss(f"{reason}; the variation is left out", place)
                continue
            if moves:
                yield Variation(moves=moves, annotations=annotations, after=" ".join(draft.after))


@functools.cache
def installed_kinds() -> tuple[PdnGame, ...]:
    """Return all kinds of draughts among the installed games.

    Rules of which PDN names several settings offer one kind for each of them, as `pdn_kinds`.
    """
    registry = default_registry()
    rules = (registry.create("rules", Spec.parse(name)) for name in games(registry))
    kinds = (getattr(one, "pdn_kinds", (getattr(one, "pdn", None),)) for one in rules)
    return tuple(kind for kind in itertools.chain.from_iterable(kinds) if isinstance(kind, PdnGame))


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
    notes = game.annotations
    if game.reason:
        last = len(game.codes)
        comments = {**notes.comments, last: " ".join(filter(None, (notes.comments.get(last), game.reason)))}
        notes = attrs.evolve(notes, comments=comments)
    return pdn_text(attrs.evolve(game, annotations=attrs.evolve(notes, tags=_UNKNOWN | game.tags(kind.sides))), kind)


def pdn_text(game: GameRecord, kind: PdnGame) -> str:
    """Return a game as PDN: its tags, an empty line, and the moves in lines of at most 80 characters.

    Result, GameType and, unless the game began at the initial position, SetUp and FEN are generated, and override
    those of the record. Nothing else is added to the record's tags and comments.
    """
    result, tags = result_text(game), game.annotations.tags
    header = {name: tags[name] for name in (*_FIRST_TAGS, *kind.sides) if name in tags}
    header |= {"Result": result, "GameType": kind.game_type}
    if game.start != kind.start:
        header |= {"SetUp": "1", "FEN": kind.position_text(game.start)}
    header |= {name: value for name, value in tags.items() if name not in _PLACED}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in header.items()]
    words = _written(kind, game.codes, game.annotations, game.start, kind.rules.side_to_move(game.start))
    end = result if result in (*WINNERS, "0-0") else UNFINISHED_RESULT
    return "\n".join([*lines, "", *_filled(" ".join([*words, end])), ""])


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


def _comment(text: str) -> list[str]:
    return [f"{{{plain_comment(text)}}}"] if text else []


def _written(kind: PdnGame, moves: tuple[int, ...], notes: Annotations, start: State, ply: int) -> list[str]:
    """Return moves with numbers and notes; the second mover's gets `1...` if it begins the line or follows a note."""
    texts = kind.line_texts(start, moves)
    words = _comment(notes.comments.get(0, ""))
    begin, after_note = 0, True
    noted = {*notes.marks, *notes.glyphs, *notes.variations, *(i - 1 for i in notes.comments if i)}
    for i in sorted(noted):
        words += _numbered(texts[begin : i + 1], ply + begin, after_note)
        words[-1] += notes.marks.get(i, "")
        words += [f"${glyph}" for glyph in notes.glyphs.get(i, ())]
        comment = _comment(notes.comments.get(i + 1, ""))
        words += comment
        variations = notes.variations.get(i, ())
        before = kind.line_end(start, moves[:i]) if variations else start
        for line in variations:
            words.append(f"({' '.join(_written(kind, line.moves, line.annotations, before, ply + i))})")
            words += _comment(line.after)
        begin, after_note = i + 1, bool(comment or variations)
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


UNCLEAR = (1 << 64) - 1
"""The word of a text that the kernel leaves to Python."""


class Replay:
    """A line that is being played: its state, and the workspace of the kernel."""

    def __init__(self, rules: CompiledRules, start: State, square_bits: int) -> None:
        self._rules = rules
        self._ends = np.uint64((1 << 2 * square_bits) - 1)
        self._state = np.array(start, np.uint64)
        self._child = np.empty_like(self._state)
        self._legal = np.empty(int(rules.max_moves), np.uint64)

    def play(self, written: WordArray, played: WordArray) -> int:
        """Play written moves until one is unclear; write them to `played`, and return the number of moves played."""
        return int(_by_ends(self._rules, self._ends, self._state, self._child, self._legal, written, played))

    @property
    def state(self) -> State:
        """The state after the moves that were played."""
        found: State = tuple(self._state.tolist())
        return found

    @state.setter
    def state(self, state: State) -> None:
        self._state[:] = state


@inline
def with_ends(written: Word, ends: Word, legal: WordArray, n: Word) -> Word:
    """Return the index of the only move with these ends; n if there is none, or if several have them."""
    found = n
    for i in range(n):
        if legal[i] & ends == written:
            if found != n:
                return n
            found = np.uint64(i)
    return found


@kernel
def _by_ends(
    rules: CompiledRules,
    ends: Word,
    state: WordArray,
    child: WordArray,
    legal: WordArray,
    written: WordArray,
    played: WordArray,
) -> np.int64:
    data = at(rules.data, U0)
    for i in range(len(written)):
        n = rules.gen(data, at(state, U0), at(legal, U0))
        j = with_ends(written[i], ends, legal, n)
        if j == n:
            return np.int64(i)
        played[i] = legal[j]
        rules.play(data, at(state, U0), legal[j], at(child, U0))
        for k in range(len(state)):
            state[k] = child[k]
    return np.int64(len(written))

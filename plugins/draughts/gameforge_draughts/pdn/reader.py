"""Reader of PDN files, game by game, which needs memory for one game only."""

import re
from collections.abc import Callable, Iterator
from typing import NoReturn, TextIO

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Rules, State
from gameforge.kernel.context import Words
from gameforge.play.game import Game
from gameforge_draughts import movegen
from gameforge_draughts.board import SIDES, SQUARES, START, STATE_WORDS
from gameforge_draughts.notation import parse_move
from gameforge_draughts.pdn.draft import Doubtful, GameDraft, LineDraft, NoteDraft, Skipped, Wrong
from gameforge_draughts.pdn.notes import Line, Note, Notes, annotations_of, outcome_of_result
from gameforge_draughts.pdn.resolve import resolve, written_move
from gameforge_draughts.pdn.tokens import Kind, place_text, tokens
from gameforge_draughts.positions import parse_position

_MOVE = int(Kind.MOVE)


class Reader:
    """Iterates over the games of a file opened with errors="surrogateescape": records, with all their notes.

    A game of another kind of draughts is skipped with a notice: its tag GameType says so, or it has no such tag and its
    squares or its first move do not fit. A game with an error raises GameforgeError; if `tolerant`, the error is
    reported by `notice`, and the game is left out.
    """

    def __init__(
        self, rules: Rules, stream: TextIO, name: str, notice: Callable[[str], None], tolerant: bool = False
    ) -> None:
        self._game = Game(rules)
        self._stream, self._name, self._notice, self._tolerant = stream, name, notice, tolerant
        self._draft = GameDraft(number=1)
        self._states = np.zeros(2 * STATE_WORDS, np.uint64)
        self._moves = np.zeros(movegen.MAX_MOVES, np.uint64)
        self.skipped = 0
        """Number of games of other kinds of draughts so far."""
        self.doubtful = 0
        """Number of these that have no tag GameType and were skipped because they do not look like this game."""
        self.glued = 0
        """Number of words glued to a move that were read as comments so far."""
        self.bad = 0
        """Number of games so far that were left out because of an error."""

    def __iter__(self) -> Iterator[tuple[GameRecord, Notes]]:
        for kind, text, place in tokens(self._stream):
            draft = self._draft
            if kind == _MOVE and draft.is_open:  # a shortcut for most tokens
                line = draft.lines[-1]
                line.texts.append(text)
                line.places.append(place)
                continue
            if draft.ends_before(kind, text):
                yield from self._finished()
                draft = self._draft
            if kind == Kind.GLUED and draft.is_open:
                self.glued += 1
                which = f"{self._name}, game {draft.number}, {place_text(place)}"
                self._notice(f"{which}: {text!r} follows a move without a space; it is read as a comment")
            try:
                draft.take(kind, text, place)
            except (Wrong, Skipped) as reason:
                self._leave_out(draft, reason)
        yield from self._finished()

    def _finished(self) -> Iterator[tuple[GameRecord, Notes]]:
        """Yield the game that was being read, if there is one, and begin the next."""
        draft = self._draft
        self._draft = GameDraft(number=draft.number + (not draft.is_empty))
        if draft.is_empty or draft.left_out:
            return
        try:
            game = self._game_of(draft)
        except (Wrong, Skipped) as reason:
            self._leave_out(draft, reason)
        else:
            yield game

    def _leave_out(self, draft: GameDraft, reason: Wrong | Skipped) -> None:
        draft.leave_out()
        which = f"{self._name}, game {draft.number}"
        if isinstance(reason, Skipped):
            self.skipped += 1
            self.doubtful += isinstance(reason, Doubtful)
            self._notice(f"{which}: skipped: {reason}")
            return
        message, place = reason.args
        error = GameforgeError(f"{which}, {place_text(place)}: {message}")
        if not self._tolerant:
            raise error
        self.bad += 1
        self._notice(f"{error}")

    def _game_of(self, draft: GameDraft) -> tuple[GameRecord, Notes]:
        if len(draft.lines) > 1:
            raise Wrong("this variation is not closed", draft.lines[-2].places[-1])
        start = self._start(draft)
        line = self._line(draft, draft.lines[0], start)
        record = GameRecord(
            number=draft.number,
            players=(draft.tags.get(SIDES[0], ""), draft.tags.get(SIDES[1], "")),
            start=start,
            moves=line.moves,
            outcome=outcome_of_result(draft.result),
            annotations=annotations_of(draft.tags, line.notes),
        )
        return record, line.notes

    def _start(self, draft: GameDraft) -> State:
        if draft.fen is None:
            return START
        text, place = draft.fen
        if text.lstrip().startswith("?"):
            raise Skipped(f"its FEN {text!r} does not state the side to move")
        if not draft.is_ours and any(int(square) > SQUARES for square in re.findall("[0-9]{1,9}", text)):
            raise Doubtful(f"not this game, its FEN {text!r} has more squares")
        try:
            return parse_position(text)
        except GameforgeError as error:
            raise Wrong(str(error), place) from None

    def _line(self, game: GameDraft, draft: LineDraft, start: State) -> Line:
        texts = draft.texts
        written = [written_move(text) for text in texts]
        if 0 in written:
            self._explain_squares(game, draft, written.index(0), start)
        words = np.array(written, np.uint64)
        played = np.empty(len(words), np.uint64)
        self._states[:STATE_WORDS] = start
        done = int(resolve(self._states, words, self._moves, played))
        while done < len(words):
            self._explain(game, draft, done, played)
            done += 1
            done += int(resolve(self._states, words[done:], self._moves, played[done:]))
        moves = tuple(played.tolist())
        notes = {i: self._note(game, draft.notes[i], start, moves[:i]) for i in sorted(draft.notes)}
        return Line(moves, notes)

    def _explain_squares(self, game: GameDraft, draft: LineDraft, i: int, start: State) -> NoReturn:
        """Report a move that names a square which the board does not have; a legal move before it proves the game."""
        begins = [written_move(text) for text in draft.texts[:i][:1]]
        self._states[:STATE_WORDS] = start
        is_ours = game.is_ours or draft is not game.lines[0]
        if is_ours or resolve(self._states, np.array(begins, np.uint64), self._moves, np.empty(1, np.uint64)):
            raise Wrong(f"{draft.texts[i]!r} names a square that is not one of 1 to {SQUARES}", draft.places[i])
        raise Doubtful(f"not this game, whose board does not have the squares of {draft.texts[i]}")

    def _explain(self, game: GameDraft, draft: LineDraft, i: int, played: Words) -> None:
        """Play a move that the kernel did not understand, or raise what is wrong with it."""
        state: State = tuple(self._states[:STATE_WORDS].tolist())
        try:
            played[i] = parse_move(state, draft.texts[i], self._game.legal(state))
        except GameforgeError as error:
            if i == 0 and draft is game.lines[0] and not game.is_ours and state == START:
                raise Doubtful(f"not this game, in which {draft.texts[i]} is not a first move") from None
            doubt = "" if game.is_ours else " (there is no tag GameType; perhaps it is another game)"
            raise Wrong(f"{error}{doubt}", draft.places[i]) from None
        self._states[:STATE_WORDS] = self._game.play(state, int(played[i]))

    def _note(self, game: GameDraft, draft: NoteDraft, start: State, before: tuple[int, ...]) -> Note:
        state = start
        if draft.variations:
            for move in before:
                state = self._game.play(state, move)
        return Note(
            before=tuple(draft.before),
            marks=draft.marks,
            nags=tuple(draft.nags),
            comments=tuple(draft.comments),
            variations=tuple(self._line(game, line, state) for line in draft.variations),
        )

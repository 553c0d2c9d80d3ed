"""Reader of PDN files, game by game, which needs memory for one game only."""

from collections.abc import Callable, Iterator
from typing import TextIO

from gameforge import GameforgeError
from gameforge.interfaces import GameRecord
from gameforge_draughts.pdn.draft import Doubtful, GameDraft, Skipped, Wrong
from gameforge_draughts.pdn.games import Notes, PdnGame
from gameforge_draughts.pdn.tokens import Kind, place_text, tokens

_MOVE = int(Kind.MOVE)


def _no_others(number: str) -> PdnGame | None:
    return None


class Archive:
    """Iterates over the games of a file opened with errors="surrogateescape": records, with all their notes.

    A game without a tag GameType is read as one of the kind `own`, any other as the kind that `others` returns for the
    number of its GameType. It is skipped with a notice if there is no such kind, or if it has no such tag and its
    squares or its first move do not fit. A game with an error raises GameforgeError; if `tolerant`, the error is
    reported by `notice`, and the game is left out.
    """

    def __init__(
        self,
        own: PdnGame,
        stream: TextIO,
        name: str,
        notice: Callable[[str], None],
        tolerant: bool = False,
        others: Callable[[str], PdnGame | None] = _no_others,
    ) -> None:
        self._own, self._others = own, others
        self._stream, self._name, self._notice, self._tolerant = stream, name, notice, tolerant
        self._draft = self._new_draft(1)
        self.kind = own
        """The kind of the game that was read last."""
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

    def _new_draft(self, number: int) -> GameDraft:
        return GameDraft(number, self._own.number, self._lettered)

    def _kind(self, number: str) -> PdnGame | None:
        return self._own if number == self._own.number else self._others(number)

    def _lettered(self, number: str) -> bool | None:
        """Return whether squares of games of this GameType may have letters; None if they cannot be read."""
        kind = self._kind(number)
        return None if kind is None else kind.letters

    def _finished(self) -> Iterator[tuple[GameRecord, Notes]]:
        """Yield the game that was being read, if there is one, and begin the next."""
        draft = self._draft
        self._draft = self._new_draft(draft.number + (not draft.is_empty))
        if draft.is_empty or draft.left_out:
            return
        kind = self._kind(draft.game_type) or self._own
        try:
            game = kind.game_of(draft)
        except (Wrong, Skipped) as reason:
            self._leave_out(draft, reason)
        else:
            self.kind = kind
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

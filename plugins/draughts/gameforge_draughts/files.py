"""Files of games and positions: PDN, read game by game in the memory of one game, and the files of NeuroDraughts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import GameBoards, GameFiles, GameRecord, Opening, Rules
from gameforge_draughts.neurodraughts_files import board_openings, is_board_file, read_training_games
from gameforge_draughts.pdn import PdnGame, game_text, installed_kinds
from gameforge_draughts.pdn_parsing import Doubtful, GameDraft, Kind, Skipped, Wrong, open_pdn, place_text, tokens


@attrs.frozen
class PdnFiles(GameFiles):
    """The capability `files` of a kind of draughts."""

    kind: PdnGame

    suffix = ".pdn"

    def game_text(self, game: GameRecord) -> str:
        """Return a game as PDN."""
        return game_text(game, self.kind)

    @property
    def suffixes(self) -> tuple[str, ...]:
        return (self.suffix,)

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of this kind in a PDN file, with their comments, marks and variations."""
        with open_pdn(path, encoding) as stream:
            yield from Archive(self.kind, stream, str(path), notice, tolerant)

    def read_mixed(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[tuple[Rules, GameRecord]]:
        """Read the games of all installed kinds of draughts in a file; this is the kind of those without GameType."""
        with open_pdn(path, encoding) as stream:
            archive = Archive(self.kind, stream, str(path), notice, tolerant, installed_kinds())
            for game in archive:
                yield archive.kind.rules, game


@attrs.frozen
class DraughtsFiles(PdnFiles):
    """The files of English draughts."""

    def read_openings(self, path: Path) -> Sequence[Opening] | None:
        """Read a board file of NeuroDraughts; None if it is not one."""
        return board_openings(path) if is_board_file(path) else None

    def read_boards(self, path: Path) -> Iterator[GameBoards]:
        """Read a training file of NeuroDraughts."""
        return read_training_games(path)


_MOVE = int(Kind.MOVE)


class Archive:
    """Iterates over the games of a file opened with errors="surrogateescape".

    A game with a tag GameType is read as the kind that its number means, `own` or one of `others`. It is skipped with a
    notice if there is no such kind. A game without the tag is read as one of the kind `own`; if that does not fit, as
    the only one of `others` with which all moves are legal, with a notice. If several fit, or if its squares or its
    first move do not fit any, the game is skipped with a notice.

    A game with an error raises GameforgeError; if `tolerant`, the error is reported by `notice`, and the game is left
    out unless it can be read without what is wrong.
    """

    def __init__(
        self,
        own: PdnGame,
        stream: TextIO,
        name: str,
        notice: Callable[[str], None],
        tolerant: bool = False,
        others: Sequence[PdnGame] = (),
    ) -> None:
        self._own, self._others = own, [kind for kind in others if kind.number != own.number]
        self._kinds = {number: kind for kind in (*self._others, own) for number in kind.numbers}
        self._stream, self._name, self._notice, self._tolerant = stream, name, notice, tolerant
        self._draft = self._new_draft(1)
        self.kind = own
        """The kind of the game that was read last."""
        self.skipped = 0
        """Number of games of other kinds of draughts so far."""
        self.doubtful = 0
        """Number of these that have no tag GameType and were skipped because their kind is not clear."""
        self.remarks = 0
        """Number of notices so far about games that were read nevertheless."""
        self.bad = 0
        """Number of games so far that were left out because of an error."""

    def __iter__(self) -> Iterator[GameRecord]:
        for kind, text, place, number in tokens(self._stream):
            draft = self._draft
            if kind == _MOVE and draft.is_open:  # a shortcut for most tokens
                line = draft.lines[-1]
                if number and not draft.depth:
                    draft.numbers.append((len(line.texts), int(number[:9])))
                line.texts.append(text)
                line.places.append(place)
                continue
            if draft.ends_before(kind, text):
                if kind == Kind.TAG:
                    try:
                        draft.interrupt(place)
                    except Wrong as reason:
                        self._leave_out(draft, reason)
                yield from self._finished()
                draft = self._draft
                if kind == _MOVE:
                    draft.numbers += [(0, int(number[:9]))] if number else []
                    draft.lines[0].texts.append(text)
                    draft.lines[0].places.append(place)
                    continue
            if kind == Kind.GLUED and draft.is_open:
                draft.remarks.append((f"{text!r} follows a move without a space; it is read as a comment", place))
            try:
                draft.take(kind, text, place)
            except (Wrong, Skipped) as reason:
                self._leave_out(draft, reason)
        yield from self._finished()

    def _new_draft(self, number: int) -> GameDraft:
        return GameDraft(number, self._kinds.__contains__, self._own.number, self._tolerant)

    def _finished(self) -> Iterator[GameRecord]:
        """Yield the game that was being read, if there is one, and begin the next."""
        draft = self._draft
        self._draft = self._new_draft(draft.number + (not draft.is_empty))
        if draft.torn and not draft.ended:
            self._draft.begins = draft.first_tag
        if draft.is_empty or draft.left_out:
            return
        try:
            game = self._read(draft)
        except (Wrong, Skipped) as reason:
            self._leave_out(draft, reason)
            return
        for text, place in draft.remarks:
            self.remarks += 1
            self._notice(f"{self._name}, game {draft.number}, {place_text(place)}: {text}")
        yield game

    def _read(self, draft: GameDraft) -> GameRecord:
        self.kind = self._kinds.get(draft.game_type, self._own)
        remarks = len(draft.remarks)
        try:
            return self.kind.game_of(draft)
        except (Wrong, Doubtful):
            if draft.game_type or not draft.lines[0].texts:
                raise
            found = []
            for kind in filter(lambda kind: kind.plain, self._others):
                del draft.remarks[remarks:]
                try:
                    found.append((kind, kind.game_of(draft), draft.remarks[remarks:]))
                except (Wrong, Skipped):
                    continue
            if not found:
                raise
        names = ", ".join(kind.rules.name for kind, *_ in found)
        if len(found) > 1:
            raise Doubtful(f"there is no tag GameType, and its moves are legal in {names}; name the game")
        self.kind, game, draft.remarks[remarks:] = found[0]
        draft.remarks.append(
            (f"there is no tag GameType; its moves are legal in {names} only", draft.lines[0].places[0])
        )
        return game

    def _leave_out(self, draft: GameDraft, reason: Wrong | Skipped) -> None:
        draft.leave_out(for_error=isinstance(reason, Wrong))
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

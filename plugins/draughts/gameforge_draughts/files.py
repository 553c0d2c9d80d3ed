"""Files of games and positions: PDN, read in the memory of a few games, and the files of NeuroDraughts.

The boards of NeuroDraughts have a digit for each of the squares 1 to 32: 0 empty, 1 black man, 2 red man, 3 black king,
4 red king ([Lynch1997], section 9.1; red is White here). The digits need not be separated.

A board file ([Lynch1997], section 9.1) has the number of boards, and for each board its 32 codes, the reward of a draw
with black, that of a draw with red, and the points to clone. Black moves first on each board.

    1
    1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 2 2 2 2 2 2 2 2 2 2 2 2  -0.1 +0.1 4

Training data ([Lynch1997], section 6.5) are games as the boards after each side's moves, game after game. Who_Won? is 1
for black, 2 for red, 3 for a draw. Black's boards come first; those of red are turned and their colours exchanged. The
digits of a board may be on several lines.

    NeuroDraughts Training Board!
    Who_Won? 1
    Number_of_Black_Boards: 2
    Number_of_Red_Boards: 1
    1 1 1 1 1 1 1 1 0 1 1 1 0 1 0 0 0 0 0 0 2 2 2 2 2 2 2 2 2 2 2 2
    ...
"""

import functools
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import NoReturn, TextIO

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import GameBoards, GameFiles, GameRecord, Opening, Rules, State
from gameforge.storage import stored
from gameforge_draughts.movegen import BIT_OF, BLACK, BOTTOM_ROW, MEN, SIDES, SQUARES, TOP_ROW, WHITE, pieces, to_move
from gameforge_draughts.pdn import PdnGame, game_text, installed_kinds
from gameforge_draughts.pdn_drafts import Doubtful, GameDraft, Skipped, Wrong, plain_result
from gameforge_draughts.pdn_parsing import LONGEST, Kind, Token, open_pdn, place_text, tokens
from gameforge_draughts.plain_games import TOGETHER, PlainGame, plain_games, whole_game


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


_MOVE, _GAME = int(Kind.MOVE), int(Kind.GAME)


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
        self._settle = functools.cache(self._settled)
        self._whole: PlainGame | None = None
        self._apart: Iterator[Token] = iter(())
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
        for kind, text, place, number in self._tokens():
            draft = self._draft
            if draft.starred:
                draft.after_star(kind, number)
            if kind == _GAME:
                if draft.ended:
                    yield from self._finished()
                    draft = self._draft
                if self._whole is None or not draft.is_new:
                    self._apart = tokens(io.StringIO(text), number=place // LONGEST - 1)
                    continue
                self.kind = self._whole.kind
                yield self._whole.record(draft.number)
                draft.number += 1
                continue
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
                elif kind == Kind.RESULT and plain_result(text) != draft.result:
                    draft.remarks.append((f"a second result, {text}, follows {draft.result}; it is lost", place))
                yield from self._finished()
                draft = self._draft
                if kind == _MOVE:
                    draft.numbers += [(0, int(number[:9]))] if number else []
                    draft.lines[0].texts.append(text)
                    draft.lines[0].places.append(place)
                    continue
            if kind == Kind.GLUED and not draft.left_out:
                has_moves = bool(draft.lines[0].texts)
                where = "follows the result" if draft.ended else "follows a move" if has_moves else "precedes the moves"
                draft.remarks.append((f"{text[:60]!r} {where}; it is read as a comment", place))
            try:
                draft.take(kind, text, place)
            except (Wrong, Skipped) as reason:
                self._leave_out(draft, reason)
        yield from self._finished()

    def _tokens(self) -> Iterator[Token]:
        """Yield the tokens of the file; plain games come whole, and the tokens of those that are not taken follow."""
        for are_whole, group in groupby(tokens(self._stream, whole_game), lambda token: token[0] == _GAME):
            if not are_whole:
                yield from group
                continue
            while games := list(islice(group, TOGETHER)):
                read = plain_games([text for _, text, *_ in games], self._settle)
                for token, found in zip(games, read, strict=True):
                    self._whole = found
                    yield token
                    yield from self._apart
                    self._apart = iter(())

    def _settled(self, game_type: str | None) -> tuple[PdnGame, State] | None:
        """Return the kind and the start of games with this tag GameType; None if they must be read by tokens."""
        draft = self._new_draft(1)
        try:
            if game_type is not None:
                draft.take(Kind.TAG, f"GameType\n{game_type}", 0)
            kind = self._kinds.get(draft.game_type, self._own)
            return None if kind.exchanged(draft) else (kind, kind.start_of(draft))
        except (Wrong, Skipped):
            return None

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
            draft.check_content()
            if draft.is_remark:
                return
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


DIGITS = frozenset("01234")
_SWAP = str.maketrans("1234", "2143")


def state_of_codes(codes: str, side: int) -> State:
    """Return the state of 32 digits with `side` to move; GameforgeError if it is not a possible position."""
    bits = [0] * 5
    for digit, bit in zip(codes, BIT_OF, strict=True):
        bits[int(digit)] |= 1 << bit
    _, black_men, white_men, black_kings, white_kings = bits
    colours = black_men | black_kings, white_men | white_kings
    for colour, men, last_row in ((BLACK, black_men, TOP_ROW), (WHITE, white_men, BOTTOM_ROW)):
        count = colours[colour].bit_count()
        if count > MEN:
            raise GameforgeError(f"{SIDES[colour]} has {count} pieces; a side has at most {MEN}")
        if men & int(last_row):
            raise GameforgeError(f"{SIDES[colour]} has a man on the far row, where it would be a king")
    return colours[side], colours[1 - side], black_kings | white_kings | side << 63


def codes_of_state(state: State) -> str:
    """Return the 32 digits of a state; they do not include the side to move."""
    digits = ["0"] * SQUARES
    for square, (colour, is_king) in pieces(state).items():
        digits[square - 1] = str(1 + colour + 2 * is_king)
    return "".join(digits)


def swapped(codes: str) -> str:
    """Turn a board by 180 degrees and exchange the colours, which gives the view of the other side."""
    return codes[::-1].translate(_SWAP)


def codes_for(state: State) -> str:
    """Return the digits as seen by the side that has just moved, which is Black in this view."""
    codes = codes_of_state(state)
    return codes if to_move(state) == WHITE else swapped(codes)


def read_text(path: Path, what: str) -> str:
    """Read a text file; `what` names the kind of file in error messages."""
    try:
        return stored.read_file(path, _MOST_BYTES).decode()
    except OSError as error:
        raise GameforgeError(f"cannot read the {what} {path}: {error.strerror or error}") from None
    except UnicodeError:
        raise GameforgeError(f"{what} {path} is not UTF-8 text") from None


_BEGINNING = 1 << 12
"""Bytes in which a file shows what it is."""
_MOST_BYTES = 1 << 26
"""Maximum size of a file that is read as a whole."""
_NUMBER = re.compile("[0-9]{1,9}")
_MOST_POINTS = 4
"""Maximum number of points in two games, with 2 for a win."""


@attrs.frozen
class TrainingBoard:
    """One board of a file."""

    state: State
    draw_black: float
    """Reward of a draw if the learner plays Black, from -1 to 1."""
    draw_red: float
    points_to_clone: int
    """Points in two test games, 0 to 4, at which the clone is replaced by a copy of the learner."""


def is_board_file(path: Path) -> bool:
    """Return whether a file begins like a board file, with a number."""
    try:
        with stored.open_file(path) as stream:
            words = stream.read(_BEGINNING).decode(errors="ignore").split()
            return bool(words) and words[0].isdecimal()
    except (OSError, UnicodeError):
        return False


def read_boards(path: Path) -> tuple[TrainingBoard, ...]:
    """Read a board file; GameforgeError if it is not one, or if numbers are missing, superfluous or out of range."""
    tokens = iter(read_text(path, "board file").split())
    first = next(tokens, "")
    if not _NUMBER.fullmatch(first) or int(first) < 1:
        raise GameforgeError(f"board file {path}: must begin with the number of its boards, not with {first[:40]!r}")
    count = int(first)
    boards = tuple(
        _read_board(tokens, f"board file {path}, board {number} of {count}") for number in range(1, count + 1)
    )
    extra = next(tokens, None)
    if extra is not None:
        raise GameforgeError(f"board file {path}: {extra[:40]!r} follows the last of its boards, which number {first}")
    return boards


def board_openings(path: Path) -> list[Opening]:
    """Return the boards of a file as openings."""
    return [Opening(f"board {number}", board.state) for number, board in enumerate(read_boards(path), 1)]


def _read_board(tokens: Iterator[str], where: str) -> TrainingBoard:
    def refuse(reason: str) -> NoReturn:
        raise GameforgeError(f"{where}: {reason}")

    codes = ""
    while len(codes) < SQUARES:
        token = next(tokens, None)
        if token is None:
            refuse(f"the file ends after {len(codes)} of its {SQUARES} squares")
        if not DIGITS.issuperset(token) or len(codes) + len(token) > SQUARES:
            refuse(f"{token[:40]!r} is not the code of square {len(codes) + 1}, which must be a digit from 0 to 4")
        codes += token

    def number(what: str, least: float, most: float) -> float:
        token = next(tokens, None)
        if token is None:
            refuse(f"the file ends before {what}")
        try:
            value = float(token)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            refuse(f"{what} = {token[:40]!r}: must be a number from {least:g} to {most:g}")
        return value

    draws = number("the reward of a draw with black", -1, 1), number("the reward of a draw with red", -1, 1)
    points = number("the points to clone", 0, _MOST_POINTS)
    if points != int(points):
        refuse(f"the points to clone = {points:g}: must be an integer from 0 to {_MOST_POINTS}")
    try:
        state = state_of_codes(codes, BLACK)
    except GameforgeError as error:
        refuse(str(error))
    return TrainingBoard(state, *draws, int(points))


_TITLE = "NeuroDraughts Training Board!"
_RESULT, _BLACK_BOARDS, _RED_BOARDS = "Who_Won?", "Number_of_Black_Boards:", "Number_of_Red_Boards:"
_WINNERS: dict[int, int | None] = {1: BLACK, 2: WHITE, 3: None}
_MOST_BOARDS = 10_000
"""No game is that long; a larger number means that the file is damaged."""


def training_game(states: Iterable[State], winner: int | None) -> GameBoards:
    """Return the game whose moves led to these states, which do not include the initial one."""
    boards: tuple[list[State], list[State]] = [], []
    for state in states:
        boards[1 - (state[2] >> 63)].append(state)
    return GameBoards((tuple(boards[BLACK]), tuple(boards[WHITE])), winner)


def training_text(game: GameBoards) -> str:
    """Return a game as text that `read_training_games` reads."""
    result = next(code for code, winner in _WINNERS.items() if winner == game.winner)
    black, red = game.boards
    lines = [_TITLE, f"{_RESULT} {result}", f"{_BLACK_BOARDS} {len(black)}", f"{_RED_BOARDS} {len(red)}"]
    lines += (" ".join(codes_for(state)) for state in (*black, *red))
    return "\n".join(lines) + "\n"


def read_training_games(path: Path) -> Iterator[GameBoards]:
    """Yield the games of a file, one at a time; GameforgeError if the file is damaged or has no games."""
    try:
        with io.TextIOWrapper(stored.open_file(path), "utf-8") as stream:
            lines = _Lines(path, stream)
            while True:
                yield _game(lines)
                if not lines.more():
                    return
    except OSError as error:
        raise GameforgeError(f"cannot read the training data {path}: {error.strerror or error}") from None
    except UnicodeError:
        raise GameforgeError(f"training data {path} is not UTF-8 text") from None


class _Lines:
    """The non-blank lines of a file, with their numbers."""

    def __init__(self, path: Path, stream: Iterable[str]) -> None:
        self._path, self._stream, self._number = path, iter(stream), 0
        self._next: str | None = None

    def more(self) -> bool:
        """Return whether a line is left."""
        while not self._next:
            line = next(self._stream, None)
            if line is None:
                return False
            self._number += 1
            self._next = line.strip()
        return True

    def take(self, what: str) -> str:
        if not self.more():
            raise GameforgeError(f"training data {self._path}: the file ends before {what}")
        line, self._next = self._next, None
        assert line is not None
        return line

    def refuse(self, reason: str) -> NoReturn:
        raise GameforgeError(f"training data {self._path}, line {self._number}: {reason}")


def _game(lines: _Lines) -> GameBoards:
    title = lines.take(f"a game, which begins with {_TITLE!r}")
    if title != _TITLE:
        lines.refuse(f"{title[:40]!r} does not begin a game; must be {_TITLE!r}")
    result = _number(lines, _RESULT, 1, len(_WINNERS))
    black, red = (_number(lines, label, 0, _MOST_BOARDS) for label in (_BLACK_BOARDS, _RED_BOARDS))
    boards = (
        tuple(_read_state(lines, WHITE, is_swapped=False) for _ in range(black)),
        tuple(_read_state(lines, BLACK, is_swapped=True) for _ in range(red)),
    )
    return GameBoards(boards, _WINNERS[result])


def _number(lines: _Lines, label: str, least: int, most: int) -> int:
    line = lines.take(repr(label))
    found, _, value = line.partition(" ")
    if found != label or not _NUMBER.fullmatch(value.strip()) or not least <= int(value) <= most:
        lines.refuse(f"{line[:60]!r}: must be {label!r} and an integer from {least} to {most}")
    return int(value)


def _read_state(lines: _Lines, side: int, *, is_swapped: bool) -> State:
    codes = ""
    while len(codes) < SQUARES:
        codes += "".join(lines.take(f"square {len(codes) + 1} of a board").split())
        if len(codes) > SQUARES or not DIGITS.issuperset(codes):
            lines.refuse(f"{codes[:40]!r} is not a board; must be {SQUARES} digits from 0 to 4")
    try:
        return state_of_codes(swapped(codes) if is_swapped else codes, side)
    except GameforgeError as error:
        lines.refuse(str(error))

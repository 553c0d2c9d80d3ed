"""Files of games: transcripts with tags and comments, and the archive WTHOR of the French Othello federation (`.wtb`).

Each game is a transcript in one line, with comments, marks and the result, below its tags.

    [Black "Ann"]
    [White "Bob"]
    f5d6{diagonal}c3d3!c4 f4 ... 33-31

A result is two numbers, Black's first, or `*` for a game that is not finished. A game without a result is finished if
neither side can move. The tag Position sets another initial position. Lines that begin with `#` are ignored.

The header of WTHOR has 16 bytes: date of the file (century, year, month, day), number of games (4 bytes,
little-endian), number of records (2), year of the games (2), size of the board (8 or 0 for 8x8), kind of the file,
depth of the theoretical score, 0. Each game has 68 bytes: tournament, Black and White as numbers that refer to other
files (2 each), Black's discs at the end (empty squares go to the winner), the most discs that Black could have reached
from the theoretical depth on, 60 moves as 10 * row + column, followed by 0. Passes are not stored.
"""

import functools
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import UNFINISHED, Annotations, GameFiles, GameRecord, Outcome, Rules
from gameforge.storage import game_lines
from gameforge_othello.board import BLACK, NAMES, PASS, SIDES, SQUARES, START, WHITE, final_counts, winner_by
from gameforge_othello.notation import MOVE, PASS_TEXT, Record, position_text, square_text

_WORD = re.compile(
    rf"(?P<move>{MOVE})(?P<mark>[!?]*)|\{{(?P<comment>[^}}]*)\}}|(?P<result>[0-9]+-[0-9]+|\*)"
    r"|[0-9]+\.+|[\s,]+|(?P<bad>.)",
    re.IGNORECASE,
)
_START = "Position"


@attrs.frozen
class OthelloFiles(GameFiles):
    """The capability `files` of the rules, with their komi."""

    rules: Rules
    komi: int

    suffix = ".oth"

    @functools.cached_property
    def _game(self) -> Game:
        return Game(self.rules)

    def game_text(self, game: GameRecord) -> str:
        tags = {name: value for name, value in game.tags(SIDES).items() if name != _START}
        if game.start != START:
            tags[_START] = position_text(game.start)
        lines = [game_lines.tag_text(name, value) for name, value in tags.items()]
        return "\n".join([*lines, "".join([*_written(game), " ", self._result(game)]).strip(), ""])

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of a text file, or of a file of the WTHOR archive if the name ends in .wtb."""
        if path.suffix.lower() == SUFFIX:
            return read_wthor(self._game, self.komi, path, tolerant, notice)
        return game_lines.read_games_by_line(path, encoding, self._read, tolerant=tolerant, notice=notice)

    def _read(self, text: str, tags: dict[str, str], where: str) -> GameRecord:
        start = START
        if _START in tags:
            try:
                start = self._game.parse_position(tags.pop(_START))
            except GameforgeError as error:
                raise GameforgeError(f"{where}: {error}") from None
        record = Record(self._game, start, where)
        comments: dict[int, str] = {}
        marks: dict[int, str] = {}
        result = ""
        for word in _WORD.finditer(text):
            done = len(record.moves)
            if word["bad"]:
                raise GameforgeError(f"{where}, move {done + 1}: {word['bad']!r} is not a move, comment or result")
            if result and word[0].strip():
                raise GameforgeError(f"{where}: {word[0]!r} follows the result; each game must be on its own line")
            if word["move"]:
                record.add(word["move"])
                if word["mark"]:
                    marks[len(record.moves) - 1] = word["mark"]
            elif word["comment"] is not None:
                comment = word["comment"].strip()
                comments[done] = f"{comments[done]} {comment}" if done in comments else comment
            elif word["result"]:
                result = word["result"]
        return GameRecord(
            players=(tags.get(SIDES[BLACK], ""), tags.get(SIDES[WHITE], "")),
            start=start,
            moves=tuple(record.moves),
            outcome=self._outcome(record, result, where),
            annotations=Annotations(tags=tags, comments=comments, marks=marks),
        )

    def _outcome(self, record: Record, result: str, where: str) -> Outcome:
        if record.is_over:
            counts = final_counts(record.state)
            given = tuple(map(int, result.split("-"))) if "-" in result else counts
            if sum(given) == SQUARES and given != counts:
                raise GameforgeError(f"{where}: the result is {result}, but the game ends {counts[0]}-{counts[1]}")
            return Outcome(winner_by(*counts, self.komi), self.rules.reasons[0])
        if "-" not in result:
            return UNFINISHED
        black, white = map(int, result.split("-"))
        return Outcome(winner_by(black, white, self.komi if black + white == SQUARES else 0), "")

    def _result(self, game: GameRecord) -> str:
        """Return the disc counts if the game ended by the rules, else 1-0, 0-1 or 1-1; `*` if it is not finished."""
        if not game.finished:
            return "*"
        if (counts := self._counts(game)) is not None:
            return f"{counts[0]}-{counts[1]}"
        return {BLACK: "1-0", WHITE: "0-1", None: "1-1"}[game.outcome.winner]

    def _counts(self, game: GameRecord) -> tuple[int, int] | None:
        record = Record(self._game, game.start)
        for move in game.moves:
            record.add(square_text(move))
        counts = final_counts(record.state)
        return counts if record.is_over and winner_by(*counts, self.komi) == game.outcome.winner else None


def _written(game: GameRecord) -> Iterator[str]:
    """Yield the moves with their annotations; a pass is omitted unless it is annotated or the last move."""
    last = len(game.moves) - 1
    yield game_lines.comment_text(game, 0)
    for i, move in enumerate(game.moves):
        notes = game.annotations.marks.get(i, "") + game_lines.comment_text(game, i + 1)
        if move != PASS:
            yield square_text(move) + notes
        elif notes or i == last:
            yield PASS_TEXT + notes


SUFFIX = ".wtb"
_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<HHHBB60s")


def read_wthor(
    game: Game, komi: int, path: Path, tolerant: bool, notice: Callable[[str], None]
) -> Iterator[GameRecord]:
    """Read the games of a file; the score of each must be the stored one.

    Tags: Date (the year), Tournament, Black and White (numbers), Score and Theoretical (Black's discs). A game whose
    moves stop early counts as finished, too: its stored score decides who won. Raises GameforgeError if the file is not
    a WTHOR file of games on 8x8 squares, and for a bad game, or reports it by `notice` if `tolerant`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) < _HEADER.size:
        raise GameforgeError(f"{path}: {len(data)} bytes are too few for a WTHOR file, whose header has {_HEADER.size}")
    *_, games, _, year, size, kind, _, _ = _HEADER.unpack_from(data)
    if size not in (0, 8) or kind not in (0, 1):
        raise GameforgeError(f"{path}: not a WTHOR file of games on 8x8 squares (size {size}, kind {kind})")
    if len(data) != _HEADER.size + games * _GAME.size:
        raise GameforgeError(
            f"{path}: {games} games take {_HEADER.size + games * _GAME.size} bytes, but the file has {len(data)}"
        )
    for number, fields in enumerate(_GAME.iter_unpack(data[_HEADER.size :]), 1):
        try:
            yield _read(game, komi, fields, year, f"{path}, game {number}")
        except GameforgeError as error:
            if not tolerant:
                raise
            notice(f"left out: {error}")


def _read(game: Game, komi: int, fields: tuple[int, int, int, int, int, bytes], year: int, where: str) -> GameRecord:
    tournament, black, white, score, theoretical, moves = fields
    record = Record(game, START, where)
    for code in moves.rstrip(b"\0"):
        row, column = divmod(code, 10)
        if not (1 <= row <= 8 and 1 <= column <= 8):
            raise GameforgeError(f"{where}, move {len(record.moves) + 1}: {code} is not a square; must be 11 to 88")
        record.add(NAMES[8 * row + column - 9])
    if score > SQUARES:
        raise GameforgeError(f"{where}: the stored score is {score}, but there are only {SQUARES} discs")
    counts = final_counts(record.state)
    if record.is_over and counts[0] != score:
        raise GameforgeError(f"{where}: Black's stored score is {score}, but the game ends {counts[0]}-{counts[1]}")
    tags = {
        "Date": str(year),
        "Tournament": str(tournament),
        "Black": str(black),
        "White": str(white),
        "Score": str(score),
        "Theoretical": str(theoretical),
    }
    reason = game.rules.reasons[0] if record.is_over else ""
    return GameRecord(
        players=(str(black), str(white)),
        start=START,
        moves=tuple(record.moves),
        outcome=Outcome(winner_by(score, SQUARES - score, komi), reason),
        annotations=Annotations(tags=tags),
    )

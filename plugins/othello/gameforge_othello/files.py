"""Files of games: each game is a transcript in one line, with comments, marks and the result, below its tags.

    [Black "Ann"]
    [White "Bob"]
    f5d6{diagonal}c3d3!c4 f4 ... 33-31

A result is two numbers, Black's first, or `*` for a game that is not finished. A game without a result is finished if
neither side can move. The tag Position sets another initial position. Lines that begin with `#` are ignored.
"""

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import GameFiles
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.outcome import UNFINISHED, Outcome
from gameforge.interfaces.rules import Rules
from gameforge.play.game import Game
from gameforge.storage.game_lines import comment_text, read_games_by_line, tag_text
from gameforge_othello.board import (
    BLACK,
    PASS,
    PASS_TEXT,
    SIDES,
    SQUARES,
    START,
    WHITE,
    final_counts,
    square_text,
    winner_by,
)
from gameforge_othello.positions import position_text
from gameforge_othello.transcript import MOVE, Record
from gameforge_othello.wthor import SUFFIX, read_wthor

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
        lines = [tag_text(name, value) for name, value in tags.items()]
        return "\n".join([*lines, "".join([*_written(game), " ", self._result(game)]).strip(), ""])

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of a text file, or of a file of the WTHOR archive if the name ends in .wtb."""
        if path.suffix.lower() == SUFFIX:
            return read_wthor(self._game, self.komi, path, tolerant, notice)
        return read_games_by_line(path, encoding, self._read, tolerant=tolerant, notice=notice)

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
    yield comment_text(game, 0)
    for i, move in enumerate(game.moves):
        notes = game.annotations.marks.get(i, "") + comment_text(game, i + 1)
        if move != PASS:
            yield square_text(move) + notes
        elif notes or i == last:
            yield PASS_TEXT + notes

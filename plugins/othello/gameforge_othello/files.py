"""Files of games: transcripts with tags and comments, here, and the formats of other programs.

Each transcript is one line, or several with numbers of moves, with comments, marks and the result, below its tags.

    [Black "Ann"]
    [White "Bob"]
    f5d6{diagonal}c3d3!c4(f4 $6)f4 ... 33-31

A result is two numbers, Black's first, or `*` for a game that is not finished. Without one after the moves the tag
Result counts. A game without a result is finished if neither side can move. The tag Position or FEN sets the first
position, and so does a board in front of the moves, as in positions of NTest (`.pos`) and in the scripts of endgame
solvers such as Zebra's: 64 squares and the side to move, in one line or in eight. What follows a board, `; G8:+18` or
`% a remark`, is a comment. Lines that begin with `#` or `%` are ignored.

Files of other formats are known by their beginning or, for the archive WTHOR, by their suffix; archives.py
reads them.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import Annotations, GameFiles, GameRecord, Outcome, Rules, State, Variation
from gameforge.storage import game_lines
from gameforge_othello import archives
from gameforge_othello.movegen import BLACK, SIDES, SQUARES, START, WHITE, final_counts, winner_by
from gameforge_othello.notation import MOVE, PASS_TEXT, Record, parse_diagram, position_text, square_text

_DASH = "[-\u2010-\u2015\u2212]"
_RESULT = rf"[0-9]{{1,4}}\s?{_DASH}\s?[0-9]{{1,4}}|1/2(?:{_DASH}1/2)?|½(?:{_DASH}½)?"
_BOTH_LOSE = "0-0"
"""A result for which records have no outcome; it is kept as the tag Result."""
_DISC = r"[-._·*xXoO0bBwW●○]"
_WORD = re.compile(
    rf"(?P<board>(?<!\S){_DISC}{{64}}\s*(?:[*xXoO0bBwW●○](?!\S)|(?:black|white)\b[^\n]*)?)"
    rf"|(?P<move>{MOVE})(?P<mark>[!?]*)|\{{(?P<comment>[^}}]*)\}}|(?P<result>{_RESULT}|\*(?=\s|$))"
    r"|\$(?P<glyph>[0-9]{1,9})|(?P<open>\()|(?P<close>\))"
    r"|(?P<number>[0-9]{1,4})(?P<dots>\.+)|[\s,]+|(?P<bad>\S)",
    re.IGNORECASE,
)
_FORMAT = game_lines.LineFormat(_WORD, in_pairs=False, settling=("position",))
_ROW = re.compile(rf"\s*(?:[1-8]\s+)?({_DISC}(?:\s?{_DISC}){{7}})(?:\s+[1-8])?\s*")
_COLUMNS = re.compile(r"\s*a\s*b\s*c\s*d\s*e\s*f\s*g\s*h\s*", re.IGNORECASE)
_TURN = re.compile(r"\s*(?:[*xXoO0bBwW●○]|(?:black|white)\b.*)\s*", re.IGNORECASE)
_SOLVED = re.compile(rf"(\s*{_DISC}{{64}}[^;%{{]*(?:\{{[^}}]*\}}[^;%{{]*)*)[;%](.*)", re.DOTALL)
_START, _RESULT_TAG = "Position", "Result"


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
        return "\n".join([*lines, f"{_line_text(game, game.codes)} {self._result(game)}".strip(), ""])

    @property
    def suffixes(self) -> tuple[str, ...]:
        return self.suffix, archives.WTHOR_SUFFIX, ".ggf", ".sgf", ".pos", ".obf", ".scr"

    def read_mixed(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[tuple[Rules, GameRecord]]:
        """Read the games of a file, which are all of these rules."""
        for game in self.read_games(path, tolerant=tolerant, encoding=encoding, notice=notice):
            yield self.rules, game

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Read the games of a file of any format."""
        if path.suffix.lower() == archives.WTHOR_SUFFIX:
            return archives.read_wthor(self._game, self.komi, path, tolerant, notice)
        if archives.is_tree(path, encoding):
            return archives.read_trees(self._game, self.komi, path, encoding, tolerant, notice)
        lines = _joined(game_lines.read_lines(path, encoding))
        return game_lines.read_games_by_line(path, lines, _FORMAT, self._read, tolerant=tolerant, notice=notice)

    def _read(self, text: game_lines.GameText, tags: dict[str, str]) -> GameRecord:
        record, annotations = self._line(self._start(text, tags), text)
        result, stated = _plain_result(text.result), _plain_result(tags.get(_RESULT_TAG, ""))
        if result in ("", "*") and not record.is_over and re.fullmatch(_RESULT, stated):
            result = stated
        if result == _BOTH_LOSE or (_is_count(result) and not record.is_over and stated in ("", "*")):
            tags[_RESULT_TAG] = result
        elif _is_count(result) and not record.is_over:
            pass  # the outcome does not tell by how many discs
        elif stated in ("*", result):
            tags.pop(_RESULT_TAG, None)
        return GameRecord(
            players=(tags.get(SIDES[BLACK], ""), tags.get(SIDES[WHITE], "")),
            start=record.start,
            moves=tuple(record.moves),
            outcome=self._outcome(record, result),
            annotations=attrs.evolve(annotations, tags=tags),
        )

    def _line(self, start: State, text: game_lines.GameText, where: str = "") -> tuple[Record, Annotations]:
        """Return a line replayed, and what is said about its moves; where: begins error messages."""
        record = Record(self._game, start, where)
        for move in text.moves:
            record.add(move)
        # A pass that is not written is a move, too: what stands after n written moves stands behind their plies.
        plies = {0: 0} | {n: ply + 1 for n, ply in enumerate(record.written, 1)}
        variations = {}
        for n, others in text.variations.items():
            ply = record.written[n]
            before = functools.reduce(self._game.play, record.moves[:ply], start)
            lines = ((*self._line(before, other, f"variation after move {ply + 1}"), other.after) for other in others)
            variations[ply] = tuple(
                Variation(moves=tuple(line.moves), annotations=notes, after=" ".join(after))
                for line, notes, after in lines
            )
        return record, Annotations(
            comments={plies[n]: comment for n, comment in text.comments.items()},
            marks={record.written[n]: mark for n, mark in text.marks.items()},
            glyphs={record.written[n]: tuple(found) for n, found in text.glyphs.items()},
            variations=variations,
        )

    def _start(self, text: game_lines.GameText, tags: dict[str, str]) -> State:
        given = tags.pop(_START, "")
        if given and text.board:
            raise GameforgeError("a tag and a board both set the initial position")
        if text.board:
            return parse_diagram(text.board)
        return self._game.parse_position(given) if given else START

    def _outcome(self, record: Record, result: str) -> Outcome:
        if record.is_over:
            counts = final_counts(record.state)
            given = tuple(map(int, result.split("-"))) if re.fullmatch("[0-9]+-[0-9]+", result) else counts
            if sum(given) == SQUARES and given != counts:
                raise GameforgeError(f"the result is {result}, but the game ends {counts[0]}-{counts[1]}")
            return Outcome(winner_by(*counts, self.komi), self.rules.reasons[0])
        if "-" not in result or result == _BOTH_LOSE:
            return Outcome.UNFINISHED
        if result == "1/2-1/2":
            return Outcome(None, "")
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
        for move in game.codes:
            record.add(square_text(move))
        counts = final_counts(record.state)
        return counts if record.is_over and winner_by(*counts, self.komi) == game.outcome.winner else None


def _plain_result(text: str) -> str:
    plain = re.sub(rf"\s?{_DASH}\s?", "-", text.strip()).replace("½", "1/2")
    return "1/2-1/2" if plain == "1/2" else plain


def _is_count(result: str) -> bool:
    """Return whether a result is the number of discs of each side at the end."""
    return re.fullmatch("[0-9]{1,2}-[0-9]{1,2}", result) is not None and sum(map(int, result.split("-"))) == SQUARES


def _line_text(line: GameRecord | Variation, codes: Sequence[int]) -> str:
    """Return moves with what is said about them; a pass is omitted unless it is annotated or the last move."""
    words = []
    for i, move in enumerate(("", *map(square_text, codes))):
        notes = "".join(game_lines.notes_words(line, i, lambda other: _line_text(other, other.moves)))
        if move != PASS_TEXT or notes or i == len(codes):
            words.append(move + notes)
    return "".join(words)


def _joined(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; a board of eight lines as one, and what solvers write after one as a comment."""
    rows: list[str] = []
    begin, turn = 0, False
    for number, line in enumerate(lines, 1):
        row = _ROW.fullmatch(line)
        if rows and len(rows) < 8 and row is None and line.strip():
            yield begin, " ".join(rows)  # not a board; it is reported as what it is
            rows = []
        if row is not None and len(rows) < 8:
            begin = begin if rows else number
            rows.append("".join(row[1].split()))
            continue
        if len(rows) == 8:
            if not line.strip() or _COLUMNS.fullmatch(line):
                continue
            turn = _TURN.fullmatch(line) is not None
            yield begin, f"{''.join(rows)} {line.strip() if turn else 'X'}"
            rows = []
            if turn:
                continue
        if line.lstrip().startswith("%") or _COLUMNS.fullmatch(line):
            continue
        solved = _SOLVED.match(line)
        if solved is None:
            yield number, line
        else:
            note = solved[2].strip().replace("{", "(").replace("}", ")")
            yield number, f"{solved[1]} {{{note}}}" if note else solved[1]
    if rows:
        yield begin, f"{''.join(rows)} X" if len(rows) == 8 else " ".join(rows)

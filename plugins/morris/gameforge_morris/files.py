"""Files of games: each game is a line of moves, with comments, marks and the result, below its tags.

    [White "Ann"]
    [Black "Bob"]
    d6 f4 {the cross} d2 b4! f2xb4 ... 1-0

With numbers of moves a game may take several lines, as in files of playOK and others that resemble PGN. The reader also
accepts capitals, typographic dashes, blanks around a dash or an x, and nothing between two points.

A result is `1-0` (White has won), `0-1`, `1/2-1/2`, or `*` for a game that is not finished. Without one after the moves
the tag Result counts. A game without a result is finished if the rules end it. The tag Position sets another initial
position; the tag Reason says why the game ended. Lines that begin with `#` are ignored.
"""

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import UNFINISHED, Annotations, GameFiles, GameRecord, Outcome, Rules, State, outcome_of
from gameforge.storage import game_lines
from gameforge_morris.board import SIDES
from gameforge_morris.notation import parse_move, position_text, whole_text

_DASH = "[-\u2010-\u2015\u2212]"
_POINT = "[a-g][1-7]"
_WORD = re.compile(
    rf"\{{(?P<comment>[^}}]*)\}}|(?P<result>1{_DASH}0|0{_DASH}1|1/2(?:{_DASH}1/2)?|½(?:{_DASH}½)?|\*)(?=\s|$)"
    "|(?P<number>[0-9]{1,4})(?P<dots>[.]+)"
    rf"|(?P<move>{_POINT}(?:\s*{_DASH}\s*{_POINT}|{_POINT})?(?:\s*[x\u00d7:]\s*{_POINT})?)(?P<mark>[!?]*)|\s+|(?P<bad>\S+)",
    re.IGNORECASE,
)
_FORMAT = game_lines.LineFormat(_WORD, in_pairs=True, settling=("position",))
_MOVE = re.compile(rf"({_POINT})(?:[^a-gx\u00d7:]*({_POINT}))?(?:[^a-g]*({_POINT}))?", re.IGNORECASE)
_START, _REASON, _RESULT = "Position", "Reason", "Result"
_RESULTS = {"1-0": 0, "0-1": 1, "1/2-1/2": None}


@attrs.frozen
class MorrisFiles(GameFiles):
    """The capability `files` of the rules."""

    rules: Rules

    suffix = ".mor"

    def game_text(self, game: GameRecord) -> str:
        """Return the game as text, with an empty line at the end."""
        tags = {name: value for name, value in game.tags(SIDES).items() if name not in (_START, _REASON)}
        if game.start != self.rules.initial():
            tags[_START] = position_text(game.start)
        if game.reason:
            tags[_REASON] = game.reason
        lines = [game_lines.tag_text(name, value) for name, value in tags.items()]
        words = [game_lines.comment_text(game, 0)]
        for i, move in enumerate(game.codes):
            words += [whole_text(move) + game.annotations.marks.get(i, ""), game_lines.comment_text(game, i + 1)]
        return "\n".join([*lines, " ".join(word for word in (*words, _result(game)) if word), "", ""])

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        game = Game(self.rules)
        lines = enumerate(game_lines.read_lines(path, encoding), 1)
        read = functools.partial(_read, game)
        return game_lines.read_games_by_line(path, lines, _FORMAT, read, tolerant=tolerant, notice=notice)


def _result(game: GameRecord) -> str:
    if not game.finished:
        return "*"
    return next(text for text, winner in _RESULTS.items() if winner == game.outcome.winner)


def _read(game: Game, text: game_lines.GameText, tags: dict[str, str]) -> GameRecord:
    start = game.parse_position(tags.pop(_START)) if _START in tags else game.rules.initial()
    state, legal = start, game.legal(start)
    moves: list[int] = []
    for word in text.moves:
        try:
            move = parse_move(state, _plain_move(word), legal)
        except GameforgeError as error:
            raise GameforgeError(f"move {len(moves) + 1}: {error}") from None
        moves.append(move)
        state = game.play(state, move)
        legal = game.legal(state)
    result, reason = _plain_result(text.result), tags.pop(_REASON, "")
    if result in ("", "*") and _plain_result(tags.get(_RESULT, "")) in _RESULTS:
        result = _plain_result(tags[_RESULT])
    if _plain_result(tags.get(_RESULT, "")) in ("*", result):
        tags.pop(_RESULT, None)
    return GameRecord(
        players=(tags.get(SIDES[0], ""), tags.get(SIDES[1], "")),
        start=start,
        moves=tuple(moves),
        outcome=_outcome(game, start, moves, state, result, reason),
        annotations=Annotations(tags=tags, comments=text.comments, marks=text.marks),
    )


def _plain_move(word: str) -> str:
    """Return a move as `parse_move` reads it; the third point, or the second after an x, is that of a removed man."""
    match = _MOVE.fullmatch(word)
    if match is None:
        return word
    first, second, third = match.groups()
    return first + (f"-{second}" if second else "") + (f"x{third}" if third else "")


def _plain_result(text: str) -> str:
    plain = re.sub(_DASH, "-", text.strip()).replace("½", "1/2")
    return "1/2-1/2" if plain == "1/2" else plain


def _outcome(game: Game, start: State, moves: list[int], last: State, result: str, reason: str) -> Outcome:
    """Determine the outcome: by the final position, else by the result, else by draws such as repetition."""
    side = game.rules.side_to_move(last)
    over = outcome_of(game.rules, game.code(last, len(game.legal(last))), side)
    if over is not None and result in _RESULTS and _RESULTS[result] != over.winner:
        raise GameforgeError(f"the result is {result}, but {game.rules.sides[1 - side]} has won")
    if over is None and result in _RESULTS:
        return Outcome(_RESULTS[result], reason)
    if over is None and not result:
        over = outcome_of(game.rules, game.code_after(start, moves), side)
    return over or UNFINISHED

"""Files of games: each game is a line of moves, with comments, marks and the result, below its tags.

    [White "Ann"]
    [Black "Bob"]
    d6 f4 {the cross} d2 b4! f2xb4 ... 1-0

A result is `1-0` (White has won), `0-1`, `1/2-1/2`, or `*` for a game that is not finished. A game without a result is
finished if the rules end it. The tag Position sets another initial position; the tag Reason says why the game ended.
Lines that begin with `#` are ignored.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import UNFINISHED, Annotations, GameFiles, GameRecord, Outcome, Rules, State, outcome_of
from gameforge.storage import game_lines
from gameforge_morris.board import SIDES
from gameforge_morris.notation import parse_move, position_text, whole_text

_WORD = re.compile(
    r"\{(?P<comment>[^}]*)\}|(?P<result>1-0|0-1|1/2-1/2|\*)(?=\s|$)|[0-9]+\.+"
    r"|(?P<move>[a-g][1-7](?:-[a-g][1-7])?(?:x[a-g][1-7])?)(?P<mark>[!?]*)|\s+|(?P<bad>\S+)",
    re.IGNORECASE,
)
_START, _REASON = "Position", "Reason"
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
        for i, move in enumerate(game.moves):
            words += [whole_text(move) + game.annotations.marks.get(i, ""), game_lines.comment_text(game, i + 1)]
        return "\n".join([*lines, " ".join(word for word in (*words, _result(game)) if word), "", ""])

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        game = Game(self.rules)

        def read_game(text: str, tags: dict[str, str], where: str) -> GameRecord:
            try:
                return _read(game, text, tags)
            except GameforgeError as error:
                raise GameforgeError(f"{where}: {error}") from None

        return game_lines.read_games_by_line(path, encoding, read_game, tolerant=tolerant, notice=notice)


def _result(game: GameRecord) -> str:
    if not game.finished:
        return "*"
    return next(text for text, winner in _RESULTS.items() if winner == game.outcome.winner)


def _read(game: Game, text: str, tags: dict[str, str]) -> GameRecord:
    start = game.parse_position(tags.pop(_START)) if _START in tags else game.rules.initial()
    state, legal = start, game.legal(start)
    moves: list[int] = []
    comments: dict[int, str] = {}
    marks: dict[int, str] = {}
    result = ""
    for word in _WORD.finditer(text):
        where = f"move {len(moves) + 1}"
        if word["bad"]:
            raise GameforgeError(f"{where}: {word['bad'][:40]!r} is not a move, comment or result")
        if result and word[0].strip():
            raise GameforgeError(f"{word[0]!r} follows the result; each game must be on its own line")
        if word["move"]:
            try:
                move = parse_move(state, word["move"], legal)
            except GameforgeError as error:
                raise GameforgeError(f"{where}: {error}") from None
            if word["mark"]:
                marks[len(moves)] = word["mark"]
            moves.append(move)
            state = game.play(state, move)
            legal = game.legal(state)
        elif word["comment"] is not None:
            comment, done = word["comment"].strip(), len(moves)
            comments[done] = f"{comments[done]} {comment}" if done in comments else comment
        elif word["result"]:
            result = word["result"]
    reason = tags.pop(_REASON, "")
    return GameRecord(
        players=(tags.get(SIDES[0], ""), tags.get(SIDES[1], "")),
        start=start,
        moves=tuple(moves),
        outcome=_outcome(game, start, moves, state, result, reason),
        annotations=Annotations(tags=tags, comments=comments, marks=marks),
    )


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

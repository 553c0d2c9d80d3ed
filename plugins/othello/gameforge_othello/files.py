"""Files of games: each game is a transcript in one line, with comments, marks and the result, under its tags.

    [Black "Ann"]
    [White "Bob"]
    f5d6{diagonal}c3d3!c4 f4 ... 33-31

A result is two numbers, Black's first, or `*` for a game that is not finished; without one a game is finished if
neither side can move. The tag Position holds a start other than the usual one. A line that begins with `#` is a remark.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import StoredGame
from gameforge.storage.game_lines import comment_text, read_lines, read_tag, tag_text
from gameforge_othello.board import PASS, SQUARES, START, final_counts
from gameforge_othello.notation import PASS_TEXT, move_text
from gameforge_othello.positions import parse_position, position_text
from gameforge_othello.transcript import MOVE, Record

if TYPE_CHECKING:
    from gameforge_othello.rules import Othello

_WORD = re.compile(
    rf"(?P<move>{MOVE})(?P<mark>[!?]*)|\{{(?P<comment>[^}}]*)\}}|(?P<result>[0-9]+-[0-9]+|\*)"
    r"|[0-9]+\.+|[\s,]+|(?P<bad>.)",
    re.IGNORECASE,
)
_START = "Position"


def stored_text(rules: "Othello", game: StoredGame) -> str:
    """The game as `read_games` reads it."""
    tags = {name: value for name, value in game.tags.items() if name != _START}
    if game.start != START:
        tags[_START] = position_text(game.start)
    lines = [tag_text(name, value) for name, value in tags.items()]
    return "\n".join([*lines, "".join([*_written(game), " ", _result(rules, game)]).strip(), ""])


def read_text(
    rules: "Othello", path: Path, tolerant: bool, encoding: str, notice: Callable[[str], None]
) -> Iterator[StoredGame]:
    """The games of a text file; arguments as in gameforge.interfaces.capabilities.HasGameFiles."""
    tags: dict[str, str] = {}
    for number, line in enumerate(read_lines(path, encoding), 1):
        where = f"{path}, line {number}"
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            if text.startswith("["):
                tag = read_tag(text)
                if tag is None:
                    raise GameforgeError(f'{where}: {text[:60]!r} is no tag such as [Black "Ann"]')
                name, value = tag
                tags[name] = value
                continue
            game_tags, tags = tags, {}
            yield _read(rules, text, game_tags, where)
        except GameforgeError as error:
            if not tolerant:
                raise
            notice(f"left out: {error}")


def _read(rules: "Othello", text: str, tags: dict[str, str], where: str) -> StoredGame:
    start = START
    if _START in tags:
        try:
            start = parse_position(tags.pop(_START))
        except GameforgeError as error:
            raise GameforgeError(f"{where}: {error}") from None
    record = Record(start, where)
    comments: dict[int, str] = {}
    marks: dict[int, str] = {}
    result = ""
    for word in _WORD.finditer(text):
        done = len(record.moves)
        if word["bad"]:
            raise GameforgeError(f"{where}, move {done + 1}: {word['bad']!r} begins no move, comment or result")
        if result and word[0].strip():
            raise GameforgeError(f"{where}: {word[0]!r} stands behind the result; a game is one line")
        if word["move"]:
            record.add(word["move"])
            if word["mark"]:
                marks[len(record.moves) - 1] = word["mark"]
        elif word["comment"] is not None:
            comment = word["comment"].strip()
            comments[done] = f"{comments[done]} {comment}" if done in comments else comment
        elif word["result"]:
            result = word["result"]
    end = _ending(rules, record, result, where)
    return StoredGame(tags=tags, start=start, moves=tuple(record.moves), comments=comments, marks=marks, **end)


def _ending(rules: "Othello", record: Record, result: str, where: str) -> dict[str, Any]:
    """finished, winner and reason of a StoredGame."""
    if record.is_over:
        counts = final_counts(record.state)
        given = tuple(map(int, result.split("-"))) if "-" in result else counts
        if sum(given) == SQUARES and given != counts:
            raise GameforgeError(f"{where}: the result is {result}, but the game ends {counts[0]}-{counts[1]}")
        return {"finished": True, "winner": winner(rules, *counts), "reason": rules.reasons[0]}
    if "-" not in result:
        return {"finished": False}
    black, white = map(int, result.split("-"))
    return {"finished": True, "winner": winner(rules, black, white)}


def winner(rules: "Othello", black: int, white: int) -> int | None:
    """Who wins with these discs: 0 Black, 1 White, None nobody."""
    lead = black - white - rules.komi
    return None if lead == 0 else int(lead < 0)


def _written(game: StoredGame) -> Iterator[str]:
    """Passes are left out unless something is said about them or nothing follows."""
    last = len(game.moves) - 1
    yield comment_text(game, 0)
    for i, move in enumerate(game.moves):
        said = game.marks.get(i, "") + comment_text(game, i + 1)
        if move != PASS:
            yield move_text(move) + said
        elif said or i == last:
            yield PASS_TEXT + said


def _result(rules: "Othello", game: StoredGame) -> str:
    """The discs where the game ended by the rules, else 1-0, 0-1 or 1-1."""
    if not game.finished:
        return "*"
    if (counts := _counts(rules, game)) is not None:
        return f"{counts[0]}-{counts[1]}"
    return {0: "1-0", 1: "0-1", None: "1-1"}[game.winner]


def _counts(rules: "Othello", game: StoredGame) -> tuple[int, int] | None:
    record = Record(game.start)
    for move in game.moves:
        record.add(move_text(move))
    counts = final_counts(record.state)
    return counts if record.is_over and winner(rules, *counts) == game.winner else None

"""Games that a person has copied from anywhere: a position, moves, or a file in any format of the game."""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import MixedFiles
from gameforge.interfaces.games import GameRecord
from gameforge.play.arena.openings import parse_opening
from gameforge.play.game import Game, Position
from gameforge.play.records import record_of

_NUMBERS = re.compile(r"(?<!\S)\d+\.+(?:\s|$|(?=\S))")
"""Move numbers, which may touch their moves: `1. `, `1...`, `12.`."""
_RESULT = re.compile(r"\s(?:\*|1-0|0-1|1/2-1/2|2-0|0-2|1-1)\s*$")


def pasted_games(text: str, game: Game, notice: Callable[[str], None] = print) -> list[GameRecord]:
    """Return the games of a text: a position, the moves of a game, such games line by line, or the content of a file.

    Games of a file that cannot be read are left out, and reported to `notice`. Raises GameforgeError if the text is
    none of these.
    """
    text = text.strip()
    if not text:
        raise GameforgeError("there is nothing to read")
    whole = " ".join(text.split())
    reasons = []
    for parts in ([whole], text.splitlines()):
        try:
            return [_line(game, part.strip()) for part in parts if part.strip()]
        except GameforgeError as error:
            reasons.append(str(error))
    for found, notices in _files(text, game):
        if found:
            for one in notices:
                notice(one)
            return found
    raise GameforgeError(
        f"the text is neither a position nor moves nor a file of {game.rules.name}; read as moves: {reasons[0]}"
    )


def _line(game: Game, text: str) -> GameRecord:
    """Read a position, or moves from the initial position with or without numbers and a result."""
    moves = _NUMBERS.sub(" ", _RESULT.sub("", text))
    try:
        opening = parse_opening(game, moves)
    except GameforgeError as no_moves:
        try:
            opening = parse_opening(game, text)
        except GameforgeError:
            raise no_moves from None
    here = Position(game, opening.start)
    for code in opening.moves:
        here = here.after(code)
    return record_of(here, ("", ""), "", "")


def _files(text: str, game: Game) -> Iterator[tuple[list[GameRecord], list[str]]]:
    """Read the text as a file in each format of the game; yields the games, and what could not be read."""
    files = game.files
    if files is None:
        return
    with tempfile.TemporaryDirectory(prefix="gameforge-pasted-") as folder:
        for suffix in files.suffixes if isinstance(files, MixedFiles) else (files.suffix,):
            path = Path(folder) / f"text{suffix}"
            path.write_text(f"{text}\n", encoding="utf-8", errors="replace")
            notices: list[str] = []
            try:
                found = list(files.read_games(path, tolerant=True, notice=notices.append))
            except GameforgeError:
                continue
            yield found, [one.replace(str(path), "the text") for one in notices]

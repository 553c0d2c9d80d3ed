"""Games from uploaded files, and games as text for a file."""

import re
import tempfile
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.outcome import Outcome
from gameforge.play.game import Game, Position
from gameforge.play.game_text import game_writer, games_name, record_of
from gameforge.web.views import Json, move_texts, outcome_text

MOST_BYTES = 8 << 20
"""Largest file that a page may send."""
MOST_GAMES = 500
"""Most games that are read from a file; the page says if there are more."""
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")


def read_games(game: Game, name: str, content: bytes) -> Json:
    """Read the games of a file. name: its name, of which only the suffix counts.

    Games that cannot be read are skipped, with the reasons among the notices. Raises GameforgeError if the game has no
    files, or if no game can be read.
    """
    if game.files is None:
        raise GameforgeError(f"{game.rules.name} cannot read files of games")
    suffix = _SUFFIX.fullmatch(Path(name).suffix)
    notices: list[str] = []
    with tempfile.TemporaryDirectory(prefix="gameforge-web-") as folder:
        path = Path(folder) / f"games{suffix[0].lower() if suffix else game.files.suffix}"
        path.write_bytes(content)
        try:
            games = list(islice(game.files.read_games(path, tolerant=True, notice=notices.append), MOST_GAMES + 1))
        except GameforgeError as error:
            raise GameforgeError(str(error).replace(str(path), name)) from error
        notices = [notice.replace(str(path), name) for notice in notices]
    if not games:
        raise GameforgeError(f"{name} holds no game of {game.rules.name}: {'; '.join(notices[:1]) or 'it is empty'}")
    if len(games) > MOST_GAMES:
        notices.append(f"only the first {MOST_GAMES} games were read")
    return {"games": [game_json(game, record) for record in games[:MOST_GAMES]], "notices": notices[:20]}


def game_json(game: Game, record: GameRecord) -> Json:
    """Return a game for the page, with its comments and marks."""
    initial = game.rules.initial()
    tags = record.tags(game.rules.sides)
    names = [name or tags.get(side, "?") for name, side in zip(record.players, game.rules.sides, strict=True)]
    return {
        "title": " - ".join(names),
        "event": " ".join(tags[key] for key in ("Event", "Date", "Round") if key in tags),
        "result": outcome_text(game, record.outcome) if record.finished else "",
        "start": None if record.start == initial else game.position_text(record.start),
        "moves": move_texts(game, record),
        "comments": dict(record.annotations.comments),
        "marks": dict(record.annotations.marks),
        "players": names,
    }


def game_file(
    position: Position,
    players: tuple[str, str],
    comments: Mapping[int, str],
    marks: Mapping[int, str],
    result: tuple[int | None, str] | None,
) -> Json:
    """Return a game as text in its own format. result: the winner and the reason if no rule ended the game."""
    record = record_of(position, players, "gameforge web", time.strftime("%Y.%m.%d"))
    annotations = Annotations(tags=record.annotations.tags, comments=comments, marks=marks)
    record = attrs.evolve(record, annotations=annotations)
    if result is not None and not record.finished:
        record = attrs.evolve(record, outcome=Outcome(*result))
    text = game_writer(position.game)(record)
    return {"text": text if text.endswith("\n") else f"{text}\n", "name": games_name(position.game)}

"""Games from uploaded files, and games as text for a file."""

import re
import tempfile
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TypeVar

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.rules import Outcome
from gameforge.play.game import Game, Position
from gameforge.play.pasted import pasted_games
from gameforge.play.records import game_writer, games_name, record_of
from gameforge.web.views import JsonObject, line_texts, outcome_text

MOST_BYTES = 8 << 20
"""Largest file that a page may send."""
MOST_GAMES = 500
"""Most games that are read from a file; the page says if there are more."""
T = TypeVar("T")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")


def read_games(game: Game, name: str, content: bytes) -> JsonObject:
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


def pasted_json(game: Game, text: str) -> JsonObject:
    """Return the games of a text that a person has pasted, as `read_games` does."""
    notices: list[str] = []
    games = pasted_games(text, game, notices.append)
    if len(games) > MOST_GAMES:
        notices.append(f"only the first {MOST_GAMES} games were read")
    return {"games": [game_json(game, record) for record in games[:MOST_GAMES]], "notices": notices[:20]}


def game_json(game: Game, record: GameRecord) -> JsonObject:
    """Return a game for the page, with its comments and marks."""
    initial = game.rules.initial()
    tags = record.tags(game.rules.sides)
    names = [name or tags.get(side, "?") for name, side in zip(record.players, game.rules.sides, strict=True)]
    return {
        "title": " - ".join(names),
        "event": " ".join(tags[key] for key in ("Event", "Date", "Round") if key in tags),
        "result": outcome_text(game, record.outcome) if record.finished else "",
        "start": None if record.start == initial else game.position_text(record.start),
        "moves": line_texts(Position(game, record.start), record.moves),
        **_annotated(Position(game, record.start), record.moves, record.annotations),
        "players": names,
    }


def _annotated(start: Position, moves: tuple[int, ...], annotations: Annotations) -> JsonObject:
    here, variations = start, {}
    for i in range(max(annotations.variations, default=-1) + 1):
        lines = annotations.variations.get(i, ())
        if lines:
            variations[i] = [
                {"moves": line_texts(here, line.moves), **_annotated(here, line.moves, line.annotations)}
                for line in lines
            ]
        here = here.after(moves[i])
    return {"comments": dict(annotations.comments), "marks": dict(annotations.marks), "variations": variations}


@attrs.frozen(kw_only=True)
class Notes:
    """What the page has noted on the moves of a line; keys are numbers as text, as in gameforge.interfaces.games."""

    comments: dict[str, str] = attrs.field(factory=dict)
    marks: dict[str, str] = attrs.field(factory=dict)
    variations: "dict[str, list[Branch]]" = attrs.field(factory=dict)

    def annotations(self, line: Position) -> Annotations:
        """Return the annotations of a line that ends in this position; GameforgeError for moves that are not legal."""
        line_positions = [line]
        while (before := line_positions[0].parent) is not None:
            line_positions.insert(0, before)
        variations = {
            i: tuple(branch.variation(line_positions[i]) for branch in branches)
            for i, branches in _numbered(self.variations).items()
            if i < len(line_positions) - 1
        }
        return Annotations(comments=_numbered(self.comments), marks=_numbered(self.marks), variations=variations)


@attrs.frozen(kw_only=True)
class Branch(Notes):
    """A variation."""

    moves: tuple[str, ...] = attrs.field(validator=attrs.validators.min_len(1))

    def variation(self, start: Position) -> Variation:
        end = start
        for text in self.moves:
            end = end.play(text)
        own = Position(start.game, start.state)
        for code in end.moves_played[len(start.moves_played) :]:
            own = own.after(code)
        return Variation(moves=tuple(own.moves_played), annotations=self.annotations(own))


def _numbered(texts: Mapping[str, T]) -> dict[int, T]:
    wrong = [key for key in texts if not key.isdecimal()]
    if wrong:
        raise GameforgeError(f"comments, marks and variations have numbers as keys, not {wrong[0]!r}")
    return {int(key): text for key, text in texts.items()}


def game_record(
    position: Position, players: tuple[str, str], notes: Notes, result: tuple[int | None, str] | None
) -> GameRecord:
    """Return the game that the page shows. result: the winner and the reason if no rule ended the game."""
    record = record_of(position, players, "gameforge web", time.strftime("%Y.%m.%d"))
    annotations = attrs.evolve(notes.annotations(position), tags=record.annotations.tags)
    record = attrs.evolve(record, annotations=annotations)
    if result is not None and not record.finished:
        record = attrs.evolve(record, outcome=Outcome(*result))
    return record


def game_file(game: Game, record: GameRecord) -> JsonObject:
    """Return a game as text in its own format."""
    text = game_writer(game)(record)
    return {"text": text if text.endswith("\n") else f"{text}\n", "name": games_name(game)}

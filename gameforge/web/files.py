"""Games from uploaded files and pasted texts, and games as text for a file."""

import codecs
import contextlib
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TypeVar

import attrs

from gameforge.arena.openings import parse_opening
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import MixedFiles
from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.rules import Outcome
from gameforge.play.game import Game, Position
from gameforge.records.game_records import game_of_file, game_writer, games_name, player_names, reads_file, record_of
from gameforge.records.store import game_name
from gameforge.records.tables import is_games_db
from gameforge.records.trace_files import game_files
from gameforge.web.databases import Databases
from gameforge.web.views import JsonObject, line_texts, outcome_text

MOST_BYTES = 1 << 30
"""Largest file that a page may send."""
MOST_GAMES = 500
"""Most games that are sent to a page as a whole; of files with more, it shows a database."""
_AT_ONCE = 8 << 20
"""Largest file, in bytes, of which the page may get all games at once."""
T = TypeVar("T")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")
_NUMBERS = re.compile(r"(?<!\S)\d+\.+(?:\s|$|(?=\S))")
"""Move numbers, which may touch their moves: `1. `, `1...`, `12.`."""
_NUMBER = re.compile("[0-9]{1,9}")
_RESULT = re.compile(r"\s(?:\*|1-0|0-1|1/2-1/2|2-0|0-2|1-1)\s*$")


def suffix_of(name: str, game: Game) -> str:
    """Return the suffix for a file that the page sends under a name: that of the name, or the game's own."""
    found = _SUFFIX.fullmatch(Path(name).suffix)
    return found[0].lower() if found else game_files(game).suffix


def read_games(game: Game, name: str, path: Path, registry: Registry, databases: Databases) -> JsonObject:
    """Read the games of a file, or begin to read those of a large one. name: what its sender calls it.

    The suffix decides which game reads the file: `game` if it can, else the only one of the registry that can. Games
    that cannot be read are skipped, with the reasons among the notices. The file is deleted when it has been read.
    Raises GameforgeError if no game can be read.
    """
    kept = False
    notices: list[str] = []
    reader = _reader(path, game, registry)
    try:
        encoding = _encoding(path)
        games: list[JsonObject] = []
        if path.stat().st_size <= _AT_ONCE and not is_games_db(path):
            records = _records(path, reader, encoding, notices.append)
            games = [_own(one, record, game) for one, record in islice(records, MOST_GAMES + 1)]
            if len(games) <= MOST_GAMES:
                return _of_file(name, reader, games, [notice.replace(str(path), name) for notice in notices])
        if games and games[0]["game"] is not None:
            return _of_file(name, reader, games[:MOST_GAMES], [f"only the first {MOST_GAMES} games were read"])
        opened = databases.add(path, name, reader, encoding)
        kept = True
        return {"games": [], "notices": [], "database": opened.number, "game": reader.rules.name}
    except GameforgeError as error:
        raise GameforgeError(str(error).replace(str(path), name)) from error
    finally:
        if not kept:
            path.unlink(missing_ok=True)


def _of_file(name: str, reader: Game, games: list[JsonObject], notices: list[str]) -> JsonObject:
    if not games:
        reason = "; ".join(notices[:1]) or "it is empty"
        raise GameforgeError(f"{name} holds no game of {reader.rules.name}: {reason}")
    return {"games": games, "notices": notices[:20]}


def _reader(path: Path, game: Game, registry: Registry) -> Game:
    """Return the game that reads a file: this one, unless only another one has files with this suffix."""
    if reads_file(game, path):
        return game
    try:
        return game_of_file(path, registry)
    except GameforgeError:
        return game


def _records(path: Path, game: Game, encoding: str, notice: Callable[[str], None]) -> Iterator[tuple[Game, GameRecord]]:
    """Yield the games of a file, each with its rules: a format may hold games of several kinds."""
    files = game_files(game)
    if isinstance(files, MixedFiles):
        kinds = {id(game.rules): game}
        for rules, record in files.read_mixed(path, tolerant=True, encoding=encoding, notice=notice):
            yield kinds.get(id(rules)) or kinds.setdefault(id(rules), Game(rules)), record
    else:
        for record in files.read_games(path, tolerant=True, encoding=encoding, notice=notice):
            yield game, record


def _own(game: Game, record: GameRecord, opened: Game) -> JsonObject:
    """Return a game for the page. game: its rules; opened: those of the page, of which the page knows the name."""
    return {**game_json(game, record), "game": None if game is opened else game_name(game)}


def _encoding(path: Path) -> str:
    """Return the encoding of a file: that of its byte order mark, UTF-8, or one of those that Windows has used."""
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError), path.open(encoding=encoding) as text:
            while text.read(1 << 20):
                pass
            return encoding
    return "latin-1"


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
    files = game_files(game)
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


def pasted_json(game: Game, text: str) -> JsonObject:
    """Return the games of a text that a person has pasted, as `read_games` does."""
    notices: list[str] = []
    games = pasted_games(text, game, notices.append)
    if len(games) > MOST_GAMES:
        notices.append(f"only the first {MOST_GAMES} games were read")
    return {"games": [game_json(game, record) for record in games[:MOST_GAMES]], "notices": notices[:20]}


def game_json(game: Game, record: GameRecord) -> JsonObject:
    """Return a game for the page, with all that `game_file` needs to write the same game."""
    initial = game.rules.initial()
    tags = record.tags(game.rules.sides)
    names = player_names(record, game.rules.sides)
    return {
        "title": " - ".join(names),
        "event": " ".join(tags[key] for key in ("Event", "Date", "Round") if key in tags),
        "result": outcome_text(game, record.outcome) if record.finished else "",
        "start": None if record.start == initial else game.position_text(record.start),
        "moves": line_texts(Position(game, record.start), record.codes),
        **_annotated(Position(game, record.start), record.codes, record.annotations),
        "players": names,
        "tags": tags,
        "ending": {"finished": record.finished, "winner": record.outcome.winner, "reason": record.reason},
    }


def _annotated(start: Position, moves: tuple[int, ...], annotations: Annotations) -> JsonObject:
    here, variations = start, {}
    for i in range(max(annotations.variations, default=-1) + 1):
        lines = annotations.variations.get(i, ())
        if lines:
            variations[i] = [
                {
                    "moves": line_texts(here, line.moves),
                    **_annotated(here, line.moves, line.annotations),
                    "after": line.after,
                }
                for line in lines
            ]
        here = here.after(moves[i])
    return {
        "comments": dict(annotations.comments),
        "marks": dict(annotations.marks),
        "glyphs": dict(annotations.glyphs),
        "variations": variations,
    }


@attrs.frozen(kw_only=True)
class Notes:
    """What the page has noted on the moves of a line; keys are numbers as text, as in gameforge.interfaces.games."""

    comments: dict[str, str] = attrs.field(factory=dict)
    marks: dict[str, str] = attrs.field(factory=dict)
    glyphs: dict[str, tuple[int, ...]] = attrs.field(factory=dict)
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
        return Annotations(
            comments=_numbered(self.comments),
            marks=_numbered(self.marks),
            glyphs=_numbered(self.glyphs),
            variations=variations,
        )


@attrs.frozen(kw_only=True)
class Branch(Notes):
    """A variation."""

    moves: tuple[str, ...] = attrs.field(validator=attrs.validators.min_len(1))
    after: str = ""
    """Comment behind the variation."""

    def variation(self, start: Position) -> Variation:
        end = start
        for text in self.moves:
            end = end.play(text)
        own = Position(start.game, start.state)
        for code in end.moves_played[len(start.moves_played) :]:
            own = own.after(code)
        return Variation(moves=tuple(own.moves_played), annotations=self.annotations(own), after=self.after)


def _numbered(texts: Mapping[str, T]) -> dict[int, T]:
    wrong = [key for key in texts if not _NUMBER.fullmatch(key)]
    if wrong:
        raise GameforgeError(f"comments, marks and variations have numbers as keys, not {wrong[0]!r}")
    return {int(key): text for key, text in texts.items()}


def game_record(
    position: Position, players: tuple[str, str], notes: Notes, tags: Mapping[str, str] | None, outcome: Outcome | None
) -> GameRecord:
    """Return the game that the page shows.

    tags: those of a game from a file; None: the page's own, with these players. outcome: None: that by the rules.
    """
    record = record_of(position, players, "gameforge web", time.strftime("%Y.%m.%d"))
    annotations = attrs.evolve(notes.annotations(position), tags=record.annotations.tags if tags is None else tags)
    return attrs.evolve(record, annotations=annotations, outcome=outcome or record.outcome)


def game_file(game: Game, record: GameRecord) -> JsonObject:
    """Return a game as text in its own format."""
    text = game_writer(game)(record)
    return {"text": text if text.endswith("\n") else f"{text}\n", "name": games_name(game)}

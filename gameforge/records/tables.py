"""The tables of a database of games, and records of games as rows of the table `games`.

| table | has |
|---|---|
| about | the game and its rules, as text |
| games | ranks of the moves, headers, and a digest of start and moves; numbered from 1 without gaps |
| names, layouts | texts that rows refer to |
| sources | imported files by the digest of their content, and how many of their games have been imported |
| segments, blocks, popular | the index of positions (index.py) |
| reviews | players' verdicts on games (database.py) |

Names of players, events and reasons are stored once, and so are layouts: the tags of a game in their order, each with
the column that has its value, if one has.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.rules import Outcome, State
from gameforge.play.game import Game
from gameforge.storage.database import DatabaseFormat, transaction
from gameforge.storage.stored import parse_json

FORMAT = DatabaseFormat(
    application=0x47464744,  # "GFGD"
    version=1,
    what="a database of games",
    schema="""
    CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE games (
        id INTEGER PRIMARY KEY, digest INTEGER NOT NULL, moves BLOB NOT NULL, start BLOB, result INTEGER NOT NULL,
        reason INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL, event INTEGER NOT NULL, date TEXT,
        layout INTEGER NOT NULL, tags TEXT, about TEXT, notes TEXT
    );
    CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE layouts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE sources (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, games INTEGER NOT NULL,
        finished INTEGER NOT NULL
    );
    CREATE TABLE segments (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, games INTEGER NOT NULL, bits INTEGER);
    CREATE TABLE blocks (id INTEGER PRIMARY KEY, entries BLOB NOT NULL);
    CREATE TABLE popular (
        segment INTEGER, key INTEGER, moves BLOB NOT NULL, games BLOB NOT NULL, PRIMARY KEY (segment, key)
    ) WITHOUT ROWID;
    CREATE TABLE reviews (
        game INTEGER, player TEXT, first_mistake INTEGER, verdicts BLOB NOT NULL, PRIMARY KEY (game, player)
    ) WITHOUT ROWID;
    """,
)


def is_games_db(path: Path) -> bool:
    """Return whether a file is a database of games."""
    return FORMAT.recognises(path)


def writing(connection: sqlite3.Connection) -> contextlib.AbstractContextManager[None]:
    """Begin a transaction; whoever waits for it hears how many games another program has added so far."""
    return transaction(connection, lambda: f"{number_of_games(connection):,} games so far")


def number_of_games(connection: sqlite3.Connection) -> int:
    """Return the number of games of a database."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM games").fetchone()[0])


HEADERS = ("result", "reason", "first", "second", "event", "date", "layout", "tags", "about", "notes")
"""Columns of a row with everything but the moves."""
RESULTS: tuple[int | None, ...] = (None, 0, 1, None)
"""The winner for each value of the column `result`: unfinished, the first mover, the second, a draw."""
NOT_FINISHED, DRAWN = 0, 3
_ABOUT = ("phase", "session", "learner", "opening", "opening_plies", "seconds", "searches", "note")
_DEFAULTS = tuple(getattr(attrs.fields(GameRecord), name).default for name in _ABOUT)
_about = attrgetter(*_ABOUT)
_json = json.JSONEncoder(ensure_ascii=False).encode
_json_text = json.encoder.encode_basestring
"""Writes a text as `_json` does, several times as fast."""

Row = tuple[Any, ...]
"""The values of HEADERS."""


class Names:
    """A table of texts, each of which has a number; new ones are written by `flush`."""

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection, self._table = connection, table
        self.reload()

    def reload(self) -> None:
        """Read the table again, and forget what has not been written."""
        self.texts: list[str] = [""]
        self._numbers: dict[str, int] = {"": 0}
        self._written = 1
        self._add()

    def _add(self) -> None:
        rows = self._connection.execute(f"SELECT text FROM {self._table} WHERE id >= ? ORDER BY id", (self._written,))
        for (text,) in rows:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        self._written = len(self.texts)

    def number(self, text: str) -> int:
        """Return the number of a text, a new one if the table does not have it; 0 for the empty text."""
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return found

    def text(self, number: int) -> str:
        """Return the text with a number; raises GameforgeError if there is none."""
        if number >= len(self.texts) and self._written == len(self.texts):
            self._add()  # another connection has written more
        if not 0 <= number < len(self.texts):
            raise GameforgeError(f"the table {self._table} has no entry {number}")
        return self.texts[number]

    def flush(self) -> None:
        """Write the new texts."""
        new = enumerate(self.texts[self._written :], self._written)
        self._connection.executemany(f"INSERT INTO {self._table} (id, text) VALUES (?, ?)", new)
        self._written = len(self.texts)


class Rows:
    """Writes and reads the headers of games of one database."""

    def __init__(self, connection: sqlite3.Connection, game: Game) -> None:
        self._game, self._rules = game, game.rules
        self._tables = self._names, self._layouts = Names(connection, "names"), Names(connection, "layouts")
        self._known: dict[int, list[tuple[str, str]]] = {}
        self._placed: dict[tuple[tuple[str, ...], bool, bool], tuple[int, tuple[str, ...]]] = {}

    def reload(self) -> None:
        """Forget what has not been written."""
        self._known.clear()
        self._placed.clear()
        for table in self._tables:
            table.reload()

    def flush(self) -> None:
        """Write the new names and layouts."""
        for table in self._tables:
            table.flush()

    def row(self, record: GameRecord) -> Row:
        """Return the headers of a game as a row."""
        notes, name, outcome, players = record.annotations, self._names.number, record.outcome, record.players
        tags = notes.tags
        first, second = self._rules.sides
        key = tuple(tags), tags.get(first) == players[0], tags.get(second) == players[1]
        layout, others = self._placed.get(key) or self._place(*key)
        finished = record.finished
        return (
            NOT_FINISHED if not finished else DRAWN if outcome.winner is None else 1 + outcome.winner,
            name(outcome.reason) if finished else 0,
            name(players[0]),
            name(players[1]),
            name(tags.get("Event", record.phase)),
            tags.get("Date"),
            layout,
            f"[{', '.join([_json_text(tags[tag]) for tag in others])}]" if others else None,
            _about_text(record),
            _notes_text(notes),
        )

    def _place(self, tags: tuple[str, ...], first: bool, second: bool) -> tuple[int, tuple[str, ...]]:
        """Return the number of the layout with these tags, and those of them that have no column.

        first, second: whether the tags of the players have the values of their columns.
        """
        sides = zip(self._rules.sides, ("first", "second"), (first, second), strict=True)
        columns = {"Event": "event", "Date": "date"} | {side: column for side, column, own in sides if own}
        number = self._layouts.number(_json([(tag, columns.get(tag, "")) for tag in tags])) if tags else 0
        found = self._placed[tags, first, second] = number, tuple(tag for tag in tags if tag not in columns)
        return found

    def record(self, number: int, start: State, moves: tuple[int, ...], row: Row) -> GameRecord:
        """Return the game of a row; raises GameforgeError if it is damaged."""
        try:
            return self._record(number, start, moves, row)
        except (ValueError, TypeError, KeyError, IndexError, StopIteration) as error:
            raise GameforgeError(f"game {number} of the database is damaged: {error}") from error

    def _record(self, number: int, start: State, moves: tuple[int, ...], row: Row) -> GameRecord:
        result, reason, first, second, event, date, layout, tags, about, notes = row
        players = self._names.text(first), self._names.text(second)
        columns = {"first": players[0], "second": players[1], "event": self._names.text(event), "date": date}
        values: Iterator[str] = iter(parse_json(tags) if tags else ())
        stated = parse_json(about) if about else {}
        loop = bool(stated.pop("loop", False))
        for key in ("seconds", "searches"):
            if key in stated:
                stated[key] = tuple(stated[key])
        outcome = (
            Outcome.UNFINISHED if result == NOT_FINISHED else Outcome(RESULTS[result], self._names.text(reason), loop)
        )
        tagged = {tag: columns[column] if column else next(values) for tag, column in self._layout(layout)}
        return GameRecord(
            number=number,
            players=players,
            start=start,
            moves=moves,
            outcome=outcome,
            annotations=_annotations(tagged, parse_json(notes) if notes else {}),
            game=self._game,
            **stated,
        )

    def _layout(self, number: int) -> Sequence[tuple[str, str]]:
        if number not in self._known:
            self._known[number] = parse_json(self._layouts.text(number)) if number else []
        return self._known[number]


def _about_text(record: GameRecord) -> str | None:
    """Return what a game has beside its headers and annotations as JSON; None if nothing."""
    stated = _about(record)
    if stated == _DEFAULTS and not record.outcome.loop:
        return None
    about = {key: value for key, value, usual in zip(_ABOUT, stated, _DEFAULTS, strict=True) if value != usual}
    return _json(about | {"loop": True} if record.outcome.loop else about)


def _notes_text(notes: Annotations) -> str | None:
    return _json(_notes(notes)) if notes.comments or notes.marks or notes.glyphs or notes.variations else None


def _notes(annotations: Annotations) -> dict[str, Any]:
    """Return comments, marks, glyphs and variations as JSON: lists of pairs, since JSON has no numbers as keys."""
    found: dict[str, Any] = {}
    for key in ("comments", "marks", "glyphs"):
        if notes := getattr(annotations, key):
            found[key] = list(notes.items())
    if annotations.variations:
        found["variations"] = [[i, list(map(_line, lines))] for i, lines in annotations.variations.items()]
    return found


def _line(line: Variation) -> list[Any]:
    """Return a variation as JSON; the comment after it is among its notes."""
    notes = _notes(line.annotations) | ({"after": line.after} if line.after else {})
    return [line.moves, notes, dict(line.annotations.tags)]


def _annotations(tags: Mapping[str, str], notes: Mapping[str, Any]) -> Annotations:
    return Annotations(
        tags=tags,
        comments=dict(notes.get("comments", ())),
        marks=dict(notes.get("marks", ())),
        glyphs={i: tuple(glyphs) for i, glyphs in notes.get("glyphs", ())},
        variations={
            i: tuple(
                Variation(moves=tuple(moves), annotations=_annotations(own, inner), after=inner.get("after", ""))
                for moves, inner, own in lines
            )
            for i, lines in notes.get("variations", ())
        },
    )


def fullness(record: GameRecord) -> int:
    """Return how much a game has besides its moves: the number of its tags, comments, marks and variations."""
    notes = record.annotations
    tags = sum(1 for value in notes.tags.values() if value.strip("?*.- "))
    return tags + len(notes.comments) + len(notes.marks) + len(notes.variations) + record.finished

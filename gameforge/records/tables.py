"""The tables of a database of games.

| table | has |
|---|---|
| about | the game and its rules, as text |
| games | ranks of the moves, headers (rows.py), and a digest of start and moves; numbered from 1 without gaps |
| names, layouts | texts that rows refer to |
| sources | imported files by the digest of their content, and how many of their games have been imported |
| segments, blocks, popular | the index of positions (index.py) |
| reviews | players' verdicts on games (reviews.py) |
"""

from pathlib import Path

from gameforge.storage.database import DatabaseFormat

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

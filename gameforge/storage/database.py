"""SQLite files: opened only if GameForge has made them, and errors of SQLite as sentences.

The header of an SQLite file has room for the number of the program that made it (`application_id`) and for the version
of its tables (`user_version`). Both are checked before anything else is read.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from gameforge.config.outside import open_file, require_file
from gameforge.errors import GameforgeError
from gameforge.locks import holder_text, wait_until
from gameforge.storage.files import require_writable

_MAGIC = b"SQLite format 3\0"
_APPLICATION = slice(68, 72)
"""Where the header has the `application_id`, big-endian."""
_PATIENCE = 5.0
"""Seconds to wait, outside a transaction, for another program that is reading or writing."""
_BUSY = sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED
_NOT_OURS, _DAMAGED = "is not a database of GameForge", "is damaged"
_REASONS = {
    sqlite3.SQLITE_NOTADB: _NOT_OURS,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_READONLY: "cannot be written",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_IOERR: "cannot be read or written",
    sqlite3.SQLITE_PERM: "cannot be opened",
}
_OF_DAMAGE = "no such ", "Could not decode ", "unsupported file format"
"""How general errors begin that only a damaged file can cause, since the statements are fixed."""


class DiskFull(GameforgeError):
    """There is no room for what was to be written; the transaction has been rolled back."""


@attrs.frozen(kw_only=True)
class DatabaseFormat:
    """A kind of database."""

    application: int
    """Its `application_id`: 1 to 2^31 - 1."""
    version: int
    """Its `user_version`."""
    schema: str
    """The statements that make its tables."""
    what: str
    """What it is, such as "a database of games"."""

    def recognises(self, path: Path) -> bool:
        """Return whether the file has the header of such a database, of any version."""
        try:
            with open_file(path) as file:
                header = file.read(100)
        except OSError:
            return False
        return header.startswith(_MAGIC) and int.from_bytes(header[_APPLICATION], "big") == self.application

    def create(self, path: Path) -> sqlite3.Connection:
        """Make a database in a file that does not exist or is empty; raises GameforgeError if it cannot be written."""
        require_writable(path)
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect(path, "rwc")
            connection.executescript(
                f"PRAGMA page_size = 8192; BEGIN IMMEDIATE; PRAGMA application_id = {self.application}; "
                f"PRAGMA user_version = {self.version}; {self.schema} COMMIT;"
            )
        return connection

    def open(self, path: Path) -> sqlite3.Connection:
        """Open a database; it can only be read if the file cannot be written.

        Raises GameforgeError if there is no such file, or if it is damaged, another program's or of another version.
        """
        require_file(path)
        with explained(path):
            try:
                connection = _connect(path, "rw")
                connection.execute("PRAGMA schema_version").fetchone()
            except sqlite3.OperationalError as error:
                if _primary(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                    raise
                connection = _connect(path, "ro")
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            schema = _schema(connection)
        if application != self.application:
            connection.close()
            raise GameforgeError(f"{path} is an SQLite database, but not {self.what} of GameForge")
        if version != self.version:
            connection.close()
            raise GameforgeError(
                f"{path} is {self.what} of version {version}; this version of GameForge reads version {self.version}"
            )
        if schema != self._tables():
            connection.close()
            raise GameforgeError(f"{path} {_DAMAGED}: its tables are not those of {self.what}")
        return connection

    def _tables(self) -> set[tuple[str, ...]]:
        """Return the schema of a new database.

        Any other may have been made by somebody else: views, triggers and computed columns are programs that SQLite
        runs when it reads or writes what seems to be a table.
        """
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(self.schema)
            return _schema(connection)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
    connection.execute("PRAGMA cache_size = -65536")  # KiB
    return connection


def _schema(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Return kind, name, table and statement of each part of a database."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {(kind, name, table, " ".join(str(sql).split())) for kind, name, table, sql in rows}


def _primary(error: sqlite3.Error) -> int:
    """Return the primary code of an error: its lowest byte."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise GameforgeError, with one sentence, for what SQLite raises in the block; DiskFull if there is no room."""
    try:
        yield
    except sqlite3.Error as error:
        code = _primary(error)
        if code == sqlite3.SQLITE_FULL:
            raise DiskFull(f"cannot write {path}: the disk is full") from error
        if code == sqlite3.SQLITE_ERROR and str(error).startswith(_OF_DAMAGE):
            raise GameforgeError(f"{path} {_DAMAGED}: {' '.join(str(error).split())}") from error
        if code in _BUSY:
            raise GameforgeError(
                f"{path} is being written by {holder_text(path.stat())}; try again when that has finished"
            ) from error
        if code in _REASONS:
            detail = f": {error}" if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT) else ""
            raise GameforgeError(f"{path} {_REASONS[code]}{detail}") from error
        raise
    except UnicodeDecodeError as error:  # in the text of the schema
        raise GameforgeError(f"{path} {_DAMAGED}: {error}") from error
    except UnicodeEncodeError as error:  # in what a person is looking for
        raise GameforgeError(f"{path} holds no text with {error.object[error.start]!r}") from error
    except OverflowError as error:
        raise GameforgeError(f"{path} holds no numbers of more than 64 bits") from error
    except OSError as error:
        raise GameforgeError(f"cannot write {path}: {error.strerror or error}") from error


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, progress: Callable[[], str] = str) -> Iterator[None]:
    """Commit what the block writes, or roll it back if the block raises, Ctrl-C included.

    Waits until no other program is writing; a wait of more than a second is logged. progress: returns
    how far that program is, which it may read from the database; "": unknown.
    """
    _begin(connection, progress)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself has rolled back if the disk is full
            connection.execute("ROLLBACK")
        raise


def _begin(connection: sqlite3.Connection, progress: Callable[[], str]) -> None:
    path = Path(connection.execute("PRAGMA database_list").fetchone()[2])

    def begun() -> bool:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if _primary(error) not in _BUSY:
                raise
            return False
        return True

    def how_far() -> str:
        try:
            return progress()
        except sqlite3.OperationalError:  # at a moment at which the file cannot be read either
            return ""

    connection.execute("PRAGMA busy_timeout = 0")
    try:
        wait_until(begun, path.stat, f"writes to {path}", how_far)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(1000 * _PATIENCE)}")

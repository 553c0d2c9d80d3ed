"""The archive WTHOR of the French Othello federation: files of games (`.wtb`), of players and of tournaments.

Each file has a header of 16 bytes: its date (century, year, month, day), number of games (4 bytes, little-endian),
number of other records (2), year of the games (2), size of the board (8 or 0 for 8x8), kind of the file, depth of the
theoretical score, 0. Each game has 68 bytes: tournament, Black and White as numbers that refer to the other files (2
each), Black's discs at the end (empty squares go to the winner), the most discs that Black could have reached from the
theoretical depth on, 60 moves as 10 * row + column, followed by 0. Passes are not stored.

The names of players are in a file `.jou`, 20 bytes each, and those of tournaments in a file `.trn`, 26 bytes each,
padded with zeros. They are read from the folder of the games.
"""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from gameforge import Game, GameforgeError
from gameforge.interfaces import Annotations, GameRecord, Outcome
from gameforge_othello.board import NAMES, SQUARES, START, final_counts, winner_by
from gameforge_othello.notation import Record

SUFFIX = ".wtb"
_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<HHHBB60s")
_PLAYER, _TOURNAMENT = 20, 26
"""Bytes of a name."""


def read_wthor(
    game: Game, komi: int, path: Path, tolerant: bool, notice: Callable[[str], None]
) -> Iterator[GameRecord]:
    """Read the games of a file; the score of each must be the stored one.

    Tags: Date (the year), Tournament, Black and White (names, or numbers without the files of names), Score and
    Theoretical (Black's discs). A game whose moves stop early counts as finished, too: its stored score decides who
    won. Raises GameforgeError if the file is not a WTHOR file of games on 8x8 squares, and for a bad game, or reports
    it by `notice` if `tolerant`.
    """
    data = _contents(path)
    *_, games, _, year, size, kind, _, _ = _HEADER.unpack_from(data)
    if size not in (0, 8) or kind not in (0, 1):
        raise GameforgeError(f"{path}: not a WTHOR file of games on 8x8 squares (size {size}, kind {kind})")
    if len(data) != _HEADER.size + games * _GAME.size:
        raise GameforgeError(
            f"{path}: {games} games take {_HEADER.size + games * _GAME.size} bytes, but the file has {len(data)}"
        )
    players, tournaments = (_names(path, *kind) for kind in ((".jou", _PLAYER), (".trn", _TOURNAMENT)))
    for number, (tournament, black, white, score, theoretical, moves) in enumerate(
        _GAME.iter_unpack(data[_HEADER.size :]), 1
    ):
        try:
            named = tournaments(tournament), players(black), players(white)
            yield _read(game, komi, named, score, theoretical, moves, year, f"{path}, game {number}")
        except GameforgeError as error:
            if not tolerant:
                raise
            notice(f"left out: {error}")


def _contents(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) < _HEADER.size:
        raise GameforgeError(f"{path}: {len(data)} bytes are too few for a WTHOR file, whose header has {_HEADER.size}")
    return data


def _names(games: Path, suffix: str, size: int) -> Callable[[int], str]:
    """Return the function that turns a number into a name; into its digits if the file of names lacks it.

    Raises GameforgeError if the folder has several such files, or a damaged one.
    """
    files = sorted(path for path in games.parent.iterdir() if path.suffix.lower() == suffix and path.is_file())
    if not files:
        return str
    if len(files) > 1:
        raise GameforgeError(f"{games}: {files[0].name} and {files[1].name} both name what its numbers mean")
    data = _contents(files[0])[_HEADER.size :]
    if len(data) % size:
        raise GameforgeError(f"{files[0]}: {len(data)} bytes after the header are no multiple of {size}")
    names = [data[i : i + size].split(b"\0")[0].decode("latin-1").strip() for i in range(0, len(data), size)]
    return lambda number: names[number] if number < len(names) and names[number] else str(number)


def _read(
    game: Game,
    komi: int,
    named: tuple[str, str, str],
    score: int,
    theoretical: int,
    moves: bytes,
    year: int,
    where: str,
) -> GameRecord:
    tournament, black, white = named
    record = Record(game, START, where)
    for code in moves.rstrip(b"\0"):
        row, column = divmod(code, 10)
        if not (1 <= row <= 8 and 1 <= column <= 8):
            raise GameforgeError(f"{where}, move {len(record.moves) + 1}: {code} is not a square; must be 11 to 88")
        record.add(NAMES[8 * row + column - 9])
    if score > SQUARES:
        raise GameforgeError(f"{where}: the stored score is {score}, but there are only {SQUARES} discs")
    counts = final_counts(record.state)
    if record.is_over and counts[0] != score:
        raise GameforgeError(f"{where}: Black's stored score is {score}, but the game ends {counts[0]}-{counts[1]}")
    tags = {
        "Date": str(year),
        "Tournament": tournament,
        "Black": black,
        "White": white,
        "Score": str(score),
        "Theoretical": str(theoretical),
    }
    reason = game.rules.reasons[0] if record.is_over else ""
    return GameRecord(
        players=(black, white),
        start=START,
        moves=tuple(record.moves),
        outcome=Outcome(winner_by(score, SQUARES - score, komi), reason),
        annotations=Annotations(tags=tags),
    )

"""Games of the WTHOR archive of the French Othello federation (files `.wtb`).

The header has 16 bytes: date of the file (century, year, month, day), number of games (4 bytes, little-endian), number
of records (2), year of the games (2), size of the board (8 or 0 for 8x8), kind of the file, depth of the theoretical
score, 0. Each game has 68 bytes: tournament, Black and White as numbers that refer to other files (2 each), Black's
discs at the end (empty squares go to the winner), the most discs that Black could have reached from the theoretical
depth on, 60 moves as 10 * row + column, followed by 0. Passes are not stored.
"""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.outcome import Outcome
from gameforge.play.game import Game
from gameforge_othello.board import NAMES, SQUARES, START, final_counts, winner_by
from gameforge_othello.transcript import Record

SUFFIX = ".wtb"
_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<HHHBB60s")


def read_wthor(
    game: Game, komi: int, path: Path, tolerant: bool, notice: Callable[[str], None]
) -> Iterator[GameRecord]:
    """Read the games of a file; the score of each must be the stored one.

    Tags: Date (the year), Tournament, Black and White (numbers), Score and Theoretical (Black's discs). A game whose
    moves stop early counts as finished, too: its stored score decides who won. Raises GameforgeError if the file is not
    a WTHOR file of games on 8x8 squares, and for a bad game, or reports it by `notice` if `tolerant`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) < _HEADER.size:
        raise GameforgeError(f"{path}: {len(data)} bytes are too few for a WTHOR file, whose header has {_HEADER.size}")
    *_, games, _, year, size, kind, _, _ = _HEADER.unpack_from(data)
    if size not in (0, 8) or kind not in (0, 1):
        raise GameforgeError(f"{path}: not a WTHOR file of games on 8x8 squares (size {size}, kind {kind})")
    if len(data) != _HEADER.size + games * _GAME.size:
        raise GameforgeError(
            f"{path}: {games} games take {_HEADER.size + games * _GAME.size} bytes, but the file has {len(data)}"
        )
    for number, fields in enumerate(_GAME.iter_unpack(data[_HEADER.size :]), 1):
        try:
            yield _read(game, komi, fields, year, f"{path}, game {number}")
        except GameforgeError as error:
            if not tolerant:
                raise
            notice(f"left out: {error}")


def _read(game: Game, komi: int, fields: tuple[int, int, int, int, int, bytes], year: int, where: str) -> GameRecord:
    tournament, black, white, score, theoretical, moves = fields
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
        "Tournament": str(tournament),
        "Black": str(black),
        "White": str(white),
        "Score": str(score),
        "Theoretical": str(theoretical),
    }
    reason = game.rules.reasons[0] if record.is_over else ""
    return GameRecord(
        players=(str(black), str(white)),
        start=START,
        moves=tuple(record.moves),
        outcome=Outcome(winner_by(score, SQUARES - score, komi), reason),
        annotations=Annotations(tags=tags),
    )

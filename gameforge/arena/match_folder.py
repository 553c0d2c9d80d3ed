"""Matches in a folder, where they can be interrupted and resumed.

match.json    the players, seed and test of the match, and its result once it has finished
games.jsonl   one line per game, written when its pair is finished; the match is resumed from it
current.json  the moves so far of a game that is being played; only while the match is running
games.*       every game, in the game's own notation
"""

import contextlib
import hashlib
import importlib.metadata
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.arena import MatchResult, Openings, Sprt, match
from gameforge.arena.match import check_match, check_played
from gameforge.arena.openings import OPENING_PLIES, match_openings
from gameforge.arena.played import PlayedGames, Read
from gameforge.arena.workspace import OnError, TimeControl
from gameforge.config.outside import MOST_NUMBER
from gameforge.config.settings import Json, Spec
from gameforge.discovery.registry import default_registry
from gameforge.errors import DISTRIBUTION, GameforgeError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.rules import DISPUTED_REASON, FORFEIT_REASONS
from gameforge.interfaces.searcher import KeepsLogs
from gameforge.play.game import Game
from gameforge.play.player import Player
from gameforge.records.game_records import TOGETHER, contradictions, game_writer, games_name, read_record
from gameforge.storage.files import write_json
from gameforge.storage.folder import Folder, ManifestFormat, brief
from gameforge.storage.stored import JsonLog, TextLog, log_entries, open_file, parse_json

RECORDS, CURRENT = "games.jsonl", "current.json"
MATCH_FORMAT = ManifestFormat("match", "match.json", "gameforge-match", 1, log=RECORDS, step="game")


def match_in_folder(
    out: Path,
    first: Player,
    second: Player,
    games: int = 20,
    *,
    openings: Openings = OPENING_PLIES,
    seed: int = 0,
    workers: int = 1,
    sprt: Sprt | None = None,
    clock: TimeControl | None = None,
    on_error: OnError | None = None,
    count_forfeits: bool = False,
    game_finished: Callable[[GameRecord], None] = lambda game: None,
    playing: Callable[[GameRecord], None] = lambda game: None,
    check: Callable[[], None] = lambda: None,
) -> MatchResult:
    """Play a match as `gameforge.arena.match` does, or resume the one in the folder.

    The number of games may be larger than before. Raises GameforgeError if the folder holds other files, another
    match, a damaged one, or one of more games, or if another process is writing to it.
    """
    check_match(first, second, games, workers, seed)
    lines = match_openings(first.game, openings, games // 2, seed)
    folder = Folder(
        path=out,
        format=MATCH_FORMAT,
        identity={  # without the openings, which `match` compares with the games
            "game": first.game.rules_text,
            "players": [_player(player) for player in (first, second)],
            "seed": seed,
            "sprt": None if sprt is None else attrs.asdict(sprt),
            **({} if clock is None else {"clock": attrs.asdict(clock)}),
            **({"count_forfeits": True} if count_forfeits else {}),
        },
        about={"gameforge": importlib.metadata.version(DISTRIBUTION)},
    )
    with folder.open_or_resume():
        for player in (first, second):
            if isinstance(player.parts.searcher, KeepsLogs):
                player.parts.searcher.keep_logs(out)
        played = FolderGames(out, first.game)
        for record in _whole_pairs(played, (first.name, second.name), lines, first.game):
            game_finished(record)
        with played.writing(first.game), _current_file(out / CURRENT) as show:

            def shown(record: GameRecord) -> None:
                show(record)
                playing(record)

            result = match(
                *(first, second, games),
                openings=lines,
                seed=seed,
                workers=workers,
                sprt=sprt,
                clock=clock,
                on_error=on_error,
                count_forfeits=count_forfeits,
                played=played,
                game_finished=game_finished,
                playing=shown,
                check=check,
            )
        folder.write(result=result.numbers)
    return result


class Shortened(Exception):
    """A match was resumed without the game of a pair that had not been finished."""


class FolderGames(PlayedGames):
    """The games of a match, in the files of its folder."""

    def __init__(self, folder: Path, game: Game | None) -> None:
        """game: the game that is played, if it is known."""
        super().__init__()
        self.game = game
        self.path = folder / RECORDS
        """The file from which they are read."""
        self._text_end: int | None = 0
        """Where the last game ends in the file of texts; None: unknown, as in older folders."""

    def entries(self) -> Iterator[tuple[int, "_Entry"]]:
        """Yield the lines of the file of records, each with the place where it ends."""
        return log_entries(self.path, lambda stored: _Entry.of(stored, self.game))

    def look(self) -> Iterator[GameRecord]:
        """Add and yield the games that have been written to the folder since, by this process or another one.

        Raises GameforgeError if the file is damaged, and `Shortened` if it has fewer games than before.
        """
        try:
            with open_file(self.path) as file:
                if file.seek(0, 2) < self._ends[-1]:
                    raise Shortened
                file.seek(self._ends[-1])
                for line in file:
                    if not line.endswith(b"\n"):  # it is being written
                        return
                    entry = _Entry.of(parse_json(line), self.game)
                    self.found(entry, self._ends[-1] + len(line))
                    yield entry.record
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError) as error:
            raise GameforgeError(f"{self.path} is damaged: {' '.join(str(error).split())}") from error

    def found(self, entry: "_Entry", end: int) -> None:
        """Add the next game of the file; end: where its line ends, in bytes."""
        self._added(entry.record, end)
        self._text_end = entry.text_end

    @contextlib.contextmanager
    def writing(self, game: Game) -> Iterator[None]:
        """Cut both files back to the games so far; what is added in the block is written to them."""
        texts_path, self._text = self.path.with_name(games_name(game)), game_writer(game)
        with (
            JsonLog(self.path, self._ends[-1]) as self._records,
            TextLog(texts_path, self._end_of_texts(texts_path)) as self._texts,
        ):
            if self._text_end is None or not self._texts.length():
                self._text_end = 0
                for record in self:
                    self._write_text(record)
                self._texts.flush()
            self._records.flush()
            yield

    def _end_of_texts(self, path: Path) -> int:
        """Return how much of the file of texts belongs to the games so far; 0 if it must be written anew."""
        if not len(self) or self._text_end is None:
            return 0
        last = f"{self._text(self[-1])}\n".encode()
        with contextlib.suppress(OSError), open_file(path) as file:
            if len(last) <= self._text_end <= file.seek(0, 2):  # the folder may have been altered
                file.seek(self._text_end - len(last))
                if file.read(len(last)) == last:
                    return self._text_end
        return 0

    def _write(self, game: GameRecord) -> int:
        """Write a game: first its text, which can be restored from the record, but not vice versa."""
        self._write_text(game)
        self._texts.flush()
        line = json.dumps({**stored_record(game), _TEXT_END: self._text_end}) + "\n"
        self._records.write(line)
        self._records.flush()
        return len(line)

    def _write_text(self, game: GameRecord) -> None:
        text = f"{self._text(game)}\n"
        self._texts.write(text)
        self._text_end = (self._text_end or 0) + len(text.encode())

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Read]:
        try:
            with open_file(self.path) as file:

                def read(begin: int, end: int) -> GameRecord:
                    file.seek(begin)
                    return _Entry.of(parse_json(file.read(end - begin)), self.game).record

                yield read
        except (OSError, ValueError) as error:
            raise GameforgeError(f"cannot read the games of the match in {self.path.parent}: {error}") from error


_TEXT_END = "text_end"
"""Key of the place in the file of texts where the text of a game ends, in bytes."""


@attrs.frozen
class _Entry:
    """A line of the file of records."""

    record: GameRecord
    text_end: int | None

    @classmethod
    def of(cls, stored: Any, game: Game | None) -> "_Entry":
        end = stored.get(_TEXT_END) if isinstance(stored, dict) else None
        return cls(read_record(stored, game), end if type(end) is int and end >= 0 else None)


@contextlib.contextmanager
def _current_file(path: Path) -> Iterator[Callable[[GameRecord], None]]:
    """Yield what writes the game that is being played to this file, which is removed at the end."""
    latest: GameRecord | None = None

    def show(record: GameRecord) -> None:
        nonlocal latest
        if record != latest:  # the players may think for long
            write_json(path, stored_record(record))
            latest = record

    try:
        yield show
    finally:
        path.unlink(missing_ok=True)


def read_match(folder: str | Path) -> MatchResult:
    """Read the match in a folder, with its games so far; GameforgeError if it holds no match, or a damaged one."""
    folder = Path(folder)
    about = MATCH_FORMAT.read_as(folder, _Manifest)
    games = FolderGames(folder, about.game(folder))
    for end, entry in games.entries():
        _check_of_match(entry.record)
        games.found(entry, end)
    first, second = (str(player.get("name", "")) for player in about.players)
    return MatchResult((first, second), games, about.sprt)


@attrs.frozen
class _Manifest:
    players: tuple[dict[str, Json], dict[str, Json]]
    sprt: Sprt | None = None

    def game(self, folder: Path) -> Game | None:
        """Return the game that was played; None if its rules are an object, or not installed."""
        try:
            parts: Any = self.players[0]["parts"]
            spec = Spec.from_settings(parts["game"], "game")
            return Game(default_registry().for_files(folder).create("rules", spec))
        except (GameforgeError, KeyError, TypeError):
            return None


def stored_record(record: GameRecord) -> dict[str, Any]:
    """Return a record as it is kept in the folder, as a JSON object."""
    found = attrs.asdict(record, filter=attrs.filters.exclude("annotations", "game"))
    return {"moves" if key == "codes" else key: value for key, value in found.items()}


def _player(player: Player) -> dict[str, Any]:
    weights = None if player.weights is None else hashlib.sha256(player.weights.tobytes()).hexdigest()
    return {"name": player.name, "parts": player.spec, "weights": weights}


def _whole_pairs(
    games: FolderGames, names: tuple[str, str], lines: Sequence[Opening], game: Game
) -> Iterator[GameRecord]:
    """Find the games of finished pairs, and yield them; a pair with one game is dropped, and played again.

    Raises GameforgeError for games of another match, and for a record that is damaged or contradicts the rules.
    """
    path, entries = games.path, games.entries()
    while found := list(itertools.islice(entries, TOGETHER)):
        done = len(games)
        records = [entry.record for _, entry in found]
        for number, record in enumerate(records, done + 1):
            if record.number != number:
                raise GameforgeError(f"{path}, line {number} is damaged: it holds game {brief(record.number)}")
        records = records[: len(records) // 2 * 2]
        if done + len(records) > 2 * len(lines):
            whole = done + (len(found) + sum(1 for _ in entries)) // 2 * 2
            raise GameforgeError(
                f"{path.parent} already holds {whole} games of this match; {2 * len(lines)} are too few"
            )
        openings = lines[done // 2 : (done + len(records)) // 2]
        _check_records(path, game, records, openings, done)
        check_played(records, names, openings, done)
        for end, entry in found[: len(records)]:
            games.found(entry, end)
            yield entry.record


def _check_records(
    path: Path, game: Game, records: Sequence[GameRecord], openings: Sequence[Opening], before: int
) -> None:
    """Raise GameforgeError, with the line, for the first record that is damaged; before: number of lines before."""
    suspects = [i for i, record in enumerate(records) if record.start == openings[i // 2].start]  # others are refused
    wrong = {suspects[i]: error for i, error in contradictions(game, [records[i] for i in suspects])}
    for i, record in enumerate(records):
        try:
            _check_of_match(record)
            if i in wrong:
                raise wrong[i]
        except GameforgeError as error:
            raise GameforgeError(f"{path}, line {before + i + 1} is damaged: {error}") from error


def _check_of_match(record: GameRecord) -> None:
    if (record.phase, record.session, record.learner) != ("match", 0, None):
        raise GameforgeError("it is not a game of a match")
    for number in (record.number, record.opening_plies, *record.searches):
        if not 0 <= number <= MOST_NUMBER:
            raise GameforgeError(f"it counts {brief(number)} games, plies or searches; must be from 0 to 2^63 - 1")
    if record.note and record.outcome.reason not in (*FORFEIT_REASONS, DISPUTED_REASON):
        raise GameforgeError(f"its note says that a player crashed, but the game ended by {record.outcome.reason}")

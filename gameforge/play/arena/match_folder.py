"""Matches in a folder, where they can be interrupted and resumed.

match.json    the players, seed and test of the match, and its result once it has finished
games.jsonl   one line per game, written when its pair is finished; the match is resumed from it
current.json  the moves so far of a game that is being played; only while the match is running
games.*       every game, in the game's own notation
"""

import contextlib
import hashlib
import importlib.metadata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.config.toml import Json
from gameforge.errors import DISTRIBUTION, GameforgeError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.rules import DISPUTED_REASON, FORFEIT_REASONS
from gameforge.interfaces.searcher import KeepsLogs
from gameforge.play.arena import MatchResult, Openings, Sprt, match
from gameforge.play.arena.match import check_match, check_played
from gameforge.play.arena.openings import OPENING_PLIES, match_openings
from gameforge.play.arena.workspace import OnError, TimeControl
from gameforge.play.game import Game, rules_text
from gameforge.play.player import Player
from gameforge.play.records import check_record, game_writer, games_name
from gameforge.storage.files import write_atomically, write_json
from gameforge.storage.folder import Folder, ManifestFormat, brief
from gameforge.storage.stored import JsonLog, TextLog, length_of_lines, read_as, read_log

MATCH_FORMAT = ManifestFormat("match", "match.json", "gameforge-match", 1)
RECORDS, CURRENT = "games.jsonl", "current.json"


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
    """Play a match as `gameforge.play.arena.match` does, or resume the one in the folder.

    The number of games may be larger than before. Raises GameforgeError if the folder holds other files, another
    match, a damaged one, or one of more games, or if another process is writing to it.
    """
    check_match(first, second, games, workers, seed)
    lines = match_openings(first.game, openings, games // 2, seed)
    folder = Folder(
        path=out,
        format=MATCH_FORMAT,
        identity={  # without the openings, which `match` compares with the games
            "game": rules_text(first.game.rules),
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
        played = _whole_pairs(out / RECORDS, (first.name, second.name), lines, first.game)
        with _game_files(out, first.game, played) as keep, _current_file(out / CURRENT) as show:

            def finished(record: GameRecord) -> None:
                keep(record)
                game_finished(record)

            def shown(record: GameRecord) -> None:
                show(record)
                playing(record)

            for record in played:
                game_finished(record)
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
                game_finished=finished,
                playing=shown,
                check=check,
            )
        folder.write(result=result.numbers)
    return result


@contextlib.contextmanager
def _game_files(out: Path, game: Game, played: Sequence[GameRecord]) -> Iterator[Callable[[GameRecord], None]]:
    """Open the files of records and of texts, cut back to the games `played`; yield what adds a game to both."""
    texts_path, text = out / games_name(game), game_writer(game)
    earlier = "".join(text(record) + "\n" for record in played).encode()
    write_atomically(texts_path, earlier)
    with (
        JsonLog(out / RECORDS, length_of_lines(out / RECORDS, len(played))) as records,
        TextLog(texts_path, len(earlier)) as texts,
    ):

        def add(record: GameRecord) -> None:
            """Write a game: first its text, which can be restored from the record, but not vice versa."""
            texts.write(text(record) + "\n")
            texts.flush()
            records.append(stored_record(record))

        records.flush()
        yield add


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
    records = read_log(folder / RECORDS, _record)
    for record in records:
        _check_of_match(record)
    first, second = (str(player.get("name", "")) for player in about.players)
    return MatchResult((first, second), tuple(records), about.sprt)


@attrs.frozen
class _Manifest:
    players: tuple[dict[str, Json], dict[str, Json]]
    sprt: Sprt | None = None


def stored_record(record: GameRecord) -> dict[str, Any]:
    """Return a record as it is kept in the folder, as a JSON object."""
    return attrs.asdict(record, filter=attrs.filters.exclude("annotations"))


def _player(player: Player) -> dict[str, Any]:
    weights = None if player.weights is None else hashlib.sha256(player.weights.tobytes()).hexdigest()
    return {"name": player.name, "parts": player.spec, "weights": weights}


def _whole_pairs(path: Path, names: tuple[str, str], lines: Sequence[Opening], game: Game) -> list[GameRecord]:
    """Read the games of finished pairs; a pair with one game is dropped, and played again.

    Raises GameforgeError for games of another match, and for a record that is damaged or contradicts the rules.
    """
    records = read_log(path, _record)
    for number, record in enumerate(records, 1):
        if record.number != number:
            raise GameforgeError(f"{path}, line {number} is damaged: it holds game {brief(record.number)}")
    played = records[: len(records) // 2 * 2]
    if len(played) > 2 * len(lines):
        raise GameforgeError(
            f"{path.parent} already holds {len(played)} games of this match; {2 * len(lines)} are too few"
        )
    for number, record in enumerate(played, 1):
        try:
            _check_of_match(record)
            if record.start == lines[(number - 1) // 2].start:  # others are refused below
                check_record(game, record)
        except GameforgeError as error:
            raise GameforgeError(f"{path}, line {number} is damaged: {error}") from error
    check_played(played, names, lines)
    return played


def _check_of_match(record: GameRecord) -> None:
    if (record.phase, record.session, record.learner) != ("match", 0, None):
        raise GameforgeError("it is not a game of a match")
    if record.note and record.outcome.reason not in (*FORFEIT_REASONS, DISPUTED_REASON):
        raise GameforgeError(f"its note says that a player crashed, but the game ended by {record.outcome.reason}")


def _record(stored: Any) -> GameRecord:
    return read_as(GameRecord, stored)

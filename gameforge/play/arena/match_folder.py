"""Matches in a folder, where they can be broken off and go on.

match.json    who plays what, seed, test, and the result once there is one
games.jsonl   a line per game, written when its pair is finished: what the match goes on from
games.*       every game, in the game's own notation
"""

import hashlib
import importlib.metadata
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.outcome import Outcome
from gameforge.play.arena import MatchResult, Openings, Sprt, match
from gameforge.play.arena.match import check_match
from gameforge.play.arena.openings import OPENING_PLIES, match_openings
from gameforge.play.game import Game, rules_text
from gameforge.play.game_text import game_writer, games_name
from gameforge.play.player import Player
from gameforge.storage.atomic import write_atomically
from gameforge.storage.folder_lock import alone_in
from gameforge.storage.manifest import read_manifest

FORMAT = "gameforge-match"
SCHEMA = 1
MANIFEST, RECORDS = "match.json", "games.jsonl"


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
    game_finished: Callable[[GameRecord], None] = lambda game: None,
    check: Callable[[], None] = lambda: None,
) -> MatchResult:
    """Play a match as `gameforge.play.arena.match` does, or go on with the one in the folder.

    The number of games may be larger than before. Raises GameforgeError if the folder holds anything
    else, another match, a damaged one, or one of more games, and if another process is writing there.
    """
    check_match(first, second, games, workers)
    lines = match_openings(first.game, openings, games // 2, seed)
    manifest = _manifest(first, second, seed, sprt)
    if out.exists() and not out.is_dir():
        raise GameforgeError(f"{out} is a file; a match needs a folder of its own")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with alone_in(out):
            played = _begin(out, manifest, first.game)
            if len(played) > games:
                raise GameforgeError(f"{out} holds {len(played)} games of this match already, more than {games}")
            for record in played:
                game_finished(record)
            with (
                (out / RECORDS).open("a", encoding="utf-8") as records,
                (out / games_name(first.game)).open("a", encoding="utf-8") as texts,
            ):

                def keep(record: GameRecord) -> None:
                    _append(records, texts, first.game, record)
                    game_finished(record)

                result = match(
                    *(first, second, games),
                    openings=lines,
                    seed=seed,
                    workers=workers,
                    sprt=sprt,
                    played=played,
                    game_finished=keep,
                    check=check,
                )
            _write(out / MANIFEST, manifest | {"result": result_table(result)})
    except OSError as error:
        raise GameforgeError(f"cannot write the match folder {out}: {error.strerror or error}") from error
    return result


def result_table(result: MatchResult) -> dict[str, Any]:
    """The result in numbers, for JSON: what is not finite is null."""
    numbers: dict[str, Any] = {
        "players": list(result.players),
        "games": len(result.games),
        **{key: getattr(result, key) for key in ("wins", "draws", "losses", "loops", "distinct")},
        "forfeits": list(result.forfeits),
        "pentanomial": list(result.pentanomial),
        **{key: _finite(getattr(result, key)) for key in ("score", "elo", "elo_error", "normalized_elo")},
        "elo_interval": [_finite(end) for end in result.elo_interval],
        "seconds_per_move": [_finite(seconds) for seconds in result.seconds_per_move],
    }
    if result.sprt is not None:
        numbers["sprt"] = attrs.asdict(result.sprt) | {"llr": result.llr, "accepted": result.accepted}
    return numbers


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _manifest(first: Player, second: Player, seed: int, sprt: Sprt | None) -> dict[str, Any]:
    """What makes a match this one; its openings are seen in the games."""
    table: dict[str, Any] = {
        "format": FORMAT,
        "schema": SCHEMA,
        "gameforge": importlib.metadata.version("gameforge"),
        "game": rules_text(first.game.rules),
        "players": [_player(player) for player in (first, second)],
        "seed": seed,
        "sprt": None if sprt is None else attrs.asdict(sprt),
    }
    found: dict[str, Any] = json.loads(json.dumps(table, default=str))
    return found


def _player(player: Player) -> dict[str, Any]:
    weights = None if player.weights is None else hashlib.sha256(player.weights.tobytes()).hexdigest()
    return {"name": player.name, "parts": player.spec, "weights": weights}


def _begin(out: Path, manifest: dict[str, Any], game: Game) -> list[GameRecord]:
    """Begin the folder, or check it and return the whole pairs that were played; the files hold just these then."""
    path = out / MANIFEST
    records: list[GameRecord] = []
    if path.exists():
        _compare(path, manifest)
        records = _records(out / RECORDS)
    elif any(out.iterdir()):
        raise GameforgeError(f"the folder {out} already holds other files; choose another folder")
    else:
        _write(path, manifest)
    write_atomically(out / RECORDS, "".join(_line(record) for record in records).encode())
    write_atomically(out / games_name(game), "".join(_text(game, record) for record in records).encode())
    return records


def _compare(path: Path, manifest: dict[str, Any]) -> None:
    there = read_manifest(path, FORMAT, SCHEMA, "match")
    for key in ("game", "players", "seed", "sprt"):
        if there.get(key) != manifest[key]:
            old, new = (_brief(key, table.get(key)) for table in (there, manifest))
            raise GameforgeError(f"the folder {path.parent} holds another match: {key} {old} there, {new} here")


def _brief(key: str, value: Any) -> str:
    """A manifest's value as one reads it; players of the same names differ in their parts or weights."""
    if key == "players" and isinstance(value, list):
        return " - ".join(f"{p.get('name')} ({hashlib.sha256(json.dumps(p).encode()).hexdigest()[:8]})" for p in value)
    return str(value)


def _records(path: Path) -> list[GameRecord]:
    """The whole pairs; what was being written when the match was broken off is left out."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    found: list[GameRecord] = []
    for number, line in enumerate(lines[:-1], 1):  # behind the last line's end there is nothing, or a torn line
        try:
            found.append(_record(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            raise GameforgeError(f"{path}, line {number}: damaged: {error}") from error
        if found[-1].number != number:
            raise GameforgeError(f"{path}, line {number}: damaged: it is game {found[-1].number}")
    return found[: len(found) // 2 * 2]


def _record(table: dict[str, Any]) -> GameRecord:
    tuples = {key: tuple(table[key]) for key in ("players", "start", "moves", "seconds", "searches")}
    return GameRecord(**(table | tuples | {"outcome": Outcome(**table["outcome"])}))


def _line(record: GameRecord) -> str:
    return json.dumps(attrs.asdict(record, filter=attrs.filters.exclude("annotations"))) + "\n"


def _text(game: Game, record: GameRecord) -> str:
    return game_writer(game)(record) + "\n"


def _append(records: IO[str], texts: IO[str], game: Game, record: GameRecord) -> None:
    """The text first: it can be made again from the record, not the other way round."""
    for file, text in ((texts, _text(game, record)), (records, _line(record))):
        file.write(text)
        file.flush()


def _write(path: Path, table: dict[str, Any]) -> None:
    write_atomically(path, (json.dumps(table, indent=2) + "\n").encode())

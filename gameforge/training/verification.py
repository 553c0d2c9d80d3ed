"""What can be verified of a folder with runs, matches and players, without training or playing anything again.

Manifests, logs and weights must be as they were written, by their checksums, and every game must follow the rules. A
checksum without a key proves no more than that: whoever alters a file can alter its checksum as well. What only the
same training proves, `gameforge player verify` repeats.
"""

import itertools
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from gameforge.config import spec_from_settings
from gameforge.config.outside import MOST_SETTINGS, read_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.play.arena.match_folder import MATCH_FORMAT, read_match
from gameforge.play.game import Game
from gameforge.play.records import TOGETHER, contradictions, games_name
from gameforge.storage.folder import ManifestFormat
from gameforge.storage.player_files import PLAYER_FORMAT, read_player
from gameforge.storage.stored import parse_json
from gameforge.training.provenance import PROVENANCE_FORMAT, require_own_provenance
from gameforge.training.run_folder import RUN_FORMAT, require_unaltered
from gameforge.training.run_report import read_run


@attrs.frozen(kw_only=True)
class Verified:
    """What was found out about one manifest and the files that belong to it."""

    path: Path
    """The manifest."""
    found: str
    """What holds, as a text; if something does not hold, what is wrong."""
    holds: bool = True


def verified(folder: Path, registry: Registry) -> Iterator[Verified]:
    """Yield what can be said of each manifest in a folder and in its subfolders, in the order of their paths.

    Raises GameforgeError if there is none.
    """
    manifests = 0
    for path in sorted(folder.rglob("*.json")):
        kind = _format_of(path)
        if kind is None or (kind == PROVENANCE_FORMAT.format and PLAYER_FORMAT.path(path.parent).exists()):
            continue  # a provenance is verified with its player
        manifests += 1
        try:
            yield Verified(path=path, found=_CHECKS.get(kind, _other)(path, registry))
        except GameforgeError as error:
            yield Verified(path=path, found=" ".join(str(error).split()), holds=False)
    if not manifests:
        raise GameforgeError(f"{folder} holds no run, match, player or other folder of GameForge")


def _format_of(path: Path) -> str | None:
    """Return the format of a manifest; None if the file is none."""
    try:
        content = parse_json(read_file(path, MOST_SETTINGS))
    except (OSError, ValueError):
        damaged = {one.file: one.format for one in (RUN_FORMAT, MATCH_FORMAT, PLAYER_FORMAT)}
        return damaged.get(path.name)
    named = content.get("format") if isinstance(content, dict) else None
    return named if isinstance(named, str) and named.startswith("gameforge-") and "schema" in content else None


def _run(path: Path, registry: Registry) -> str:
    require_unaltered(path.parent)
    report = read_run(path.parent)
    game = Game(registry.create("rules", spec_from_settings(report.settings.get("game"), "game")))
    games = path.with_name(games_name(game))
    found = f"run, {report.state}, {report.sessions} sessions"
    if game.files is None or not games.exists():
        return found
    return f"{found}, {_count(game, games)} games by the rules"


def _count(game: Game, path: Path) -> int:
    """Replay the games of a file; GameforgeError if one contradicts the rules."""
    assert game.files is not None, "the caller has looked"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sum(1 for _ in game.files.read_games(path, notice=lambda text: None))


def _match(path: Path, registry: Registry) -> str:
    MATCH_FORMAT.require_unaltered(path.parent)
    manifest, result = MATCH_FORMAT.read(path.parent), read_match(path.parent)
    players = manifest.get("players")
    try:
        settings = players[0]["parts"]["game"]  # type: ignore[index]
    except (KeyError, TypeError, IndexError):
        raise GameforgeError(f"{path} is damaged: its first player names no game") from None
    game = Game(registry.create("rules", spec_from_settings(settings, "game")))
    games = iter(result.games)
    while records := list(itertools.islice(games, TOGETHER)):
        for i, error in contradictions(game, records):
            raise GameforgeError(f"{path.parent}, game {records[i].number}: {error}") from error
    stored = manifest.get("result")
    if stored and stored != parse_json(json.dumps(result.numbers)):
        raise GameforgeError(f"{path} is damaged: its result is not that of its games")
    return f"match, {'finished' if stored else 'unfinished'}, {len(result.games)} games by the rules"


def _player(path: Path, registry: Registry) -> str:
    PLAYER_FORMAT.require_unaltered(path.parent)
    player = read_player(path.parent)
    found = f"player, {0 if player.weights is None else len(player.weights)} weights"
    if not PROVENANCE_FORMAT.path(path.parent).exists():
        return found
    require_own_provenance(path.parent)
    return f"{found}, of the pipeline in its provenance"


def _other(path: Path, registry: Registry) -> str:
    content = parse_json(path.read_bytes())
    named = str(content["format"])
    what = named.removeprefix("gameforge-")
    ManifestFormat(what, path.name, named, content["schema"]).require_unaltered(path.parent)
    return f"{what}, its manifest alone"


_CHECKS: dict[str, Callable[[Path, Registry], str]] = {
    RUN_FORMAT.format: _run,
    MATCH_FORMAT.format: _match,
    PLAYER_FORMAT.format: _player,
}

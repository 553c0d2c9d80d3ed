"""The folder that was given at the start: the runs, matches, tournaments and studies in it, and their games."""

import asyncio
import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from gameforge.arena.elo import Sprt
from gameforge.arena.match_folder import MATCH_FORMAT
from gameforge.config import Spec, read_toml
from gameforge.config.settings import in_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game
from gameforge.play.saved_players import GENERATIONS
from gameforge.records.game_records import games_name
from gameforge.records.trace_files import game_files
from gameforge.storage.folder import is_busy
from gameforge.studies.trials import DEFINITION, STUDY_FORMAT
from gameforge.training.run_folder import PLAYER, RUN_FORMAT
from gameforge.training.run_report import RunReport
from gameforge.web.files import game_json
from gameforge.web.requests import Tab
from gameforge.web.site import Site, plain_game
from gameforge.web.views import JsonObject, Send

INTERVAL = 0.25
"""Seconds between looks at a file that grows."""
_MOST_FOLDERS = 500
_OF_TOURNAMENT = re.compile(r"match-\d{3,}")


def known_folder(site: Site, path: str) -> Path:
    """Return a folder below the one given at the start; GameforgeError for any other."""
    root = site.options.runs
    if root is None:
        raise GameforgeError("no folder of runs was given; start gameforge web with --runs FOLDER")
    folder = root / path
    if not site.admission.is_readable(folder) or not os.path.isdir(folder):  # of a name too long, too
        raise GameforgeError(f"{path!r} is not a folder below {root}")
    return folder


async def follow(now: Callable[[], object], look: Callable[[], tuple[JsonObject, bool]], send: Send) -> JsonObject:
    """Look whenever there is news: send each view, and return the last one.

    now: returns what changes with every news. look: returns a view, and whether it is the last one; it is called in a
    thread.
    """
    seen: object = None
    while True:
        news = now()
        if news != seen:
            seen = news
            view, is_last = await asyncio.to_thread(look)
            if is_last:
                return view
            send(view)
        await asyncio.sleep(INTERVAL)


def stamp(path: Path) -> tuple[int, int]:
    """Return what changes whenever a file is written; zeros if there is none."""
    try:
        about = path.stat()
    except OSError:
        return 0, 0
    return about.st_size, about.st_mtime_ns


@attrs.frozen(kw_only=True)
class MatchManifest:
    """What a match's manifest says."""

    players: list[dict[str, Any]] = attrs.field(validator=[attrs.validators.min_len(2), attrs.validators.max_len(2)])
    sprt: Sprt | None = None
    result: dict[str, Any] = attrs.field(factory=dict)

    @property
    def names(self) -> tuple[str, str]:
        first, second = (str(player.get("name", "?")) for player in self.players[:2])
        return first, second

    @property
    def game(self) -> str:
        """The game with its parameters."""
        return str(Spec.from_settings(self.players[0].get("parts", {}).get("game", {}), "game"))


def match_manifest(folder: Path) -> MatchManifest:
    """Read the manifest of a match; GameforgeError if the folder holds none, or a damaged one."""
    return MATCH_FORMAT.read_as(folder, MatchManifest)


def tournament_matches(folder: Path) -> list[Path]:
    """Return the folders of a tournament's matches that have begun, in the order in which they are played."""
    return sorted(path.parent for path in folder.glob(f"match-*/{MATCH_FORMAT.file}"))


@attrs.frozen(kw_only=True)
class Folders:
    """The runs, matches, tournaments and studies below the folder."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        root = known_folder(tab.site, "")
        return await asyncio.to_thread(_listed, root, tab.site.backend.registry)


def _listed(root: Path, registry: Registry) -> JsonObject:
    found: list[JsonObject] = []
    damaged: list[str] = []
    manifests = (path for path in root.rglob("*.json") if path.name in _KINDS)
    tournaments: dict[Path, list[Path]] = {}
    read = sorted(islice(manifests, _MOST_FOLDERS))
    for path in read:
        folder = path.parent
        if path.name == MATCH_FORMAT.file and folder != root and _OF_TOURNAMENT.fullmatch(folder.name):
            tournaments.setdefault(folder.parent, []).append(folder)
            continue
        with _reported(folder.relative_to(root), damaged):
            described = _KINDS[path.name](root, folder, registry)
            found.append({"path": str(folder.relative_to(root)), **described})
    for folder, matches in tournaments.items():
        with _reported(folder.relative_to(root), damaged):
            found.append({"path": str(folder.relative_to(root)), **_tournament(matches, registry)})
    return {"folders": found, "damaged": damaged, "left_out": sum(1 for _ in manifests)}


@contextlib.contextmanager
def _reported(folder: Path, damaged: list[str]) -> Iterator[None]:
    try:
        yield
    except GameforgeError as error:
        damaged.append(f"{folder}: {' '.join(str(error).split())}")


def _run(root: Path, folder: Path, registry: Registry) -> JsonObject:
    report = RunReport.read(folder)
    begin = "./" if folder == root else ""  # with a slash, so that it is a path
    players = [path for path in (folder / PLAYER, *sorted((folder / GENERATIONS).glob("*"))) if path.is_dir()]
    return {
        "kind": "run",
        "game": report.game,
        "state": report.state,
        "detail": run_progress(report),
        "players": [
            {"name": str(path.relative_to(folder)), "path": f"{begin}{path.relative_to(root)}"} for path in players
        ],
    }


def run_progress(report: RunReport) -> str:
    return f"{report.sessions} sessions, {report.games} games"


def _match(root: Path, folder: Path, registry: Registry) -> JsonObject:
    manifest = match_manifest(folder)
    return {
        "kind": "match",
        "game": plain_game(manifest.game, registry),
        "state": _state(folder, bool(manifest.result)),
        "detail": " - ".join(manifest.names),
    }


def _study(root: Path, folder: Path, registry: Registry) -> JsonObject:
    with in_file(folder / DEFINITION):
        definition: dict[str, Any] = read_toml(folder / DEFINITION)
        pipeline = Spec.from_settings(definition.get("pipeline", {}).get("game", {}), "game")
    return {
        "kind": "study",
        "game": plain_game(str(pipeline), registry),
        "state": "running" if is_busy(folder) else "not running",
        "detail": str(definition.get("title") or "a study"),
    }


_KINDS: dict[str, Callable[[Path, Path, Registry], JsonObject]] = {
    RUN_FORMAT.file: _run,
    MATCH_FORMAT.file: _match,
    STUDY_FORMAT.file: _study,
}
"""What describes a folder, by the name of its manifest."""


def _state(folder: Path, finished: bool) -> str:
    return "finished" if finished else "running" if is_busy(folder) else "interrupted"


def _tournament(matches: Sequence[Path], registry: Registry) -> JsonObject:
    manifests = [match_manifest(folder) for folder in matches]
    names = dict.fromkeys(name for manifest in manifests for name in manifest.names)
    return {
        "kind": "tournament",
        "game": plain_game(manifests[0].game, registry),
        "state": _state(matches[-1], all(manifest.result for manifest in manifests)),
        "detail": ", ".join(names),
    }


_MOST_GAMES = 200
"""Most games in one answer."""


@attrs.frozen(kw_only=True)
class FolderGames:
    """Games of a run or a match, the newest first, to replay them."""

    path: str
    game: str
    before: int | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(0)))
    """Only games before this number, counted from 0; None: the newest."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        folder, game = known_folder(tab.site, self.path), tab.site.game(self.game)

        def read() -> JsonObject:
            games = folder_records(folder, game)
            end = len(games) if self.before is None else min(self.before, len(games))
            begin = max(0, end - _MOST_GAMES)
            return {"begin": begin, "games": [game_json(game, record) for record in games[begin:end]]}

        return await asyncio.to_thread(read)


def folder_records(folder: Path, game: Game) -> list[GameRecord]:
    """Return the games of a run or a match, without damaged ones; GameforgeError if there are none yet."""
    path = folder / games_name(game)
    if not path.is_file():
        raise GameforgeError(f"{folder.name} has no games yet")
    return list(game_files(game).read_games(path, tolerant=True, notice=lambda _: None))

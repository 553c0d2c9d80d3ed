"""Requests about runs and matches in the folder that was given at the start: what there is, curves, games."""

import asyncio
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from gameforge.config import dump_toml
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.arena.match_folder import MATCH_FORMAT, RECORDS, result_numbers
from gameforge.play.arena.result import MatchResult
from gameforge.play.game_text import games_name
from gameforge.storage.log import read_log
from gameforge.storage.stored import read_as
from gameforge.training.events import METRICS
from gameforge.training.run_folder import RUN_FORMAT
from gameforge.training.run_report import RunReport, read_run, session_figures
from gameforge.web.files import game_json
from gameforge.web.requests import Tab
from gameforge.web.site import Site
from gameforge.web.views import Json, Tell

_INTERVAL = 0.5
"""Seconds between looks at a file that grows."""
_MOST_FOLDERS = 500
_MOST_GAMES = 200
"""Most games in one answer."""


def _folder(site: Site, path: str) -> Path:
    """Return a folder below the one given at the start; GameforgeError for any other."""
    root = site.options.runs
    if root is None:
        raise GameforgeError("no folder of runs was given; start gameforge web with --runs FOLDER")
    folder = root / path
    if not site.is_readable(folder) or not folder.is_dir():
        raise GameforgeError(f"there is no folder {path!r} below {root}")
    return folder


@attrs.frozen(kw_only=True)
class Folders:
    """The runs and matches below the folder."""

    async def answer(self, tab: Tab, tell: Tell) -> Json:
        root = _folder(tab.site, "")
        return await asyncio.to_thread(_listed, root)


def _listed(root: Path) -> Json:
    found: list[Json] = []
    damaged: list[str] = []
    manifests = (path for path in root.rglob("*.json") if path.name in (RUN_FORMAT.file, MATCH_FORMAT.file))
    for path in sorted(islice(manifests, _MOST_FOLDERS)):
        name = str(path.parent.relative_to(root))
        try:
            found.append({"path": name, **(_run(path.parent) if path.name == RUN_FORMAT.file else _match(path.parent))})
        except GameforgeError as error:
            damaged.append(f"{name}: {' '.join(str(error).split())}")
    return {"folders": found, "damaged": damaged}


def _run(folder: Path) -> Json:
    report = read_run(folder)
    return {"kind": "run", "game": report.game, "state": report.state, "detail": _progress(report)}


def _progress(report: RunReport) -> str:
    return f"{report.sessions} sessions, {report.games} games"


def _match(folder: Path) -> Json:
    manifest = MATCH_FORMAT.read_as(folder, _Match)
    state = "finished" if manifest.result else "running or interrupted"
    return {"kind": "match", "game": manifest.game_name, "state": state, "detail": " - ".join(manifest.names)}


@attrs.frozen(kw_only=True)
class _Match:
    """What a match's manifest says."""

    players: list[dict[str, Any]] = attrs.field(validator=[attrs.validators.min_len(2), attrs.validators.max_len(2)])
    result: dict[str, Any] = attrs.field(factory=dict)

    @property
    def names(self) -> tuple[str, str]:
        first, second = (str(player.get("name", "?")) for player in self.players[:2])
        return first, second

    @property
    def game_name(self) -> str:
        game = self.players[0].get("parts", {}).get("game", "")
        return str(game.get("use", "")) if isinstance(game, dict) else str(game)


@attrs.frozen(kw_only=True)
class FollowRun:
    """The curves and the settings of a run; answers again whenever a session has been added, until cancelled."""

    path: str

    async def answer(self, tab: Tab, tell: Tell) -> Json:
        folder = _folder(tab.site, self.path)
        seen: object = None
        while True:
            now = _stamp(folder / METRICS), _stamp(folder / RUN_FORMAT.file)
            if now != seen:
                seen = now
                report = await asyncio.to_thread(read_run, folder)
                view = _curves(report)
                if report.state != "running":
                    return view
                tell(view)
            await asyncio.sleep(_INTERVAL)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError:
        return 0, 0
    return about.st_size, about.st_mtime_ns


def _curves(report: RunReport) -> Json:
    curves: dict[str, list[tuple[int, float]]] = {}
    for row in report.metrics:
        for name, value in session_figures(row).items():
            curves.setdefault(name, []).append((int(row["session"]), value))
    return {
        "state": report.state,
        "game": report.game,
        "detail": _progress(report),
        "curves": curves,
        "settings": dump_toml(dict(report.settings)),
    }


@attrs.frozen(kw_only=True)
class FolderGames:
    """Games of a run or a match, the newest first, to replay them."""

    path: str
    game: str
    before: int | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(0)))
    """Only games before this number, counted from 0; None: the newest."""

    async def answer(self, tab: Tab, tell: Tell) -> Json:
        folder, game = _folder(tab.site, self.path), tab.site.game(self.game)
        if game.files is None:
            raise GameforgeError(f"{self.game} cannot read files of games")
        path = folder / games_name(game)
        if not path.is_file():
            raise GameforgeError(f"{self.path} has no games yet")
        files = game.files

        def read() -> Json:
            games = list(files.read_games(path, tolerant=True, notice=lambda _: None))
            end = len(games) if self.before is None else min(self.before, len(games))
            begin = max(0, end - _MOST_GAMES)
            return {"begin": begin, "games": [game_json(game, record) for record in games[begin:end]]}

        return await asyncio.to_thread(read)


@attrs.frozen(kw_only=True)
class FollowMatch:
    """The score of a match; answers again after each game, with the last one, until the match is over or cancelled."""

    path: str
    game: str

    async def answer(self, tab: Tab, tell: Tell) -> Json:
        folder, game = _folder(tab.site, self.path), tab.site.game(self.game)
        seen: object = None
        while True:
            now = _stamp(folder / RECORDS), _stamp(folder / MATCH_FORMAT.file)
            if now != seen:
                seen = now
                manifest = MATCH_FORMAT.read_as(folder, _Match)
                records = await asyncio.to_thread(read_log, folder / RECORDS, _record)
                view = match_view(manifest.names, records)
                view["last"] = game_json(game, records[-1]) if records else None
                if manifest.result:
                    return {**view, "over": True}
                tell(view)
            await asyncio.sleep(_INTERVAL)


def _record(stored: Any) -> GameRecord:

    return read_as(GameRecord, stored)


def match_view(players: tuple[str, str], records: Sequence[GameRecord]) -> Json:
    """Return the figures of a match so far, and the score after each pair of games."""
    result = MatchResult(players, tuple(records))
    points = [game.outcome.points(i % 2) / 2 for i, game in enumerate(records)]
    course = [(i + 1, sum(points[: i + 1]) / (i + 1)) for i in range(1, len(points), 2)]
    return {"result": result_numbers(result), "text": str(result) if records else "no game yet", "course": course}

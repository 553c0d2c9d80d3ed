"""Requests about runs in the folder that was given at the start: curves and games."""

import asyncio

import attrs

from gameforge.config import dump_toml
from gameforge.errors import GameforgeError
from gameforge.play.game_text import games_name
from gameforge.storage.folder_lock import is_busy
from gameforge.training.events import METRICS
from gameforge.training.run_folder import RUN_FORMAT
from gameforge.training.run_report import RunReport, read_run, session_figures
from gameforge.web.files import game_json
from gameforge.web.folders import INTERVAL, known_folder, run_progress, stamp
from gameforge.web.requests import Tab
from gameforge.web.views import Json, Send

_MOST_GAMES = 200
"""Most games in one answer."""


@attrs.frozen(kw_only=True)
class FollowRun:
    """The curves and the settings of a run; answers again after each session and when it ends, however it ends."""

    path: str

    async def answer(self, tab: Tab, send: Send) -> Json:
        folder = known_folder(tab.site, self.path)
        seen: object = None
        while True:
            now = stamp(folder / METRICS), stamp(folder / RUN_FORMAT.file), is_busy(folder)
            if now != seen:
                seen = now
                report = await asyncio.to_thread(read_run, folder)
                view = _curves(report)
                if report.state != "running":
                    return view
                send(view)
            await asyncio.sleep(INTERVAL)


def _curves(report: RunReport) -> Json:
    curves: dict[str, list[tuple[int, float]]] = {}
    for row in report.metrics:
        for name, value in session_figures(row).items():
            curves.setdefault(name, []).append((int(row["session"]), value))
    return {
        "state": report.state,
        "game": report.game,
        "detail": run_progress(report),
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

    async def answer(self, tab: Tab, send: Send) -> Json:
        folder, game = known_folder(tab.site, self.path), tab.site.game(self.game)
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

"""Requests about matches and tournaments in the folder: those of this server and of any other process, move by move."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.arena.match_folder import CURRENT, MATCH_FORMAT, RECORDS
from gameforge.play.arena.result import MatchResult
from gameforge.play.game import Game
from gameforge.storage.folder_lock import is_busy
from gameforge.storage.stored import parse_json, read_as
from gameforge.web.files import game_json
from gameforge.web.folders import INTERVAL, MatchManifest, known_folder, match_manifest, stamp, tournament_matches
from gameforge.web.match_views import match_view, playing_view, tournament_view
from gameforge.web.requests import Tab
from gameforge.web.views import Json, Send


class _Followed:
    """A match in a folder. Games that have been read are not read again."""

    def __init__(self, folder: Path, game: Game) -> None:
        self._folder, self._game = folder, game
        self._read = 0
        """Bytes of the games that have been read."""
        self._records: list[GameRecord] = []
        self.manifest: MatchManifest = match_manifest(folder)

    def stamp(self) -> object:
        """Return what changes whenever a file is written, and when the process that plays ends, however it ends."""
        files = [stamp(self._folder / name) for name in (RECORDS, CURRENT, MATCH_FORMAT.file)]
        return files, not self.is_over and is_busy(self._folder)

    def look(self) -> None:
        """Read what has been added."""
        self.manifest = match_manifest(self._folder)
        try:
            with (self._folder / RECORDS).open("rb") as file:
                if file.seek(0, 2) < self._read:  # resumed without the game of a pair that was not finished
                    self._read = 0
                    self._records.clear()
                file.seek(self._read)
                added = file.read()
        except OSError:
            return
        whole = added[: added.rfind(b"\n") + 1]
        try:
            self._records += [read_as(GameRecord, parse_json(line)) for line in whole.decode().splitlines()]
        except (ValueError, TypeError) as error:
            raise GameforgeError(f"{self._folder / RECORDS} is damaged: {' '.join(str(error).split())}") from error
        self._read += len(whole)

    @property
    def is_over(self) -> bool:
        return bool(self.manifest.result)

    @property
    def result(self) -> MatchResult:
        return MatchResult(self.manifest.names, tuple(self._records), self.manifest.sprt)

    def view(self) -> Json:
        """Return its figures, its last game, and the game that is being played."""
        view = match_view(self.manifest.names, self._records, self.manifest.sprt)
        view["last"] = game_json(self._game, self._records[-1]) if self._records else None
        if self.is_over:
            return {**view, "over": True}
        current = self._current()
        view["playing"] = None if current is None else playing_view(self._game, current)
        view["interrupted"] = not is_busy(self._folder)
        return view

    def _current(self) -> GameRecord | None:
        try:
            return read_as(GameRecord, json.loads((self._folder / CURRENT).read_bytes()))
        except (OSError, ValueError):  # the game has just ended
            return None


@attrs.frozen(kw_only=True)
class FollowMatch:
    """The figures of a match; answers again whenever there is news, until the match is over or this is cancelled."""

    path: str
    game: str

    async def answer(self, tab: Tab, send: Send) -> Json:
        folder = known_folder(tab.site, self.path)
        while not MATCH_FORMAT.path(folder).exists():
            send({"preparing": "Waiting for the match", "share": None})
            await asyncio.sleep(INTERVAL)
        match = _Followed(folder, tab.site.game(self.game))
        seen: object = None
        while True:
            now = match.stamp()
            if now != seen:
                seen = now
                await asyncio.to_thread(match.look)
                view = await asyncio.to_thread(match.view)
                if match.is_over:
                    return view
                send(view)
            await asyncio.sleep(INTERVAL)


@attrs.frozen(kw_only=True)
class FollowTournament:
    """The crosstable of a tournament and its current match, whenever there is news, until this is cancelled."""

    path: str
    game: str

    async def answer(self, tab: Tab, send: Send) -> Json:
        folder, game = known_folder(tab.site, self.path), tab.site.game(self.game)
        matches: dict[Path, _Followed] = {}
        seen: object = None
        while True:
            for one in tournament_matches(folder):
                if one not in matches:
                    matches[one] = _Followed(one, game)
            now = [match.stamp() for match in matches.values()]
            if now != seen:
                seen = now
                send(await asyncio.to_thread(_tournament, list(matches.values())))
            await asyncio.sleep(INTERVAL)


def _tournament(matches: Sequence[_Followed]) -> Json:
    for match in matches:
        if not match.is_over or not match.result.games:
            match.look()
    begun: list[Any] = [match.result for match in matches if match.result.games]
    current = matches[-1].view() if matches else None
    return {"table": tournament_view(begun), **(current or {"playing": None, "last": None})}

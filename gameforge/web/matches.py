"""Matches and tournaments: as JSON for the page, followed in the folder, and started in the page.

The page shows scores, error bars, sequential tests and crosstables. It follows matches of this server and of any other
process, move by move.
"""

import asyncio
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs

from gameforge.arena import MatchResult, Sprt, match
from gameforge.arena.match_folder import CURRENT, MATCH_FORMAT, RECORDS, FolderGames, Shortened, match_in_folder
from gameforge.arena.played import UnnamedGames
from gameforge.arena.tournament import folder_of_match, schedule, standings, tournament
from gameforge.config.outside import MOST_SETTINGS, read_file, require_path
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game
from gameforge.play.player import Player
from gameforge.records.game_records import read_record
from gameforge.storage.folder import is_busy
from gameforge.storage.stored import parse_json
from gameforge.web.files import game_json
from gameforge.web.folders import (
    INTERVAL,
    MatchManifest,
    follow,
    known_folder,
    match_manifest,
    stamp,
    tournament_matches,
)
from gameforge.web.requests import Tab, progress
from gameforge.web.searches import Stopper
from gameforge.web.site import Site
from gameforge.web.views import JsonObject, Send

_MOST_POINTS = 300
"""Most points of a curve."""


_MOST_CRASHES = 5
"""Most crashes that are reported."""


class Course:
    """The course of a match, for which its games need not be kept: one number for each pair, crashes, the last game."""

    def __init__(self, games: Iterable[GameRecord] = ()) -> None:
        self.last: GameRecord | None = None
        self.crashes: list[str] = []
        self._games, self._points = 0, 0
        self._scores = array("d")
        """The score of the first player after each pair of games."""
        for game in games:
            self.add(game)

    def add(self, game: GameRecord) -> None:
        """Add the next game."""
        self._points += game.outcome.points(self._games % 2)
        self._games += 1
        if self._games % 2 == 0:
            self._scores.append(self._points / 2 / self._games)
        if game.note and len(self.crashes) < _MOST_CRASHES:
            self.crashes.append(f"{_loser(game)} crashed in game {game.number}: {game.note}")
        self.last = game

    @property
    def points(self) -> list[tuple[int, float]]:
        """(number of games, score so far) of some pairs."""
        chosen = range(0, len(self._scores), max(1, len(self._scores) // _MOST_POINTS))
        return [(2 * i + 2, self._scores[i]) for i in chosen]


def match_view(result: MatchResult, course: Course) -> JsonObject:
    """Return the figures of a match so far, and the score after pairs of games."""
    begun, sprt = bool(len(result.games)), result.sprt
    return {
        "result": result.numbers,
        "elo": result.elo_text if begun else "",
        "bounds": None if sprt is None else [sprt.lower, sprt.upper],
        "text": str(result) if begun else "No game has ended yet.",
        "crashes": course.crashes,
        "warnings": _warnings([result]),
        "course": course.points,
    }


def _warnings(matches: Sequence[MatchResult]) -> list[str]:
    """Return a sentence for each match in which fewer than half of the games are distinct."""
    return [match.repeats_text for match in matches if match.repeats]


def _loser(game: GameRecord) -> str:
    return "" if game.outcome.winner is None else game.players[1 - game.outcome.winner]


def _playing(game: Game, record: GameRecord) -> JsonObject:
    return {**game_json(game, record), "number": record.number}


def tournament_view(matches: Sequence[MatchResult]) -> JsonObject:
    """Return the crosstable of the matches so far, with ratings; a match without a pair of games does not count yet."""
    rated = [match for match in matches if len(match.games) > 1]
    names = list(dict.fromkeys(name for match in rated for name in match.players))
    if not names:
        return {"rows": [], "games": 0, "distinct": 0, "warnings": []}
    result = standings(names, rated)
    rows = [
        {
            "name": name,
            "elo": rating.elo,
            "error": rating.error,
            "points": result.score(name),
            "games": result.games(name),
            "cells": [result.cell(name, other) for other in result.players],
        }
        for name, rating in zip(result.players, result.ratings, strict=True)
    ]
    return {"rows": rows, "games": result.played, "distinct": result.distinct, "warnings": _warnings(rated)}


class _Followed:
    """A match in a folder. Games that have been read are not read again."""

    def __init__(self, folder: Path, game: Game) -> None:
        self._folder, self._game = folder, game
        self._games, self._course = FolderGames(folder, game), Course()
        self.manifest: MatchManifest = match_manifest(folder)

    def stamp(self) -> object:
        """Return what changes whenever a file is written, and when the process that plays ends, however it ends."""
        files = [stamp(self._folder / name) for name in (RECORDS, CURRENT, MATCH_FORMAT.file)]
        return files, not self.is_over and is_busy(self._folder)

    def look(self) -> None:
        self.manifest = match_manifest(self._folder)
        try:
            for game in self._games.look():
                self._course.add(game)
        except Shortened:
            self._games, self._course = FolderGames(self._folder, self._game), Course()
            self.look()

    @property
    def is_over(self) -> bool:
        return bool(self.manifest.result)

    @property
    def result(self) -> MatchResult:
        return MatchResult(self.manifest.names, self._games, self.manifest.sprt)

    def view(self) -> JsonObject:
        """Return its figures, its last game, and the game that is being played."""
        view, last = match_view(self.result, self._course), self._course.last
        view["last"] = None if last is None else game_json(self._game, last)
        if self.is_over:
            return {**view, "over": True}
        current = self._current()
        view["playing"] = None if current is None else _playing(self._game, current)
        view["interrupted"] = not is_busy(self._folder)
        return view

    def _current(self) -> GameRecord | None:
        try:
            return read_record(parse_json(read_file(self._folder / CURRENT, MOST_SETTINGS)), self._game)
        except (OSError, ValueError):  # the game has just ended
            return None


@attrs.frozen(kw_only=True)
class FollowMatch:
    """The figures of a match; answers again whenever there is news, until the match is over or this is cancelled."""

    path: str
    game: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        folder = known_folder(tab.site, self.path)
        while not MATCH_FORMAT.path(folder).exists():
            send({"preparing": "Waiting for the match", "share": None})
            await asyncio.sleep(INTERVAL)
        match = _Followed(folder, tab.site.game(self.game))

        def look() -> tuple[JsonObject, bool]:
            match.look()
            return match.view(), match.is_over

        return await follow(match.stamp, look, send)


@attrs.frozen(kw_only=True)
class FollowTournament:
    """The crosstable of a tournament and its current match, whenever there is news, until this is cancelled."""

    path: str
    game: str

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        folder, game = known_folder(tab.site, self.path), tab.site.game(self.game)
        matches: dict[Path, _Followed] = {}

        def now() -> object:
            for one in tournament_matches(folder):
                if one not in matches:
                    matches[one] = _Followed(one, game)
            return [match.stamp() for match in matches.values()]

        return await follow(now, lambda: (_tournament(list(matches.values())), False), send)


def _tournament(matches: Sequence[_Followed]) -> JsonObject:
    for followed in matches:
        if not followed.is_over or not followed.result.games:
            followed.look()
    begun: list[Any] = [match.result for match in matches if match.result.games]
    current = matches[-1].view() if matches else None
    return {"table": tournament_view(begun), **(current or {"playing": None, "last": None})}


MOST_GAMES = 100_000
MOST_PLAYERS = 32
_PATIENCE = 10.0
"""Seconds after which a folder in use is refused."""
_INTERVAL = 0.1
"""Minimum seconds between two answers: thousands of games may end in a second."""


@attrs.frozen(kw_only=True)
class _Settings:
    """What matches and tournaments have in common."""

    game: str
    games: int = attrs.field(validator=[attrs.validators.ge(2), attrs.validators.le(MOST_GAMES)])
    seconds: float | None = None
    """Time of a move; None: the players' own limits."""
    out: str = ""
    """Folder below the one given at the start; "": the games are not kept there."""
    kept: str = attrs.field(default="", validator=attrs.validators.matches_re("[0-9a-f]{16}|"))
    """Name under which the server keeps a match without a folder, so that the page can ask for the rest of it."""

    async def folder(self, site: Site) -> Path | None:
        """Return the folder for the games, once a request that the page has given up no longer writes to it.

        Raises GameforgeError if the folder is not below the one given at the start.
        """
        folder = await asyncio.to_thread(self._folder, site)
        for _ in range(round(_PATIENCE / INTERVAL) if folder else 0):
            if folder is None or not any(map(is_busy, (folder, *tournament_matches(folder)))):
                break
            await asyncio.sleep(INTERVAL)
        return folder

    def _folder(self, site: Site) -> Path | None:
        if not self.out:
            return site.kept_match(self.kept) if self.kept else None
        root = site.options.runs
        require_path(self.out, "folder", new=True)
        if root is None or not site.admission.is_readable(root / self.out):
            raise GameforgeError(f"{self.out!r} is not below a folder given at the start")
        return root / self.out

    @property
    def limits(self) -> dict[str, float]:
        return {} if self.seconds is None else {"time": self.seconds}


class _News:
    """Passes the state of a match on to the page, at most every _INTERVAL."""

    def __init__(self, send: Send, state: Callable[[], JsonObject]) -> None:
        self._send, self._state, self._last = send, state, 0.0

    def send(self, **more: JsonObject) -> None:
        now = time.perf_counter()
        if now - self._last >= _INTERVAL:
            self._last = now
            self._send({**self._state(), **more})


class _LiveMatch:
    """One match for the page: its games so far."""

    def __init__(self, first: Player, second: Player, sprt: Sprt | None) -> None:
        self.first, self.second, self.sprt = first, second, sprt
        self.games, self._course = UnnamedGames(first.game), Course()

    @property
    def result(self) -> MatchResult:
        return MatchResult((self.first.name, self.second.name), self.games, self.sprt)

    def view(self) -> JsonObject:
        """Return its figures and its last game."""
        last = self._course.last
        shown = None if last is None else game_json(self.first.game, last)
        return {**match_view(self.result, self._course), "last": shown}

    def play(self, games: int, out: Path | None, stopper: Stopper, news: _News) -> MatchResult:
        """Play the match, in a folder or without one."""

        def check() -> None:
            if stopper.stopped:
                raise GameforgeError("the match was stopped")

        def finished(record: GameRecord) -> None:
            self.games.add(record)
            self._course.add(record)
            news.send()

        def playing(record: GameRecord) -> None:
            news.send(playing=_playing(self.first.game, record))

        told = {"game_finished": finished, "playing": playing, "check": check}
        options: dict[str, Any] = {
            "sprt": self.sprt,
            "on_error": "forfeit",
            **told,
        }  # the page says why games were lost
        if out is None:
            return match(self.first, self.second, games, **options)
        return match_in_folder(out, self.first, self.second, games, **options)


@attrs.frozen(kw_only=True)
class StartMatch(_Settings):
    """A match between two players; answers while it is played. Cancelling it ends the match."""

    first: str
    second: str
    sprt: str = ""
    """A sequential test that can end the match, such as 0,10."""

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        site, out = tab.site, await self.folder(tab.site)
        test = Sprt.parse(self.sprt) if self.sprt else None

        def play(stopper: Stopper) -> JsonObject:
            with (
                site.player(self.first, self.game, self.limits, progress(send, stopper), waits=True) as first,
                site.player(self.second, self.game, self.limits, progress(send, stopper), waits=True) as second,
            ):
                one = _LiveMatch(first, second, test)
                one.play(self.games, out, stopper, _News(send, one.view))
                return {**one.view(), "over": True}

        return await site.searches.analysis(play)


@attrs.frozen(kw_only=True)
class StartTournament(_Settings):
    """Matches between all pairs of several players; answers while they are played. Cancelling it ends them."""

    players: tuple[str, ...] = attrs.field(
        validator=[attrs.validators.min_len(2), attrs.validators.max_len(MOST_PLAYERS)]
    )

    async def answer(self, tab: Tab, send: Send) -> JsonObject:
        site, out = tab.site, await self.folder(tab.site)

        def play(stopper: Stopper) -> JsonObject:
            done: list[MatchResult] = []
            matches = len(schedule(len(self.players)))

            def view(current: _LiveMatch) -> JsonObject:
                so_far = [*done, current.result] if current.games else done
                about = {"match": len(done) + 1, "matches": matches}
                return {"table": tournament_view(so_far), **about, **current.view()}

            def play_match(first: Player, second: Player, number: int) -> MatchResult:
                current = _LiveMatch(first, second, None)
                folder = folder_of_match(out, number)
                done.append(current.play(self.games, folder, stopper, _News(send, lambda: view(current))))
                return done[-1]

            with ExitStack() as lent:
                players = [
                    lent.enter_context(site.player(text, self.game, self.limits, progress(send, stopper), waits=True))
                    for text in self.players
                ]
                tournament(players, play_match)
            return {"table": tournament_view(done), "over": True}

        return await site.searches.analysis(play)

"""Matches and tournaments that are started in the page."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.arena import MatchResult, Sprt, match
from gameforge.play.arena.match_folder import match_in_folder
from gameforge.play.arena.tournament import schedule, tournament
from gameforge.play.player import Player
from gameforge.web.files import game_json
from gameforge.web.match_views import match_view, playing_view, tournament_view
from gameforge.web.requests import Tab, progress
from gameforge.web.searches import Stopper
from gameforge.web.site import Site
from gameforge.web.views import Json, Send

MOST_GAMES = 100_000
MOST_PLAYERS = 32
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
    """Folder below the one given at the start; "": the games are not kept."""

    def folder(self, site: Site) -> Path | None:
        """Return the folder for the games; GameforgeError if it is not below the one given at the start."""
        if not self.out:
            return None
        root = site.options.runs
        if root is None or not site.admission.is_readable(root / self.out):
            raise GameforgeError(f"{self.out!r} is not below a folder given at the start")
        return root / self.out

    @property
    def limits(self) -> dict[str, float]:
        return {} if self.seconds is None else {"time": self.seconds}


class _News:
    """Passes the state of a match on to the page, at most every _INTERVAL."""

    def __init__(self, send: Send, state: Callable[[], Json]) -> None:
        self._send, self._state, self._last = send, state, 0.0

    def send(self, **more: Json) -> None:
        now = time.perf_counter()
        if now - self._last >= _INTERVAL:
            self._last = now
            self._send({**self._state(), **more})


class _LiveMatch:
    """One match for the page: its games so far."""

    def __init__(self, first: Player, second: Player, sprt: Sprt | None) -> None:
        self.first, self.second, self.sprt = first, second, sprt
        self.records: list[GameRecord] = []

    @property
    def result(self) -> MatchResult:
        return MatchResult((self.first.name, self.second.name), tuple(self.records), self.sprt)

    def view(self) -> Json:
        """Return its figures and its last game."""
        last = game_json(self.first.game, self.records[-1]) if self.records else None
        return {**match_view((self.first.name, self.second.name), self.records, self.sprt), "last": last}

    def play(self, games: int, out: Path | None, stopper: Stopper, news: _News) -> MatchResult:
        """Play the match, in a folder or without one."""

        def check() -> None:
            if stopper.stopped:
                raise GameforgeError("the match was stopped")

        def finished(record: GameRecord) -> None:
            self.records.append(record)
            news.send()

        def playing(record: GameRecord) -> None:
            news.send(playing=playing_view(self.first.game, record))

        options: dict[str, Any] = {"sprt": self.sprt, "game_finished": finished, "playing": playing, "check": check}
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

    async def answer(self, tab: Tab, send: Send) -> Json:
        site, out = tab.site, self.folder(tab.site)
        test = Sprt.parse(self.sprt) if self.sprt else None

        def play(stopper: Stopper) -> Json:
            with (
                site.player(self.first, self.game, self.limits, progress(send)) as first,
                site.player(self.second, self.game, self.limits, progress(send)) as second,
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

    async def answer(self, tab: Tab, send: Send) -> Json:
        site, out = tab.site, self.folder(tab.site)

        def play(stopper: Stopper) -> Json:
            done: list[MatchResult] = []
            matches = len(schedule(len(self.players)))

            def view(current: _LiveMatch) -> Json:
                so_far = [*done, current.result] if current.records else done
                about = {"match": len(done) + 1, "matches": matches}
                return {"table": tournament_view(so_far), **about, **current.view()}

            def play_match(first: Player, second: Player, number: int) -> MatchResult:
                current = _LiveMatch(first, second, None)
                folder = None if out is None else out / f"match-{number:03}"
                done.append(current.play(self.games, folder, stopper, _News(send, lambda: view(current))))
                return done[-1]

            with ExitStack() as lent:
                players = [
                    lent.enter_context(site.player(text, self.game, self.limits, progress(send)))
                    for text in self.players
                ]
                tournament(players, play_match)
            return {"table": tournament_view(done), "over": True}

        return await site.searches.analysis(play)

"""A match that is started in the page."""

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.play.arena import match
from gameforge.play.arena.match_folder import match_in_folder
from gameforge.web.files import game_json
from gameforge.web.following import match_view
from gameforge.web.requests import Tab, progress
from gameforge.web.searches import Stopper
from gameforge.web.views import Json, Tell

MOST_GAMES = 10_000


@attrs.frozen(kw_only=True)
class StartMatch:
    """A match between two players; answers after each game. Cancelling it ends the match.

    If there is a folder of runs, the match is kept in it, under `out`.
    """

    game: str
    first: str
    second: str
    games: int = attrs.field(validator=[attrs.validators.ge(2), attrs.validators.le(MOST_GAMES)])
    seconds: float | None = None
    """Time of a move; None: the players' own limits."""
    out: str = ""

    async def answer(self, tab: Tab, tell: Tell) -> Json:
        site = tab.site
        if self.out and (site.options.runs is None or not site.is_readable(site.options.runs / self.out)):
            raise GameforgeError(f"{self.out!r} is not below a folder given at the start")
        limits = {} if self.seconds is None else {"time": self.seconds}

        def play(stopper: Stopper) -> Json:
            records: list[GameRecord] = []

            def check() -> None:
                if stopper.stopped:
                    raise GameforgeError("the match was stopped")

            with (
                site.player(self.first, self.game, limits, progress(tell)) as first,
                site.player(self.second, self.game, limits, progress(tell)) as second,
            ):
                names = first.name, second.name

                def finished(record: GameRecord) -> None:
                    records.append(record)
                    tell({**match_view(names, records), "last": game_json(first.game, record)})

                if self.out and site.options.runs is not None:
                    match_in_folder(
                        site.options.runs / self.out, first, second, self.games, game_finished=finished, check=check
                    )
                else:
                    match(first, second, self.games, game_finished=finished, check=check)
                return {**match_view(names, records), "over": True}

        return await site.searches.analysis(play)

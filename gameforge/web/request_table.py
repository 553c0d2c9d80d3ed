"""All requests that a page can send."""

from collections.abc import Awaitable
from typing import Protocol

from gameforge.web import folders, following, insight, match_following, matches, requests
from gameforge.web.requests import Tab
from gameforge.web.views import Json, Send


class Request(Protocol):
    """A message from a page."""

    def answer(self, tab: Tab, send: Send) -> Awaitable[Json]:
        """Return the last answer; GameforgeError for a request that cannot be met."""
        ...


REQUESTS: dict[str, type[Request]] = {
    "hello": requests.Hello,
    "game": requests.OpenGame,
    "show": requests.Show,
    "think": requests.Think,
    "hint": requests.Hint,
    "offer": requests.Offer,
    "analyse": requests.Analyse,
    "judge": requests.Judge,
    "save": requests.Save,
    "arrange": insight.Arrange,
    "explain": insight.Explain,
    "folders": folders.Folders,
    "run": following.FollowRun,
    "games": following.FolderGames,
    "match": match_following.FollowMatch,
    "tournament": match_following.FollowTournament,
    "start-match": matches.StartMatch,
    "start-tournament": matches.StartTournament,
}
"""The requests by the names that pages use."""

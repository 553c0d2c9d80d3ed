"""The option --watch: a match or tournament in the browser while it is played."""

import contextlib
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from gameforge.cli.shared.web_backend import WebBackend
from gameforge.config import spec_from_settings
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry
from gameforge.storage.folder import require_folder

WATCH_HELP = "Show the games in the browser while they are played. The page stays open until Ctrl-C."


@contextlib.contextmanager
def watched(
    watch: bool, what: Literal["match", "tournament"], out: Path | None, player: Player, registry: Registry
) -> Iterator[Path | None]:
    """Serve a page that shows a match or tournament while it is played, and afterwards until Ctrl-C.

    out: its folder; without one, the games are kept in a temporary folder. player: one of its players. Yields the
    folder in which it must be played. Without `watch`, does nothing and yields `out`.
    """
    if not watch:
        yield out
        return
    from gameforge.web.backend import Options
    from gameforge.web.secret import Access, secret_file
    from gameforge.web.serving import serving
    from gameforge.web.site import Site, plain_game

    def say(text: str) -> None:
        print(text, file=sys.stderr)

    game = plain_game(str(spec_from_settings(player.spec["game"], "game")), registry)
    with tempfile.TemporaryDirectory(prefix="gameforge-watch-") as temporary:
        folder = Path(temporary) / what if out is None else out
        require_folder(folder, new=True)
        folder.mkdir(parents=True, exist_ok=True)
        options = Options(game=game, runs=folder, port=0, opens=f"watch/{what}/.")
        with serving(Site(WebBackend(registry), options), Access(secret_file()), open_browser=True, say=say):
            yield folder
            say("The page shows the games until you press Ctrl-C.")
            with contextlib.suppress(KeyboardInterrupt):
                threading.Event().wait()

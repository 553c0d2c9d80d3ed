"""Starting and ending the server."""

import asyncio
import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator

import uvicorn

from gameforge.errors import GameforgeError
from gameforge.web.application import application
from gameforge.web.backend import Options
from gameforge.web.guard import ENTRANCE
from gameforge.web.secret import Access
from gameforge.web.site import Site

MOST_BYTES = 1 << 20
"""Largest message that a page may send."""
_GRACE = 3
"""Seconds that the server waits for its tabs at its end."""


def serve(site: Site, access: Access, *, open_browser: bool, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. Raises GameforgeError if the port cannot be used."""
    with _server(site, access, open_browser, say) as (server, listening):
        asyncio.run(server.serve(sockets=[listening]))


@contextlib.contextmanager
def serving(site: Site, access: Access, *, open_browser: bool, say: Callable[[str], None]) -> Iterator[None]:
    """Serve in a thread of its own while the caller does something else. Raises as `serve`."""
    with _server(site, access, open_browser, say) as (server, listening):
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), name="gameforge-web")
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


@contextlib.contextmanager
def _server(
    site: Site, access: Access, open_browser: bool, say: Callable[[str], None]
) -> Iterator[tuple["_Server", socket.socket]]:
    """Bind the port, and yield the server, which prints the address when it runs: from then on Ctrl-C stops it."""
    options = site.options
    with contextlib.closing(_bound(options)) as listening:
        port = listening.getsockname()[1]
        name = "127.0.0.1" if options.host in ("0.0.0.0", "127.0.0.1") else options.host
        url = f"http://{f'[{name}]' if ':' in name else name}:{port}{ENTRANCE}?token={access.token}"
        config = uvicorn.Config(
            application(site, access, port),
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws_max_size=MOST_BYTES,
            timeout_graceful_shutdown=_GRACE,
            server_header=False,
        )

        def started() -> None:
            say(f"GameForge is at {url}")
            say("The address works once, in one browser. Press Ctrl-C to stop.")
            if open_browser:
                threading.Thread(target=_open, args=(url, say), daemon=True).start()

        try:
            yield _Server(config, site, started), listening
        finally:
            site.searches.close()


class _Server(uvicorn.Server):
    """A server that calls `started` when it runs, and ends all searches when it is asked to end."""

    def __init__(self, config: uvicorn.Config, site: Site, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._site, self._announce = site, started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._site.searches.close()
        await super().shutdown(sockets)


def _bound(options: Options) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        return socket.create_server((options.host, options.port), family=family)
    except (OSError, OverflowError) as error:
        raise GameforgeError(
            f"cannot use port {options.port} of {options.host}: {getattr(error, 'strerror', None) or error}",
            advice="choose another",
            parameter="port",
        ) from error


def _open(url: str, say: Callable[[str], None]) -> None:
    """Open the address in a browser, if there is one."""
    try:
        opened = webbrowser.open(url)
    except webbrowser.Error:
        opened = False
    if not opened:
        say("No browser was found; open the address yourself.")

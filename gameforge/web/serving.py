"""Starting and ending the server, and its routes: the entrance, the page and its files, and the websocket."""

import asyncio
import contextlib
import ctypes
import errno
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from gameforge.errors import GameforgeError
from gameforge.web.access import ENTRANCE, LOOPBACK, Access, Guard, cookie_name
from gameforge.web.channel import Channel
from gameforge.web.files import MOST_BYTES, read_games, suffix_of
from gameforge.web.site import Options, Site
from gameforge.web.views import JsonObject, json_text

MOST_MESSAGE_BYTES = 1 << 20
"""Largest message that a page may send."""
_MOST_LETTERS = 500
"""Longest report on a file; a reader may quote a line of it."""
_GRACE = 3
"""Seconds that the server waits for its tabs at its end."""
_ARENAS = 2
"""Most regions, each with free memory of its own, from which the C library serves the threads."""
_M_ARENA_MAX = -8
"""Their number among the parameters of mallopt (malloc.h of glibc)."""


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
    limit_arenas()
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
            ws_max_size=MOST_MESSAGE_BYTES,
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


def limit_arenas() -> None:
    """Let all threads share a few regions of memory; without effect where the C library is not glibc.

    glibc gives threads up to eight regions for each core. What one thread frees stays in its region, where the next
    thread does not find it: the server's threads are many, and it would grow for hours. Must be called early: glibc
    no longer asks for the limit when there are more than eight.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, _ARENAS)


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
    if not options.host:  # a socket would take it for all addresses, and serve every network
        raise GameforgeError("the host is empty", advice="give an address, such as 127.0.0.1,", parameter="host")
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        return socket.create_server((options.host, options.port), family=family)
    except (OSError, OverflowError, TypeError, UnicodeError) as error:  # the last two: no host can have this name
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while attempting to bind")[0]
        raise GameforgeError(
            f"cannot use port {options.port} of {options.host}: {reason}",
            advice="choose another",
            parameter="port" if getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES) else "host",
        ) from error


def _open(url: str, say: Callable[[str], None]) -> None:
    try:
        opened = webbrowser.open(url)
    except webbrowser.Error:
        opened = False
    if not opened:
        say("No browser was found; open the address yourself.")


def _json(answer: JsonObject, status: int = 200) -> Response:
    return Response(json_text(answer), status, media_type="application/json")


CLIENT = Path(__file__).with_name("client")
_YEAR = 365 * 24 * 3600
_USED = "This address has been used. Start gameforge web again for a new one."
_NO_TOKEN = "This is not the token of this server. Open the whole address that gameforge web prints in the terminal."


def application(site: Site, access: Access, port: int, most_bytes: int = MOST_BYTES) -> Starlette:
    """Make the ASGI application.

    port: the one that browsers call. most_bytes: largest file that a page may send.
    """

    async def enter(request: Request) -> Response:
        """Exchange the token for the cookie. Only GET does: previews of links and `curl -I` send HEAD."""
        if request.method != "GET":
            return Response(status_code=405, headers={"allow": "GET"})
        known = request.cookies.get(cookie_name(port), "")
        token = parse_qs(request.url.query).get("token", [""])[0]
        if not access.redeem(token) and not access.knows(known):
            return PlainTextResponse(_USED if access.is_token(token) else _NO_TOKEN, 403)
        view = site.options.opens
        response = RedirectResponse(f"/#{view}" if view else "/", 303)
        response.set_cookie(cookie_name(port), access.secret, _YEAR, path="/", httponly=True, samesite="strict")
        return response

    async def page(request: Request) -> Response:
        return FileResponse(CLIENT / "index.html")

    async def upload(request: Request) -> Response:
        """Read the games of a file that the page sends."""
        query = request.query_params
        try:
            game = site.game(query.get("game", ""))
            name, databases = query.get("name", "file"), site.databases
            path = databases.new_file(suffix_of(name, game))
            with path.open("wb") as file:
                async for part in request.stream():
                    file.write(part)
                    if file.tell() > most_bytes:
                        break
            if path.stat().st_size > most_bytes:
                path.unlink()
                return _json({"error": f"the file has more than {most_bytes >> 20:,} MB"}, 413)
            found = await asyncio.to_thread(read_games, game, name, path, site.backend.registry, databases)
        except GameforgeError as error:
            return _json({"error": " ".join(str(error).split())[:_MOST_LETTERS]}, 400)
        except OSError as error:
            return _json({"error": f"the file cannot be kept: {error.strerror or error}"}, 400)
        return _json(found)

    async def socket(socket: WebSocket) -> None:
        await Channel(site, socket).run()

    return Starlette(
        routes=[
            Route("/", page),
            Route(ENTRANCE, enter),
            Route("/games", upload, methods=["POST"]),
            WebSocketRoute("/socket", socket),
            Mount("/client", StaticFiles(directory=CLIENT)),
        ],
        middleware=[Middleware(Guard, access, port, {*LOOPBACK, *site.options.allowed_hosts})],
    )

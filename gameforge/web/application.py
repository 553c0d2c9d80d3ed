"""The routes of the server: the entrance, the page and its files, and the websocket."""

import asyncio
from pathlib import Path
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from gameforge.errors import GameforgeError
from gameforge.web.channel import Channel
from gameforge.web.files import MOST_BYTES, read_games
from gameforge.web.guard import ENTRANCE, LOOPBACK, Guard, cookie_name
from gameforge.web.secret import Access
from gameforge.web.site import Site

CLIENT = Path(__file__).with_name("client")
_YEAR = 365 * 24 * 3600
_USED = "This address has been used. Start gameforge web again for a new one."
_NO_TOKEN = "This is not the token of this server. Open the whole address that gameforge web prints in the terminal."


def application(site: Site, access: Access, port: int) -> Starlette:
    """Make the ASGI application. port: the one that browsers call."""

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
        content = bytearray()
        async for part in request.stream():
            content += part
            if len(content) > MOST_BYTES:
                return JSONResponse({"error": f"the file has more than {MOST_BYTES >> 20} MB"}, 413)
        query = request.query_params
        try:
            game = site.game(query.get("game", ""))
            found = await asyncio.to_thread(read_games, game, query.get("name", "file"), bytes(content))
        except GameforgeError as error:
            return JSONResponse({"error": " ".join(str(error).split())}, 400)
        return JSONResponse(found)

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

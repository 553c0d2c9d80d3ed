"""Who may call the server: checks of Host, Origin and cookie before every request, and headers after it.

* A request with a foreign Host is refused: a page of another site may have pointed its own name at this computer (DNS
  rebinding).
* A websocket or a POST needs the Origin of the page itself.
* Everything but the address with the token needs the cookie.
"""

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gameforge.web.secret import Access

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ENTRANCE = "/enter"
"""The path of the address with the token, which needs no cookie."""


def cookie_name(port: int) -> str:
    """Return the name of the cookie; browsers share cookies between the ports of a host."""
    return f"gameforge-{port}"


class Guard:
    """Middleware that refuses foreign requests. hosts: allowed names of this computer, without the port."""

    def __init__(self, app: ASGIApp, access: Access, port: int, hosts: Iterable[str]) -> None:
        self._app = app
        self._access = access
        self._port = port
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        reason = self._reason(scope)
        if reason is None:
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": reason})
        else:
            await PlainTextResponse(reason, 403)(scope, receive, send_with_headers)

    def _reason(self, scope: Scope) -> str | None:
        """Return why the request is refused; None if it is allowed."""
        headers = Headers(scope=scope)
        if not self._is_own(f"//{headers.get('host', '')}"):
            return "Foreign host. Start gameforge web with --allow-host NAME to allow another name of this computer."
        needs_origin = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        origin = headers.get("origin")
        if (origin is not None or needs_origin) and not self._is_own(origin or ""):
            return "Foreign origin. Only the page of gameforge web itself may call this address."
        if scope["path"] != ENTRANCE and not self._has_cookie(headers):
            return "Open the address that gameforge web prints in the terminal; it holds the key to this page."
        return None

    def _is_own(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
            return (parts.hostname or "").lower() in self._hosts and (parts.port or 80) == self._port
        except ValueError:
            return False

    def _has_cookie(self, headers: Headers) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(cookie_name(self._port))
        return found is not None and self._access.knows(found.value)
